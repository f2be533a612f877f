/**
 * Parameters of requests: what they have to be, and what is said when they are not.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { isJsonObject, type JsonObject } from "../shared/json.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";

/** The error for parameters that do not fit. */
export function invalidParams(reason: string, data?: unknown): McpError {
  const rpcCode = RpcErrorCode.InvalidParams;
  return McpError.protocolError(reason, data === undefined ? { rpcCode } : { rpcCode, data });
}

/**
 * A parameter that has to be a text.
 *
 * @throws {McpError} `protocol_error` (-32602) when it is not
 */
export function readText(params: JsonObject, name: string): string {
  const value = params[name];
  if (typeof value === "string") return value;
  throw invalidParams(`Invalid params: "${name}" must be a string`);
}

/**
 * A parameter that has to be an object, if it is there at all.
 *
 * @throws {McpError} `protocol_error` (-32602) when it is not
 */
export function readObject(params: JsonObject, name: string): JsonObject {
  const value = params[name] ?? {};
  if (isJsonObject(value)) return value;
  throw invalidParams(`Invalid params: "${name}" must be an object`);
}

/** The cursor of a list request; undefined asks for the first page. */
export function readCursor(params: JsonObject): string | undefined {
  return params.cursor === undefined ? undefined : readText(params, "cursor");
}
