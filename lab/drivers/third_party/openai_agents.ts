/**
 * Driver for the OpenAI Agents SDK's `Runner`.
 *
 *     deno run -A --config lab/drivers/third_party/deno.json lab/drivers/third_party/openai_agents.ts
 *
 * @module
 */

import {
  Agent,
  type AgentInputItem,
  type AgentOutputType,
  AgentsError,
  createCustomSpan,
  type FunctionTool,
  type FunctionToolResult,
  type HostedTool,
  type ModelResponse,
  type ModelSettings,
  retryPolicies,
  RunContext,
  Runner,
  RunState,
  type RunToolApprovalItem,
  setTraceProcessors,
  tool,
  type ToolUseBehavior,
  type Usage,
} from "@openai/agents";
import { serveDriver } from "../../../conformance/drivers/typescript/serve_driver.ts";
import {
  BadArgs,
  type Fields,
  HostError,
  isFields,
  type Operation,
  Unsupported,
} from "../../../conformance/drivers/typescript/operation.ts";
import workspace from "./deno.json" with { type: "json" };
import {
  COMMON_OPTIONS,
  type Decision,
  type ScriptedAgent,
  toCommonErrorOutcome,
  type ToolSpec,
} from "./agent_loop_driver.ts";
import { createLoopOps, type LoopAgent, type RunArgs } from "./agent_loop_ops.ts";
import { parseInput, toConversation, toInputItems, toParts } from "./openai_items.ts";
import { describeSpans } from "./memory_tracer.ts";
import { ModelFailure, toModel } from "./openai_model.ts";
import { TraceRecorder } from "./openai_tracer.ts";
import { WIRE_FEATURES, WIRE_OPS } from "./wire_openai_agents.ts";

type Result = Awaited<ReturnType<typeof start>>;
type Options = Pick<
  NonNullable<Parameters<Runner["run"]>[2]>,
  "signal" | "maxTurns" | "toolExecution"
>;
type Input = Parameters<typeof start>[2];

/** Options whose only supported value in the SDK is `throw`. */
const THROWN = ["onAbort", "onMaxIterations", "onUnknownTool"];
const OPTIONS = [
  ...COMMON_OPTIONS,
  "onToolError",
  "tracer",
  "captureContent",
  "output",
  "outputMode",
  "nativeOutput",
  ...THROWN,
];

/** The SDK's default turn limit. */
const DEFAULT_TURNS = 10;

/**
 * An SDK agent whose output is a string or, if the case defines a schema, a value of unknown type.
 */
type SdkAgent = Agent<undefined, AgentOutputType>;

/** An agent built with the OpenAI Agents SDK. */
class OpenAiAgent implements LoopAgent {
  /** The SDK's agent. */
  readonly agent: SdkAgent;
  readonly scripted: ScriptedAgent;

  constructor(scripted: ScriptedAgent) {
    for (const name of THROWN) {
      const value = scripted.text(name);
      if (value !== undefined && value !== "throw") {
        throw new Unsupported(`${name} "${value}" is not supported`);
      }
    }
    this.scripted = scripted;
    this.agent = toAgent(scripted);
  }

  async run(args: RunArgs): Promise<Fields> {
    const { scripted } = this;
    const runner = new Runner(toTracing(scripted));
    try {
      return await scripted.run(args.signal, async (signal) => {
        const options = { signal, ...toOptions(scripted) };
        let result = await start(runner, this.agent, await this.#toInput(args), options);
        let pending = await settleApprovals(scripted, result);
        while (result.interruptions.length > 0 && pending.length === 0) {
          result = await runner.run(this.agent, result.state, options);
          pending = await settleApprovals(scripted, result);
        }
        return toOutput(scripted, result, pending);
      });
    } catch (error) {
      throw error instanceof AgentsError ? withOutput(scripted, error) : error;
    }
  }

  register(definition: Fields): void {
    const spec = this.scripted.toToolSpec(definition);
    this.agent.tools.push(toTool(spec, this.scripted));
  }

  unregister(name: string): void {
    this.agent.tools = this.agent.tools.filter((each) => each.name !== name);
  }

  names(): readonly string[] {
    return this.agent.tools.map(({ name }) => name);
  }

  /**
   * Returns the items of a new run, or the state of a saved run, with the decisions for its pending
   * calls.
   */
  async #toInput({ input, messages, saved, state: text, decisions }: RunArgs): Promise<Input> {
    const turn = input === undefined ? [] : [{ role: "user", content: input }];
    const items = typeof input === "string" && messages.length === 0
      ? input
      : toInputItems([...messages, ...turn]);
    if (saved === undefined) return items;
    const state = text === undefined
      ? new RunState<undefined, SdkAgent>(
        new RunContext(),
        items,
        this.agent,
        toOptions(this.scripted).maxTurns ?? DEFAULT_TURNS,
      )
      : await RunState.fromString<undefined, SdkAgent>(this.agent, text);
    for (const item of decisions === undefined ? [] : state.getInterruptions()) {
      settle(state, item, decisions?.get(requestOf(item).key));
    }
    // The SDK updates the state during the run.
    saved.read = () => state.toString();
    return state;
  }
}

