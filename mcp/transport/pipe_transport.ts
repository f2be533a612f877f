/**
 * Implementation of {@linkcode McpTransport} over a pipe: only sends requests and receives
 * responses.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { isRequestId, type McpRequest, type McpResponse } from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";
import type { McpTransport, Pipe } from "../jsonrpc/contracts.ts";

/** A transport over a pipe that is opened on first use. */
export class PipeTransport implements McpTransport {
  readonly #label: string;
  readonly #open: (signal: AbortSignal) => Promise<Pipe> | Pipe;
  readonly #closing = new AbortController();
  #pipe: Promise<Pipe> | undefined;
  #frames: AsyncIterator<Frame> | undefined;

  /**
   * Creates a transport that opens its pipe on first use.
   *
   * @param label Name of the transport in error messages.
   * @param open Opens the pipe. The signal is aborted when the transport is closed.
   */
  constructor(label: string, open: (signal: AbortSignal) => Promise<Pipe> | Pipe) {
    this.#label = label;
    this.#open = open;
  }

  /** Returns the pipe. The first call to `pipe()` opens the pipe. */
  async pipe(): Promise<Pipe> {
    const { signal } = this.#closing;
    if (signal.aborted) throw McpError.transportError(this.#label, "closed");
    return await (this.#pipe ??= Promise.resolve().then(() => this.#open(signal)));
  }

  /** Sends a request. */
  async send(request: McpRequest): Promise<void> {
    const { id } = request;
    if (!isRequestId(id)) {
      throw new TypeError(`"id" must be a string or an integer, got ${formatValue(id)}`);
    }
    const pipe = await this.pipe();
    await pipe.send({ ...request, id });
  }

  /** Waits for the next response and ignores all other messages. */
  async receive(): Promise<McpResponse> {
    const pipe = await this.pipe();
    const frames = this.#frames ??= pipe.frames[Symbol.asyncIterator]();
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      if (next.value.kind === "response") return next.value.message;
    }
    const reason = this.#closing.signal.aborted ? "closed" : "the input ended";
    throw McpError.transportError(this.#label, reason);
  }

  /** Closes the transport. Closing the transport rejects a pending `receive()`. */
  async close(): Promise<void> {
    this.#closing.abort();
    // A pipe that failed to open does not need to be closed.
    const pipe = await this.#pipe?.catch(() => undefined);
    await pipe?.close();
  }
}
