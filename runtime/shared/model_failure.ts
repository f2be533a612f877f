/**
 * The error of a failed model call: whether and when the call can be repeated.
 *
 * @module
 */

import { asRecord, isRecord } from "@parley/internal/json";
import { AgentError } from "./error.ts";

/**
 * Returns true if a model call's error is marked as retryable, with `retryable: true` or, as in the
 * AI SDK, with `isRetryable: true`.
 *
 * @param error Error that the model call rejected with.
 *
 * @example Check whether a rate limit error is retryable
 * ```ts
 * import { AgentError, isRetryable } from "@parley/runtime";
 * import { assert } from "@std/assert";
 *
 * assert(isRetryable(AgentError.modelError("429 Too Many Requests", { retryable: true })));
 * assert(!isRetryable(new Error("bad key")));
 * ```
 */
export function isRetryable(error: unknown): boolean {
  return isRecord(error) && (error.retryable === true || error.isRetryable === true);
}

/**
 * Returns the delay that the provider requests before a retry, in milliseconds. Returns `undefined`
 * if the error has no `retryAfterMs` or its value is not a non-negative number.
 *
 * @param error Error that the model call rejected with.
 */
export function retryDelayOf(error: unknown): number | undefined {
  const delayMs = isRecord(error) ? error.retryAfterMs : undefined;
  return typeof delayMs === "number" && delayMs >= 0 ? delayMs : undefined;
}

/**
 * Returns the HTTP status of the response: the status of an `AgentError`, or the `status` or, as in
 * the AI SDK, the `statusCode` of any other error. Returns `undefined` if it is not an integer from
 * 100 to 599.
 *
 * @param error Error that the model call rejected with.
 */
export function statusOf(error: unknown): number | undefined {
  const { status, statusCode } = asRecord(AgentError.isAgentError(error) ? error.details : error);
  return [status, statusCode].find(isStatus);
}

function isStatus(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 100 && value <= 599;
}