function toOptions(call: ScriptedAgent): Options {
  const concurrency = call.number("toolConcurrency");
  const limits = call.conditions().flatMap(({ maxIterations: limit }) =>
    typeof limit === "number" ? [limit] : []
  );
  const limit = call.number("maxIterations");
  // Without a limit in the case, the SDK's default turn limit applies.
  const maxTurns = Math.min(...limits, ...(limit === undefined ? [] : [limit]));
  return {
    ...(maxTurns === Infinity ? {} : { maxTurns }),
    ...(concurrency === undefined
      ? {}
      : { toolExecution: { maxFunctionToolConcurrency: concurrency } }),
  };
}

/** The SDK records messages unless the caller opts out, so only an explicit choice is passed on. */
function toTracing({ config: { tracer, captureContent } }: ScriptedAgent): TracingOptions {
  if (!(tracer instanceof TraceRecorder)) return { tracingDisabled: true };
  return {
    traceId: tracer.traceId,
    ...(typeof captureContent === "boolean" ? { traceIncludeSensitiveData: captureContent } : {}),
  };
}

type TracingOptions = NonNullable<ConstructorParameters<typeof Runner>[0]>;

/**
 * Starts a run. This code is a separate function so that `ReturnType` can refer to its result type.
 */
async function start(
  runner: Runner,
  agent: SdkAgent,
  input: string | AgentInputItem[] | RunState<undefined, SdkAgent>,
  options: Options,
) {
  return await runner.run(agent, input, options);
}

function toAgent(call: ScriptedAgent): SdkAgent {
  const instructions = call.text("systemPrompt");
  const { output } = call.config;
  return new Agent<undefined, AgentOutputType>({
    name: call.text("name") ?? "agent",
    model: toModel(call),
    tools: [...call.tools().map((spec) => toTool(spec, call)), ...hostedToolsOf(call)],
    modelSettings: settingsOf(call),
    toolUseBehavior: toToolUseBehavior(call),
    ...(isFields(output) ? { outputType: toOutputType(output) } : {}),
    ...(instructions === undefined ? {} : { instructions }),
  });
}

/**
 * The cast is unchecked: the SDK expects a stricter type, but receives the JSON Schema from the
 * case unchanged.
 */
function toOutputType(schema: Fields): AgentOutputType {
  return { type: "json_schema", name: "output", strict: false, schema } as AgentOutputType;
}

/**
 * Converts the stop conditions to a `toolUseBehavior`, which the SDK evaluates after the tools of a
 * turn.
 */
function toToolUseBehavior(call: ScriptedAgent): ToolUseBehavior {
  const conditions = call.conditions();
  const names = conditions.flatMap(({ toolCalled }) =>
    Array.isArray(toolCalled) ? toolCalled.map(String) : []
  );
  const checks = conditions.flatMap((condition) => toCheck(call, condition));
  if (checks.length === 0) {
    return names.length === 0 ? "run_llm_again" : { stopAtToolNames: names };
  }
  if (names.length > 0) {
    throw new Unsupported("conditions on tool names cannot be combined with other conditions");
  }
  return (context, results) => {
    // All conditions are evaluated even after one is met, because the cases expect every condition
    // to be called.
    if (!checks.some((check) => check(context, results))) {
      return { isFinalOutput: false, isInterrupted: undefined };
    }
    // The final output is the first tool result, as with the SDK's `stop_on_first_tool` behavior.
    const [first] = results;
    const output = first?.type === "function_output" ? first.output : "";
    return {
      isFinalOutput: true,
      isInterrupted: undefined,
      finalOutput: typeof output === "string" ? output : JSON.stringify(output),
    };
  };
}

