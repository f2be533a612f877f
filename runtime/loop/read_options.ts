/**
 * Validation of the options of the tool loop, except for the numeric options.
 *
 * @module
 */

import {
  assertMethods,
  assertOptionalChoice,
  assertOptionalFunction,
  assertOptionalSignal,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";

const FUNCTIONS = [
  "approvalHandler",
  "around",
  "estimateUsage",
  "now",
  "onError",
  "onEvent",
  "prepareIteration",
  "random",
  "repairToolCall",
];

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  onMaxIterations: ["return", "throw", "finalize"],
  onAbort: ["return", "throw"],
  onUnknownTool: ["continue", "throw"],
  onToolError: ["continue", "throw"],
  onUnknownOutcome: ["repeat", "ask", "tell"],
  outputMode: ["auto", "native", "tool"],
};

const PROVIDER_TOOL_ID = /^[^.]+\../;

/**
 * Asserts that a value is a language model.
 *
 * @throws {TypeError} If the value does not have a `generate` function.
 */
export function assertModel(model: unknown): void {
  const isAiSdk = isRecord(model) && typeof model.doGenerate === "function";
  const remedy = isAiSdk
    ? "convert a model of the AI SDK with fromAiSdk()"
    : "create one with openAiChat(), anthropicMessages() or fromAiSdk() of @parley/runtime/models";
  assertMethods("model", "a LanguageModel", model, ["generate"], remedy);
}

/**
 * Validates the options that agents and tool loops have in common.
 *
 * @param options Options as the caller wrote them.
 * @throws {TypeError} If an option has the wrong type.
 */
export function assertLoopOptions(options: unknown): void {
  assertRecord("config", options);
  for (const name of FUNCTIONS) assertOptionalFunction(name, options[name]);
  for (const [name, choices] of Object.entries(CHOICES)) {
    assertOptionalChoice(name, options[name], choices);
  }
  const { registry, stopConditions, systemPrompt, generateOptions } = options;
  if (registry !== undefined) assertRegistry(registry);
  if (options.tools !== undefined) {
    rejectArgument("tools", "omitted", options.tools, 'set "registry" to new ToolRegistry(tools)');
  }
  if (systemPrompt !== undefined) assertSystemPrompt(systemPrompt);
  if (generateOptions !== undefined) assertGenerateOptions(generateOptions);
  if (stopConditions !== undefined) assertStopConditions(stopConditions);
}

/**
 * Validates the options for a single run.
 *
 * @param options Options as the caller wrote them.
 * @throws {TypeError} If an option has the wrong type.
 */
export function assertRunOptions(options: unknown): void {
  assertRecord("options", options);
  const { around, decisions, now, onEvent, runId, signal, signals, stepRunner } = options;
  assertOptionalSignal("signal", signal);
  if (stepRunner !== undefined) {
    const remedy = "wrap a journal with recordSteps()";
    assertMethods("stepRunner", "a StepRunner", stepRunner, ["run"], remedy);
  }
  if (decisions !== undefined) assertRecord("decisions", decisions);
  if (signals !== undefined) assertRecord("signals", signals);
  if (runId !== undefined && (typeof runId !== "string" || runId === "")) {
    rejectArgument("runId", "a non-empty string", runId);
  }
  assertOptionalFunction("onEvent", onEvent);
  assertOptionalFunction("around", around);
  assertOptionalFunction("now", now);
}

/**
 * Asserts that a value is a registry.
 *
 * @throws {TypeError} If the value is not a `ToolRegistry`.
 */
export function assertRegistry(registry: unknown): void {
  const remedy = "create one with new ToolRegistry(tools)";
  assertMethods(
    "registry",
    "a ToolRegistry",
    registry,
    ["definitions", "find", "isHidden"],
    remedy,
  );
}

/** Asserts that a value is a system prompt: a string, or an object with text and provider options. */
export function assertSystemPrompt(prompt: unknown): void {
  if (typeof prompt === "string") return;
  if (!isRecord(prompt)) rejectArgument("systemPrompt", "a string or an object", prompt);
  const { text, providerOptions } = prompt;
  if (typeof text !== "string") rejectArgument("systemPrompt.text", "a string", text);
  if (providerOptions !== undefined) {
    assertRecord("systemPrompt.providerOptions", providerOptions);
  }
}

/** Asserts that a value is an object of settings for model calls, with valid provider tools. */
export function assertGenerateOptions(options: unknown): void {
  assertRecord("generateOptions", options);
  const { providerTools = [] } = options;
  const path = "generateOptions.providerTools";
  if (!Array.isArray(providerTools)) rejectArgument(path, "an array", providerTools);
  for (const [index, tool] of providerTools.entries()) {
    const name = `${path}[${index}]`;
    assertRecord(name, tool);
    if (typeof tool.id !== "string" || !PROVIDER_TOOL_ID.test(tool.id)) {
      rejectArgument(`${name}.id`, 'of the form "provider.tool"', tool.id);
    }
    if (typeof tool.name !== "string" || tool.name === "") {
      rejectArgument(`${name}.name`, "a non-empty string", tool.name);
    }
    assertRecord(`${name}.args`, tool.args);
  }
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
