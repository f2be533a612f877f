/**
 * The tool loop: calls the model, executes the requested tool calls and returns their results to the model, until the
 * run ends.
 *
 * Agents and event streams use the same loop. Events are created only if a listener is registered.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { defined } from "@parley/internal/json";
import type {
  AssistantMessage,
  FinishReason,
  LanguageModel,
  ToolCall,
  ToolResult,
  UserTurn,
} from "../shared/model.ts";
import {
  AgentStopReason,
  type PartialLoopOutput,
  type PendingBatch,
  type ToolLoopIteration,
  type ToolLoopOutput,
  type TypedOutput,
} from "../shared/output.ts";
import type { Infer, Schema } from "../shared/typed_schema.ts";
import { addUsage } from "../shared/usage.ts";
import { callAround, type ModelStepInfo } from "./around.ts";
import { assertNotAnswered, type FinalAnswer, type Offer } from "./final_answer.ts";
import { callModel, type ModelCallInput } from "./model_call.ts";
import type { LoopControl, ToolLoopConfig, ToolLoopSettings } from "./options.ts";
import { type ModelStep, PreparedCall, type RecordedPlan } from "./prepare_iteration.ts";
import { readToolLoopConfig } from "./read_options.ts";
import { type Replay, startReplay } from "./replay.ts";
import {
  type CallIds,
  callIdsIn,
  type CompletedToolCalls,
  completeToolCalls,
  type ParsedResponse,
  textOf,
} from "./response.ts";
import { RunState } from "./run_state.ts";
import {
  type AgentStopCondition,
  byPriority,
  firstTriggered,
  maxIterations,
} from "./stop_conditions.ts";
import { ToolCallBatch, type ToolCallBatchOutcome } from "./tool_call_batch.ts";
import { errorResult } from "./tool_result.ts";
import { assertContinuable, assertTurn, toUserMessage } from "./conversation.ts";

/** Stop reason of a run, with the stop condition that triggered or the pending approvals. */
interface RunEnd {
  readonly reason: AgentStopReason;
  readonly conditionName?: string | undefined;
  readonly pending?: PendingBatch;
  readonly finalize?: true;
}

/** Response from a model call. */
interface ModelResult {
  readonly response: ParsedResponse;
  /** Whether the response was read from a journal. */
  readonly isReplayed: boolean;
}

const TRUNCATED = "the response was truncated";

/** Finish reasons after which tool calls are not executed, with the explanation sent to the model. */
const SKIP_REASON_BY_FINISH: Readonly<Partial<Record<FinishReason, string>>> = {
  length: TRUNCATED,
  interrupted: TRUNCATED,
  "content-filter": "the response was blocked by the content filter",
};

/**
 * Stop reasons for responses without tool calls, keyed by finish reason. A finish reason that is not listed maps to
 * `model_stop`.
 */
const STOP_REASON_BY_FINISH: Readonly<Partial<Record<FinishReason, AgentStopReason>>> = {
  length: AgentStopReason.OutputTruncated,
  interrupted: AgentStopReason.OutputTruncated,
  "content-filter": AgentStopReason.ContentFiltered,
};

/**
 * Runs the tool loop for one user turn.
 *
 * Tool errors are returned to the model as tool results. Limits, aborts and pending approvals end the run with a stop
 * reason. The promise rejects only if the run cannot continue. An `AgentError` contains the output up to the failure as
 * `partialOutput`.
 *
 * @typeParam S Type of the `output` schema.
 * @param config Model, tools and options.
 * @param userMessage Message from the user: text or parts. If omitted, the run continues the conversation in
 * `messages`, or resumes the recorded run with its recorded message.
 * @returns Final text, transcript, stop reason and token usage.
 * @throws {TypeError} If `userMessage` is not a string or an array of parts, if it is omitted and there is no
 * conversation to continue, if an option has the wrong type, or if `output` is not a schema that describes an
 * object.
 * @throws {RangeError} If a numeric option is out of range.
 * @throws {AgentError} With code `model_error` if a model call fails with an error that is not retryable, or after the
 * last retry.
 * @throws {AgentError} With code `max_iterations_exceeded` at the iteration limit if `onMaxIterations` is `"throw"`.
 * @throws {AgentError} With code `tool_not_found` if the model calls an unknown tool and `onUnknownTool` is `"throw"`.
 * @throws {AgentError} With code `tool_execution_failed` if a tool fails and `onToolError` is `"throw"`.
 * @throws {AgentError} With code `core` if `prepareIteration`, a stop condition, listener, step runner or journal
 * fails.
 * @throws The signal's reason if the signal is aborted and `onAbort` is `"throw"`.
 *
 * @example Run with one tool
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const registry = new ToolRegistry([{
 *   name: "add",
 *   inputSchema: { type: "object", required: ["a", "b"] },
 *   execute: ({ a, b }: { a: number; b: number }) => a + b,
 * }]);
 * const model = scriptedModel([
 *   { calls: [{ toolName: "add", input: { a: 1, b: 2 } }] },
 *   { text: "It is 3" },
 * ]);
 * const output = await runToolLoop({ model, registry }, "What is 1 + 2?");
 * assertEquals([output.finalText, output.stopReason], ["It is 3", "model_stop"]);
 * ```
 */