type Check = (context: RunContext, results: readonly FunctionToolResult[]) => boolean;

function toCheck(call: ScriptedAgent, condition: Fields): readonly Check[] {
  const { maxTotalTokens, maxIterations, toolCalled, modelStopsNaturally, custom } = condition;
  const { maxToolCalls } = condition;
  // The SDK has options for `maxIterations` and `toolCalled`, and `modelStopsNaturally` is its
  // default behavior.
  if (maxIterations !== undefined || toolCalled !== undefined || modelStopsNaturally === true) {
    return [];
  }
  if (typeof maxTotalTokens === "number") {
    return [({ usage }) => usage.totalTokens > maxTotalTokens];
  }
  if (typeof maxToolCalls === "number") {
    let calls = 0;
    return [(_context, results) => (calls += results.length) >= maxToolCalls];
  }
  if (custom === undefined || condition.finalize === true) {
    throw new Unsupported(`stop condition "${Object.keys(condition).join()}" is not supported`);
  }
  const check = call.customCheck(condition);
  // The SDK passes neither a turn number nor a finish reason to a `toolUseBehavior`.
  return [
    ({ usage }, results) =>
      check({ totalUsage: toUsage(usage), lastToolCallCount: results.length }),
  ];
}

function settingsOf(call: ScriptedAgent): ModelSettings {
  const { generateOptions } = call.config;
  const { maxOutputTokens, providerTools: _, ...options } = isFields(generateOptions)
    ? generateOptions
    : {};
  const maxRetries = call.number("modelRetries");
  return {
    ...options,
    ...(typeof maxOutputTokens === "number" ? { maxTokens: maxOutputTokens } : {}),
    ...(maxRetries === undefined
      ? {}
      : { retry: { maxRetries, policy: retryPolicies.providerSuggested() } }),
  };
}

/**
 * Returns the provider-executed tools. Provider-executed tools are part of the agent's list of
 * tools.
 */
function hostedToolsOf({ config: { generateOptions } }: ScriptedAgent): HostedTool[] {
  const { providerTools } = isFields(generateOptions) ? generateOptions : {};
  if (!Array.isArray(providerTools)) return [];
  return providerTools.filter(isFields).map(({ name, id, args }) => ({
    type: "hosted_tool",
    name: String(name),
    providerData: { id, args },
  }));
}

function toTool(spec: ToolSpec, call: ScriptedAgent): FunctionTool {
  if (spec.subAgent !== undefined) return toAgentTool(spec, spec.subAgent);
  if (spec.agent !== undefined) return toDefaultAgentTool(spec, spec.agent);
  const { name, description, inputSchema, timeoutMs, isHidden, span } = spec;
  const limitMs = timeoutMs ?? call.number("toolTimeoutMs");
  return tool({
    name,
    description: description ?? "",
    strict: false,
    // The cast is unchecked: the SDK expects a stricter type than that of the case's schema.
    parameters: inputSchema as never,
    needsApproval: call.text("approval") !== undefined,
    errorFunction: call.text("onToolError") === "throw" ? null : toToolError,
    ...(limitMs === undefined ? {} : { timeoutMs: limitMs }),
    ...(isHidden ? { isEnabled: false } : {}),
    execute: (input, _context, details) => {
      if (span !== undefined) recordSpan(span);
      return call.execute({ name, toolCallId: details?.toolCall?.callId, input }, details?.signal);
    },
  });
}

/**
 * Returns the message that a tool specifies for the model. If the tool specifies no message,
 * returns the SDK's default message, which the SDK does not export.
 */
function toToolError(_context: unknown, error: unknown): string {
  if (!(error instanceof HostError) || error.tellModel === undefined) {
    return "An error occurred while running the tool. Please try again.";
  }
  const { tellModel } = error;
  return typeof tellModel === "string" ? tellModel : JSON.stringify(tellModel);
}

/** Starts and ends a span, whose parent is the active span. */
function recordSpan(name: string): void {
  const span = createCustomSpan({ data: { name } });
  span.start();
  span.end();
}

