/**
 * A pipe behind the transport of the specification: requests out, responses in, nothing else.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { isRequestId, type McpRequest, type McpResponse } from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";
import type { McpTransport, Pipe } from "../jsonrpc/contracts.ts";

/** A transport over a pipe that is opened on first use. */
export class PipeTransport implements McpTransport {
  readonly #label: string;
  readonly #open: () => Promise<Pipe> | Pipe;
  #pipe: Promise<Pipe> | undefined;
  #frames: AsyncIterator<Frame> | undefined;
  #isClosed = false;

  /** Takes what opens the pipe. */
  constructor(label: string, open: () => Promise<Pipe> | Pipe) {
    this.#label = label;
    this.#open = open;
  }

  /** The pipe, opened by the first call. */
  async pipe(): Promise<Pipe> {
    if (this.#isClosed) throw McpError.transportError(this.#label, "closed");
    return await (this.#pipe ??= Promise.resolve().then(this.#open));
  }

  /** Sends one request. */
  async send(request: McpRequest): Promise<void> {
    const { id } = request;
    if (!isRequestId(id)) {
      throw new TypeError("Cannot send a request: its id is no text or integer");
    }
    const pipe = await this.pipe();
    await pipe.send({ ...request, id });
  }

  /** Waits for the next response. Whatever else comes in is skipped. */
  async receive(): Promise<McpResponse> {
    const pipe = await this.pipe();
    const frames = this.#frames ??= pipe.frames[Symbol.asyncIterator]();
    for (let next = await frames.next(); !next.done; next = await frames.next()) {
      if (next.value.kind === "response") return next.value.message;
    }
    const reason = this.#isClosed ? "closed" : "the input has ended";
    throw McpError.transportError(this.#label, reason);
  }

  /** Ends the transport. A waiting `receive` rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // What could not be opened is not open.
    const pipe = await this.#pipe?.catch(() => undefined);
    await pipe?.close();
  }
}
