/**
 * Checks of option values, for the tables of option readers.
 *
 * @module
 */

import {
  assertLimit,
  assertRecord,
  assertString,
  holds,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import type { OptionCheck } from "@parley/internal/options";
import { MAX_TIMER_MS } from "@parley/internal/timers";

/** Returns a check for an integer in a range. A value outside the range is a `RangeError`. */
export function integerFrom(min: number, max?: number): OptionCheck {
  return (name, value) => assertLimit(name, value, min, max);
}

/** Returns a check for an integer from `min` to 2^31 - 1, which is the maximum delay of `setTimeout()` in milliseconds. */
export function int32From(min: number): OptionCheck {
  return integerFrom(min, MAX_TIMER_MS);
}

/** Throws a `RangeError` unless a value is a positive number. `Infinity` is allowed. */
export function assertPositiveNumber(name: string, value: unknown): void {
  if (typeof value === "number" && value > 0) return;
  throw new RangeError(`"${name}" must be a positive number, got ${formatValue(value)}`);
}

/** Returns a check for a value that is one of several strings. */
export function oneOf(...choices: readonly string[]): OptionCheck {
  const last = choices.at(-1);
  const others = choices.slice(0, -1).map((choice) => `"${choice}"`).join(", ");
  const requirement = others === "" ? `"${last}"` : `${others} or "${last}"`;
  return (name, value) => {
    if (!choices.some((choice) => choice === value)) rejectArgument(name, requirement, value);
  };
}

/** Returns a check for an object, such as a store, that has the given methods. */
export function withMethods(...methods: readonly string[]): OptionCheck {
  return (name, value) => {
    for (const method of methods) {
      if (holds(() => typeof Reflect.get(Object(value), method) === "function")) continue;
      throw new TypeError(`"${name}" must have a method "${method}", got ${formatValue(value)}`);
    }
  };
}

/** Returns a check for an array, whose items are checked with `check`. */
export function arrayOf(requirement: string, check: OptionCheck): OptionCheck {
  return (name, value) => {
    if (!Array.isArray(value)) rejectArgument(name, `an array of ${requirement}`, value);
    for (const [index, item] of value.entries()) check(`${name}[${index}]`, item);
  };
}

/** Returns a check for an object whose members are checked with `check`. */
export function recordOf(check: OptionCheck): OptionCheck {
  return (name, value) => {
    assertRecord(name, value);
    for (const [key, member] of Object.entries(value)) check(`${name}.${key}`, member);
  };
}

/** Throws a `TypeError` unless a value is an object whose members are strings. */
export const assertTexts: OptionCheck = recordOf(assertString);
