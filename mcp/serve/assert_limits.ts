/**
 * Validates the arguments of serving functions.
 *
 * @module
 */

import type { ServerCore } from "../server/server_core.ts";
import { assertFunction, assertObject, assertShare } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";

/** Largest value accepted for any option, which is the maximum delay of `setTimeout()` in milliseconds. */
const MAX = 2 ** 31 - 1;

/** Options that may be 0. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set([
  "drainTimeoutMs",
  "maxQueued",
  "maxStreams",
  "retryMs",
]);

/** Names of options that must be numbers. */
const NUMERIC = /^max[A-Z]|Ms$/;

/**
 * Validates the server argument of a serving function.
 *
 * @throws {TypeError} If the value is not a server.
 */
export function assertServer(server: ServerCore): void {
  assertObject("server", server);
  assertFunction("server.exchange", server.exchange);
}

/**
 * Validates all numeric options. An invalid number, such as `NaN`, would disable a limit or cause an immediate timeout.
 *
 * @param options Options, keyed by name. Options that are not numeric are ignored.
 * @param path Prefix of the option names in error messages.
 * @throws {RangeError} If a limit or timeout is not an integer in its range, or if `maxSharePerPrincipal` is not
 * greater than 0 and at most 1.
 */
export function assertLimits(options: object, path = ""): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (typeof value === "number" || NUMERIC.test(name)) assertLimit(name, value, path);
  }
}

function assertLimit(name: string, value: unknown, path: string): void {
  if (name === "maxSharePerPrincipal") return assertShare(`${path}${name}`, value);
  const min = MAY_BE_ZERO.has(name) ? 0 : 1;
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= MAX) return;
  throw new RangeError(
    `"${path}${name}" must be an integer from ${min} to ${MAX}, got ${formatValue(value)}`,
  );
}
