/**
 * What HTTP transports of the legacy era pick up from the handshake as it passes by: the version to name in each
 * request after it.
 *
 * @module
 */

import { HeaderName } from "../protocol/headers.ts";
import { Method } from "../protocol/methods.ts";
import { isRequest, type RequestId, type RpcMessage } from "../jsonrpc/message.ts";
import type { Frame } from "../jsonrpc/read_frame.ts";

/** The protocol version that `initialize` has negotiated. */
export class NegotiatedVersion {
  #asked: RequestId | undefined;
  #version: string | undefined;

  /** The headers that follow from what has been agreed. */
  get headers(): Record<string, string> {
    return this.#version === undefined ? {} : { [HeaderName.ProtocolVersion]: this.#version };
  }

  /** Looks at a message that is about to be sent. A new handshake starts from nothing. */
  sending(message: RpcMessage | readonly RpcMessage[]): void {
    if (!("method" in message) || !isRequest(message) || message.method !== Method.Initialize) {
      return;
    }
    this.#asked = message.id;
    this.#version = undefined;
  }

  /** Looks at what has come in. */
  received(frame: Frame): void {
    if (frame.kind !== "response" || frame.message.id !== this.#asked) return;
    if (!("result" in frame.message)) return;
    const { protocolVersion } = frame.message.result;
    if (typeof protocolVersion === "string") this.#version = protocolVersion;
  }
}
