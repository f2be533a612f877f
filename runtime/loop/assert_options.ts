/**
 * Validation of the options of the tool loop, except for the numeric options.
 *
 * @module
 */

import {
  assertMethods,
  assertObject,
  assertOptionalChoice,
  assertOptionalFunction,
  rejectArgument,
} from "../shared/assertions.ts";
import { isRecord } from "../shared/json.ts";

const FUNCTIONS = [
  "approvalHandler",
  "around",
  "estimateUsage",
  "now",
  "onError",
  "onEvent",
  "random",
  "repairToolCall",
];

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  onMaxIterations: ["return", "throw", "finalize"],
  onAbort: ["return", "throw"],
  onUnknownTool: ["continue", "throw"],
  onToolError: ["continue", "throw"],
  onUnknownOutcome: ["repeat", "ask", "tell"],
};

/**
 * Asserts that a value is a language model.
 *
 * @throws {TypeError} If the value has no function `generate`.
 */
export function assertModel(model: unknown): void {
  const isAiSdk = isRecord(model) && typeof model.doGenerate === "function";
  const remedy = isAiSdk
    ? "convert a model of the AI SDK with fromAiSdk()"
    : "create one with openAiChat(), anthropicMessages() or fromAiSdk() of @parley/runtime/models";
  assertMethods("model", "a LanguageModel", model, ["generate"], remedy);
}

/**
 * Validates the options that agents and loops have in common.
 *
 * @param options Options as the caller wrote them.
 * @throws {TypeError} If an option has the wrong type.
 */
export function assertLoopOptions(options: unknown): void {
  assertObject("config", options);
  for (const name of FUNCTIONS) assertOptionalFunction(name, options[name]);
  for (const [name, choices] of Object.entries(CHOICES)) {
    assertOptionalChoice(name, options[name], choices);
  }
  const { registry, stopConditions, systemPrompt, generateOptions } = options;
  if (registry !== undefined) assertRegistry(registry);
  if (options.tools !== undefined) {
    rejectArgument("tools", "omitted", options.tools, 'set "registry" to new ToolRegistry(tools)');
  }
  if (systemPrompt !== undefined && typeof systemPrompt !== "string") {
    rejectArgument("systemPrompt", "a string", systemPrompt);
  }
  if (generateOptions !== undefined) assertObject("generateOptions", generateOptions);
  if (stopConditions !== undefined) assertStopConditions(stopConditions);
}

/**
 * Validates the options for a single run.
 *
 * @param options Options as the caller wrote them.
 * @throws {TypeError} If an option has the wrong type.
 */
export function assertRunOptions(options: unknown): void {
  assertObject("options", options);
  const { around, decisions, onEvent, runId, signal, stepRunner } = options;
  if (signal !== undefined) {
    const methods = ["addEventListener", "removeEventListener"];
    const remedy = signal instanceof AbortController ? 'pass its "signal"' : undefined;
    assertMethods("signal", "an AbortSignal", signal, methods, remedy);
  }
  if (stepRunner !== undefined) {
    const remedy = "wrap a journal with recordSteps()";
    assertMethods("stepRunner", "a StepRunner", stepRunner, ["run"], remedy);
  }
  if (decisions !== undefined) assertObject("decisions", decisions);
  if (runId !== undefined && (typeof runId !== "string" || runId === "")) {
    rejectArgument("runId", "a non-empty string", runId);
  }
  assertOptionalFunction("onEvent", onEvent);
  assertOptionalFunction("around", around);
}

/**
 * Asserts that a value is a registry.
 *
 * @throws {TypeError} If the value is not a `ToolRegistry`.
 */
export function assertRegistry(registry: unknown): void {
  const remedy = "create one with new ToolRegistry(tools)";
  assertMethods("registry", "a ToolRegistry", registry, ["definitions", "find"], remedy);
}

function assertStopConditions(conditions: unknown): void {
  if (!Array.isArray(conditions)) {
    rejectArgument("stopConditions", "an array", conditions, "put a single condition in an array");
  }
  for (const [index, condition] of conditions.entries()) {
    const name = `stopConditions[${index}]`;
    const remedy = "create one with maxTotalTokens(), customStop() or another function";
    assertMethods(name, "a stop condition", condition, ["check"], remedy);
  }
}
