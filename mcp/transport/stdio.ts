/**
 * The stdio transport: newline-delimited JSON over standard streams or injected lines.
 *
 * @module
 */

import { McpError } from "../error.ts";
import { isRequestId, type McpRequest, type McpResponse } from "../rpc/message.ts";
import type { Frame } from "../rpc/parse.ts";
import { openStdioPipe, type StdioTransportOptions } from "../rpc/stdio_pipe.ts";
import type { McpTransport, Pipe, PipeSource } from "../rpc/transport.ts";

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
  readonly #options: StdioTransportOptions;
  #pipe: Pipe | undefined;
  #frames: AsyncIterator<Frame> | undefined;
  #isClosed = false;

  /** Takes the options; the streams are opened by the first use. */
  constructor(options: StdioTransportOptions = {}) {
    this.#options = options;
  }

  /**
   * Sends one request.
   *
   * @throws {TypeError} when its id is not a string or an integer
   * @throws {McpError} `transport_error` when the transport is closed or broken, `serialization_error` when it is not JSON
   */
  async send(request: McpRequest): Promise<void> {
    const { id } = request;
    if (!isRequestId(id)) {
      throw new TypeError("Cannot send a request: its id is no text or integer");
    }
    await this.#open().send({ ...request, id });
  }

  /**
   * Waits for the next response. Whatever else comes in is skipped.
   *
   * @throws {McpError} `transport_error` when the transport is closed, broken or at its end
   */
  async receive(): Promise<McpResponse> {
    const frames = this.#frames ??= this.#open().frames[Symbol.asyncIterator]();
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      if (next.value.kind === "response") return next.value.message;
    }
    throw McpError.transportError(LABEL, this.#isClosed ? "closed" : "the input has ended");
  }

  /** Ends the transport. A waiting `receive` rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pipe?.close();
  }

  /** Ends the transport. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Hands the streams over to a client. */
  // deno-lint-ignore require-await
  async openPipe(): Promise<Pipe> {
    return this.#open();
  }

  #open(): Pipe {
    if (this.#isClosed) throw McpError.transportError(LABEL, "closed");
    return this.#pipe ??= openStdioPipe(this.#options);
  }
}
