/**
 * Response encoding for modern and legacy clients.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { encodeLegacyResult } from "../protocol/initialize.ts";
import { encodeResult } from "../protocol/modern.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { failure, type RpcResponse, success } from "../jsonrpc/message.ts";
import type { ServerIdentity } from "./server_core.ts";

/** Encodes a response for a modern client. */
export function encodeModern(
  response: RpcResponse,
  method: string,
  { info, cache }: ServerIdentity,
): RpcResponse {
  return encodeResponse(response, (result) => encodeResult(method, result, info, cache));
}

/** Encodes a response for a legacy client. */
export function encodeLegacy(response: RpcResponse): RpcResponse {
  return encodeResponse(response, encodeLegacyResult);
}

/** Encodes a result. If a result cannot be encoded, the response is an internal error. */
function encodeResponse(
  response: RpcResponse,
  encode: (result: JsonObject) => JsonObject,
): RpcResponse {
  if (!("result" in response)) return response;
  const { id, result } = response;
  try {
    return success(id, encode(result));
  } catch {
    return failure(id, {
      code: RpcErrorCode.InternalError,
      message: "Internal error: the result is not JSON",
    });
  }
}
