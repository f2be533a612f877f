/**
 * Numeric server option validation.
 *
 * @module
 */

/** Largest value accepted for any option, which is the maximum delay of `setTimeout()` in milliseconds. */
const MAX = 2 ** 31 - 1;

/** Options that may be 0. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set([
  "drainTimeoutMs",
  "maxQueued",
  "maxStreams",
  "retryMs",
]);

/**
 * Validates all numeric options. An invalid number, such as `NaN`, would disable a limit or cause an immediate timeout.
 *
 * @param options Options by name. Non-numeric values are ignored.
 * @param path Prefix of the option names in error messages.
 * @throws {RangeError} If a limit or timeout is not an integer in its range, or if `maxSharePerPrincipal` is not
 * greater than 0 and at most 1.
 */
export function assertLimits(options: object, path = ""): void {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === "number") assertLimit(name, value, path);
  }
}

function assertLimit(name: string, value: number, path: string): void {
  if (name === "maxSharePerPrincipal") {
    if (value > 0 && value <= 1) return;
    throw new RangeError(`"${path}${name}" must be greater than 0 and at most 1, got ${value}`);
  }
  const min = MAY_BE_ZERO.has(name) ? 0 : 1;
  if (Number.isInteger(value) && value >= min && value <= MAX) return;
  throw new RangeError(`"${path}${name}" must be an integer from ${min} to ${MAX}, got ${value}`);
}
