/**
 * Readers that validate received data and return typed values.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
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

/** Either a valid value or the reason why the received data is invalid. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** One page of a list. */
export interface Page<T> {
  /** Items on the page. */
  readonly items: readonly T[];
  /** Cursor for the next page, absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Reads one page of a list.
 *
 * @param result Result of a list request.
 * @param key Name of the result member that contains the items.
 * @param readItem Function that reads one item.
 */
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

/**
 * Reads a tool. A missing description becomes `""`, and a missing input schema becomes
 * `{ type: "object" }`.
 */
export function readTool(value: unknown): ReadResult<McpToolDescriptor> {
  if (!isRecord(value) || typeof value.name !== "string") {
    return unfit('"name" of a tool must be a string');
  }
  const { name, description, inputSchema } = value;
  return fit({
    ...value,
    name,
    description: typeof description === "string" ? description : "",
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: "object" },
  });
}

/** Reads a resource. If the name is missing, the URI is used. */
export function readResource(value: unknown): ReadResult<McpResource> {
  if (!isRecord(value) || typeof value.uri !== "string") {
    return unfit('"uri" of a resource must be a string');
  }
  const { uri, name } = value;
  return fit({ ...value, uri, name: typeof name === "string" ? name : uri });
}

/** Reads a resource template. If the name is missing, the URI template is used. */
export function readResourceTemplate(value: unknown): ReadResult<McpResourceTemplate> {
  if (!isRecord(value) || typeof value.uriTemplate !== "string") {
    return unfit('"uriTemplate" of a resource template must be a string');
  }
  const { uriTemplate, name } = value;
  return fit({ ...value, uriTemplate, name: typeof name === "string" ? name : uriTemplate });
}

/** Reads a prompt. Missing arguments become `[]`, and a missing `required` becomes `false`. */
export function readPrompt(value: unknown): ReadResult<McpPrompt> {
  if (!isRecord(value) || typeof value.name !== "string") {
    return unfit('"name" of a prompt must be a string');
  }
  const given = Array.isArray(value.arguments) ? value.arguments : [];
  return fit({ ...value, name: value.name, arguments: given.flatMap(readPromptArgument) });
}

function readPromptArgument(value: unknown): McpPromptArgument[] {
  if (!isRecord(value) || typeof value.name !== "string") return [];
  return [{ ...value, name: value.name, required: value.required === true }];
}

/** Reads the result of `tools/call`. Missing content becomes `[]`. */
export function readCallToolResult(result: JsonObject): ReadResult<CallToolResult> {
  const { content, isError } = result;
  if (content === undefined) return readCallToolResult({ ...result, content: [] });
  if (isError !== undefined && typeof isError !== "boolean") {
    return unfit('"isError" must be a boolean');
  }
  return hasContent(result) ? fit(result) : unfit('"content" must be an array of content blocks');
}

/** Reads the result of `resources/read`. */
export function readReadResourceResult(result: JsonObject): ReadResult<ReadResourceResult> {
  const { contents } = result;
  if (!isContents(contents)) return unfit('"contents" must be an array of resource contents');
  return fit({ ...result, contents });
}

/** Reads the result of `prompts/get`. */
export function readGetPromptResult(result: JsonObject): ReadResult<GetPromptResult> {
  const { messages } = result;
  if (!isMessages(messages)) return unfit('"messages" must be an array of prompt messages');
  return fit({ ...result, messages });
}

/** Reads declared server capabilities, and omits capabilities that are not objects. */
export function readServerCapabilities(value: JsonObject): ServerCapabilities {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => isRecord(member)));
}

/**
 * Returns `true` if an object has a `content` member that is an array of content blocks, as tool
 * results do.
 */
export function hasContent(value: JsonObject): value is JsonObject & CallToolResult {
  return isContent(value.content);
}

/**
 * Returns `true` if a value is an array of content blocks. Unknown block types are accepted,
 * because later protocol versions may add them.
 */
export function isContent(value: unknown): value is readonly ContentBlock[] {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return value.type === "text" ? typeof value.text === "string" : typeof value.type === "string";
}

/** Returns `true` if a value is an array of resource contents. */
export function isContents(value: unknown): value is readonly ResourceContents[] {
  return Array.isArray(value) &&
    value.every((item) => isRecord(item) && typeof item.uri === "string");
}

/** Returns `true` if a value is an array of prompt messages. */
export function isMessages(value: unknown): value is readonly PromptMessage[] {
  return Array.isArray(value) &&
    value.every((item) =>
      isRecord(item) && typeof item.role === "string" && isRecord(item.content)
    );
}

function fit<T>(value: T): ReadResult<T> {
  return { ok: true, value };
}

function unfit(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
