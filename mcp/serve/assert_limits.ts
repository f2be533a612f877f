/**
 * Limits and times of serving: a number that is none would limit nothing, or end everything at once.
 *
 * @module
 */

/** The longest time that timers can count, in milliseconds; no other limit has to be larger. */
const MAX = 2 ** 31 - 1;

/** What there may be none of. */
const OPTIONAL: ReadonlySet<string> = new Set([
  "drainTimeoutMs",
  "maxQueued",
  "maxStreams",
  "retryMs",
]);

/**
 * Looks at every number among some options.
 *
 * @throws {RangeError} when one is no limit or time, or `maxSharePerPrincipal` no part
 */
export function assertLimits(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (typeof value !== "number" || isLimit(name, value)) continue;
    throw new RangeError(`Cannot serve: ${name} is ${value}`);
  }
}

function isLimit(name: string, value: number): boolean {
  if (name === "maxSharePerPrincipal") return value > 0 && value <= 1;
  return Number.isInteger(value) && value >= (OPTIONAL.has(name) ? 0 : 1) && value <= MAX;
}
