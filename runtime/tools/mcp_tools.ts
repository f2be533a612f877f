/**
 * Makes the tools of a Model Context Protocol server available to an agent. Any MCP client with the methods of
 * {@linkcode McpToolSource} can be used.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools
 * @module
 */

import { asRecord } from "../shared/json.ts";
import type { FilePart, TextPart } from "../shared/model.ts";
import type { SchemaValidator } from "../shared/schema.ts";
import { type Tool, type ToolAnnotations, type ToolContext, ToolOutput } from "./tool.ts";

/** A tool listed by `tools/list`. */
export interface McpToolLike {
  /** Name of the tool on the server. */
  readonly name: string;
  /** Description of the tool for the model. */
  readonly description?: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: object;
  /** Hints about the effects of the tool. */
  readonly annotations?: unknown;
}

/**
 * The part of an MCP client that {@linkcode toolsFromMcp} uses. `McpClient` from `@parley/mcp` implements this
 * interface.
 */
export interface McpToolSource {
  /** Lists the server's tools. */
  listTools(): Promise<readonly McpToolLike[]>;
  /**
   * Calls a tool.
   *
   * @param toolName Name of the tool on the server.
   * @param args Arguments of the call.
   * @param options Signal that cancels the call.
   */
  callTool(
    toolName: string,
    args: Record<string, unknown>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>;
}

/** Options for using the tools of an MCP server. */
export interface McpToolOptions {
  /**
   * Prefix for every tool name, to tell the tools of different servers apart.
   *
   * @default {""}
   */
  readonly prefix?: string;
  /**
   * Called with the name of each tool on the server. Returns true to include the tool. If omitted, all tools are
   * included.
   */
  readonly filter?: (name: string) => boolean;
  /**
   * Validator for the arguments of the server's tools, in addition to the server's own validation. Pass a validator
   * only if it is safe for untrusted schemas or if the server is trusted. If omitted, arguments are sent as the model
   * wrote them.
   */
  readonly validator?: SchemaValidator;
}

/** Maximum length of a tool name that model providers accept. */
const MAX_NAME_LENGTH = 64;

/**
 * Lists the tools of an MCP server and converts them to tools for an agent, in the server's order. Replaces characters
 * that model providers reject in names with `_`.
 *
 * @param source The MCP client.
 * @param options Prefix and filter.
 */
export async function toolsFromMcp(
  source: McpToolSource,
  { prefix = "", filter }: McpToolOptions,
): Promise<readonly Tool[]> {
  const listed = await source.listTools();
  return listed
    .filter(({ name }) => filter === undefined || filter(name))
    .map((tool) => ({
      ...describe(tool, prefix),
      async execute(input: unknown, { signal }: ToolContext) {
        const result = await source.callTool(tool.name, { ...asRecord(input) }, { signal });
        return readCallResult(result);
      },
    }));
}

function describe(listed: McpToolLike, prefix: string): Omit<Tool, "execute"> {
  const name = `${prefix}${listed.name}`.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
  const annotations = readAnnotations(listed.annotations);
  return {
    name: name.slice(0, MAX_NAME_LENGTH),
    ...listed.description === undefined ? {} : { description: listed.description },
    inputSchema: { ...listed.inputSchema },
    ...annotations === undefined ? {} : { annotations },
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
 * Converts the result of `tools/call`, which is an error, structured content or content blocks. Returns a result of any
 * other form unchanged.
 */
function readCallResult(result: unknown): unknown {
  const { isError, structuredContent, content } = asRecord(result);
  const parts = Array.isArray(content) ? content.map(toPart) : [];
  if (isError === true) {
    return new ToolOutput({ type: "error-text", value: parts.map(textOf).join("\n") });
  }
  if (typeof structuredContent === "object" && structuredContent !== null) {
    // A custom client may return values that are not JSON data, such as dates, so the content is converted to JSON
    // data.
    return new ToolOutput({ type: "json", value: JSON.parse(JSON.stringify(structuredContent)) });
  }
  if (!Array.isArray(content)) return result;
  const [only] = parts;
  return new ToolOutput(
    parts.length === 1 && only?.type === "text"
      ? { type: "text", value: only.text }
      : { type: "content", value: parts },
  );
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock */
function toPart(block: unknown): TextPart | FilePart {
  const { type, text, data, mimeType, resource } = asRecord(block);
  if (type === "text" && typeof text === "string") return { type, text };
  if (typeof data === "string" && typeof mimeType === "string") {
    return { type: "file", mediaType: mimeType, data: { type: "data", data } };
  }
  return type === "resource" && resource ? toResourcePart(resource) : toTextPart(block);
}

function toResourcePart(resource: unknown): TextPart | FilePart {
  const { text, blob, mimeType = "application/octet-stream" } = asRecord(resource);
  if (typeof text === "string") return { type: "text", text };
  return typeof blob === "string" && typeof mimeType === "string"
    ? { type: "file", mediaType: mimeType, data: { type: "data", data: blob } }
    : toTextPart(resource);
}

/** Converts a block of unknown type to JSON text so that its content reaches the model. */
function toTextPart(block: unknown): TextPart {
  return { type: "text", text: JSON.stringify(block) ?? "" };
}

function textOf(part: TextPart | FilePart): string {
  return part.type === "text" ? part.text : `[${part.mediaType}]`;
}
