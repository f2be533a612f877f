/**
 * Errors of runs as plain data.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "./error.ts";

/** An error that ended or interrupted a run. */
export interface RunFailure {
  /** Code of the `AgentError`, or the name of an error that is not an `AgentError`. */
  readonly code: string;
  /** Error message. */
  readonly message: string;
}

/** Converts an error to plain data that is stored with the run. */
export function toFailure(error: unknown): RunFailure {
  const name = error instanceof Error ? error.name : "Error";
  const code = AgentError.isAgentError(error) ? error.code : name;
  return { code, message: errorMessageOf(error).slice(0, 10_000) };
}
