/**
 * Text and conversion of thrown values.
 *
 * @module
 */

import { holds } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { CommError } from "./error.ts";

/**
 * Returns the message of an error, or a thrown value as text. Never throws: a handler can throw any
 * value, such as an object without a text form or a proxy that throws when it is read.
 */
export function errorText(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return formatValue(error);
  }
}

/** Returns a `CommError` unchanged. For any other thrown value, returns the result of `wrap`. */
export function toCommError(error: unknown, wrap: () => CommError): CommError {
  return isCommError(error) ? error : wrap();
}

/** Returns true for a `CommError`, and false for a value that cannot be read. */
function isCommError(error: unknown): error is CommError {
  return holds(() => error instanceof CommError);
}
