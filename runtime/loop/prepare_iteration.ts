/**
 * Preparation of an iteration: calls the `prepareIteration` option and applies its plan to the
 * model call.
 *
 * @module
 */

import {
  assertNonEmptyString,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { defined, isPlainObject, isRecord } from "@parley/internal/json";
import { isThenable } from "@parley/internal/report-rejection";
import { assertNames, namesOf } from "@parley/internal/options";
import { PLAN_ALIASES } from "../shared/aliases.ts";
import { AgentError, errorMessageOf, formatNames } from "../shared/error.ts";
import type {
  LanguageModel,
  ModelMessage,
  SystemMessage,
  ToolDefinition,
  UserTurn,
} from "../shared/model.ts";
import { assertModel } from "../shared/option_checks.ts";
import type { HistoryView } from "../shared/output.ts";
import { toStepValue } from "../shared/step_value.ts";
import { findTranscriptViolation } from "../shared/transcript.ts";
import type { TokenUsage } from "../shared/usage.ts";
import { assertGenerateOptions } from "./generation_options.ts";
import {
  assertTurn,
  copyTurn,
  messagesInView,
  readHistoryView,
  readSingleMessages,
  toSystemMessage,
  toUserMessage,
  withoutSystemMessage,
} from "./conversation.ts";
import { AllowedTools } from "./allowed_tools.ts";
import { CallDeadline } from "./deadlines.ts";
import type { Offer } from "./final_answer.ts";
import type { IterationContext, IterationPlan, PrepareIteration } from "./iteration_plan.ts";
import type { ModelCallInput } from "./model_call.ts";
import { assertSystemPrompt } from "./read_options.ts";
import { type ParsedResponse, readUsage } from "./response.ts";
import type { RunState } from "./run_state.ts";
import { escapeText } from "@parley/internal/escape-text";

/** Names of the members of a plan. A misspelled `tools` would otherwise allow all tools. */
const PLAN_NAMES = namesOf<IterationPlan>({
  model: true,
  systemPrompt: true,
  tools: true,
  generateOptions: true,
  history: true,
  messages: true,
  append: true,
  stop: true,
  usage: true,
  usageModelId: true,
});

/**
 * The members of a plan that are recorded with the model's response, because they affect the run
 * after the model call.
 */
export interface RecordedPlan {
  readonly append?: UserTurn;
  readonly history?: HistoryView;
  /**
   * Method used to request the final answer. Present if the plan selected the model of a run with
   * an `output` schema.
   */
  readonly outputMode?: "native" | "tool";
  readonly stop?: string;
  readonly tools?: readonly string[];
  readonly usage?: TokenUsage;
  readonly usageModelId?: string;
}

/** Result of a model step in an iteration that `prepareIteration` has changed. */
export interface PlannedStep {
  readonly plan: RecordedPlan;
  /** The model's response. `undefined` if the plan ends the run. */
  readonly response: ParsedResponse | undefined;
}

/** Result of a model step, with or without a plan. */
export type ModelStep = ParsedResponse | PlannedStep;

/** A model call, and the loop state that is passed to `prepareIteration`. */
export interface PreparedCallInput extends ModelCallInput, Offer {
  /** Token usage of the last model call. */
  readonly lastUsage: TokenUsage | undefined;
  /** Returns the tools and settings for calling a different model. */
  readonly toOffer: (model: LanguageModel) => Offer;
}

/**
 * The preparation of one iteration, with its model call. A step runner that retries the step
 * executes the preparation and the model call again.
 */
export class PreparedCall {
  readonly #run: RunState;
  readonly #prepare: PrepareIteration;
  readonly #input: PreparedCallInput;
  readonly #callModel: (input: ModelCallInput) => Promise<ParsedResponse>;
  /** The plan, available even if the model call fails. */
  plan: RecordedPlan | undefined;

  constructor(
    run: RunState,
    prepare: PrepareIteration,
    input: PreparedCallInput,
    callModel: (input: ModelCallInput) => Promise<ParsedResponse>,
  ) {
    this.#run = run;
    this.#prepare = prepare;
    this.#input = input;
    this.#callModel = callModel;
  }

  /**
   * Prepares the iteration, then calls the model unless the plan ends the run.
   *
   * @throws {AgentError} With code `core` if the preparation fails.
   * @throws The model call's error, if the call fails.
   */
  async execute(): Promise<ModelStep> {
    const run = this.#run;
    const input = await this.#callPrepare();
    const { plan } = this;
    if (plan?.usage) run.config.healthProfile?.recordInference(plan.usage);
    if (plan?.stop !== undefined) return { plan, response: undefined };
    if (run.shouldPause) await run.waitUntilResumed();
    if (run.isAborted) throw run.config.signal?.reason;
    const response = await this.#callModel(input);
    return plan === undefined ? response : { plan, response };
  }

  async #callPrepare(): Promise<ModelCallInput> {
    const run = this.#run;
    const input = this.#input;
    const deadline = new CallDeadline(run.config.modelTimeoutMs);
    // An earlier attempt may have selected a model that uses a different method to request the
    // final answer.
    if (this.plan?.outputMode !== undefined) input.toOffer(input.model);
    this.plan = undefined;
    run.allowedTools = undefined;
    try {
      const context = new PreparationContext(run, input, deadline);
      const prepared = this.#prepare(context);
      // Only thenables are awaited: awaiting every plan would add 0.6 µs per iteration.
      const given = isThenable(prepared)
        ? await run.deadlines.wait(Promise.resolve(prepared), deadline)
        : prepared;
      if (given === undefined) return input;
      assertRecord("plan", given);
      // The members of a map or a promise are not the members of a plan, so the plan would have no
      // effect.
      if (!isPlainObject(given)) rejectArgument("plan", "a plain object", given);
      assertNames("plan", given, PLAN_NAMES, PLAN_ALIASES);
      const plan = copyPlan(given);
      const recorded = readRecordedPlan(plan, run.messages.length);
      assertRegistered(recorded?.tools, run);
      if (recorded?.tools) {
        run.allowedTools = new AllowedTools(run.config.registry, recorded.tools);
      }
      const planned = applyPlan(run, input, plan, recorded);
      const outputMode = plan.model === undefined ? undefined : run.answer?.mode;
      this.plan = outputMode === undefined ? recorded : { ...recorded, outputMode };
      return planned;
    } catch (cause) {
      if (run.isAborted) throw cause;
      const reason = deadline.isCancelled
        ? `timed out after ${deadline.timeoutMs} ms`
        : errorMessageOf(cause);
      throw AgentError.core(`Cannot prepare iteration ${input.iteration}: ${reason}`, { cause });
    }
  }
}

