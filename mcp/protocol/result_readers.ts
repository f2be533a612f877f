/**
 * Readers that validate received data and return typed values.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { Deviation } from "../jsonrpc/deviation.ts";
import type { ServerCapabilities } from "./capabilities.ts";
import { type ContentBlock, missingMembers } from "./content.ts";
import { withoutInvalid, withoutInvalidContent, withoutInvalidIn } from "./optional_members.ts";
import type { GetPromptResult, McpPrompt, McpPromptArgument, PromptMessage } from "./prompt.ts";
import type {
  McpResource,
  McpResourceTemplate,
  ReadResourceResult,
  ResourceContents,
} from "./resource.ts";
import type { CallToolResult, McpToolDescriptor } from "./tool.ts";

/**
 * Either a valid value, with the deviations that were accepted, or the reason why the received data
 * is invalid.
 */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T; readonly deviations?: readonly Deviation[] }
  | { readonly ok: false; readonly reason: string };

/** One page of a list. */
export interface Page<T> {
  /** Items on the page. */
  readonly items: readonly T[];
  /** Cursor for the next page, absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Reads one page of a list. Invalid items are left out if at least half of the items are valid.
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
  const { [key]: listed, nextCursor } = result;
  const values: unknown = listed === null ? [] : listed;
  if (!Array.isArray(values)) return unfit(`"${key}" must be an array`);
  const items: T[] = [];
  const deviations: Deviation[] = listed === null ? [{ what: `"${key}" is null` }] : [];
  for (const [index, value] of values.entries()) {
    const item = readItem(value);
    if (item.ok) {
      items.push(item.value);
      for (const deviation of item.deviations ?? []) deviations.push(deviation);
    } else {
      const detail = `item ${index}: ${item.reason}`;
      deviations.push({ what: `"${key}" has an invalid item`, detail });
    }
  }
  if (items.length < values.length / 2) {
    const { what = "", detail = "" } = deviations.find((each) => each.detail !== undefined) ?? {};
    return unfit(`${what}: ${detail}`);
  }
  if (nextCursor === null) deviations.push({ what: '"nextCursor" is null' });
  else if (nextCursor !== undefined && typeof nextCursor !== "string") {
    return unfit('"nextCursor" must be a string');
  }
  return fit(typeof nextCursor === "string" ? { items, nextCursor } : { items }, deviations);
}

/**
 * Reads a tool. A missing description becomes `""`, and a missing input schema becomes
 * `{ type: "object" }`.
 */
export function readTool(value: unknown): ReadResult<McpToolDescriptor> {
  if (!isRecord(value) || typeof value.name !== "string") {
    return unfit('"name" of a tool must be a string');
  }
  const { rest, deviations } = withoutInvalid(value);
  const { description, inputSchema } = rest;
  if (!isRecord(inputSchema)) {
    const what = inputSchema === undefined ? "is missing" : "is not an object";
    deviations.push({ what: `"inputSchema" ${what}` });
  } else if (inputSchema.type !== "object") {
    deviations.push({ what: '"inputSchema" does not have the type "object"' });
  }
  return fit({
    ...rest,
    name: value.name,
    description: typeof description === "string" ? description : "",
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: "object" },
  }, deviations);
}

/** Reads a resource. If the name is missing, the URI is used. */
export function readResource(value: unknown): ReadResult<McpResource> {
  if (!isRecord(value) || typeof value.uri !== "string") {
    return unfit('"uri" of a resource must be a string');
  }
  const { rest, deviations } = withoutInvalid(value);
  return fit({ ...rest, uri: value.uri, name: nameOf(rest, value.uri, deviations) }, deviations);
}

/** Reads a resource template. If the name is missing, the URI template is used. */
export function readResourceTemplate(value: unknown): ReadResult<McpResourceTemplate> {
  if (!isRecord(value) || typeof value.uriTemplate !== "string") {
    return unfit('"uriTemplate" of a resource template must be a string');
  }
  const { uriTemplate } = value;
  const { rest, deviations } = withoutInvalid(value);
  return fit({ ...rest, uriTemplate, name: nameOf(rest, uriTemplate, deviations) }, deviations);
}

