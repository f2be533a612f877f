/**
 * Readers of the options of the tool loop.
 *
 * @module
 */

import {
  assertCount,
  assertMethods,
  assertNonEmptyString,
  assertNonNegative,
  assertOptionalFunction,
  assertOptionalSignal,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { integerFrom, oneOf, withMethods } from "@parley/internal/option-checks";
import {
  assertNames,
  type DefaultRule,
  namesOf,
  type OptionCheck,
  type OptionRules,
  type OptionsReader,
  optionsReader,
  required,
  withDefault,
} from "@parley/internal/options";
import { assertBudget } from "../budget/budget.ts";
import { LOOP_ALIASES } from "../shared/aliases.ts";
import type { SystemPrompt } from "../shared/model.ts";
import { assertModel, assertStepRunner } from "../shared/option_checks.ts";
import { assertDecisions } from "./decisions.ts";
import { assertSignals } from "./tool_waits.ts";
import { assertGenerateOptions } from "./generation_options.ts";
import type { LoopDefault, LoopOptions, ToolLoopConfig } from "./options.ts";
import { assertMessages } from "./run_options.ts";

/** Rules for the options that agents and tool loops have in common. */
export const LOOP_RULES:
  & { readonly [Name in LoopDefault]: DefaultRule<Exclude<LoopOptions[Name], undefined>> }
  & OptionRules<Omit<LoopOptions, LoopDefault>> = {
    systemPrompt: assertSystemPrompt,
    maxIterations: withDefault(10, assertCount),
    generateOptions: assertGenerateOptions,
    prepareIteration: assertOptionalFunction,
    approvalHandler: assertOptionalFunction,
    repairToolCall: assertOptionalFunction,
    estimateUsage: assertOptionalFunction,
    // The schema is compiled, and thereby validated, together with the validator of the registry.
    output: () => {},
    outputMode: withDefault("auto", oneOf("auto", "native", "tool")),
    outputRetries: withDefault(1, integerFrom(0)),
    stopConditions: assertStopConditions,
    onMaxIterations: oneOf("return", "throw", "finalize"),
    onAbort: withDefault("return", oneOf("return", "throw")),
    budget: assertBudget,
    onBudgetExceeded: withDefault("return", oneOf("return", "finalize")),
    onUnknownTool: withDefault("continue", oneOf("continue", "throw")),
    onToolError: withDefault("continue", oneOf("continue", "throw")),
    onUnknownOutcome: withDefault("tell", oneOf("repeat", "ask", "tell")),
    toolConcurrency: withDefault(8, assertCount),
    maxToolCallsPerIteration: withDefault(128, assertCount),
    toolTimeoutMs: withDefault(120_000, assertNonNegative),
    maxToolOutputChars: withDefault(1_000_000, assertCount),
    maxToolFileChars: withDefault(16_777_216, assertCount),
    modelTimeoutMs: withDefault(600_000, assertNonNegative),
    graceMs: withDefault(250, assertNonNegative),
    modelRetries: withDefault(2, integerFrom(0)),
    retryDelayMs: withDefault(500, assertNonNegative),
    maxRetryDelayMs: withDefault(60_000, assertNonNegative),
    random: withDefault(() => Math.random(), assertOptionalFunction),
    onEvent: assertOptionalFunction,
    around: assertOptionalFunction,
    now: withDefault(() => Date.now(), assertOptionalFunction),
    onError: assertOptionalFunction,
  };

/** Check for a registry. */
export const assertRegistry: OptionCheck = withMethods(
  "a ToolRegistry",
  ["definitions", "find", "isHidden"],
  "create one with new ToolRegistry(tools)",
);

/** Reads the configuration of a tool loop. */
export const readToolLoopConfig: OptionsReader<ToolLoopConfig, LoopDefault | "agentName"> =
  optionsReader<ToolLoopConfig>("config", LOOP_ALIASES)({
    ...LOOP_RULES,
    model: required(assertModel),
    registry: required(assertRegistry),
    healthProfile: withMethods("a HealthProfile", ["recordInference", "recordToolInvocation"]),
    agentName: withDefault("agent", assertNonEmptyString),
    agentDid: assertNonEmptyString,
    signal: assertOptionalSignal,
    messages: assertMessages,
    // The view is validated together with the messages when the run starts.
    history: () => {},
    runId: assertNonEmptyString,
    stepRunner: assertStepRunner,
    decisions: assertDecisions,
    signals: assertSignals,
  });

const SYSTEM_PROMPT_NAMES = namesOf<SystemPrompt>({ text: true, providerOptions: true });

/**
 * Asserts that a value is a system prompt: a string, or an object with text and provider options.
 */
export function assertSystemPrompt(name: string, prompt: unknown): void {
  if (typeof prompt === "string") return;
  if (!isRecord(prompt)) rejectArgument(name, "a string or an object", prompt);
  assertNames(name, prompt, SYSTEM_PROMPT_NAMES);
  const { text, providerOptions } = prompt;
  if (typeof text !== "string") rejectArgument(`${name}.text`, "a string", text);
  if (providerOptions !== undefined) assertRecord(`${name}.providerOptions`, providerOptions);
}

function assertStopConditions(name: string, conditions: unknown): void {
  if (!Array.isArray(conditions)) {
    rejectArgument(name, "an array", conditions, "put a single condition in an array");
  }
  for (const [index, condition] of conditions.entries()) {
    const remedy = "create one with maxTotalTokens(), customStop() or another function";
    assertMethods(`${name}[${index}]`, "a stop condition", condition, ["check"], remedy);
  }
}
