/**
 * Names that other libraries give to the options of this package. The error for an unknown name
 * suggests the option of this package.
 *
 * A value is the name of an option or, if it contains a space, a remedy as an imperative phrase.
 *
 * @module
 */

import type { Aliases } from "@parley/internal/options";

/** Names of settings for model calls. */
const GENERATION: Aliases = {
  maxCompletionTokens: "maxOutputTokens",
  maxTokens: "maxOutputTokens",
  reasoningEffort: "reasoning",
  stop: "stopSequences",
};

/** Settings for model calls that other libraries have next to the options of an agent. */
const SETTINGS: Aliases = {
  ...GENERATION,
  ...namedAlike([
    "frequencyPenalty",
    "headers",
    "maxOutputTokens",
    "presencePenalty",
    "providerOptions",
    "reasoning",
    "responseFormat",
    "seed",
    "stopSequences",
    "temperature",
    "toolChoice",
    "topK",
    "topP",
  ]),
};

/** Names of options that decide whether a tool call is executed. */
const APPROVAL_NAMES = [
  "approval",
  "approvalMode",
  "approve",
  "canUseTool",
  "confirm",
  "humanInTheLoop",
  "interruptBefore",
  "interruptOn",
  "needsApproval",
  "onApproval",
  "permissionMode",
  "requireApproval",
  "requireConfirmation",
  "requiresApproval",
  "toolApproval",
];

/** Names of the limits of a budget. */
const LIMITS: Aliases = {
  ...namedAlike(["maxCost", "maxDurationMs", "maxModelCalls", "maxToolCalls"]),
  maxBudgetUsd: "maxCost",
  maxDuration: "maxDurationMs",
  maxLlmCalls: "maxModelCalls",
  maxTotalTokens: "maxTokens",
};

/** Names of the options that agents and tool loops have in common. */
const COMMON: Aliases = {
  ...mapAliases(SETTINGS, (option) => `generateOptions.${option}`),
  ...Object.fromEntries(APPROVAL_NAMES.map((name) => [name, "approvalHandler"])),
  ...mapAliases(LIMITS, (limit) => `budget.${limit}`),
  activeTools: 'return "tools" from "prepareIteration"',
  callbacks: "onEvent",
  experimental_activeTools: 'return "tools" from "prepareIteration"',
  experimental_output: "output",
  experimental_prepareStep: "prepareIteration",
  experimental_repairToolCall: "repairToolCall",
  hooks: "onEvent",
  instructions: "systemPrompt",
  llm: "model",
  maxConcurrency: "toolConcurrency",
  maxRetries: "modelRetries",
  maxSteps: "maxIterations",
  maxToolRoundtrips: "maxIterations",
  maxTurns: "maxIterations",
  modelSettings: "generateOptions",
  onChunk: "onEvent",
  onFinish: "onEvent",
  onStepFinish: "onEvent",
  outputSchema: "output",
  outputType: "output",
  parallelToolCalls: "toolConcurrency",
  prepareStep: "prepareIteration",
  prompt: 'set "systemPrompt", or pass the message to the run',
  recursionLimit: "maxIterations",
  stopWhen: "stopConditions",
  system: "systemPrompt",
  timeout: 'set "modelTimeoutMs" or "toolTimeoutMs"',
  timeoutMs: 'set "modelTimeoutMs" or "toolTimeoutMs"',
};

/** Names of the options for a single run. */
const RUN: Aliases = {
  abortSignal: "signal",
  approvals: "decisions",
  threadId: "runId",
};

/** Options of an agent that a run does not have. */
const OF_AGENT = [
  "approvalHandler",
  "estimateUsage",
  "generateOptions",
  "maxIterations",
  "modelTimeoutMs",
  "onError",
  "onUnknownOutcome",
  "prepareIteration",
  "repairToolCall",
  "stopConditions",
  "systemPrompt",
  "toolConcurrency",
  "toolTimeoutMs",
  "tools",
];

/** Options of a run that an agent does not have. */
const OF_RUN = ["decisions", "history", "messages", "runId", "signal", "signals", "stepRunner"];

/** Names for the configuration of an agent. */
export const AGENT_ALIASES: Aliases = {
  ...COMMON,
  ...mapAliases({ ...RUN, ...namedAlike(OF_RUN) }, (option) => `pass "${option}" to the run`),
};