/** Reads a prompt. Missing arguments become `[]`, and any `required` but `true` becomes `false`. */
export function readPrompt(value: unknown): ReadResult<McpPrompt> {
  if (!isRecord(value) || typeof value.name !== "string") {
    return unfit('"name" of a prompt must be a string');
  }
  const { rest, deviations } = withoutInvalid(value);
  const given = Array.isArray(rest.arguments) ? rest.arguments : [];
  const args = given.flatMap((argument) => readPromptArgument(argument, deviations));
  if (rest.arguments !== undefined && !Array.isArray(rest.arguments)) {
    deviations.push({ what: '"arguments" is not an array' });
  }
  if (args.length < given.length) deviations.push({ what: '"arguments" has an invalid item' });
  return fit({ ...rest, name: value.name, arguments: args }, deviations);
}

function readPromptArgument(value: unknown, deviations: Deviation[]): McpPromptArgument[] {
  if (!isRecord(value) || typeof value.name !== "string") return [];
  const { rest, deviations: found } = withoutInvalid(value);
  const { required } = rest;
  deviations.push(...found);
  if (required !== undefined && typeof required !== "boolean") {
    deviations.push({ what: '"required" is not a boolean' });
  }
  return [{ ...rest, name: value.name, required: required === true }];
}

function nameOf(item: JsonObject, substitute: string, deviations: Deviation[]): string {
  if (typeof item.name === "string") return item.name;
  deviations.push({ what: '"name" is not a string' });
  return substitute;
}

/** Reads the result of `tools/call`. Missing content becomes `[]`. */
export function readCallToolResult(result: JsonObject): ReadResult<CallToolResult> {
  const { rest, deviations } = withoutInvalid(result);
  const { content = [], isError } = rest;
  if (result.content === undefined) deviations.push({ what: '"content" is missing' });
  if (isError !== undefined && typeof isError !== "boolean") {
    return unfit('"isError" must be a boolean');
  }
  const given = withoutInvalidIn(content, deviations);
  const read = given === rest.content ? rest : { ...rest, content: given };
  if (!hasContent(read)) return unfit('"content" must be an array of content blocks');
  for (const block of read.content) reportIncomplete(block, deviations);
  return fit(read, deviations);
}

/** Reads the result of `resources/read`. */
export function readReadResourceResult(result: JsonObject): ReadResult<ReadResourceResult> {
  const { rest, deviations } = withoutInvalid(result);
  const contents = withoutInvalidIn(rest.contents, deviations);
  if (!isContents(contents)) return unfit('"contents" must be an array of resource contents');
  for (const { text, blob } of contents) {
    if (!isText(text) || !isText(blob)) return unfit('"text" and "blob" must be strings');
    if (text !== undefined && blob !== undefined) {
      return unfit('"contents" has an item with both "text" and "blob"');
    }
    if (text === undefined && blob === undefined) {
      deviations.push({ what: '"contents" has an item without "text" and "blob"' });
    }
  }
  return fit({ ...rest, contents }, deviations);
}

/** Reads the result of `prompts/get`. */
export function readGetPromptResult(result: JsonObject): ReadResult<GetPromptResult> {
  const { rest, deviations } = withoutInvalid(result);
  const messages = Array.isArray(rest.messages)
    ? rest.messages.map((message: unknown) => withoutInvalidContent(message, deviations))
    : undefined;
  if (!isMessages(messages)) return unfit('"messages" must be an array of prompt messages');
  for (const { content } of messages) reportIncomplete(content, deviations);
  return fit({ ...rest, messages }, deviations);
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
    value.every((item) => isRecord(item) && typeof item.role === "string" && isBlock(item.content));
}

/** Reports a block that lacks its data. Like a block of an unknown type, it is not changed. */
function reportIncomplete(block: ContentBlock, deviations: Deviation[]): void {
  const missing = missingMembers(block);
  if (missing === undefined) return;
  const article = /^[aeiou]/.test(block.type) ? "an" : "a";
  deviations.push({ what: `${article} "${block.type}" block has no ${missing}` });
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function fit<T>(value: T, deviations: readonly Deviation[]): ReadResult<T> {
  return deviations.length === 0 ? { ok: true, value } : { ok: true, value, deviations };
}

function unfit(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