export function runToolLoop<S extends Schema = Schema>(
  config: ToolLoopConfig<S>,
  userMessage?: UserTurn,
): Promise<TypedOutput<Infer<S>>>;
export async function runToolLoop(
  config: ToolLoopConfig,
  userMessage?: UserTurn,
): Promise<ToolLoopOutput> {
  const settings = readToolLoopConfig(config);
  const { agentName, around, onEvent } = settings;
  return await controlToolLoop(settings, userMessage, {
    path: [agentName],
    sinks: [onEvent],
    arounds: [around],
  });
}

/** Runs the tool loop with hooks that can pause it. */
export async function controlToolLoop(
  config: ToolLoopSettings,
  userMessage: UserTurn | undefined,
  control: LoopControl,
): Promise<ToolLoopOutput> {
  assertCanStart(config, userMessage);
  return await new ToolLoop(new RunState(config, userMessage, control)).run(userMessage);
}

/**
 * Validates the user's turn.
 *
 * @throws {TypeError} If the turn is invalid, or there is neither a turn nor a conversation to continue.
 */
export function assertCanStart(
  { messages, registry, stepRunner }: ToolLoopSettings,
  userMessage: UserTurn | undefined,
): void {
  assertTurn("userMessage", userMessage);
  if (userMessage !== undefined || stepRunner) return;
  assertContinuable(messages);
  assertNotAnswered(messages, registry);
}

class ToolLoop {
  readonly #run: RunState;
  readonly #iterations: ToolLoopIteration[] = [];
  readonly #conditions: readonly AgentStopCondition[];
  /** Ids of all tool calls in the transcript, collected after the first model response. */
  #callIds: CallIds | undefined;
  #replay: Replay | undefined;
  #toolCallCount = 0;

