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
import { isRecord, type UnknownRecord } from "../shared/json.ts";

const FUNCTIONS = [
  "approvalHandler",
  "estimateUsage",
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

/** Types of content parts by the role of the message. The content of a system message is a string. */
const PARTS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ["user", ["text", "file"]],
  ["assistant", ["text", "reasoning", "file", "tool-call", "tool-result"]],
  ["tool", ["tool-result"]],
]);

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
  const { decisions, messages, onEvent, runId, signal, stepRunner } = options;
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
  if (messages !== undefined) assertMessages(messages);
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

function assertMessages(messages: unknown): void {
  if (!Array.isArray(messages)) rejectArgument("messages", "an array", messages);
  for (const [index, message] of messages.entries()) {
    const name = `messages[${index}]`;
    assertObject(name, message);
    assertMessage(name, message);
  }
}

function assertMessage(name: string, { role, content }: UnknownRecord): void {
  if (role === "system") {
    if (typeof content !== "string") rejectArgument(`${name}.content`, "a string", content);
    return;
  }
  const types = PARTS.get(role);
  if (types === undefined) {
    rejectArgument(`${name}.role`, 'one of "system", "user", "assistant", "tool"', role);
  }
  if (!Array.isArray(content)) {
    const remedy = typeof content === "string"
      ? 'write a text as [{ type: "text", text: "…" }]'
      : undefined;
    rejectArgument(`${name}.content`, "an array of parts", content, remedy);
  }
  for (const [position, part] of content.entries()) {
    const path = `${name}.content[${position}]`;
    assertObject(path, part);
    assertOptionalChoice(`${path}.type`, part.type ?? null, types);
  }
}
