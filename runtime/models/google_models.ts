/**
 * Differences between the generations of Gemini models.
 *
 * @module
 */

import type { GenerationOptions } from "../shared/generation_options.ts";
import type { LanguageModel } from "../shared/model.ts";
import type { WireObject } from "./response_fields.ts";

type Reasoning = NonNullable<GenerationOptions["reasoning"]>;

/** Thinking budgets of models before Gemini 3, in tokens. */
const BUDGETS: Readonly<Record<Reasoning, number>> = {
  none: 0,
  minimal: 512,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

/** Smallest thinking budget of Gemini 2.5 Pro, in tokens. Its thinking cannot be disabled. */
const MIN_PRO_BUDGET = 128;

/** Thinking levels that all models since Gemini 3 accept. */
const LEVELS: Readonly<Record<Reasoning, string>> = {
  none: "low",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/**
 * Models that accept the thinking level `minimal`. Gemini Pro and, since version 3.7, Gemini Flash
 * reject it.
 */
const HAS_MINIMAL = /gemini-3(?:\.[1-6])?-flash/;

/**
 * Returns the version in the id of a Gemini model, for example 2.5. Returns `Infinity` for an id
 * without a version, because an id such as `gemini-flash-latest` refers to a new model.
 */
export function geminiVersion(model: string): number {
  const [, version] = /gemini-(\d+(?:\.\d+)?)/.exec(model) ?? [];
  return version === undefined ? Infinity : Number(version);
}

/** Returns the support for JSON output with a schema. Models other than Gemini declare none. */
export function nativeOutputOf(model: string): Pick<LanguageModel, "nativeOutput"> {
  if (!model.includes("gemini")) return {};
  // Models before Gemini 3 reject a response schema in a request with tools.
  return { nativeOutput: geminiVersion(model) < 3 ? "without-tools" : "with-tools" };
}

/** Returns true if a model can reason. Models before Gemini 2.5 reject a thinking configuration. */
export function canReason(model: string): boolean {
  return geminiVersion(model) >= 2.5;
}

/** Returns the thinking configuration for a reasoning effort. */
export function toThinkingConfig(reasoning: Reasoning, model: string): WireObject {
  const includeThoughts = reasoning !== "none";
  if (geminiVersion(model) < 3) {
    const least = model.includes("-pro") ? MIN_PRO_BUDGET : 0;
    return { thinkingBudget: Math.max(BUDGETS[reasoning], least), includeThoughts };
  }
  const isLeast = reasoning === "none" || reasoning === "minimal";
  const level = isLeast && HAS_MINIMAL.test(model) ? "minimal" : LEVELS[reasoning];
  return { thinkingLevel: level, includeThoughts };
}