  constructor(run: RunState) {
    this.#run = run;
    this.#conditions = byPriority([
      ...run.config.stopConditions ?? [],
      maxIterations(run.config.maxIterations),
      { name: "toolStop", reason: AgentStopReason.ToolStop, check: () => run.stopRequested },
    ]);
  }

  async run(turn: UserTurn | undefined): Promise<ToolLoopOutput> {
    const run = this.#run;
    const { agentName, around, config: { agentDid, model: { modelId, provider } }, path } = run;
    const outputType = run.answer && ("json" as const);
    const decisionKeys = run.decisions?.keys;
    try {
      run.emit?.(
        defined({
          type: "run_started" as const,
          modelId,
          provider,
          agentName,
          agentDid,
          outputType,
          decisionKeys: decisionKeys?.length ? decisionKeys : undefined,
        }),
      );
      const output = around
        ? await callAround(
          around,
          defined({
            kind: "run" as const,
            runId: run.runId,
            path,
            agentName,
            agentDid,
            outputType,
          }),
          () => this.#runToEnd(turn),
          run.onAroundViolation,
        )
        : await this.#runToEnd(turn);
      if (run.failure) throw run.failure;
      run.emit?.({ type: "run_finished", stopReason: output.stopReason, output });
      if (run.failure) throw run.failure;
      return output;
    } catch (error) {
      const failure = this.#toFailure(error);
      run.emit?.({ type: "run_failed", error: failure });
      // If a listener's exception is not the error that the run rejects with, no caller would receive that exception.
      if (run.failure && run.failure !== error) run.report(run.failure);
      throw failure;
    } finally {
      run.deadlines.close();
    }
  }

  /**
   * Executes the iterations of the run.
   *
   * @throws The error that the run rejects with.
   */
  async #runToEnd(turn: UserTurn | undefined): Promise<ToolLoopOutput> {
    const run = this.#run;
    const { stepRunner } = run.config;
    try {
      if (stepRunner) this.#replay = await startReplay(run, stepRunner, turn);
      const output = await this.#finish(await this.#iterate());
      this.#reportUnusedDecisions();
      if (run.failure) throw run.failure;
      return output;
    } catch (error) {
      // The run rejects with this error, so the error must not also be reported to `onError`.
      if (run.failure === error) run.failure = undefined;
      throw this.#toFailure(error);
    }
  }

  #reportUnusedDecisions(): void {
    const { decisions, emit } = this.#run;
    if (decisions && decisions.unused.length > 0) {
      emit?.({ type: "decision_unused", keys: decisions.unused });
    }
  }

  async #iterate(): Promise<RunEnd> {
    for (let index = 0;; index++) {
      const end = await this.#runIteration(index);
      if (end) return end;
    }
  }

  /**
   * Runs one iteration.
   *
   * @param isFinal Whether this is the final model call, in which the model can only give its final answer. Tool calls
   * in the response are not executed.
   * @returns The stop reason with its details if the run ends, otherwise `undefined`.
   */
  async #runIteration(index: number, isFinal = false): Promise<RunEnd | undefined> {
    const run = this.#run;
    if (run.shouldPause) await run.waitUntilResumed();
    if (run.isAborted) return { reason: run.abortReason };
    run.emit?.({ type: "iteration_started", iteration: index });
    const result = await this.#callModel(index, isFinal);
    if ("reason" in result) return result;
    const { isReplayed, response } = result;
    const { finishReason } = response;
    this.#callIds ??= callIdsIn(run.messages);
    const { calls, message } = completeToolCalls(response.message, index, this.#callIds);
    run.emit?.({
      type: "model_finished",
      iteration: index,
      ...response,
      message,
      ...isReplayed ? { isReplayed } : {},
    });
    const skipReason = isFinal
      ? "the run has reached a limit"
      : SKIP_REASON_BY_FINISH[finishReason];
    if (run.answer?.isAnswer(calls) && !SKIP_REASON_BY_FINISH[finishReason]) {
      return await this.#readAnswer(run.answer, index, response, { calls, message }, isFinal);
    }
    if (calls.length === 0) {
      this.#record(index, response, message, calls, []);
      // Stop conditions are called after every iteration, because they may keep internal state. The result of the
      // stop conditions is ignored here, because a response without tool calls already ends the run.
      if (!isFinal) this.#checkStopConditions(index, finishReason, 0);
      return { reason: STOP_REASON_BY_FINISH[finishReason] ?? AgentStopReason.ModelStop };
    }
    if (!skipReason && run.shouldPause) await run.waitUntilResumed();
    const { failure, pending: approvals, results, waits }: ToolCallBatchOutcome = skipReason
      ? {
        results: calls.map((call) =>
          errorResult(call, "output_truncated", `Not executed: ${skipReason}`)
        ),
        pending: [],
        waits: [],
      }
      : await new ToolCallBatch(run, index, calls, this.#replay).execute();
    if (approvals.length + waits.length > 0) {
      run.ownUsage = addUsage(run.ownUsage, response.usage);
      const batch = {
        iteration: index,
        assistantMessage: message,
        toolResults: results,
        approvals,
      };
      return {
        reason: approvals.length > 0 ? AgentStopReason.ApprovalPending : AgentStopReason.Waiting,
        pending: waits.length === 0 ? batch : { ...batch, waits },
      };
    }
    this.#record(index, response, message, calls, results);
    if (failure) throw failure;
    if (finishReason === "content-filter") return { reason: AgentStopReason.ContentFiltered };
    if (run.isAborted) return { reason: run.abortReason };
    return isFinal ? undefined : this.#checkStopConditions(index, finishReason, calls.length);
  }

  /**
   * Validates a response as the final answer. Returns how the run ends, or `undefined` if the model must be called
   * again.
   */
  async #readAnswer(
    answer: FinalAnswer,
    index: number,
    response: ParsedResponse,
    { calls, message }: CompletedToolCalls,
    isFinal: boolean,
  ): Promise<RunEnd | undefined> {
    const run = this.#run;
    const decision = await answer.decide(message, calls[0]);
    const answers = calls.map((call) => answer.toResult(call, decision, run.abortReason));
    for (const toolResult of answers) {
      run.emit?.({ type: "tool_finished", iteration: index, toolResult });
    }
    this.#record(index, response, message, calls, answers);
    if (decision === "abort") return { reason: run.abortReason };
    const stop = isFinal
      ? undefined
      : this.#checkStopConditions(index, response.finishReason, calls.length);
    if (decision === "accept") return { reason: AgentStopReason.ModelStop };
    if (decision === "reject") return { reason: AgentStopReason.OutputInvalid };
    if (stop?.reason !== AgentStopReason.ModelStop) return stop;
    // A response without tool calls usually ends the run, but not if the response is an invalid final answer. After an
    // invalid final answer, the conditions with a lower priority than `model_stop` have not been evaluated yet.
    const limits = this.#conditions.filter(({ reason }) => reason !== AgentStopReason.ModelStop);
    return this.#checkStopConditions(index, response.finishReason, calls.length, limits);
  }

  /**
   * Prepares the iteration and calls the model. Returns the outcome of the run if the run is aborted before the model
   * responds or if the plan ends the run.
   */
  async #callModel(iteration: number, isFinal: boolean): Promise<ModelResult | RunEnd> {
    const run = this.#run;
    const { prepareIteration } = run.config;
    if (run.failure) throw run.failure;
    if (run.isAborted) return { reason: run.abortReason };
    run.allowedTools = undefined;
    const input = this.#toModelCall(iteration, isFinal);
    const prepared = prepareIteration && new PreparedCall(run, prepareIteration, {
      ...input,
      lastUsage: this.#iterations.at(-1)?.usage,
      toOffer: (model) => this.#toOffer(model, isFinal),
    }, (planned) => this.#executeModelStep(planned));
    let isReplayed = this.#replay !== undefined;
    const execute = (): Promise<ModelStep> => {
      isReplayed = false;
      return prepared?.execute() ?? this.#executeModelStep(input);
    };
    let step: ModelStep;
    try {
      step = await (this.#replay?.modelStep(iteration, execute) ?? execute());
    } catch (error) {
      // The output of the failed run contains the message that the plan appended and the tokens that `prepareIteration`
      // used.
      if (prepared?.plan) this.#applyPlan(prepared.plan);
      // If the run is aborted, the error from the model call is ignored.
      if (run.isAborted) return { reason: run.abortReason };
      throw error;
    }
    const plan = "plan" in step ? step.plan : undefined;
    const response = "plan" in step ? step.response : step;
    if (plan) this.#applyPlan(plan);
    if (response) return { response, isReplayed };
    return { reason: AgentStopReason.CustomCondition, conditionName: plan?.stop };
  }

  /** Applies the plan members that affect the run after the model call. */
  #applyPlan({ append, history, outputMode, tools, usage }: RecordedPlan): void {
    const run = this.#run;
    if (outputMode) run.answer?.restoreMode(outputMode);
    if (history) run.history = history;
    if (append !== undefined) run.messages.push(toUserMessage(append));
    if (tools) run.allowedTools = new Set(tools);
    if (usage) run.ownUsage = addUsage(run.ownUsage, usage);
  }

  #toModelCall(iteration: number, isFinal: boolean): ModelCallInput & Offer {
    const run = this.#run;
    const { answer, config: { model } } = run;
    const correction = answer?.takeCorrection();
    if (correction) run.messages.push(correction);
    return { iteration, model, messages: run.view, ...this.#toOffer(model, isFinal) };
  }

  /** Returns the tools and settings for a model call. */
  #toOffer(model: LanguageModel, isFinal: boolean): Offer {
    const { answer, config: { generateOptions: options = {}, registry } } = this.#run;
    if (answer) return answer.toOffer(model, registry.definitions(), options, isFinal);
    return isFinal
      ? { tools: [], options: { ...options, toolChoice: "none" }, isForced: true }
      : { tools: registry.definitions(), options, isForced: false };
  }

  /** Calls the model, wrapped by `around`. */
  #executeModelStep(input: ModelCallInput): Promise<ParsedResponse> {
    const run = this.#run;
    const { agentName, around, path } = run;
    if (!around) return callModel(run, input);
    const { iteration, model: { modelId, provider }, options } = input;
    const step: ModelStepInfo = {
      kind: "model",
      runId: run.runId,
      path,
      agentName,
      iteration,
      modelId,
      ...provider === undefined ? {} : { provider },
      options,
    };
    return callAround(around, step, () => callModel(run, input), run.onAroundViolation);
  }

  #record(
    index: number,
    { usage }: ParsedResponse,
    assistantMessage: AssistantMessage,
    toolCalls: readonly ToolCall[],
    toolResults: ToolResult[],
  ): void {
    const run = this.#run;
    const { messages } = run;
    messages.push(Object.freeze(assistantMessage));
    if (toolCalls.length > 0) messages.push(Object.freeze({ role: "tool", content: toolResults }));
    const iteration = { index, assistantMessage, toolCalls, toolResults, usage };
    this.#iterations.push(iteration);
    this.#toolCallCount += toolCalls.length;
    run.ownUsage = addUsage(run.ownUsage, usage);
    run.emit?.({ type: "iteration_finished", iteration });
  }

  #checkStopConditions(
    iteration: number,
    lastFinishReason: FinishReason,
    lastToolCallCount: number,
    conditions = this.#conditions,
  ): RunEnd | undefined {
    const { config, messages, totalUsage } = this.#run;
    return firstTriggered({
      iteration,
      totalUsage,
      lastFinishReason,
      lastToolCallCount,
      iterations: this.#iterations,
      totalToolCalls: this.#toolCallCount,
      messages,
      // The built-in conditions do not use the elapsed time, and reading the clock is slow.
      elapsedMs: config.stopConditions ? this.#run.elapsedMs : 0,
    }, conditions);
  }

  /** Applies `onMaxIterations` to a run that has reached the iteration limit. */
  async #applyMaxIterations(limit: RunEnd): Promise<RunEnd> {
    const { answer, config: { onMaxIterations = answer ? "finalize" : "return" } } = this.#run;
    if (onMaxIterations === "throw") {
      const { length } = this.#iterations;
      const names = this.#iterations.at(-1)?.toolCalls.map(({ toolName }) => toolName);
      throw AgentError.maxIterationsExceeded(length, names ?? []);
    }
    return onMaxIterations === "finalize" ? await this.#finalize(limit) : limit;
  }

  /** Calls the model once more at a limit, to get its final answer. */
  async #finalize(limit: RunEnd): Promise<RunEnd> {
    const { length } = this.#iterations;
    const end = await this.#runIteration(length, true);
    // The final model call does not change the stop reason unless the run is aborted during the call.
    return end?.reason === this.#run.abortReason ? end : limit;
  }

  /** Calls the model once more if the run ends at a limit that allows another call. */
  async #applyLimit(end: RunEnd): Promise<RunEnd> {
    if (end.finalize) return await this.#finalize(end);
    return end.reason === AgentStopReason.MaxIterations ? await this.#applyMaxIterations(end) : end;
  }

  async #finish(end: RunEnd): Promise<ToolLoopOutput> {
    const { answer, config: { onAbort, signal } } = this.#run;
    const { reason: stopReason, conditionName: stopConditionName, pending } = await this
      .#applyLimit(end);
    const output = defined({
      ...this.#partialOutput(),
      stopReason,
      stopConditionName,
      pending,
      ...answer?.outcome,
    });
    if (stopReason !== AgentStopReason.Aborted || onAbort !== "throw") return output;
    try {
      Object.defineProperty(signal?.reason, "partialOutput", { value: output, configurable: true });
    } catch {
      // If the abort reason is a primitive value or a frozen object, the `partialOutput` property cannot be added.
    }
    throw signal?.reason;
  }

  #partialOutput(): PartialLoopOutput {
    const { answer, delegated, history, messages, ownUsage, path, totalUsage } = this.#run;
    const iterations = this.#iterations;
    const output = {
      finalText: answer?.text ?? textOf(iterations.at(-1)?.assistantMessage),
      iterations,
      totalUsage,
      messages,
      ...history === undefined ? {} : { history },
    };
    if (delegated.size === 0) return output;
    const usageByAgent = { [path.join("/")]: ownUsage, ...Object.fromEntries(delegated) };
    return { ...output, usageByAgent };
  }

  /** Converts an error to an `AgentError` with the partial output. The caller's abort reason is returned unchanged. */
  #toFailure(cause: unknown): unknown {
    const { signal } = this.#run.config;
    if (signal?.aborted && cause === signal.reason) return cause;
    const isConverted = AgentError.isAgentError(cause) &&
      cause.partialOutput?.iterations === this.#iterations;
    if (isConverted) return cause;
    const partialOutput = this.#partialOutput();
    return AgentError.isAgentError(cause)
      ? cause.withPartialOutput(partialOutput)
      : AgentError.core(`Cannot finish the run: ${errorMessageOf(cause)}`, {
        cause,
        partialOutput,
      });
  }
}
