/**
 * Tracks the protocol version that `initialize` negotiates. Later legacy HTTP requests contain the
 * negotiated version in a header.
 *
 * @module
 */

import { HeaderName } from "../protocol/headers.ts";
import { Method } from "../protocol/methods.ts";
import { isRequest, type RequestId, type RpcMessage } from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";

/** The negotiated protocol version of a legacy session. */
export class NegotiatedVersion {
  #asked: RequestId | undefined;
  #version: string | undefined;

  /** The `MCP-Protocol-Version` header, or no headers before a version is negotiated. */
  get headers(): Record<string, string> {
    return this.#version === undefined ? {} : { [HeaderName.ProtocolVersion]: this.#version };
  }

  /**
   * Inspects a message before it is sent. An `initialize` request resets the negotiated version.
   */
  sending(message: RpcMessage | readonly RpcMessage[]): void {
    if (!("method" in message) || !isRequest(message) || message.method !== Method.Initialize) {
      return;
    }
    this.#asked = message.id;
    this.#version = undefined;
  }

  /**
   * Reads the negotiated version from a received frame that contains the result of `initialize`.
   */
  received(frame: Frame): void {
    if (frame.kind !== "response" || frame.message.id !== this.#asked) return;
    if (!("result" in frame.message)) return;
    const { protocolVersion } = frame.message.result;
    if (typeof protocolVersion === "string") this.#version = protocolVersion;
  }
}
