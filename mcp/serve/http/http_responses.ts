/**
 * HTTP responses of the server.
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
import type { HttpResponse } from "../../shared/http_types.ts";

/** Response 202: the message was accepted. */
export const ACCEPTED: HttpResponse = { status: 202, headers: {}, body: null };

/** Creates a response with a JSON body. */
export function jsonResponse(status: number, body: string): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body };
}

/** Creates an HTTP error response with a JSON-RPC error as body. */
export function errorResponse(
  status: number,
  error: McpErrorObject,
  id: McpRequestId = null,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const plain = jsonResponse(status, JSON.stringify(failure(id, error)));
  return { ...plain, headers: { ...plain.headers, ...headers } };
}

/** Creates an HTTP error response to a request that the transport rejects. */
export function transportErrorResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return errorResponse(status, { code: RpcErrorCode.TransportRefused, message }, null, headers);
}

/** Creates the response to a request after the shutdown. */
export function shuttingDownResponse(): HttpResponse {
  return transportErrorResponse(503, "The server is shutting down");
}

/** Serializes a message. If the result cannot be serialized, returns the error response -32603. */
export function stringifyOrError(message: RpcMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    const id = "id" in message ? message.id : null;
    const error = {
      code: RpcErrorCode.InternalError,
      message: "The result cannot be serialized as JSON",
    };
    return JSON.stringify(failure(id, error));
  }
}