/** Converts an agent to a tool. The `task` property of the tool's input is the agent's input. */
function toAgentTool(
  { name, description, inputSchema }: ToolSpec,
  subAgent: ScriptedAgent,
): FunctionTool {
  return new OpenAiAgent(subAgent).agent.asTool({
    toolName: name,
    ...(description === undefined ? {} : { toolDescription: description }),
    // The cast is unchecked: the SDK receives the JSON Schema from the case unchanged.
    parameters: inputSchema as never,
    inputBuilder: ({ params }: { readonly params: unknown }) =>
      isFields(params) ? String(params.task) : "",
    runOptions: toOptions(subAgent),
    // The cast is unchecked: the type differs from that of a tool only in the input.
  }) as unknown as FunctionTool;
}

/** Converts an agent to a tool with the SDK's default input, or with the schema from the case. */
function toDefaultAgentTool(
  { name, description, hasInputSchema, inputSchema }: ToolSpec,
  agent: ScriptedAgent,
): FunctionTool {
  return new OpenAiAgent(agent).agent.asTool({
    toolName: name,
    ...(description === undefined ? {} : { toolDescription: description }),
    // The cast is unchecked: the SDK receives the JSON Schema from the case unchanged.
    ...(hasInputSchema ? { parameters: inputSchema as never } : {}),
    runOptions: toOptions(agent),
    // The cast is unchecked: the type differs from that of a tool only in the input.
  }) as unknown as FunctionTool;
}

/**
 * Applies the approval decisions to the pending tool calls. Returns the calls that remain pending.
 */
async function settleApprovals(
  call: ScriptedAgent,
  { interruptions, state }: Result,
): Promise<readonly RunToolApprovalItem[]> {
  const pending: RunToolApprovalItem[] = [];
  for (const item of interruptions) {
    const { key: _key, ...request } = requestOf(item);
    // The SDK reports the pending calls of sub-agents together with the agent's own pending calls.
    const owner = call.find(item.agent.name) ?? call;
    const decision = await owner.decide(request).catch((error: unknown) => {
      if (error instanceof Unsupported) throw error;
      // The driver, not the SDK, calls the handler, so an error in the handler would test only the
      // driver.
      throw call.rejectUnsupported(
        "approval handlers are not called during a run: calls are decided between two runs",
      );
    });
    if (decision === undefined || decision.decision === "defer") pending.push(item);
    settle(state, item, decision);
  }
  return pending;
}

/** Applies a decision to a pending call. Without a decision, the call remains pending. */
function settle(
  state: RunState<undefined, SdkAgent>,
  item: RunToolApprovalItem,
  decision: Decision | undefined,
): void {
  if (decision?.decision === "approve") state.approve(item);
  if (decision?.decision === "deny") {
    const { reason } = decision;
    state.reject(item, reason === undefined ? {} : { message: reason });
  }
}

/**
 * Returns the request for a decision on a pending call. The SDK identifies a pending call by its
 * id.
 */
function requestOf({ rawItem }: RunToolApprovalItem): Fields & { readonly key: string } {
  if (rawItem.type !== "function_call") return { key: "" };
  const { name, callId } = rawItem;
  return {
    key: callId,
    toolName: name,
    toolCallId: callId,
    input: parseInput(rawItem.arguments),
  };
}

function toOutput(
  call: ScriptedAgent,
  result: Result,
  pending: readonly RunToolApprovalItem[],
): Fields {
  const { rawResponses, history, state } = result;
  const isWaiting = pending.length > 0;
  const messages = toConversation(call.text("systemPrompt"), history);
  const isByTool = rawResponses.at(-1)?.output.some(({ type }) => type === "function_call");
  return {
    ...(isWaiting ? { finalText: "" } : toFinalOutput(result)),
    iterations: toIterations(rawResponses, messages),
    totalUsage: toUsage(state.usage),
    stopReason: isWaiting ? "approval_pending" : isByTool ? toolStopOf(result) : "model_stop",
    messages,
    ...(isWaiting ? { pending: { approvals: pending.map(toPending) } } : {}),
  };
}

/**
 * Returns the final output: the text of the last response, or a value and the text from which the
 * SDK parsed it.
 */
