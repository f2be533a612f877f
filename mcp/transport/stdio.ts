/**
 * The stdio transport: newline-delimited JSON over standard streams or injected lines.
 *
 * @module
 */

import type { McpRequest, McpResponse } from "../jsonrpc/message.ts";
import { openStdioPipe, type StdioTransportOptions } from "./stdio_pipe.ts";
import type { McpTransport, Pipe, PipeSource } from "../jsonrpc/contracts.ts";
import { PipeTransport } from "./pipe_transport.ts";

const LABEL = "stdio";

/**
 * Requests out and responses in, one line each, over this process's own standard streams unless others are injected.
 *
 * To start a server as a child process, use `spawnServer` of `@parley/mcp/process`.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio stdio}
 *
 * @example Injected lines
 * ```ts
 * import { StdioTransport } from "@parley/mcp";
 * import { assertEquals } from "@std/assert";
 *
 * const answers = ['{"jsonrpc":"2.0","id":1,"result":{}}'];
 * const transport = new StdioTransport({
 *   reader: { readLine: () => Promise.resolve(answers.shift() ?? null) },
 *   writer: { writeLine: () => Promise.resolve() },
 * });
 * await transport.send({ jsonrpc: "2.0", id: 1, method: "ping" });
 * assertEquals(await transport.receive(), { jsonrpc: "2.0", id: 1, result: {} });
 * await transport.close();
 * ```
 */
export class StdioTransport implements McpTransport, PipeSource {
  /** What to call it in errors. */
  readonly label: string = LABEL;
  /** These streams can be used once. */
  readonly canReopen: boolean = false;
  readonly #pipe: PipeTransport;

  /** Takes the options; the streams are opened by the first use. */
  constructor(options: StdioTransportOptions = {}) {
    this.#pipe = new PipeTransport(LABEL, () => openStdioPipe(options));
  }

  /**
   * Sends one request.
   *
   * @throws {TypeError} when its id is not a string or an integer
   * @throws {McpError} `transport_error` when the transport is closed or broken, `serialization_error` when it is not JSON
   */
  send(request: McpRequest): Promise<void> {
    return this.#pipe.send(request);
  }

  /**
   * Waits for the next response. Whatever else comes in is skipped.
   *
   * @throws {McpError} `transport_error` when the transport is closed, broken or at its end
   */
  receive(): Promise<McpResponse> {
    return this.#pipe.receive();
  }

  /** Ends the transport. A waiting `receive` rejects. */
  close(): Promise<void> {
    return this.#pipe.close();
  }

  /** Ends the transport. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Hands the streams over to a client. */
  openPipe(): Promise<Pipe> {
    return this.#pipe.pipe();
  }
}
