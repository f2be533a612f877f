/**
 * HTTP responses of servers.
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

/** A response that says nothing more than that the message was taken. */
export const ACCEPTED: HttpResponse = { status: 202, headers: {}, body: null };

/** A response with a JSON text. */
export function jsonResponse(status: number, body: string): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body };
}

/** A response that refuses a request, in a form that MCP clients read. */
export function errorResponse(
  status: number,
  error: McpErrorObject,
  id: McpRequestId = null,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const plain = jsonResponse(status, JSON.stringify(failure(id, error)));
  return { ...plain, headers: { ...plain.headers, ...headers } };
}

/** A refusal by the transport itself. */
export function transportErrorResponse(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return errorResponse(status, { code: RpcErrorCode.TransportRefused, message }, null, headers);
}

/** The answer to whoever comes when the serving has ended. */
export function shuttingDownResponse(): HttpResponse {
  return transportErrorResponse(503, "The server is shutting down");
}

/** A message as text. A result that is not JSON is the server's fault, not the client's. */
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
