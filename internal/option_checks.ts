/**
 * Functions that return checks for the values of options, for the rules of an options reader.
 * Checks that need no parameter are in `assert_argument.ts`.
 *
 * @module
 */

import { assertLimit, assertMethods, assertRecord, rejectArgument } from "./assert_argument.ts";
import { findNearest, type OptionCheck, type OptionsReader } from "./options.ts";
import { MAX_TIMER_MS } from "./timers.ts";

/** Returns a check for an integer that is not less than `min` and not greater than `max`. */
export function integerFrom(min: number, max?: number): OptionCheck {
  return (name, value) => assertLimit(name, value, min, max);
}

/**
 * Returns a check for an integer from `min` to 2^31 - 1, which is the maximum delay of
 * `setTimeout()` in milliseconds.
 */
export function int32From(min: number): OptionCheck {
  return integerFrom(min, MAX_TIMER_MS);
}

/**
 * Returns a check for one of several strings. The error message suggests the string that is nearest
 * to an invalid value.
 */
export function oneOf(...choices: readonly string[]): OptionCheck {
  return (name, value) => {
    if (choices.some((choice) => choice === value)) return;
    const near = typeof value === "string" ? findNearest(value, choices) : undefined;
    const remedy = near === undefined ? undefined : `did you mean "${near}"?`;
    rejectArgument(name, formatChoices(choices), value, remedy);
  };
}

/**
 * Returns a check for an object that has certain methods.
 *
 * @param requirement Requirement for the option, for example `a StepRunner`.
 * @param remedy Remedy, as an imperative phrase.
 */
export function withMethods(
  requirement: string,
  methods: readonly string[],
  remedy?: string,
): OptionCheck {
  return (name, value) => assertMethods(name, requirement, value, methods, remedy);
}

/**
 * Returns a check for an array whose items meet a check.
 *
 * @param items The items, for example `URIs`.
 */
export function arrayOf(items: string, check: OptionCheck): OptionCheck {
  return (name, value) => {
    if (!Array.isArray(value)) rejectArgument(name, `an array of ${items}`, value);
    for (const [index, item] of value.entries()) check(`${name}[${index}]`, item);
  };
}

/** Returns a check for an object whose members meet a check. */
export function recordOf(check: OptionCheck): OptionCheck {
  return (name, value) => {
    assertRecord(name, value);
    for (const [key, member] of Object.entries(value)) check(`${name}.${key}`, member);
  };
}

/** Returns a check for an options object that is the value of an option. */
export function nested<Options extends object, Defaults>(
  read: OptionsReader<Options, Defaults>,
): OptionCheck {
  return (name, value) => {
    // The cast is safe, because a reader validates each value that it receives.
    read(value as Options, name);
  };
}

/** Formats choices as `"a"`, `"a" or "b"`, or `"a", "b" or "c"`. */
export function formatChoices(choices: readonly string[]): string {
  const quoted = choices.map((choice) => `"${choice}"`);
  const last = quoted.pop();
  return quoted.length === 0 ? `${last}` : `${quoted.join(", ")} or ${last}`;
}
