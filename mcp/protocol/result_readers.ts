/**
 * Readers of what comes over the wire: unknown in, typed data or what is wrong with it out.
 *
 * @module
 */

import { isJsonObject, type JsonObject } from "../shared/json.ts";
import type { ServerCapabilities } from "./capabilities.ts";
import type { ContentBlock } from "./content.ts";
import type { GetPromptResult, McpPrompt, McpPromptArgument, PromptMessage } from "./prompt.ts";
import type {
  McpResource,
  McpResourceTemplate,
  ReadResourceResult,
  ResourceContents,
} from "./resource.ts";
import type { CallToolResult, McpToolDescriptor } from "./tool.ts";

/** A value that has been read, or why it could not be. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** One page of a list. */
export interface Page<T> {
  /** The items of this page. */
  readonly items: readonly T[];
  /** Where the next page begins; absent on the last one. */
  readonly nextCursor?: string;
}

/** Reads a page: the list under `key`, each item by its reader. */
export function readPage<T>(
  result: JsonObject,
  key: string,
  readItem: (value: unknown) => ReadResult<T>,
): ReadResult<Page<T>> {
  const values = result[key];
  const { nextCursor } = result;
  if (!Array.isArray(values)) return unfit(`"${key}" must be an array`);
  const items: T[] = [];
  for (const value of values) {
    const item = readItem(value);
    if (!item.ok) return unfit(`"${key}" has an invalid item: ${item.reason}`);
    items.push(item.value);
  }
  return fit(typeof nextCursor === "string" ? { items, nextCursor } : { items });
}

/** Reads a tool. A missing description becomes `""`, a missing schema `{ type: "object" }`; schemas stay verbatim. */
export function readTool(value: unknown): ReadResult<McpToolDescriptor> {
  if (!isJsonObject(value) || typeof value.name !== "string") {
    return unfit('"name" of a tool must be a string');
  }
  const { name, description, inputSchema } = value;
  return fit({
    ...value,
    name,
    description: typeof description === "string" ? description : "",
    inputSchema: isJsonObject(inputSchema) ? inputSchema : { type: "object" },
  });
}

/** Reads a resource. A missing name becomes its URI. */
export function readResource(value: unknown): ReadResult<McpResource> {
  if (!isJsonObject(value) || typeof value.uri !== "string") {
    return unfit('"uri" of a resource must be a string');
  }
  const { uri, name } = value;
  return fit({ ...value, uri, name: typeof name === "string" ? name : uri });
}

/** Reads a template of resources. A missing name becomes the template. */
export function readResourceTemplate(value: unknown): ReadResult<McpResourceTemplate> {
  if (!isJsonObject(value) || typeof value.uriTemplate !== "string") {
    return unfit('"uriTemplate" of a resource template must be a string');
  }
  const { uriTemplate, name } = value;
  return fit({ ...value, uriTemplate, name: typeof name === "string" ? name : uriTemplate });
}

/** Reads a prompt. Missing arguments become `[]`, a missing `required` becomes `false`. */
export function readPrompt(value: unknown): ReadResult<McpPrompt> {
  if (!isJsonObject(value) || typeof value.name !== "string") {
    return unfit('"name" of a prompt must be a string');
  }
  const given = Array.isArray(value.arguments) ? value.arguments : [];
  return fit({ ...value, name: value.name, arguments: given.flatMap(readPromptArgument) });
}

function readPromptArgument(value: unknown): McpPromptArgument[] {
  if (!isJsonObject(value) || typeof value.name !== "string") return [];
  return [{ ...value, name: value.name, required: value.required === true }];
}

/** Reads what a tool gave. Missing content becomes `[]`. */
export function readCallToolResult(result: JsonObject): ReadResult<CallToolResult> {
  const { content, isError } = result;
  if (content === undefined) return readCallToolResult({ ...result, content: [] });
  if (isError !== undefined && typeof isError !== "boolean") {
    return unfit('"isError" must be a boolean');
  }
  return hasContent(result) ? fit(result) : unfit('"content" must be an array of content blocks');
}

/** Reads the contents of a resource. */
export function readReadResourceResult(result: JsonObject): ReadResult<ReadResourceResult> {
  const { contents } = result;
  if (!isContents(contents)) return unfit('"contents" must be an array of resource contents');
  return fit({ ...result, contents });
}

/** Reads a prompt that has been filled in. */
export function readGetPromptResult(result: JsonObject): ReadResult<GetPromptResult> {
  const { messages } = result;
  if (!isMessages(messages)) return unfit('"messages" must be an array of prompt messages');
  return fit({ ...result, messages });
}

/** Reads what a server says it offers; members of the wrong shape are left out. */
export function readServerCapabilities(value: JsonObject): ServerCapabilities {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isJsonObject(member)));
}

/** Whether an object has content blocks, as the result of a tool has. */
export function hasContent(value: JsonObject): value is JsonObject & CallToolResult {
  return isContent(value.content);
}

/** Whether a value is a list of content blocks, as far as their type goes: new types may be added by any server. */
export function isContent(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return value.type === "text" ? typeof value.text === "string" : typeof value.type === "string";
}

/** Whether a value is a list of resource contents. */
export function isContents(value: unknown): value is readonly ResourceContents[] {
  return Array.isArray(value) &&
    value.every((item) => isJsonObject(item) && typeof item.uri === "string");
}

/** Whether a value is a list of prompt messages. */
export function isMessages(value: unknown): value is readonly PromptMessage[] {
  return Array.isArray(value) &&
    value.every((item) =>
      isJsonObject(item) && typeof item.role === "string" && isJsonObject(item.content)
    );
}

function fit<T>(value: T): ReadResult<T> {
  return { ok: true, value };
}

function unfit(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
