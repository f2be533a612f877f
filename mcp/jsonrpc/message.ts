/**
 * JSON-RPC 2.0 messages: types, guards, constructors, and what a response holds. Nothing here knows MCP.
 *
 * @see {@link https://www.jsonrpc.org/specification JSON-RPC 2.0}
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";

/** The id of a request. `null` only stands in answers to requests whose id could not be read. */
export type McpRequestId = string | number | null;

/** A request, as the specification of this package writes it. */
export interface McpRequest {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** What the answer will carry. */
  readonly id: McpRequestId;
  /** What is asked for, such as `tools/list`. */
  readonly method: string;
  /** The parameters. */
  readonly params?: JsonObject;
}

/** Why a request failed. */
export interface McpErrorObject {
  /** An integer, see {@linkcode RpcErrorCode}. */
  readonly code: number;
  /** One sentence. */
  readonly message: string;
  /** Whatever else the sender wants to say. */
  readonly data?: unknown;
}

/** The answer to a request: `result` on success, `error` on failure. */
export interface McpResponse {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** The id of the request answered. */
  readonly id: McpRequestId;
  /** Present on success. */
  readonly result?: unknown;
  /** Present on failure. */
  readonly error?: McpErrorObject;
}

/** An id that a request may have: a string or an integer. */
export type RequestId = string | number;

/** A request with an id that can be answered. */
export interface RpcRequest extends McpRequest {
  /** What the answer will carry. */
  readonly id: RequestId;
}

/** A message that nobody answers. */
export interface RpcNotification {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** What happened, such as `notifications/progress`. */
  readonly method: string;
  /** The parameters. */
  readonly params?: JsonObject;
}

/** The answer to a request that succeeded. */
export interface RpcSuccess {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** The id of the request answered. */
  readonly id: RequestId;
  /** What was asked for. */
  readonly result: JsonObject;
}

/** The answer to a request that failed. */
export interface RpcFailure {
  /** Always `"2.0"`. */
  readonly jsonrpc: "2.0";
  /** The id of the request answered; `null` when it could not be read. */
  readonly id: McpRequestId;
  /** Why. */
  readonly error: McpErrorObject;
}

/** The answer to a request. */
export type RpcResponse = RpcSuccess | RpcFailure;

/** Any message of JSON-RPC 2.0. */
export type RpcMessage = RpcRequest | RpcNotification | RpcResponse;

/** Whether a message is an answer. */
export function isResponse(message: RpcMessage): message is RpcResponse {
  return !("method" in message);
}

/** Whether a message wants an answer. */
export function isRequest(message: RpcMessage): message is RpcRequest {
  return "method" in message && "id" in message;
}

/** Whether a value can be the id of a request: a string, or an integer that survives a round trip. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Makes a request. */
export function request(id: RequestId, method: string, params?: JsonObject): RpcRequest {
  return params === undefined
    ? { jsonrpc: "2.0", id, method }
    : { jsonrpc: "2.0", id, method, params };
}

/** Makes a notification. */
export function notification(method: string, params?: JsonObject): RpcNotification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/** Makes the answer to a request that succeeded. */
export function success(id: RequestId, result: JsonObject): RpcSuccess {
  return { jsonrpc: "2.0", id, result };
}

/** Makes the answer to a request that failed. */
export function failure(
  id: McpRequestId,
  error: McpErrorObject,
): RpcFailure {
  return { jsonrpc: "2.0", id, error };
}

/**
 * Returns the result of a response.
 *
 * @throws {McpError} `protocol_error` if the response is an error
 */
export function resultOf(response: RpcResponse): JsonObject {
  if ("result" in response) return response.result;
  const { code, message, data } = response.error;
  throw McpError.protocolError(message, { rpcCode: code, data });
}

/**
 * Writes a message, or a batch, as JSON on one line.
 *
 * @throws {McpError} `serialization_error` when it holds what JSON cannot
 */
export function stringifyMessage(message: RpcMessage | readonly RpcMessage[]): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw McpError.serializationError(reason, { cause });
  }
}
