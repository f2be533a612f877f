/**
 * Numbers that limit something.
 *
 * @module
 */

/**
 * Checks a limit.
 *
 * @param name what it limits
 * @param value the limit
 * @param least what a whole number has to be at least; without it any number of 0 or more will do
 * @throws {RangeError} it is no such number
 */
export function assertLimit(name: string, value: unknown, least?: number): void {
  const isNumber = typeof value === "number" && value >= (least ?? 0);
  if (isNumber && (least === undefined || Number.isSafeInteger(value))) return;
  const kind = least === undefined ? "number of 0" : `integer of ${least}`;
  throw new RangeError(`Cannot use ${value} for ${name}: it is no ${kind} or more`);
}
