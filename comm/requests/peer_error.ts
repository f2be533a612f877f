/**
 * Peer errors: {@linkcode PeerError}, the payload of an `error` message, and errors that a peer
 * creates.
 *
 * @module
 */

import { CommError, type CommErrorDetails } from "../shared/error.ts";
import { errorText } from "../shared/error_text.ts";
import { holds } from "@parley/internal/assert-argument";
import { formatValue, quote } from "@parley/internal/format-value";
import { isJsonObject, type JsonValue } from "../shared/json.ts";

/**
 * An error that a peer's handler throws to inform the requester of a failure. The requester's call
 * to `request` rejects with a `CommError` with code "request_failed", whose `details` contain
 * `code`, `message` and `data`. The details of an error that is not a `PeerError` are not sent to
 * the requester.
 *
 * @example Reject a request with a code that the requester understands
 * ```ts
 * import { PeerError } from "@parley/comm/requests";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new PeerError("quota_exceeded", "Limit is 100 tasks per day", { limit: 100 });
 * assertEquals(error.data, { limit: 100 });
 * ```
 */
export class PeerError extends Error {
  /** Identifies the kind of error for the requester. */
  readonly code: string;
  /** Additional data for the requester, or `undefined`. */
  readonly data: JsonValue | undefined;

  /**
   * Creates an error for the requester.
   *
   * @param code Identifies the kind of error. Peers themselves also send the codes `busy`,
   *   `internal_error` and `not_serving`.
   * @param message Description of the error. The requester receives the description.
   * @param data Additional data for the requester: any JSON value.
   * @throws {TypeError} If `code` is not a string or is empty.
   */
  constructor(code: string, message: string, data?: JsonValue) {
    if (typeof code !== "string" || code === "") {
      throw new TypeError(`"code" must be a non-empty string, got ${formatValue(code)}`);
    }
    super(message);
    this.name = "PeerError";
    this.code = code;
    this.data = data;
  }
}

/** Returns the payload of an `error` message. */
export function toErrorPayload({ code, message, data }: PeerError): JsonValue {
  return { code, message, ...(data === undefined ? {} : { data }) };
}

/**
 * Reads the payload of an `error` message. A payload without a valid code still ends the request,
 * with code `unknown`.
 */
export function readErrorPayload(payload: JsonValue): CommErrorDetails["request_failed"] {
  if (!isJsonObject(payload)) return { code: "unknown", message: "" };
  const { code, message, data } = payload;
  return {
    code: typeof code === "string" && code !== "" ? code : "unknown",
    message: typeof message === "string" ? message : "",
    ...(data === undefined ? {} : { data }),
  };
}

/** Creates the error for the requests of a peer that has ended. */
export function peerEnded(cause: unknown): CommError {
  // A transport can reject with any value, such as a proxy that throws when it is read.
  const isFailure = holds(() => cause instanceof CommError);
  const end = isFailure ? `failed: ${errorText(cause)}` : "is closed";
  return new CommError({
    code: "transport_closed",
    details: {},
    message: `Cannot complete request: transport ${end}`,
    cause,
  });
}

/** Creates the error for a message that `onMessage` has no capacity to process. */
export function tooManyMessages(capacity: number): CommError {
  return new CommError({
    code: "capacity_exceeded",
    details: { capacity },
    message: `Cannot receive message: ${capacity} calls to "onMessage" are in progress`,
  });
}

/** Creates an error with code `request_failed`. */
export function requestFailed(
  recipient: string,
  failure: CommErrorDetails["request_failed"],
): CommError {
  const reason = `${quote(failure.code)}: ${quote(failure.message)}`;
  const message = `Cannot complete request to ${quote(recipient)}: peer returned error ${reason}`;
  return new CommError({ code: "request_failed", details: failure, message });
}

/** Creates the error for a request that exceeds `maxPending`. */
export function tooManyRequests(capacity: number): CommError {
  return new CommError({
    code: "capacity_exceeded",
    details: { capacity },
    message: `Cannot send request: ${capacity} requests are pending`,
  });
}

/** Creates the error for a message that is dropped because too many messages are unverified. */
export function tooManyUnverified(
  sender: string,
  { maxMessages, maxBytes }: { readonly maxMessages: number; readonly maxBytes: number },
): CommError {
  return new CommError({
    code: "capacity_exceeded",
    details: { capacity: maxMessages, maxQueuedBytes: maxBytes },
    message: `Cannot verify message from ${quote(sender)}: too many messages of senders whose ` +
      "keys are not available yet are being verified",
  });
}
