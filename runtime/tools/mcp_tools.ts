/**
 * Converts the tools of a Model Context Protocol server to agent tools. Any MCP client with the
 * methods of {@linkcode McpToolSource} can be used.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools
 * @module
 */

import {
  assertMethods,
  assertOptionalBoolean,
  assertOptionalFunction,
  assertOptionalSignal,
  assertString,
  rejectArgument,
} from "@parley/internal/assert-argument";
import {
  type DefaultRule,
  type OptionRules,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { formatValue } from "@parley/internal/format-value";
import { AgentError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import {
  asRecord,
  defined,
  isPlainObject,
  isRecord,
  type UnknownRecord,
} from "@parley/internal/json";
import { prefixedName } from "@parley/internal/prefixed-name";
import { reportRejection } from "@parley/internal/report-rejection";
import type { FilePart, TextPart } from "../shared/model.ts";
import { readToolInput } from "../shared/read_tool_input.ts";
import type { SchemaValidator } from "../shared/schema.ts";
import {
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  ToolError,
  ToolOutput,
} from "./tool.ts";

/** A tool listed by `tools/list`. */
export interface McpToolLike {
  /** Name of the tool on the server. */
  readonly name: string;
  /** Description of the tool for the model. */
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: object;
  /** Hints about the effects of the tool, used only if `trustHints` is true. */
  readonly annotations?: unknown;
}

/**
 * The members of an MCP client that `registerMcp` uses. `McpClient` from `@parley/mcp/client` and
 * `McpClients` from `@parley/mcp/clients` implement this interface.
 */
export interface McpToolSource {
  /**
   * Lists the server's tools.
   *
   * @param options Signal that cancels the request.
   */
  listTools(options?: { readonly signal?: AbortSignal }): Promise<readonly McpToolLike[]>;
  /**
   * Calls a tool.
   *
   * @param toolName Name of the tool on the server.
   * @param args Arguments of the call.
   * @param options Signal that cancels the call, and members for the `_meta` object of the request.
   */
  callTool(
    toolName: string,
    args: Record<string, unknown>,
    options?: { readonly signal?: AbortSignal; readonly meta?: JsonObject },
  ): Promise<unknown>;
  /**
   * Yields the server's list of tools, and the new list after each change. Required for the
   * `follow` option.
   *
   * @param options Signal that ends the iteration over the tool lists.
   */
  watchTools?(
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<readonly McpToolLike[]>;
}

/** Options for using the tools from an MCP server. */
export interface McpToolOptions {
  /**
   * Prefix for every tool name, to distinguish the tools of different servers. A name that is
   * longer than 64 characters or contains a character other than `A-Z a-z 0-9 _ -` is shortened,
   * its invalid characters are replaced with `_`, and the first 6 hexadecimal digits of the SHA-256
   * digest of the original name are appended.
   *
   * @default {""}
   */
  readonly prefix?: string;
  /**
   * Called with the name of each tool on the server. Returns true to include the tool, and false to
   * leave it out. If `filter` returns anything else, such as a promise, no tool is registered. If
   * omitted, all tools are included.
   */
  readonly filter?: (name: string) => boolean;
  /**
   * Validator for the arguments of the server's tools, in addition to the server's own validation.
   * Pass a validator only if it is safe for untrusted schemas or if the server is trusted. If
   * omitted, arguments are sent exactly as the model wrote them.
   */
  readonly validator?: SchemaValidator;
  /**
   * Whether the server's hints about the effects of its tools, such as `readOnlyHint`, become the
   * `annotations` of the tools. Approval handlers and resumed runs rely on annotations, so a server
   * that declares its tools as read-only could avoid approvals and cause repeated executions. Set
   * this option only for servers that you trust. With `McpClients`, the option applies to all
   * servers. If false, the tools have no annotations.
   *
   * @default {false}
   * @see
   * https://modelcontextprotocol.io/specification/2025-11-25/server/tools#security-considerations
   */
  readonly trustHints?: boolean;
  /**
   * Whether to follow changes to the list of tools: tools that the server adds, changes and removes
   * are registered, replaced and unregistered, respectively. The client must have a `watchTools`
   * method. The registry is updated until the client disconnects or `signal` is aborted. After the
   * last update, the tools stay registered, and calls return errors while the client is not
   * connected.
   *
   * @default {false}
   */
  readonly follow?: boolean;
  /**
   * Signal that aborts the request for the tools and, with `follow`, ends the updates of the
   * registry.
   */
  readonly signal?: AbortSignal;
  /**
   * Called with errors that do not reject the promise of `registerMcp`: a tool that is left out
   * because the server lists its name twice and, with `follow`, a lost connection or a new list
   * with a tool that cannot be registered. The registry is not updated if a tool in the list cannot
   * be registered. If omitted, errors are printed to standard error: each error once, and at
   * most 20 per minute. To ignore the errors, set the option to `() => {}`.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Returns members for the `_meta` object of each tool call, such as
   * `{ "example.com/key": context.idempotencyKey }`. If `meta` throws or does not return an
   * object, the model receives an error result. If omitted, `_meta` contains no additional members.
   */
  readonly meta?: (context: ToolContext) => JsonObject;
}

/** A tool from an MCP server, both as listed by the server and as used by an agent. */
export interface McpTool {
  /** JSON text of the tool as listed by the server, with the members that an agent uses. */
  readonly definition: string;
  /** The tool as used by the agent. */
  readonly tool: Tool;
}

/** Tools from an MCP server, keyed by the name that the agent uses, in the server's order. */
export type McpTools = ReadonlyMap<string, McpTool>;

/** Settings for using the tools from an MCP server. */
export type McpToolSettings = Settings<McpToolOptions, McpToolDefault>;

/** Names of the options for the tools from an MCP server that have a default. */
export type McpToolDefault = "prefix" | "trustHints" | "follow";

/** Rules for the options for using the tools from an MCP server. */
export const MCP_TOOL_RULES:
  & OptionRules<Omit<McpToolOptions, McpToolDefault>>
  & {
    readonly [Name in McpToolDefault]: DefaultRule<Exclude<McpToolOptions[Name], undefined>>;
  } = {
    prefix: withDefault("", assertString),
    filter: assertOptionalFunction,
    validator: assertValidator,
    trustHints: withDefault(false, assertOptionalBoolean),
    follow: withDefault(false, assertOptionalBoolean),
    signal: assertOptionalSignal,
    onError: assertOptionalFunction,
    meta: assertOptionalFunction,
  };

/** Asserts that a value is a validator for JSON Schema. */
export function assertValidator(name: string, value: unknown): void {
  assertMethods(name, "a SchemaValidator", value, ["compile"]);
}

/**
 * Asserts that a value is an MCP client.
 *
 * @throws {TypeError} If the value lacks a required method.
 */
export function assertMcpSource(source: McpToolSource, { follow }: McpToolSettings): void {
  const remedy = "connect an McpClient of @parley/mcp/client";
  assertMethods("source", "an MCP client", source, ["listTools", "callTool"], remedy);
  if (!follow) return;
  assertMethods("source", 'an MCP client with "watchTools" for "follow"', source, ["watchTools"]);
}

/** Options for {@linkcode convertMcpTools}. */
export interface ConvertMcpToolsOptions extends McpToolSettings {
  /** Tools from the previous list. The entry for an unchanged tool is reused. */
  readonly previous: McpTools;
  /** Called with an error for each name that several tools of the list have after conversion. */
  readonly report: (error: AgentError) => void;
}

/**
 * Converts the tools of an MCP server to tools for an agent. Converts names that model providers
 * reject; see {@linkcode prefixedName}. If several tools have the same name after conversion, the
 * first one is used.
 *
 * @param source The MCP client.
 * @param listed Tools as listed by the server.
 * @param options Settings, the tools from the previous list, and the function that reports errors.
 */
export async function convertMcpTools(
  source: McpToolSource,
  listed: readonly McpToolLike[],
  { prefix, filter, meta, trustHints, previous, report }: ConvertMcpToolsOptions,
): Promise<McpTools> {
  const tools = new Map<string, McpTool>();
  const repeated = new Set<string>();
  for (const each of listed) {
    // The client may change its list later, so the name that was checked is the name that is
    // called.
    const { name } = each;
    if (filter !== undefined && !includes(filter, name)) continue;
    const tool: Tool = {
      name: await prefixedName(prefix, name),
      ...describe(each, trustHints),
      async execute(input: unknown, context: ToolContext) {
        const { signal } = context;
        const options = meta === undefined ? { signal } : { signal, meta: readMeta(meta, context) };
        return readCallResult(await source.callTool(name, { ...readArguments(input) }, options));
      },
    };
    if (tools.has(tool.name)) {
      repeated.add(tool.name);
      continue;
    }
    const known = previous.get(tool.name);
    const definition = JSON.stringify([name, describe(each, trustHints)]);
    const isKnown = known?.definition === definition;
    tools.set(tool.name, isKnown ? known : { definition, tool });
  }
  for (const name of repeated) {
    report(AgentError.core(`Cannot register a second tool "${name}" of the MCP server`));
  }
  return tools;
}

/** Calls `filter`. A value that is not a boolean must not include a tool. */
function includes(filter: (name: string) => boolean, name: string): boolean {
  const isIncluded: unknown = filter(name);
  reportRejection(isIncluded, () => {});
  if (typeof isIncluded !== "boolean") rejectArgument("filter()", "a boolean", isIncluded);
  return isIncluded;
}

/** Calls `meta`. The members of a promise are not the members of `_meta`. */
function readMeta(meta: (context: ToolContext) => JsonObject, context: ToolContext): JsonObject {
  const members = meta(context);
  reportRejection(members, () => {});
  if (!isPlainObject(members)) rejectArgument("meta()", "a plain object", members);
  return members;
}

/** Returns the members of the definition that an agent uses. */
function describe(listed: McpToolLike, trustHints: boolean): Omit<Tool, "name" | "execute"> {
  const annotations = trustHints ? readAnnotations(listed.annotations) : undefined;
  return {
    ...defined({ description: listed.description }),
    inputSchema: { ...listed.inputSchema },
    ...defined({ annotations }),
  };
}

function readAnnotations(value: unknown): ToolAnnotations | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = asRecord(value);
  return {
    ...typeof readOnlyHint === "boolean" ? { readOnly: readOnlyHint } : {},
    ...typeof destructiveHint === "boolean" ? { destructive: destructiveHint } : {},
    ...typeof idempotentHint === "boolean" ? { idempotent: idempotentHint } : {},
    ...typeof openWorldHint === "boolean" ? { openWorld: openWorldHint } : {},
  };
}

/**
 * Returns the arguments of a call. Some models write the JSON text of the arguments instead of the
 * arguments.
 *
 * @throws {ToolError} If the input is neither an object nor the JSON text of one. The tool is not
 * called with other arguments than those of the model.
 */
function readArguments(input: unknown): UnknownRecord {
  if (isRecord(input)) return input;
  if (input === undefined || input === null) return {};
  const parsed = typeof input === "string" && input.trim() !== ""
    ? readToolInput(input)
    : undefined;
  if (parsed?.rawInput === undefined && isRecord(parsed?.input)) return parsed.input;
  throw new ToolError(`the arguments must be an object, got ${formatValue(input)}`);
}

/**
 * Converts the error, structured content or content blocks in the result of `tools/call`. A result
 * without an error or content is returned unchanged.
 */
function readCallResult(result: unknown): unknown {
  const { isError, structuredContent, content } = asRecord(result);
  const parts = Array.isArray(content) ? content.map(toPart) : [];
  // A custom client may return values that are not JSON data, such as dates, so the structured
  // content is converted to JSON data.
  const structure = typeof structuredContent === "object" && structuredContent !== null
    ? JSON.stringify(structuredContent)
    : undefined;
  if (isError === true) return toErrorOutput(parts, structure);
  if (structure !== undefined) {
    // The text of the content repeats the structured content. The files do not.
    const files = parts.filter(({ type }) => type === "file");
    return new ToolOutput(
      files.length === 0
        ? { type: "json", value: JSON.parse(structure) }
        : { type: "content", value: [{ type: "text", text: structure }, ...files] },
    );
  }
  if (!Array.isArray(content)) return result;
  const [only] = parts;
  return new ToolOutput(
    parts.length === 1 && only?.type === "text"
      ? { type: "text", value: only.text }
      : { type: "content", value: parts },
  );
}

/**
 * Returns the output for an error: its text, and the structured content unless the text contains
 * it.
 */
function toErrorOutput(
  parts: readonly (TextPart | FilePart)[],
  structure: string | undefined,
): ToolOutput {
  const text = parts.map(textOf).join("\n");
  if (structure === undefined) return new ToolOutput({ type: "error-text", value: text });
  if (text.trim() === "") {
    return new ToolOutput({ type: "error-json", value: JSON.parse(structure) });
  }
  const isRepeated = parts.some((part) => sameJson(textOf(part), structure));
  return new ToolOutput({ type: "error-text", value: isRepeated ? text : `${text}\n${structure}` });
}

function sameJson(text: string, structure: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === structure;
  } catch {
    // The text is not JSON.
    return false;
  }
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock */
function toPart(block: unknown): TextPart | FilePart {
  const { type, text, data, mimeType, resource } = asRecord(block);
  if (type === "text" && typeof text === "string") return { type, text };
  if (typeof data === "string" && (type === "image" || type === "audio")) {
    return toFilePart(data, mimeType);
  }
  return type === "resource" && resource ? toResourcePart(resource) : toTextPart(block);
}

function toResourcePart(resource: unknown): TextPart | FilePart {
  const { text, blob, mimeType } = asRecord(resource);
  if (typeof text === "string") return { type: "text", text };
  return typeof blob === "string" ? toFilePart(blob, mimeType) : toTextPart(resource);
}

function toFilePart(data: string, mimeType: unknown): FilePart {
  const mediaType = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  return { type: "file", mediaType, data: { type: "data", data } };
}

/** Converts a block of unknown type to JSON text so that its content reaches the model. */
function toTextPart(block: unknown): TextPart {
  return { type: "text", text: JSON.stringify(block) ?? "" };
}

function textOf(part: TextPart | FilePart): string {
  return part.type === "text" ? part.text : `[${part.mediaType}]`;
}
