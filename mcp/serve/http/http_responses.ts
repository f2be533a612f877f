/**
 * HTTP responses sent by the server.
 *
 * @module
 */

import { RpcErrorCode } from "../../jsonrpc/error_codes.ts";
import {
  failure,
  type McpErrorObject,
  type McpRequestId,
  type RpcMessage,
} from "../../jsonrpc/message.ts";
import { stringifyKept } from "../../jsonrpc/kept_json.ts";
import type { HttpResponse } from "../../shared/http_types.ts";

/** HTTP 202 response to an accepted notification or response. */
export const ACCEPTED: HttpResponse = { status: 202, headers: {}, body: null };

/** Creates a response with a JSON body. */
export function jsonResponse(status: number, body: string): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body };
}

/** Creates an HTTP error response whose body is a JSON-RPC error. */
export function errorResponse(
  status: number,
  error: McpErrorObject,
  id: McpRequestId = null,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const plain = jsonResponse(status, JSON.stringify(failure(id, error)));
  return { ...plain, headers: { ...plain.headers, ...headers } };
}

/** Creates the HTTP error response for a request that the transport rejects. */
export function transportErrorResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return errorResponse(status, { code: RpcErrorCode.TransportRefused, message }, null, headers);
}

/** Creates the HTTP 503 response for a request received after shutdown. */
export function shuttingDownResponse(): HttpResponse {
  return transportErrorResponse(503, "The server is shutting down");
}

/**
 * Serializes a message. If the message cannot be serialized, returns a serialized error response
 * with code -32603.
 */
export function stringifyOrError(message: RpcMessage): string {
  try {
    return stringifyKept(message);
  } catch {
    const id = "id" in message ? message.id : null;
    const error = {
      code: RpcErrorCode.InternalError,
      message: "The result cannot be serialized as JSON",
    };
    return JSON.stringify(failure(id, error));
  }
}
