/**
 * Serves one client over standard streams, and ends with them.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 * @module
 */

import { openStdioPipe, type StdioTransportOptions } from "../../transport/stdio_pipe.ts";
import type { ServerCore } from "../../server/server_core.ts";
import { redirectConsole } from "../../shared/redirect_console.ts";
import { exitProcess } from "../../shared/standard_streams.ts";
import { serveLines, type ServeLinesOptions } from "./messages.ts";

export { serveLines } from "./messages.ts";

/** How a client on standard streams is served. */
export interface ServeStreamsOptions extends StdioTransportOptions, ServeLinesOptions {
  /** Whether the process ends with the input. Default true for standard input, false for an injected reader. */
  readonly exit?: boolean;
  /** Whether the console prints to standard error meanwhile. Default false. */
  readonly redirectConsole?: boolean;
}

/** Serves standard streams, or injected lines, until the input ends. */
export async function serveStreams(
  server: ServerCore,
  options: ServeStreamsOptions,
): Promise<void> {
  const { reader, exit = reader === undefined } = options;
  const restore = options.redirectConsole ? redirectConsole() : undefined;
  try {
    await serveLines(server, openStdioPipe(options), options);
  } finally {
    restore?.();
  }
  if (exit) exitProcess(0);
}