/**
 * Reads the members of a plan that are recorded in the journal. Returns `undefined` if the plan has
 * none of the recorded members.
 *
 * @param plan Plan returned by `prepareIteration` or read from a journal.
 * @param length Number of messages in the transcript.
 * @throws {TypeError} If a member has the wrong type.
 * @throws {RangeError} If `history.from` is not a valid index into the transcript.
 */
export function readRecordedPlan(
  plan: Pick<IterationPlan, Exclude<keyof RecordedPlan, "outputMode">>,
  length: number,
): RecordedPlan | undefined {
  const { append, history, stop, tools, usage, usageModelId } = plan;
  const recorded: { -readonly [Name in keyof RecordedPlan]: RecordedPlan[Name] } = {};
  const turn = copyTurn(append);
  assertTurn("append", turn);
  if (turn !== undefined) recorded.append = turn;
  if (history !== undefined) {
    recorded.history = readHistoryView(history, length);
    // A view that cannot be recorded is rejected before the model is called.
    toStepValue(recorded.history.head);
  }
  if (stop !== undefined) {
    if (typeof stop !== "string" || stop === "") rejectArgument("stop", "a non-empty string", stop);
    recorded.stop = stop;
  }
  if (tools !== undefined) {
    if (!Array.isArray(tools) || !tools.every((name) => typeof name === "string")) {
      rejectArgument("tools", "an array of tool names", tools);
    }
    recorded.tools = [...tools];
  }
  if (usage !== undefined) {
    assertRecord("usage", usage);
    recorded.usage = readUsage(usage);
  }
  if (usageModelId !== undefined) {
    assertNonEmptyString("usageModelId", usageModelId);
    recorded.usageModelId = usageModelId;
  }
  return Object.keys(recorded).length > 0 ? recorded : undefined;
}

/** Copies a plan: what is validated must be what is used, even if a member is a getter. */
function copyPlan(plan: IterationPlan): IterationPlan {
  const { generateOptions, messages, systemPrompt, tools, ...others } = plan;
  return defined({
    ...others,
    generateOptions: copyMembers(generateOptions),
    messages: Array.isArray(messages) ? [...messages] : messages,
    systemPrompt: copyMembers(systemPrompt),
    tools: Array.isArray(tools) ? [...tools] : tools,
  });
}

function copyMembers<Value>(value: Value): Value {
  return isRecord(value) ? { ...value } : value;
}

