/**
 * Checks for the values of options, for use in the rules of an options reader.
 *
 * @module
 */

import {
  assertLimit,
  assertMethods,
  assertOptionalChoice,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import type { OptionCheck, OptionsReader } from "@parley/internal/options";

/** Returns a check for an integer that is not less than `min` and not greater than `max`. */
export function integerFrom(min: number, max?: number): OptionCheck {
  return (name, value) => assertLimit(name, value, min, max);
}

/** Asserts that a value is zero or a positive number, for example a duration. */
export function assertNonNegative(name: string, value: unknown): void {
  assertLimit(name, value);
}

/** Asserts that a value is a number and neither infinite nor `NaN`. */
export function assertFinite(name: string, value: unknown): void {
  if (!Number.isFinite(value)) rejectArgument(name, "a finite number", value);
}

/** Returns a check for one of several strings. */
export function oneOf(...choices: readonly string[]): OptionCheck {
  return (name, value) => assertOptionalChoice(name, value, choices);
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

/** Asserts that a value is a language model. */
export function assertModel(name: string, model: unknown): void {
  const isAiSdk = isRecord(model) && typeof model.doGenerate === "function";
  const remedy = isAiSdk
    ? "convert a model of the AI SDK with fromAiSdk()"
    : "create one with openAiChat(), anthropicMessages() or fromAiSdk() of @parley/runtime/models";
  assertMethods(name, "a LanguageModel", model, ["generate"], remedy);
}

/** Check for a step runner. */
export const assertStepRunner: OptionCheck = withMethods(
  "a StepRunner",
  ["run"],
  "wrap a journal with recordSteps()",
);

/** Returns a check for an options object that is the value of an option. */
export function nested<Options extends object, Defaults>(
  read: OptionsReader<Options, Defaults>,
): OptionCheck {
  return (name, value) => {
    // The cast is safe, because a reader validates each value that it receives.
    read(value as Options, name);
  };
}
