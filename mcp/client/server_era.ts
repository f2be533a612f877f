/**
 * What connecting finds out about a server.
 *
 * @module
 */

/**
 * How a server is talked to. A client that has connected once can say so ({@linkcode McpClient.era}), and another client
 * of the same server begins with that.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning Versioning}
 *
 * @example Keep what was found out
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe, ServerEra } from "@parley/mcp";
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
  /** Every request stands for itself: since 2026-07-28. */
  Modern: "modern",
  /** Sessions begin with `initialize`: up to 2025-11-25. */
  Legacy: "legacy",
  /** The same over HTTP with one event stream for everything that comes in: 2024-11-05. */
  LegacySse: "legacy_sse",
} as const;

/** One of {@linkcode ServerEra}. */
export type ServerEra = typeof ServerEra[keyof typeof ServerEra];
