/**
 * JSON-RPC 2.0 messages: types, type guards, constructors and serialization. This module is
 * independent of MCP.
 *
 * @see {@link https://www.jsonrpc.org/specification JSON-RPC 2.0}
 * @module
 */

import { McpError, McpErrorCode } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { stringifyKept } from "./kept_json.ts";

/** Request id. The id `null` occurs only in responses to requests whose id could not be read. */
export type McpRequestId = string | number | null;

/** A JSON-RPC request. */
export interface McpRequest {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** Request id, repeated in the response. */
  readonly id: McpRequestId;
  /** Method name, such as `tools/list`. */
  readonly method: string;
  /** Parameters of the method. */
  readonly params?: JsonObject;
}

/** A JSON-RPC error object. */
export interface McpErrorObject {
  /** Integer error code; see {@linkcode RpcErrorCode}. */
  readonly code: number;
  /** Short description of the error. */
  readonly message: string;
  /** Additional information about the error. */
  readonly data?: unknown;
}

/** A JSON-RPC response with `result` on success or `error` on failure. */
export interface McpResponse {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** Id of the request. */
  readonly id: McpRequestId;
  /** Result of the method. Present on success. */
  readonly result?: unknown;
  /** Error object. Present on failure. */
  readonly error?: McpErrorObject;
}

/** An id that is valid in a request: a string or an integer. */
export type RequestId = string | number;

/** A request with a valid id. */
export interface RpcRequest extends McpRequest {
  /** Request id, repeated in the response. */
  readonly id: RequestId;
}

/** A JSON-RPC notification: a message that has no id and receives no response. */
export interface RpcNotification {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** Method name, such as `notifications/progress`. */
  readonly method: string;
  /** Parameters of the notification. */
  readonly params?: JsonObject;
}

/** A success response. */
export interface RpcSuccess {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** Id of the request. */
  readonly id: RequestId;
  /** Result of the method. */
  readonly result: JsonObject;
}

/** An error response. */
export interface RpcFailure {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** Id of the request, or `null` if the id could not be read. */
  readonly id: McpRequestId;
  /** Error object. */
  readonly error: McpErrorObject;
}

/** A success or error response. */
export type RpcResponse = RpcSuccess | RpcFailure;

/** Any JSON-RPC 2.0 message. */
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** Returns `true` if a message is a response. */
export function isResponse(message: RpcMessage): message is RpcResponse {
  return !("method" in message);
}

/** Returns `true` if a message is a request. */
export function isRequest(message: RpcMessage): message is RpcRequest {
  return "method" in message && "id" in message;
}

/** Returns `true` if a value is a valid request id: a string or a safe integer. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Creates a request. */
export function request(id: RequestId, method: string, params?: JsonObject): RpcRequest {
  return params === undefined
    ? { jsonrpc: "2.0", id, method }
    : { jsonrpc: "2.0", id, method, params };
}

/** Creates a notification. */
export function notification(method: string, params?: JsonObject): RpcNotification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/** Creates a success response. */
export function success(id: RequestId, result: JsonObject): RpcSuccess {
  return { jsonrpc: "2.0", id, result };
}

/** Creates an error response. */
export function failure(
  id: McpRequestId,
  error: McpErrorObject,
): RpcFailure {
  return { jsonrpc: "2.0", id, error };
}

/**
 * Returns the result of a response.
 *
 * @param response Response from the server.
 * @param method Method name of the request, for the error message. If omitted, the error message
 * does not name the request.
 * @throws {McpError} With code `protocol_error` if the response is an error response.
 */
export function resultOf(response: RpcResponse, method?: string): JsonObject {
  if ("result" in response) return response.result;
  const { code, message, data } = response.error;
  const request = method === undefined ? "the request" : `request "${method}"`;
  const text = `Cannot complete ${request}: server returned error ${code}: ${message}`;
  const options = { rpcCode: code, data };
  throw new McpError(McpErrorCode.ProtocolError, { reason: message }, text, options);
}

/**
 * Serializes a message or a batch as JSON on a single line.
 *
 * @throws {McpError} With code `serialization_error` if the message contains a value that JSON
 * cannot represent.
 */
export function stringifyMessage(message: RpcMessage | readonly RpcMessage[]): string {
  try {
    return stringifyKept(message);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw McpError.serializationError(reason, { cause });
  }
}
