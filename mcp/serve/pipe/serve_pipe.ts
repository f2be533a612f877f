/**
 * Serves one client of any era over a pipe.
 *
 * @module
 */

import type { Pipe } from "../../jsonrpc/contracts.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { assertLimits } from "../assert_limits.ts";
import { openLegacySession } from "../legacy_session.ts";
import type { OpenSession } from "../session_contract.ts";
import { serveMessages, type ServePipeOptions } from "./messages.ts";

/**
 * Serves one client over a pipe, such as one end of a pair in memory, until the pipe ends.
 *
 * @param server the server; it may be served elsewhere at the same time
 * @param pipe the way to the client
 * @param options limits, and a signal that ends the serving
 * @throws {RangeError} when a number among the options is no limit or time
 * @throws {McpError} `core` when the client leaves more unread than the pipe lets wait
 *
 * @example A server and its client in one program
 * ```ts
 * import { createMemoryTransport, McpClient, McpServer, servePipe } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const server = new McpServer({ name: "greeter", version: "1.0.0" });
 * server.registerPrompt({ name: "hello", arguments: [] }, () => "Say hello");
 *
 * const client = new McpClient({
 *   transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
 * });
 * await client.connect();
 * try {
 *   assertEquals((await client.listPrompts()).map(({ name }) => name), ["hello"]);
 * } finally {
 *   await client.disconnect();
 * }
 * ```
 */
export async function servePipe(
  server: ServerCore,
  pipe: Pipe,
  options: ServePipeOptions = {},
): Promise<void> {
  assertLimits(options);
  const openSession: OpenSession = (core, push) => openLegacySession(core, push, options);
  await serveMessages(server, pipe, { ...options, openSession });
}
