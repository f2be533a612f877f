/**
 * Response encoding for modern and legacy clients.
 *
 * @module
 */

import { encodeLegacyResult } from "../protocol/initialize.ts";
import { encodeResult } from "../protocol/modern.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { failure, type RpcResponse, success } from "../jsonrpc/message.ts";
import type { ServerIdentity } from "./server_core.ts";

/**
 * Encodes a response for a modern client. If the result cannot be encoded, the response is an
 * internal error.
 */
export function encodeModern(
  response: RpcResponse,
  method: string,
  { info, cache }: ServerIdentity,
): RpcResponse {
  if (!("result" in response)) return response;
  try {
    return success(response.id, encodeResult(method, response.result, info, cache));
  } catch {
    return notJson(response);
  }
}

/**
 * Encodes a response for a legacy client. If the result cannot be encoded, the response is an
 * internal error.
 */
export function encodeLegacy(response: RpcResponse): RpcResponse {
  if (!("result" in response)) return response;
  try {
    return success(response.id, encodeLegacyResult(response.result));
  } catch {
    return notJson(response);
  }
}

function notJson({ id }: RpcResponse): RpcResponse {
  return failure(id, {
    code: RpcErrorCode.InternalError,
    message: "Internal error: the result is not JSON",
  });
}
