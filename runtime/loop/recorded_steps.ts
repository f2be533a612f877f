/**
 * Errors of recorded steps.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";

/** Thrown by a step to prevent its result from being recorded. */
export class NotRecorded {}

/**
 * Throws the error for a step with an invalid value.
 *
 * @throws {AgentError} With code `core`.
 */
export function invalidStep(key: string): never {
  throw AgentError.core(
    `Cannot resume the run: journal step "${key}" is damaged or belongs to a different run`,
  );
}
