/**
 * The tool that all servers provide, and the requests that call it.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { loadPeer, type Sum, type ZodSchema } from "./peers.ts";

/** Implementation info for all servers and clients. */
export const INFO = { name: "bench", version: "1.0.0" };

/** Methods of a logger. */
type Logger = Readonly<Record<"debug" | "error" | "info" | "log" | "warn", () => void>>;

/**
 * A logger that prints nothing. The standard output of a measured process contains only the results
 * of commands.
 */
export const SILENT: Logger = { debug() {}, error() {}, info() {}, log() {}, warn() {} };

/** Input schema of the tool, as a JSON Schema. */
export const JSON_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};

/** Adds two numbers. */
export function add({ a, b }: Sum): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text: String(a + b) }] };
}

let turn: Promise<void> | undefined;

/** Adds two numbers after a turn of the event loop, which all concurrent calls share. */
export async function addLater(sum: Sum): Promise<ReturnType<typeof add>> {
  turn ??= new Promise((resolve) =>
    setImmediate(() => {
      turn = undefined;
      resolve();
    })
  );
  await turn;
  return add(sum);
}

/** Creates the input schema of the tool, as a Zod schema. */
export async function zodSchema(): Promise<ZodSchema> {
  const zod = await loadPeer("zod");
  return zod.object({ a: zod.number(), b: zod.number() });
}

/** Returns the given number of tool names, starting with `add`. */
export function toolNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => index === 0 ? "add" : `tool-${index}`);
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": INFO,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** A protocol version that the benchmark uses. */
export type ProtocolVersion = "2026-07-28" | "2025-06-18" | "2025-11-25";

/** Returns a `tools/call` request as JSON. */
export function callText(id: number, version: ProtocolVersion): string {
  const meta = version === "2026-07-28" ? { _meta: META } : {};
  const params = { name: "add", arguments: { a: id, b: 2 }, ...meta };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

/** Returns a `tools/list` request as JSON. */
export function listText(): string {
  const params = { _meta: META };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params });
}

/** Returns an `initialize` request as JSON. */
export function initializeText(): string {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
  return JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
}

/** Returns the HTTP headers for a tool call. */
export function callHeaders(
  version: ProtocolVersion,
  sessionId?: string,
): Readonly<Record<string, string>> {
  return {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": version,
    ...(version === "2026-07-28" ? { "mcp-method": "tools/call", "mcp-name": "add" } : {}),
    ...(sessionId === undefined ? {} : { "mcp-session-id": sessionId }),
  };
}
