/**
 * Serves one client over standard streams, and ends with them.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 * @module
 */

import type { ServerCore } from "../../server/server_core.ts";
import { redirectConsole } from "../../shared/redirect_console.ts";
import { exitProcess } from "../../shared/standard_streams.ts";
import { openStdioPipe, type StdioTransportOptions } from "../../transport/stdio_pipe.ts";
import { assertLimits } from "../assert_limits.ts";
import type { ServePipeOptions } from "./messages.ts";
import { servePipe } from "./serve_pipe.ts";

/** How {@linkcode serveStdio} behaves. */
export interface ServeStdioOptions extends StdioTransportOptions, ServePipeOptions {
  /**
   * Whether the process ends with the input, although timers or sockets may still be open: a client that is gone must
   * leave no process behind. Default true for standard input, false for an injected reader.
   */
  readonly exit?: boolean;
  /**
   * Whether `console.log` and the like print to standard error meanwhile, where they harm nobody: on standard output a
   * line of a library that you use is a broken message. Default false; it concerns the whole program.
   */
  readonly redirectConsole?: boolean;
}

/**
 * Serves one client over standard input and output, until the input ends. What is under way then is finished first.
 *
 * Nothing else may write to standard output meanwhile: use standard error for logs, or `redirectConsole`.
 *
 * @param server the server; it may be served elsewhere at the same time
 * @param options limits, and injected lines
 * @throws {TypeError} when this runtime has no standard streams and none are injected
 * @throws {McpError} `core` when the client leaves more unread than `maxBufferedChars`
 * @throws {RangeError} when a number among the options is no limit or time
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 *
 * @example Serve injected lines
 * ```ts
 * import { McpServer, serveStdio } from "@parley/mcp/server";
 * import { assertEquals } from "@std/assert";
 *
 * const input = ['{"jsonrpc":"2.0","id":1,"method":"ping"}'];
 * const output: string[] = [];
 * await serveStdio(new McpServer({ name: "quiet", version: "1.0.0" }), {
 *   reader: { readLine: () => Promise.resolve(input.shift() ?? null) },
 *   writer: { writeLine: (line) => Promise.resolve(void output.push(line)) },
 * });
 * assertEquals(output, ['{"jsonrpc":"2.0","id":1,"result":{}}']);
 * ```
 */
export async function serveStdio(
  server: ServerCore,
  options: ServeStdioOptions = {},
): Promise<void> {
  assertLimits(options);
  const { reader, exit = reader === undefined } = options;
  const restore = options.redirectConsole ? redirectConsole() : undefined;
  try {
    await servePipe(server, openStdioPipe(options), options);
  } finally {
    restore?.();
  }
  if (exit) exitProcess(0);
}