/** Asserts that every name is the name of a tool that the registry shows to the model. */
function assertRegistered(
  names: readonly string[] | undefined,
  { config: { registry } }: RunState,
): void {
  if (names === undefined) return;
  const available = new Set(registry.definitions().map(({ name }) => name));
  const missing = names.find((name) => !available.has(name));
  if (missing === undefined) return;
  throw new TypeError(
    `"tools" must contain only names of registered tools, got "${missing}"; available tools: ${
      formatNames([...available])
    }`,
  );
}

/** Returns the model call with a plan's changes applied. */
function applyPlan(
  run: RunState,
  input: PreparedCallInput,
  plan: IterationPlan,
  recorded: RecordedPlan | undefined,
): ModelCallInput {
  const { model = input.model } = plan;
  assertModel("model", model);
  const offer = plan.model === undefined ? input : input.toOffer(model);
  let { options, tools } = offer;
  if (plan.generateOptions !== undefined) {
    assertGenerateOptions("generateOptions", plan.generateOptions);
    const { responseFormat, toolChoice, ...settings } = defined(plan.generateOptions);
    options = {
      ...options,
      ...settings,
      // A plan cannot change the tool choice that requests the final answer.
      ...(responseFormat !== undefined && !run.answer && { responseFormat }),
      ...(toolChoice !== undefined && !offer.isForced && { toolChoice }),
    };
  }
  if (recorded?.tools) {
    const allowed = new Set(recorded.tools);
    tools = tools.filter(({ name }) =>
      allowed.has(name) || run.answer?.isAnswerCall({ toolName: name })
    );
  }
  const messages = messagesToSend(run, plan, recorded) ?? input.messages;
  return { iteration: input.iteration, model, messages, tools, options };
}

/**
 * Validates the messages of a plan. Returns the messages to send, or `undefined` if the plan does
 * not change them.
 */
function messagesToSend(
  run: RunState,
  plan: IterationPlan,
  recorded: RecordedPlan | undefined,
): readonly ModelMessage[] | undefined {
  const { messages, systemPrompt } = plan;
  const { append, history } = recorded ?? {};
  if ((messages ?? systemPrompt ?? append ?? history) === undefined) return undefined;
  if (systemPrompt !== undefined) assertSystemPrompt("systemPrompt", systemPrompt);
  const selected = messages === undefined
    ? messagesInView(run.messages, history ?? run.history)
    : withoutSystemMessage(readSingleMessages("messages", messages));
  const system: SystemMessage | undefined = systemPrompt === undefined
    ? run.systemMessage
    : toSystemMessage(systemPrompt);
  const sent = [
    ...system === undefined ? [] : [system],
    ...selected,
    ...append === undefined ? [] : [toUserMessage(append)],
  ];
  if (history !== undefined || messages !== undefined) assertSendable(sent);
  return sent;
}

function assertSendable(messages: readonly ModelMessage[]): void {
  const isEmpty = withoutSystemMessage(messages).length === 0;
  const violation = isEmpty ? "no messages" : findTranscriptViolation(messages);
  if (violation === undefined) return;
  const text = `the messages to send are not a valid conversation: ${violation}`;
  throw new TypeError(escapeText(text));
}

/**
 * The context that `prepareIteration` receives. The context is a class with getters, because some
 * members are copies and most `prepareIteration` functions read only a few members.
 */
class PreparationContext implements IterationContext {
  readonly #run: RunState;
  readonly #input: PreparedCallInput;
  readonly #deadline: CallDeadline;

  constructor(run: RunState, input: PreparedCallInput, deadline: CallDeadline) {
    this.#run = run;
    this.#input = input;
    this.#deadline = deadline;
  }

  get agentName(): string {
    return this.#run.agentName;
  }

  get path(): readonly string[] {
    return this.#run.path;
  }

  get runId(): string {
    return this.#run.runId;
  }

  get iteration(): number {
    return this.#input.iteration;
  }

  get messages(): readonly ModelMessage[] {
    return [...this.#run.messages];
  }

  get view(): readonly ModelMessage[] {
    return [...this.#run.view];
  }

  get history(): HistoryView | undefined {
    return this.#run.history;
  }

  get tools(): readonly ToolDefinition[] {
    return this.#run.config.registry.definitions();
  }

  get model(): LanguageModel {
    return this.#input.model;
  }

  get totalUsage(): TokenUsage {
    return this.#run.usage.total;
  }

  get lastUsage(): TokenUsage | undefined {
    return this.#input.lastUsage;
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get reportError(): (error: unknown) => void {
    return (error) => this.#run.report(error);
  }
}
