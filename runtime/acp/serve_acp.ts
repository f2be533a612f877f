/**
 * Serves an agent to an editor.
 *
 * @see {@link https://agentclientprotocol.com/protocol/v1/transports Transports}
 * @module
 */

import {
  assertMethods,
  assertObject,
  assertOptionalBoolean,
} from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { ChunkReader } from "@parley/internal/read-chunks";
import { redirectConsole } from "@parley/internal/redirect-console";
import { splitLines } from "@parley/internal/split-lines";
import { exitProcess, openInput, openOutput } from "@parley/internal/standard-streams";
import {
  ACP_RULES,
  type AcpSettings,
  readAcpOptions,
  type ServeAcpOptions,
} from "./acp_options.ts";
import { AcpServer } from "./acp_server.ts";
import type { WriteText } from "./connection.ts";

/** The two directions of a connection to an editor. */
export interface AcpStreams {
  /** Bytes that the editor sends. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Bytes that the editor receives. */
  readonly writable: WritableStream<Uint8Array>;
}

/** Options for {@linkcode serveAcpStdio}. */
export interface ServeAcpStdioOptions extends ServeAcpOptions {
  /**
   * Whether to exit the process after the end of the input, even if timers or sockets are still
   * active.
   *
   * @default {true}
   */
  readonly exit?: boolean;
}

const readStdioOptions = optionsReader<ServeAcpStdioOptions>("options")({
  ...ACP_RULES,
  exit: withDefault(true, assertOptionalBoolean),
});

/** A connection to an editor. */
interface LineStreams {
  readonly read: ChunkReader;
  readonly write: WriteText;
  /** Stops reading. */
  readonly closeInput: () => Promise<void>;
}

/**
 * Serves an agent to an editor over two streams of bytes, until the input ends, the output is
 * closed or the signal aborts. Then the runs are stopped, their messages are stored, the storage is
 * disposed of and the output is closed.
 *
 * @param streams Bytes from and to the editor.
 * @param options Agent, storage and limits.
 * @throws {TypeError} If an option is missing, unknown or has the wrong type.
 * @throws {RangeError} If a limit is invalid.
 * @throws {AgentError} With code `core` if the editor does not read for `unreadTimeoutMs`.
 * @see {@link https://agentclientprotocol.com Agent Client Protocol}
 *
 * @example Serve one prompt
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { serveAcp } from "@parley/runtime/acp";
 * import { memoryStorage } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const initialize = { protocolVersion: 1, clientCapabilities: {} };
 * const line = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
 * const output = new TransformStream<Uint8Array, Uint8Array>();
 * const received = new Response(output.readable).text();
 * await serveAcp({ readable: new Blob([line]).stream(), writable: output.writable }, {
 *   name: "clerk",
 *   version: "1.0.0",
 *   storage: memoryStorage(),
 *   make: () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) }),
 * });
 * assertEquals(JSON.parse(await received).result.agentInfo, { name: "clerk", version: "1.0.0" });
 * ```
 */
export async function serveAcp(
  { readable, writable }: AcpStreams,
  options: ServeAcpOptions,
): Promise<void> {
  assertMethods("readable", "a ReadableStream", readable, ["getReader"]);
  assertMethods("writable", "a WritableStream", writable, ["getWriter"]);
  const settings = readAcpOptions(options);
  const reader = readable.getReader();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  // Errors of the output are received by the writes.
  writer.closed.catch(() => {});
  let isOpen = false;
  try {
    isOpen = await serve({
      read: async (take) => {
        for (;;) {
          const { done, value } = await reader.read();
          if (done || await take(value) === false) return;
        }
      },
      write: (text) => writer.write(encoder.encode(text)),
      closeInput: () => reader.cancel(),
    }, settings);
  } finally {
    // If the editor does not read, closing the output would wait for it.
    if (isOpen) await writer.close().catch(() => {});
    else writer.abort().catch(() => {});
  }
}

/**
 * Serves an agent to the editor that has started this process, over standard input and output.
 * While serving, `console.log` and the other `console` methods print to standard error.
 *
 * The program must not write anything else to standard output.
 *
 * @param options Agent, storage and limits.
 * @throws {TypeError} If an option is missing, unknown or has the wrong type, or the runtime has no
 * standard streams.
 * @throws {RangeError} If a limit is invalid.
 * @throws {AgentError} With code `core` if the editor does not read for `unreadTimeoutMs`.
 * @see {@link https://agentclientprotocol.com/protocol/v1/transports#stdio stdio}
 *
 * @example The program that an editor starts
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { serveAcpStdio } from "@parley/runtime/acp";
 * import { sqliteStorage } from "@parley/runtime/sqlite";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const main = () =>
 *   serveAcpStdio({
 *     name: "clerk",
 *     version: "1.0.0",
 *     storage: sqliteStorage("sessions.db"),
 *     make: () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) }),
 *   });
 * assertEquals(typeof main, "function"); // the program calls `await main()`
 * ```
 */
export async function serveAcpStdio(options: ServeAcpStdioOptions): Promise<void> {
  assertObject("options", options);
  const { exit, ...settings } = readStdioOptions(options);
  const restore = redirectConsole();
  try {
    const { close, read } = openInput();
    await serve({ read, write: openOutput(), closeInput: close }, settings);
  } finally {
    restore();
  }
  if (exit) exitProcess(0);
}

/** Serves one connection. Resolves to `false` if nothing can be written anymore. */
async function serve(
  { closeInput, read, write }: LineStreams,
  settings: AcpSettings,
): Promise<boolean> {
  const { maxLineBytes: maxBytes, signal } = settings;
  const server = new AcpServer(write, settings);
  const { connection } = server;
  const { ended } = connection;
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    // An input that cannot be closed has ended or failed.
    closeInput().catch(() => {});
  };
  const close = (): void => {
    stop();
    // Reading may have been paused until the editor reads. The error is thrown below.
    server.close().catch(() => {});
  };
  ended.addEventListener("abort", stop, { once: true });
  signal?.addEventListener("abort", close, { once: true });
  try {
    if (signal?.aborted) close();
    await splitLines(read, { maxBytes })((line) => connection.receive(line, server));
  } catch (error) {
    // On Deno, closing the input rejects the pending read.
    if (!isStopped) throw error;
  } finally {
    signal?.removeEventListener("abort", close);
    await server.close();
  }
  if (connection.failure !== undefined) throw connection.failure;
  return !ended.aborted;
}