/** Names for the configuration of a tool loop. */
export const LOOP_ALIASES: Aliases = {
  ...COMMON,
  ...RUN,
  name: "agentName",
  tools: "registry",
};

/** Names for the options of a run of an agent. */
export const RUN_ALIASES: Aliases = {
  ...mapAliases(
    { ...COMMON, ...namedAlike(OF_AGENT) },
    (option) => `set "${option}" in the configuration of the agent`,
  ),
  ...RUN,
  ...mapAliases(LIMITS, (limit) => `budget.${limit}`),
  prompt: "pass the message as the first argument",
};

/** Names for the settings of model calls. */
export const GENERATION_ALIASES: Aliases = { ...GENERATION, tools: "providerTools" };

/** Names for the members of a plan. */
export const PLAN_ALIASES: Aliases = {
  ...mapAliases(SETTINGS, (option) => `generateOptions.${option}`),
  activeTools: "tools",
  instructions: "systemPrompt",
  system: "systemPrompt",
};

/** Names for the members of a decision. */
export const DECISION_ALIASES: Aliases = { args: "input", arguments: "input", message: "reason" };

/** Names for the options of a model. */
export const MODEL_ALIASES: Aliases = {
  ...mapAliases(
    SETTINGS,
    (option) => `set "generateOptions.${option}" in the configuration of the agent`,
  ),
  apiToken: "apiKey",
  baseURL: "baseUrl",
  defaultHeaders: "headers",
  endpoint: "baseUrl",
  maxRetries: 'set "modelRetries" in the configuration of the agent',
  modelId: "model",
  modelName: "model",
  token: "apiKey",
  url: "baseUrl",
};

/** Names for a durable run to start. */
export const RUN_START_ALIASES: Aliases = {
  agentName: "agent",
  delayUntil: "due",
  id: "runId",
  message: "input",
  prompt: "input",
  startAt: "due",
};

/** Names for the options of a session. */
export const SESSION_ALIASES: Aliases = {
  journal: 'pass recordSteps(journal) as "stepRunner"',
  memory: "store",
  sessionId: "id",
  storage: "store",
  threadId: "id",
};

/** Names for the options for the tools of an MCP server. */
export const MCP_TOOL_ALIASES: Aliases = {
  ...Object.fromEntries(APPROVAL_NAMES.map((name) => [
    name,
    'decide in the "approvalHandler" of the agent',
  ])),
  allow: "filter",
  allowedTools: "filter",
  include: "filter",
  namePrefix: "prefix",
  toolFilter: "filter",
  tools: "filter",
  trustAnnotations: "trustHints",
  trusted: "trustHints",
};

/** Names for the annotations of a tool, as in the Model Context Protocol. */
export const ANNOTATION_ALIASES: Aliases = {
  destructiveHint: "destructive",
  idempotentHint: "idempotent",
  openWorldHint: "openWorld",
  readOnlyHint: "readOnly",
};

/**
 * Names of members with which a tool of another library restricts its calls. A tool is an object
 * that users implement, so it can have other members, but not these, because they would be ignored.
 */
export const TOOL_ALIASES: Aliases = {
  ...Object.fromEntries(APPROVAL_NAMES.map((name) => [
    name,
    'decide in the "approvalHandler" of the agent',
  ])),
  ...Object.fromEntries(
    Object.entries({
      ...namedAlike(Object.values(ANNOTATION_ALIASES)),
      ...ANNOTATION_ALIASES,
    }).map(([name, option]) => [name, `annotations.${option}`]),
  ),
  disabled: "register the tool only while it is enabled",
  enabled: "register the tool only while it is enabled",
  hidden: 'pass { hidden: true } to "register" of the registry',
  isEnabled: "register the tool only while it is enabled",
  maxCalls: 'count the calls in "execute"',
  maxUses: 'count the calls in "execute"',
  parallel: "exclusive",
  sequential: "exclusive",
  timeout: "timeoutMs",
};

/** Returns a table in which each name stands for itself. */
function namedAlike(names: readonly string[]): Aliases {
  return Object.fromEntries(names.map((name) => [name, name]));
}

/** Converts the names in a table. A remedy stays as it is. */
function mapAliases(aliases: Aliases, convert: (option: string) => string): Aliases {
  return Object.fromEntries(
    Object.entries(aliases).map(([name, hint]) => [
      name,
      hint.includes(" ") ? hint : convert(hint),
    ]),
  );
}
