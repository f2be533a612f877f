/**
 * Neutral responses of the server core, dressed for the wire of an era.
 *
 * @module
 */

import type { JsonObject } from "../json.ts";
import { encodeHandshakeResult } from "../protocol/handshake.ts";
import { encodeResult } from "../protocol/stateless.ts";
import { RpcErrorCode } from "../rpc/codes.ts";
import { failure, type RpcResponse, success } from "../rpc/message.ts";
import type { ServerIdentity } from "./core.ts";

/** Dresses a response for the stateless era. */
export function dressStateless(
  response: RpcResponse,
  method: string,
  { info, cache }: ServerIdentity,
): RpcResponse {
  return dress(response, (result) => encodeResult(method, result, info, cache));
}

/** Dresses a response for the handshake era. */
export function dressHandshake(response: RpcResponse): RpcResponse {
  return dress(response, encodeHandshakeResult);
}

/** A result that cannot be read is the server's fault, not the client's. */
function dress(response: RpcResponse, encode: (result: JsonObject) => JsonObject): RpcResponse {
  if (!("result" in response)) return response;
  const { id, result } = response;
  try {
    return success(id, encode(result));
  } catch {
    return failure(id, { code: RpcErrorCode.InternalError, message: "The result is not JSON" });
  }
}