function toFinalOutput({ finalOutput, rawResponses }: Result): Fields {
  if (finalOutput === undefined || typeof finalOutput === "string") {
    return { finalText: finalOutput ?? "" };
  }
  const parts = rawResponses.at(-1)?.output.flatMap((item) => toParts({ ...item })) ?? [];
  const texts = parts.map(({ type, text }) => type === "text" ? text : "");
  return { finalText: texts.join(""), value: finalOutput };
}

/**
 * Returns the stop reason of a run that was ended by a tool call. The SDK's result does not name
 * the condition that was met.
 */
function toolStopOf({ lastAgent }: Result): string | undefined {
  return typeof lastAgent?.toolUseBehavior === "function" ? undefined : "tool_stop";
}

function toPending(item: RunToolApprovalItem): Fields {
  const { key, ...toolCall } = requestOf(item);
  return { key, toolCall };
}

function toIterations(
  responses: readonly ModelResponse[],
  messages: readonly Fields[],
): readonly Fields[] {
  const results = messages.flatMap(({ role, content }) =>
    role === "tool" && Array.isArray(content) ? content.filter(isFields) : []
  );
  return responses.map(({ output, usage }, index) => {
    const content = output.flatMap((item) => toParts({ ...item }));
    const toolCalls = content.filter(({ type, providerExecuted }) =>
      type === "tool-call" && providerExecuted !== true
    );
    const ids = toolCalls.map(({ toolCallId }) => toolCallId);
    return {
      index,
      assistantMessage: { role: "assistant", content },
      toolCalls,
      toolResults: results.filter(({ toolCallId }) => ids.includes(toolCallId)),
      usage: toUsage(usage),
    };
  });
}

function toUsage({ inputTokens, outputTokens, totalTokens }: Usage): Fields {
  return { inputTokens, outputTokens, totalTokens };
}

const CODES: Readonly<Record<string, string>> = {
  MaxTurnsExceededError: "max_iterations_exceeded",
  ToolCallError: "tool_execution_failed",
  UserError: "invalid_argument",
};

/** A documented error that carries the state of the run. */
class RunFailure extends Error {
  readonly code: string;
  readonly data: Fields;

  constructor(message: string, code: string, data: Fields) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

function withOutput(call: ScriptedAgent, error: AgentsError): RunFailure {
  const { name } = error.constructor;
  const history = error.state?.history;
  const data = history === undefined
    ? {}
    : { partialOutput: { messages: toConversation(call.text("systemPrompt"), history) } };
  return new RunFailure(error.message, CODES[name] ?? name, data);
}

function toErrorOutcome(error: unknown): Fields {
  if (error instanceof RunFailure) {
    const { code, message, data } = error;
    return { error: { code, message, data } };
  }
  if (error instanceof ModelFailure) {
    return { error: { code: "model_error", message: error.message } };
  }
  return toCommonErrorOutcome(error);
}

/** Operations that need the SDK's traces. */
const OPS: Readonly<Record<string, Operation>> = {
  ...WIRE_OPS,
  "runtime.tracer.new": ({ handles }) => ({ handle: handles.add(new TraceRecorder()) }),
  "runtime.tracer.spans": ({ on, args }) => {
    if (!(on instanceof TraceRecorder)) throw new BadArgs('"on" must be the handle of a tracer');
    return describeSpans(on.spans(), args);
  },
};

if (import.meta.main) {
  // Replaces the SDK's processor, which sends the traces to OpenAI.
  setTraceProcessors([TraceRecorder.processor]);
  await serveDriver({
    implementation: {
      name: "@openai/agents",
      version: workspace.imports["@openai/agents"].replace(/.*@/, ""),
      language: "typescript",
      url: "https://openai.github.io/openai-agents-js/",
    },
    ops: { ...createLoopOps(OpenAiAgent, OPTIONS), ...OPS },
    features: {
      ...WIRE_FEATURES,
      "runtime.activeSpans": true,
      "runtime.agentTools": true,
      "runtime.captureContent": true,
      "runtime.hiddenTools": true,
      "runtime.malformed": true,
      "runtime.messages": true,
      "runtime.output": true,
      "runtime.providerTools": true,
      "runtime.retryAfterMs": true,
      "runtime.subAgentTools": true,
      "runtime.tellModel": true,
      "runtime.turnParts": true,
    },
    toErrorOutcome,
  });
}
