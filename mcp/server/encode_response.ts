/**
 * Neutral responses of the server core, dressed for the wire of an era.
 *
 * @module
 */

import type { JsonObject } from "../shared/json.ts";
import { encodeLegacyResult } from "../protocol/initialize.ts";
import { encodeResult } from "../protocol/modern.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { failure, type RpcResponse, success } from "../jsonrpc/message.ts";
import type { ServerIdentity } from "./server_core.ts";

/** Dresses a response for the stateless era. */
export function encodeModern(
  response: RpcResponse,
  method: string,
  { info, cache }: ServerIdentity,
): RpcResponse {
  return encodeResponse(response, (result) => encodeResult(method, result, info, cache));
}

/** Dresses a response for the handshake era. */
export function encodeLegacy(response: RpcResponse): RpcResponse {
  return encodeResponse(response, encodeLegacyResult);
}

/** A result that cannot be read is the server's fault, not the client's. */
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
