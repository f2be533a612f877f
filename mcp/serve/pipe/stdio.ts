/**
 * Serves one client over standard input and output.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 * @module
 */

import { assertOptionalBoolean } from "@parley/internal/assert-argument";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { ServerCore } from "../../server/server_core.ts";
import { redirectConsole } from "@parley/internal/redirect-console";
import { exitProcess } from "@parley/internal/standard-streams";
import {
  openStdioPipe,
  stdioRules,
  type StdioTransportOptions,
} from "../../transport/stdio_pipe.ts";
import { assertServer } from "../assert_server.ts";
import { PIPE_RULES, type ServePipeOptions } from "./pipe_options.ts";
import { serveOpenPipe } from "./serve_pipe.ts";

/** Options for {@linkcode serveStdio}. */
export interface ServeStdioOptions extends StdioTransportOptions, ServePipeOptions {
  /**
   * Whether to exit the process after the end of the input, even if timers or sockets are still
   * active. If omitted, the process exits unless a `reader` is given.
   */
  readonly exit?: boolean;
  /**
   * Whether to redirect `console.log` and the other `console` methods to standard error while
   * serving. A log line on standard output would be an invalid message. The redirection of
   * `console` affects the whole program.
   *
   * @default {false}
   */
  readonly redirectConsole?: boolean;
}

const readOptions = optionsReader<ServeStdioOptions>("options")({
  ...stdioRules(int32From(1)),
  ...PIPE_RULES,
  exit: assertOptionalBoolean,
  redirectConsole: withDefault(false, assertOptionalBoolean),
});

/**
 * Serves one client over standard input and output until the input ends. Requests that are in
 * flight when the input ends may complete within `drainTimeoutMs`.
 *
 * The program must not write anything else to standard output. Write logs to standard error, or set
 * `redirectConsole`.
 *
 * @param server MCP server. The server may serve other clients at the same time.
 * @param options Limits, and custom line streams.
 * @throws {TypeError} If `server` is not a server, or if the runtime has no standard streams and no
 * custom streams are given.
 * @throws {RangeError} If a limit or timeout is invalid.
 * @throws {McpError} With code `core` if the client leaves more than `maxBufferedChars` characters
 * unread.
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 *
 * @example Serve a client over custom streams
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
  assertServer(server);
  const settings = readOptions(options);
  const { reader, exit = reader === undefined } = settings;
  const restore = settings.redirectConsole ? redirectConsole() : undefined;
  try {
    await serveOpenPipe(server, openStdioPipe(settings), settings);
  } finally {
    restore?.();
  }
  if (exit) exitProcess(0);
}
