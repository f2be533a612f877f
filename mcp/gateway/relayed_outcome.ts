/**
 * Results and errors of servers, as callers receive them.
 *
 * @module
 */

import { isHandlerCode, RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { MetaKey, metaOf } from "../protocol/meta.ts";
import { Method } from "../protocol/methods.ts";
import { consentUrlOf } from "../server/with_consent.ts";
import { McpError, McpErrorCode } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { escapeText } from "@parley/internal/escape-text";
import type { GatewaySettings } from "./options.ts";

/**
 * Removes the members that describe the server and its caching rules, because the gateway adds its
 * own description and caching rules.
 *
 * @throws {McpError} With code `protocol_error` if the caller does not support the type of the
 * result.
 */
export function ownResult(
  result: JsonObject,
  { method, hasTasks }: { readonly method: string; readonly hasTasks: boolean },
): JsonObject {
  const { resultType = "complete", _meta, ...rest } = result;
  if (resultType === "task" && method === Method.CallTool) {
    if (hasTasks) return result;
    throw McpError.protocolError("the result is a task, which the caller does not support");
  }
  if (resultType === "input_required") return result;
  if (resultType !== "complete") {
    throw McpError.protocolError(
      `the result of "${method}" has the unsupported type "${resultType}"`,
    );
  }
  const { [MetaKey.ServerInfo]: _info, ...meta } = metaOf(result);
  const own = Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
  if (method !== Method.ReadResource) return own;
  const { ttlMs: _ttlMs, cacheScope: _cacheScope, ...read } = own;
  return read;
}

/**
 * Converts an error that the gateway's client throws to an error for the caller. An error that the
 * server returned is forwarded. Any other error may contain details of the connection, so it is
 * reported, and the caller receives only the kind of error.
 */
export function toCallerError(
  error: unknown,
  method: string,
  server: string,
  { onError, timeoutMs, maxTotalMs }: GatewaySettings,
): unknown {
  if (!(error instanceof McpError)) return error;
  const { rpcCode, data } = error;
  if (error.code === McpErrorCode.ProtocolError && rpcCode !== undefined) {
    const reason = "reason" in error.details ? error.details.reason : error.message;
    return McpError.protocolError(reason, { rpcCode: toCallerCode(rpcCode), data });
  }
  const text = `Cannot relay "${method}" to the server "${server}": ${error.message}`;
  onError(new Error(escapeText(text), { cause: error }));
  const reasons: Partial<Record<McpError["code"], string>> = {
    [McpErrorCode.Timeout]:
      `did not respond in time (${timeoutMs} ms without a message, or ${maxTotalMs} ms in total)`,
    [McpErrorCode.TransportError]:
      "has closed the connection before it responded; the outcome of the request is unknown",
    [McpErrorCode.ConnectionFailed]: "is unreachable",
    [McpErrorCode.AuthError]: authReasonOf(error),
    [McpErrorCode.ProtocolError]: "sent a response that is not valid",
  };
  const reason = `The server "${server}" ${reasons[error.code] ?? "did not receive the request"}`;
  return McpError.protocolError(reason, { rpcCode: RpcErrorCode.InternalError, cause: error });
}

/**
 * Creates the errors for callers and for `onError` if the lists of a server cannot be loaded.
 * `canRetry` is `true` if the next request can succeed, because the user can consent at any time.
 */
export function unavailable(server: string, cause: unknown): {
  readonly error: McpError;
  readonly report: Error;
  readonly canRetry: boolean;
} {
  const isRejected = cause instanceof McpError && cause.code === McpErrorCode.AuthError;
  const reason = `The server "${server}" ${isRejected ? authReasonOf(cause) : "is unreachable"}`;
  const text = cause instanceof Error ? cause.message : String(cause);
  return {
    error: McpError.protocolError(reason, { rpcCode: RpcErrorCode.InternalError, cause }),
    report: new Error(escapeText(`${reason}: ${text}`), { cause }),
    canRetry: consentUrlOf(cause) !== undefined,
  };
}

/** Returns why a server cannot be used with the access token of the gateway or of the caller. */
function authReasonOf(error: McpError): string {
  const url = consentUrlOf(error);
  return url === undefined
    ? "did not authorize the gateway"
    : `can be used after you log in or consent at ${url}`;
}

/**
 * Converts an error code from a server. Codes that a handler cannot return refer to the gateway's
 * own connection, so they become -32603.
 */
function toCallerCode(code: number): number {
  if (code === RpcErrorCode.ResourceNotFoundBefore2026) return RpcErrorCode.InvalidParams;
  return isHandlerCode(code) ? code : RpcErrorCode.InternalError;
}
