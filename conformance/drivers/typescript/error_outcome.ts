/**
 * From what a library throws to the result of an operation.
 *
 * @module
 */

import { type Fields, isFields } from "./operation.ts";

/** The library's documented errors have a code and details; anything else is a fault. */
export function toErrorOutcome(error: unknown): Fields {
  if (!(error instanceof Error)) return { fault: { message: String(error) } };
  const { name, message, stack } = error;
  if ("code" in error && typeof error.code === "string" && "details" in error) {
    const details = isFields(error.details) ? error.details : {};
    return { error: { code: error.code, message, data: { ...details, ...partsOf(error) } } };
  }
  if (name === "AbortError") return { error: { code: "aborted", message } };
  if (isArgumentError(error)) {
    return { error: { code: "invalid_argument", message } };
  }
  return { fault: { message: `${name}: ${message}`, trace: stack } };
}

/** Tells a refused argument ("Cannot <verb> <object>: <fact>") from a bug, which the engine words without a colon. */
function isArgumentError(error: Error): boolean {
  return (error instanceof TypeError || error instanceof RangeError) &&
    /^Cannot [^:]+: /.test(error.message);
}

/** What was done before the failure. */
function partsOf(error: Error): Fields {
  return {
    ...("partialOutput" in error ? { partialOutput: error.partialOutput } : {}),
    ...("partialResult" in error ? { partialResult: error.partialResult } : {}),
  };
}
