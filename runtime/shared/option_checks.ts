/**
 * Checks for options that occur in several folders.
 *
 * @module
 */

import { assertMethods } from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { withMethods } from "@parley/internal/option-checks";
import type { OptionCheck } from "@parley/internal/options";

/** Asserts that a value is a language model. */
export function assertModel(name: string, model: unknown): void {
  const isAiSdk = isRecord(model) && typeof model.doGenerate === "function";
  const remedy = isAiSdk
    ? "convert a model of the AI SDK with fromAiSdk()"
    : "create one with openAiResponses(), anthropicMessages(), googleGenerateContent(), openAiChat() or fromAiSdk() of @parley/runtime/models";
  assertMethods(name, "a LanguageModel", model, ["generate"], remedy);
}

/** Check for a step runner. */
export const assertStepRunner: OptionCheck = withMethods(
  "a StepRunner",
  ["run"],
  "wrap a journal with recordSteps()",
);
