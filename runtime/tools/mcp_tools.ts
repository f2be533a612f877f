/**
 * Tools of a Model Context Protocol server, as tools of an agent. Structural: any client with these two methods will do.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/tools
 * @module
 */

import { asRecord } from "../shared/json.ts";
import type { FilePart, TextPart } from "../shared/model.ts";
import type { SchemaValidator } from "../shared/schema.ts";
import { type Tool, type ToolAnnotations, type ToolContext, ToolOutput } from "./tool.ts";

/** A tool as an MCP client lists it. */
export interface McpToolLike {
  /** The tool's name on the server. */
  readonly name: string;
  /** What it does. */
  readonly description?: string;
  /** What its input looks like: JSON Schema. */
  readonly inputSchema: object;
  /** What the server says of its effects. */
  readonly annotations?: unknown;
}

/** What is needed of an MCP client; `McpClient` of `@parley/mcp` has it. */
export interface McpToolSource {
  /** Lists the server's tools. */
  listTools(): Promise<readonly McpToolLike[]>;
  /**
   * Calls one.
   *
   * @param toolName the tool's name on the server
   * @param args the arguments
   * @param options the signal that cancels the call
   */
  callTool(
    toolName: string,
    args: Record<string, unknown>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<unknown>;
}

/** How a server's tools are taken over. */
export interface McpToolOptions {
  /** Put before every name, to keep servers apart. Default: nothing. */
  readonly prefix?: string;
  /** Which tools to take, by their names on the server. Default: all. */
  readonly filter?: (name: string) => boolean;
  /**
   * Validator for the arguments of these tools, in addition to the server's own validation. Pass one only if it is safe on
   * untrusted schemas, or if the server is trusted. If omitted, arguments are sent as the model wrote them.
   */
  readonly validator?: SchemaValidator;
}

/** Providers accept no longer names, and no other characters. */
const MAX_NAME_LENGTH = 64;

/**
 * Reads a server's tools.
 *
 * @param source the client
 * @param options prefix and filter
 * @returns the tools, in the server's order; characters of names that models' providers refuse become `_`
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

/** A call's result: an error flag, structured content, or content blocks. Anything else is passed on as it is. */
function readCallResult(result: unknown): unknown {
  const { isError, structuredContent, content } = asRecord(result);
  const parts = Array.isArray(content) ? content.map(toPart) : [];
  if (isError === true) {
    return new ToolOutput({ type: "error-text", value: parts.map(textOf).join("\n") });
  }
  if (typeof structuredContent === "object" && structuredContent !== null) {
    // What came from a server is JSON; what came from an object that only looks like a client becomes it here.
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

/** What this code does not know is shown to the model as JSON text rather than lost. */
function toTextPart(block: unknown): TextPart {
  return { type: "text", text: JSON.stringify(block) ?? "" };
}

function textOf(part: TextPart | FilePart): string {
  return part.type === "text" ? part.text : `[${part.mediaType}]`;
}
