/**
 * Errors of databases, and of pg-boss.
 *
 * @module
 */

import { errorMessageOf } from "./error.ts";
import { asRecord } from "@parley/internal/json";
import { backOff } from "./back_off.ts";
import { escapeText } from "@parley/internal/escape-text";

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 5000;

/**
 * Returns the delay after a failed attempt to use a database that is not available, in
 * milliseconds.
 */
export function reconnectDelay(attempt: number): number {
  return backOff(attempt, FIRST_DELAY_MS, MAX_DELAY_MS);
}

/**
 * Converts a reported error to an `Error`. For worker failures, pg-boss reports plain objects with
 * the members of an error.
 */
export function toError(reported: unknown): unknown {
  if (reported instanceof Error) return reported;
  return new Error(escapeText(`pg-boss: ${asRecord(reported).message}`), { cause: reported });
}

/**
 * Returns the message of an error. If connecting to several addresses fails, the combined error has
 * no message.
 */
export function reasonOf(error: unknown): string {
  const isEmpty = error instanceof AggregateError && error.message === "";
  return isEmpty ? error.errors.map(errorMessageOf).join(", ") : errorMessageOf(error);
}

/**
 * Returns true if an error did not come from the database, or reports that the database is starting
 * or busy.
 */
export function isTemporary(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  // These SQLSTATE classes cover connections, deadlocks, resources and operator intervention.
  if (typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)) return /^(?:08|40|53|57)/.test(code);
  // Operating systems and drivers use codes such as `ECONNREFUSED` and `CONNECT_TIMEOUT`. Codes
  // that start with `ERR_` belong to Node.js and indicate invalid arguments and failed assertions.
  if (typeof code === "string") return /^(?!ERR_)[A-Z][A-Z_]+$/.test(code);
  return /connect|timeout|terminated/i.test(reasonOf(error));
}
