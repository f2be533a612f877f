/**
 * Eras of MCP servers.
 *
 * @module
 */

/**
 * Era and transport of a server. {@linkcode McpClient.era} returns the detected era. If the era is
 * passed as the `era` option of a second client for the same server, the second client tries the
 * detected era first.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning Versioning}
 *
 * @example Reuse the detected era
 * ```ts
 * import { createMemoryTransport, McpServer, servePipe } from "@parley/mcp";
 * import { McpClient, ServerEra } from "@parley/mcp/client";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "empty", version: "1.0.0" });
 * const transport = createMemoryTransport((pipe) => servePipe(server, pipe));
 * const client = new McpClient({ transport });
 * await client.connect();
 * assertEquals(client.era, ServerEra.Modern);
 * await client.disconnect();
 *
 * const next = new McpClient({ transport, ...(client.era && { era: client.era }) });
 * assertEquals(next.era, "modern");
 * ```
 */
export const ServerEra = {
  /** Stateless requests: protocol version 2026-07-28 and later. */
  Modern: "modern",
  /** Sessions that begin with `initialize`: protocol version 2025-11-25 and earlier. */
  Legacy: "legacy",
  /** Sessions over the HTTP+SSE transport of protocol version 2024-11-05. */
  LegacySse: "legacy_sse",
} as const;

/** A value of {@linkcode ServerEra}. */
export type ServerEra = typeof ServerEra[keyof typeof ServerEra];
