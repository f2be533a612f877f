/**
 * Neutral responses of the server core, dressed for the wire of an era.
 *
 * @module
 */

import { encodeHandshakeResult } from "../protocol/handshake.ts";
import { encodeResult } from "../protocol/stateless.ts";
import { type RpcResponse, success } from "../rpc/message.ts";
import type { ServerIdentity } from "./core.ts";

/** Dresses a response for the stateless era. */
export function dressStateless(
  response: RpcResponse,
  method: string,
  { info, cache }: ServerIdentity,
): RpcResponse {
  if (!("result" in response)) return response;
  return success(response.id, encodeResult(method, response.result, info, cache));
}

/** Dresses a response for the handshake era. */
export function dressHandshake(response: RpcResponse): RpcResponse {
  if (!("result" in response)) return response;
  return success(response.id, encodeHandshakeResult(response.result));
}
