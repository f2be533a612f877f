/**
 * The server's side of a handshake: the answer to `initialize`.
 *
 * @module
 */

import { RpcErrorCode } from "../rpc/codes.ts";
import { failure, type RpcRequest, type RpcResponse, success } from "../rpc/message.ts";
import { initializeResult, readInitialize } from "../protocol/handshake.ts";
import type { Peer } from "../protocol/peer.ts";
import type { ServerSelf } from "./core.ts";

/** The answer to `initialize`, and the client that it was given to unless it is an error. */
export interface Handshake {
  /** The answer. */
  readonly response: RpcResponse;
  /** The client. */
  readonly peer?: Peer;
}

/** Answers `initialize`. */
export function shakeHands({ id, params }: RpcRequest, self: ServerSelf): Handshake {
  const peer = readInitialize(params);
  if (peer === undefined) {
    const message = 'Invalid params: "protocolVersion" is not a string';
    return { response: failure(id, { code: RpcErrorCode.InvalidParams, message }) };
  }
  const { info, capabilities, instructions } = self;
  const result = initializeResult(peer.protocolVersion, capabilities, info, instructions);
  return { response: success(id, result), peer };
}
