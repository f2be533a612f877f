/**
 * Converts exceptions thrown by the libraries to operation results.
 *
 * @module
 */

import { type Fields, isFields } from "./operation.ts";

/**
 * Converts an exception to the outcome of an operation. Documented errors have a code and details;
 * all other exceptions are faults.
 */
export function toErrorOutcome(error: unknown): Fields {
  if (!(error instanceof Error)) return { fault: { message: String(error) } };
  const { name, message, stack } = error;
  if ("code" in error && typeof error.code === "string" && "details" in error) {
    const details = isFields(error.details) ? error.details : {};
    return { error: { code: error.code, message, data: { ...details, ...partsOf(error) } } };
  }
  if (name === "AbortError") return { error: { code: "aborted", message, data: partsOf(error) } };
  if (isArgumentError(error)) {
    return { error: { code: "invalid_argument", message } };
  }
  return { fault: { message: `${name}: ${message}`, trace: stack } };
}

/** Matches the libraries' argument error messages. */
const ARGUMENT_ERROR =
  /^(?:"[^"]+(?:\["[^"]*"\])?" must |Cannot [^:]+: |JSON Schema (?:is|must|has) )/;

/**
 * Returns true for argument errors thrown by the libraries. Any other `TypeError` or `RangeError`
 * is thrown by the JavaScript engine and indicates a bug in the library.
 */
function isArgumentError(error: Error): boolean {
  return (error instanceof TypeError || error instanceof RangeError) &&
    ARGUMENT_ERROR.test(error.message);
}

/**
 * Returns the members of the error that are not part of its details: the server's error, and the
 * partial output.
 */
function partsOf(error: Error): Fields {
  return {
    ...("httpStatus" in error ? { httpStatus: error.httpStatus } : {}),
    ...("rpcCode" in error ? { rpcCode: error.rpcCode } : {}),
    ...("rpcCode" in error && "data" in error ? { rpcData: error.data } : {}),
    ...("partialOutput" in error ? { partialOutput: error.partialOutput } : {}),
    ...("partialResult" in error ? { partialResult: error.partialResult } : {}),
    ...("retryable" in error && error.retryable === true ? { retryable: true } : {}),
    ...("retryAfterMs" in error ? { retryAfterMs: error.retryAfterMs } : {}),
  };
}
