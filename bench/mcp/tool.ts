/**
 * The tool that every server offers, and the requests that call it.
 *
 * @module
 */

import { loadPeer, type Sum, type ZodSchema } from "./peers.ts";

/** What every server and client calls itself. */
export const INFO = { name: "bench", version: "1.0.0" };

/** The tool's arguments as JSON Schema. */
export const JSON_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};

/** The tool. */
export function add({ a, b }: Sum): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text: String(a + b) }] };
}

/** The tool's arguments as a schema of Zod. */
export async function zodSchema(): Promise<ZodSchema> {
  const zod = await loadPeer("zod");
  return zod.object({ a: zod.number(), b: zod.number() });
}

/** The names of so many tools; the first is `add`. */
export function toolNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => index === 0 ? "add" : `tool-${index}`);
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": INFO,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** How a client that holds no session says which protocol it speaks. */
export type ProtocolVersion = "2026-07-28" | "2025-06-18" | "2025-11-25";

/** A call of the tool as JSON. */
export function callText(id: number, version: ProtocolVersion): string {
  const meta = version === "2026-07-28" ? { _meta: META } : {};
  const params = { name: "add", arguments: { a: id, b: 2 }, ...meta };
  return JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
}

/** `initialize` as JSON. */
export function initializeText(): string {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: INFO };
  return JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
}

/** The headers of a call. */
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
