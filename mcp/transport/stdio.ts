/**
 * The stdio transport: newline-delimited JSON over standard streams or a custom reader and writer.
 *
 * @module
 */

import { integerFrom } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { McpRequest, McpResponse } from "../jsonrpc/message.ts";
import { MAX_JUNK_LINES } from "./ndjson_pipe.ts";
import { openStdioPipe, stdioRules, type StdioTransportOptions } from "./stdio_pipe.ts";
import type { McpTransport, Pipe, PipeSource } from "../jsonrpc/contracts.ts";
import { PipeTransport } from "./pipe_transport.ts";

const LABEL = "stdio";

const readOptions = optionsReader<StdioTransportOptions>("options")({
  ...stdioRules(integerFrom(0)),
  maxJunkLines: withDefault(MAX_JUNK_LINES, integerFrom(0)),
});

/**
 * A transport over the standard streams of the current process, or over a custom reader and writer.
 * Each JSON-RPC message is one line.
 *
 * To start a server as a child process, use `spawnServer()` from `@parley/mcp/process`.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 *
 * @example Use a custom reader and writer
 * ```ts
 * import { StdioTransport } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const responses = ['{"jsonrpc":"2.0","id":1,"result":{}}'];
 * const transport = new StdioTransport({
 *   reader: { readLine: () => Promise.resolve(responses.shift() ?? null) },
 *   writer: { writeLine: () => Promise.resolve() },
 * });
 * await transport.send({ jsonrpc: "2.0", id: 1, method: "ping" });
 * assertEquals(await transport.receive(), { jsonrpc: "2.0", id: 1, result: {} });
 * await transport.close();
 * ```
 */
export class StdioTransport implements McpTransport, PipeSource {
  /** Name of the transport in error messages. */
  readonly label: string = LABEL;
  /** `canReopen` is always `false`, because the streams can be used only once. */
  readonly canReopen: boolean = false;
  readonly #pipe: PipeTransport;

  /**
   * Creates a transport that opens its streams on first use.
   *
   * @param options Custom reader and writer, and limits.
   * @throws {TypeError} If `reader` has no `readLine` method or `writer` has no `writeLine` method.
   * @throws {RangeError} If a limit is not a non-negative integer.
   */
  constructor(options: StdioTransportOptions = {}) {
    const settings = readOptions(options);
    this.#pipe = new PipeTransport(LABEL, () => openStdioPipe(settings));
  }

  /**
   * Sends a request.
   *
   * @throws {TypeError} If the request id is not a string or an integer, or if the runtime has no
   * standard streams.
   * @throws {McpError} With code `transport_error` if the transport is closed or the output fails.
   * @throws {McpError} With code `serialization_error` if the request cannot be serialized as JSON.
   * @throws {McpError} With code `core` if more than `maxBufferedChars` characters are buffered.
   */
  send(request: McpRequest): Promise<void> {
    return this.#pipe.send(request);
  }

  /**
   * Waits for the next response and ignores all other messages.
   *
   * @throws {McpError} With code `transport_error` if the transport is closed, or if the input
   * fails or ends.
   */
  receive(): Promise<McpResponse> {
    return this.#pipe.receive();
  }

  /** Closes the transport. A pending `receive()` rejects. */
  close(): Promise<void> {
    return this.#pipe.close();
  }

  /** Closes the transport. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Returns the transport's pipe; called by `McpClient`. */
  openPipe(): Promise<Pipe> {
    return this.#pipe.pipe();
  }
}
