/**
 * Errors of a legacy HTTP session: lost sessions, lost responses and messages that are not
 * accepted.
 *
 * @module
 */

import { McpError, McpErrorCode } from "../shared/error.ts";
import { HTTP_LABEL } from "./http_response.ts";

/** Timeout for sending a message that expects no JSON-RPC response, in milliseconds. */
export const SEND_TIMEOUT_MS = 60_000;

/** Creates the error for a request that the server has accepted and whose response is lost. */
export function outcomeUnknown(reason: string, cause?: unknown): McpError {
  const httpStatus = cause instanceof McpError ? cause.httpStatus : undefined;
  const status = httpStatus === undefined ? {} : { httpStatus };
  return McpError.transportError(
    HTTP_LABEL,
    `${reason}${
      httpStatus === undefined ? "" : ` (HTTP ${httpStatus})`
    }; the server accepted the request, ` +
      "so its outcome is unknown",
    cause === undefined ? {} : { cause, ...status },
  );
}

/** Creates the error for a message that the server has not accepted in time. */
export function tooLate(): DOMException {
  return new DOMException(
    `The server did not accept the message within ${SEND_TIMEOUT_MS} ms`,
    "TimeoutError",
  );
}

/**
 * Returns `true` if a server has rejected a request because of its session. A server must respond
 * with HTTP 404, but some respond with HTTP 400 and a JSON-RPC error. HTTP 503 is an outage.
 */
export function isSessionRejected(
  error: unknown,
): error is McpError & { readonly httpStatus: 400 | 404 } {
  if (!(error instanceof McpError)) return false;
  const { httpStatus, rpcCode, message } = error;
  return httpStatus === 404 ||
    (httpStatus === 400 && rpcCode !== undefined && /\bsession\b/i.test(message));
}

/** Returns `true` if the connection was lost or the server returned an HTTP 5xx status. */
export function isLoss(error: unknown): boolean {
  return error instanceof McpError && error.code === McpErrorCode.TransportError &&
    (error.httpStatus === undefined || error.httpStatus >= 500);
}
