/**
 * Serves one client over a pipe, in any protocol version.
 *
 * @module
 */

import type { Pipe } from "../../jsonrpc/contracts.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { assertObject } from "@parley/internal/assert-argument";
import { optionsReader } from "@parley/internal/options";
import { assertServer } from "../assert_server.ts";
import { openServerSession } from "../server_session.ts";
import type { OpenSession } from "../session_contract.ts";
import { serveMessages } from "./messages.ts";
import { PIPE_RULES, type PipeSettings, type ServePipeOptions } from "./pipe_options.ts";

const readOptions = optionsReader<ServePipeOptions>("options")(PIPE_RULES);

/**
 * Serves one client over a pipe, such as one end of an in-memory transport, until the pipe's input
 * ends.
 *
 * @param server MCP server. The server may serve other clients at the same time.
 * @param pipe Connection to the client.
 * @param options Limits, and a signal to stop serving.
 * @throws {TypeError} If `server` is not a server or `pipe` is not a pipe.
 * @throws {RangeError} If a limit or timeout is invalid.
 * @throws {McpError} With code `core` if the pipe's buffer overflows because the client reads too
 * slowly.
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
  assertServer(server);
  assertObject("pipe", pipe);
  await serveOpenPipe(server, pipe, readOptions(options));
}

/** Serves one client over a pipe, with settings that the caller has read. */
export async function serveOpenPipe(
  server: ServerCore,
  pipe: Pipe,
  settings: PipeSettings,
): Promise<void> {
  const openSession: OpenSession = (core, push) => openServerSession(core, push, settings);
  await serveMessages(server, pipe, { ...settings, openSession });
}
