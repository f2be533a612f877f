/**
 * Request parameter validation.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { toJsonValue } from "../shared/to_json_value.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";

/** Creates the error for invalid parameters (-32602). */
export function invalidParams(reason: string, data?: unknown): McpError {
  const rpcCode = RpcErrorCode.InvalidParams;
  return McpError.protocolError(reason, data === undefined ? { rpcCode } : { rpcCode, data });
}

/** Creates the error for a cursor that does not belong to the list, or no longer does (-32602). */
export function invalidCursor(): McpError {
  return invalidParams('Invalid params: "cursor" is not a valid cursor');
}

/**
 * Reads a string parameter.
 *
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the parameter is not a
 * string.
 */
export function readText(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value === "string") return value;
  throw invalidParams(`Invalid params: "${name}" must be a string`);
}

/**
 * Reads an object parameter. If the parameter is missing, returns an empty object.
 *
 * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the parameter is not an
 * object.
 */
export function readObject(params: JsonObject, name: string): JsonObject {
  const value = params[name] ?? {};
  if (isRecord(value)) return value;
  throw invalidParams(`Invalid params: "${name}" must be an object`);
}

/**
 * Reads the cursor of a list request. Returns `undefined` if the request has no cursor, which means
 * that the client requests the first page.
 */
export function readCursor(params: JsonObject): string | undefined {
  // Some JSON-RPC implementations send `null` for an absent member.
  return params.cursor === undefined || params.cursor === null
    ? undefined
    : readText(params, "cursor");
}

/**
 * Checks that a description can be sent to clients.
 *
 * @throws {TypeError} If JSON cannot represent the value.
 */
export function assertJson(name: string, value: unknown): void {
  try {
    toJsonValue(value);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new TypeError(`"${name}" must be JSON: ${reason}`, { cause });
  }
}
