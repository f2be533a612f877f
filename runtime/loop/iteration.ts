/**
 * The iterations of a run. An iteration consists of one model call and the tool calls in its
 * response.
 *
 * @module
 */

import type {
  AssistantMessage,
  FinishReason,
  LanguageModel,
  ToolCall,
  ToolResult,
} from "../shared/model.ts";
import { AgentStopReason, type PendingBatch, type ToolLoopIteration } from "../shared/output.ts";
import { UNKNOWN_MODEL, usagesIn } from "./usage_totals.ts";
import { AllowedTools } from "./allowed_tools.ts";
import { callAround, type ModelStepInfo } from "./around.ts";
import { BudgetedCalls } from "./budgeted_calls.ts";
import { toUserMessage } from "./conversation.ts";
import type { FinalAnswer, Offer } from "./final_answer.ts";
import { callModel, type ModelCallInput } from "./model_call.ts";
import { type ModelStep, PreparedCall, type RecordedPlan } from "./prepare_iteration.ts";
import type { Replay } from "./replay.ts";
import { completeToolCalls, type ParsedResponse } from "./response.ts";
import type { RunState } from "./run_state.ts";
import { byPriority, firstTriggered, firstTriggeredByCaller } from "./evaluate_stop_conditions.ts";
import { type AgentStopCondition, type LoopContext, maxIterations } from "./stop_conditions.ts";
import { ToolCallBatch, type ToolCallBatchOutcome } from "./tool_call_batch.ts";
import { errorResult } from "./tool_result.ts";

/** Stop reason of a run, with the stop condition that triggered or the pending approvals. */
export interface RunEnd {
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

/** The model's part of an iteration. */
interface ModelTurn {
  /** Index of the iteration. */
  readonly index: number;
  readonly response: ParsedResponse;
  /** Message of the response, in which every tool call is complete. */
  readonly message: AssistantMessage;
  /** Tool calls in the message. */
  readonly calls: readonly ToolCall[];
  /** Whether the response belongs to the final model call, whose tool calls are not executed. */
  readonly isFinal: boolean;
}

const TRUNCATED = "the response was truncated";

/**
 * Finish reasons after which tool calls are not executed, with the explanation sent to the model.
 */
const SKIP_REASON_BY_FINISH: Readonly<Partial<Record<FinishReason, string>>> = {
  length: TRUNCATED,
  interrupted: TRUNCATED,
  "content-filter": "the response was blocked by the content filter",
};

/**
 * Stop reasons for responses without tool calls, keyed by finish reason. A finish reason that is
 * not listed maps to `model_stop`.
 */
const STOP_REASON_BY_FINISH: Readonly<Partial<Record<FinishReason, AgentStopReason>>> = {
  length: AgentStopReason.OutputTruncated,
  interrupted: AgentStopReason.OutputTruncated,
  "content-filter": AgentStopReason.ContentFiltered,
};

/** Runs the iterations of one run, and stores the finished ones. */
export class Iterations {
  /** The finished iterations. */
  readonly finished: ToolLoopIteration[] = [];
  /** Replay of the run's journal. `undefined` if the run has no step runner. */
  replay: Replay | undefined;
  readonly #run: RunState;
  readonly #conditions: readonly AgentStopCondition[];
  #toolCallCount = 0;
  /** Model calls within the budgets of the run. `undefined` if the run has no budget. */
  readonly #budgeted: BudgetedCalls | undefined;

  constructor(run: RunState) {
    this.#run = run;
    this.#budgeted = run.budget && new BudgetedCalls(run, run.budget, this.finished);
    this.#conditions = byPriority([
      ...run.config.stopConditions ?? [],
      maxIterations(run.config.maxIterations),
      { name: "toolStop", reason: AgentStopReason.ToolStop, check: () => run.stopRequested },
    ]);
  }

  /**
   * Runs one iteration.
   *
   * @param isFinal Whether this is the final model call, in which the model can only give its final
   * answer. Tool calls in the response are not executed.
   * @returns The stop reason with its details if the run ends, otherwise `undefined`.
   */
  async run(index: number, isFinal = false): Promise<RunEnd | undefined> {
    const run = this.#run;
    if (run.shouldPause) await run.waitUntilResumed();
    if (run.isAborted) return run.abortEnd;
    // The final call after a used up budget belongs to the iteration that the budget has ended.
    if (!this.#budgeted?.isLast) run.emit?.({ type: "iteration_started", iteration: index });
    const result = await this.#callModel(index, isFinal);
    if ("reason" in result) return result;
    const turn = this.#completeTurn(index, result, isFinal);
    const { calls, response: { finishReason } } = turn;
    if (run.answer?.isAnswer(calls) && !SKIP_REASON_BY_FINISH[finishReason]) {
      return await this.#readAnswer(run.answer, turn);
    }
    if (calls.length === 0) return this.#endWithoutCalls(turn);
    const outcome = await this.#executeCalls(turn);
    if (outcome.pending.length + outcome.waits.length > 0) return this.#suspend(turn, outcome);
    return this.#endWithResults(turn, outcome);
  }

  // The model call.

  /**
   * Prepares the iteration and calls the model. Returns the outcome of the run if the run is
   * aborted before the model responds or if the plan ends the run.
   */
  async #callModel(iteration: number, isFinal: boolean): Promise<ModelResult | RunEnd> {
    const run = this.#run;
    if (run.failure) throw run.failure;
    if (run.isAborted) return run.abortEnd;
    run.allowedTools = undefined;
    const budgeted = this.#budgeted;
    const usedUp = budgeted?.findUsedUp();
    if (budgeted && usedUp && !this.replay) return budgeted.endAt(usedUp);
    const input = this.#toModelCall(iteration, isFinal);
    const prepared = this.#toPreparedCall(input, isFinal);
    let isReplayed = this.replay !== undefined;
    const execute = (): Promise<ModelStep> => {
      isReplayed = false;
      return prepared?.execute() ?? this.#executeModelStep(input);
    };
    const attempt = budgeted === undefined
      ? execute
      : () => budgeted.call({ execute, input, planOf: () => prepared?.plan });
    let step: ModelStep;
    try {
      const kind = budgeted?.isLast ? "final" : "model";
      step = await (this.replay?.modelStep(iteration, kind, attempt) ?? attempt());
    } catch (error) {
      // The output of the failed run contains the message that the plan appended and the tokens
      // that `prepareIteration` used.
      if (prepared?.plan) this.#applyPlan(prepared.plan);
      // If the run is aborted, the error from the model call is ignored.
      if (run.isAborted) return run.abortEnd;
      const end = budgeted?.endOf(error, usedUp);
      if (end) return end;
      throw error;
    }
    if (isReplayed) run.budget?.countModelCall();
    const { plan, response } = "plan" in step ? step : { plan: undefined, response: step };
    if (plan) this.#applyPlan(plan);
    if (response) return { response, isReplayed };
    return { reason: AgentStopReason.CustomCondition, conditionName: plan?.stop };
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

  /**
   * Returns the model call with its preparation, or `undefined` if there is no `prepareIteration`
   * option.
   */
  #toPreparedCall(input: ModelCallInput & Offer, isFinal: boolean): PreparedCall | undefined {
    const { prepareIteration } = this.#run.config;
    return prepareIteration && new PreparedCall(this.#run, prepareIteration, {
      ...input,
      lastUsage: this.finished.at(-1)?.usage,
      toOffer: (model) => this.#toOffer(model, isFinal),
    }, (planned) => this.#executeModelStep(planned));
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
    return callAround(around, step, () => callModel(run, input), run);
  }

  /** Applies the plan members that affect the run after the model call. */
  #applyPlan({ append, history, outputMode, tools, usage, usageModelId }: RecordedPlan): void {
    const run = this.#run;
    if (outputMode) run.answer?.restoreMode(outputMode);
    if (history) run.history = history;
    if (append !== undefined) run.messages.push(toUserMessage(append));
    // A plan that was read from the journal allows the tools that are registered now.
    if (tools) run.allowedTools ??= new AllowedTools(run.config.registry, tools);
    if (usage) {
      const modelId = usageModelId ?? UNKNOWN_MODEL;
      run.usage.addOwn({ usage }, modelId);
      run.count({ usage }, modelId);
      run.budget?.charge([[modelId, usage]]);
    }
  }

  /** Completes the tool calls in the response, and emits the response. */
  #completeTurn(index: number, { isReplayed, response }: ModelResult, isFinal: boolean): ModelTurn {
    const run = this.#run;
    const { modelId } = run.config.model;
    const { calls, message } = completeToolCalls(response.message, index, run.callIds);
    run.count(response, modelId);
    run.budget?.charge(usagesIn(response, modelId));
    run.emit?.({
      type: "model_finished",
      iteration: index,
      ...response,
      message,
      ...isReplayed ? { isReplayed } : {},
    });
    return { index, response, message, calls, isFinal };
  }

  // The final answer.

  /**
   * Validates a response as the final answer. Returns how the run ends, or `undefined` if the model
   * must be called again.
   */
  async #readAnswer(answer: FinalAnswer, turn: ModelTurn): Promise<RunEnd | undefined> {
    const run = this.#run;
    const { calls, index, isFinal, message } = turn;
    const decision = await answer.decide(message, calls[0]);
    const answers = calls.map((call) => answer.toResult(call, decision, run.abortText));
    for (const toolResult of answers) {
      run.emit?.({ type: "tool_finished", iteration: index, toolResult });
    }
    this.#record(turn, answers);
    if (decision === "abort") return run.abortEnd;
    const stop = isFinal ? undefined : this.#checkStopConditions(turn);
    if (decision === "accept") return { reason: AgentStopReason.ModelStop };
    if (decision === "reject") return { reason: AgentStopReason.OutputInvalid };
    if (stop?.reason !== AgentStopReason.ModelStop) return stop;
    // A response without tool calls usually ends the run, but not if the response is an invalid
    // final answer. After an invalid final answer, the conditions with a lower priority than
    // `model_stop` have not been evaluated yet.
    const limits = this.#conditions.filter(({ reason }) => reason !== AgentStopReason.ModelStop);
    return this.#checkStopConditions(turn, limits);
  }

  #endWithoutCalls(turn: ModelTurn): RunEnd {
    const { isFinal, response: { finishReason } } = turn;
    this.#record(turn, []);
    // Stop conditions are called after every iteration, because they may keep internal state. The
    // result of the stop conditions is ignored here, because a response without tool calls already
    // ends the run.
    if (!isFinal) this.#checkStopConditions(turn);
    return { reason: STOP_REASON_BY_FINISH[finishReason] ?? AgentStopReason.ModelStop };
  }

  // The tool calls.

  /**
   * Executes the tool calls, or returns an error result for each call if the calls must not be
   * executed.
   */
  async #executeCalls(
    { calls, index, isFinal, response: { finishReason } }: ModelTurn,
  ): Promise<ToolCallBatchOutcome> {
    const run = this.#run;
    const skipReason = isFinal
      ? "the run has reached a limit"
      : SKIP_REASON_BY_FINISH[finishReason];
    if (skipReason !== undefined) {
      const text = `Not executed: ${skipReason}`;
      const results = calls.map((call) => errorResult(call, "output_truncated", text));
      return { results, pending: [], waits: [] };
    }
    if (run.shouldPause) await run.waitUntilResumed();
    return await new ToolCallBatch(run, index, calls, this.replay).execute();
  }

  /** Ends the run until its approvals are decided and its signals and times have arrived. */
  #suspend(
    { index, message, response }: ModelTurn,
    { pending: approvals, results, waits }: ToolCallBatchOutcome,
  ): RunEnd {
    const run = this.#run;
    run.usage.addOwn(response, run.config.model.modelId);
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

  #endWithResults(
    turn: ModelTurn,
    { failure, results }: ToolCallBatchOutcome,
  ): RunEnd | undefined {
    const run = this.#run;
    const { isFinal, response: { finishReason } } = turn;
    this.#record(turn, results);
    if (failure) throw failure;
    if (finishReason === "content-filter") return { reason: AgentStopReason.ContentFiltered };
    if (run.isAborted) return run.abortEnd;
    return isFinal ? undefined : this.#checkStopConditions(turn);
  }

  // The end of the iteration.

  #record(
    { calls: toolCalls, index, message: assistantMessage, response }: ModelTurn,
    toolResults: ToolResult[],
  ): void {
    const run = this.#run;
    const { messages } = run;
    messages.push(Object.freeze(assistantMessage));
    if (toolCalls.length > 0) messages.push(Object.freeze({ role: "tool", content: toolResults }));
    const { usage, rawFinishReason, warnings, modelId, provider } = response;
    const iteration: { -readonly [Name in keyof ToolLoopIteration]: ToolLoopIteration[Name] } = {
      index,
      assistantMessage,
      toolCalls,
      toolResults,
      usage,
    };
    if (rawFinishReason !== undefined) iteration.rawFinishReason = rawFinishReason;
    if (warnings !== undefined) iteration.warnings = warnings;
    if (modelId !== undefined) iteration.modelId = modelId;
    if (provider !== undefined) iteration.provider = provider;
    this.finished.push(iteration);
    this.#toolCallCount += toolCalls.length;
    run.usage.addOwn(response, run.config.model.modelId);
    run.emit?.({ type: "iteration_finished", iteration });
  }

  #checkStopConditions(turn: ModelTurn, conditions = this.#conditions): RunEnd | undefined {
    const { calls, index, response: { finishReason } } = turn;
    const { config, messages, usage } = this.#run;
    const context: LoopContext = {
      iteration: index,
      totalUsage: usage.total,
      lastFinishReason: finishReason,
      lastToolCallCount: calls.length,
      iterations: this.finished,
      totalToolCalls: this.#toolCallCount,
      messages,
      // The built-in conditions do not use these members, which take time to compute.
      ...config.stopConditions
        ? { elapsedMs: this.#run.elapsedMs, usageByModel: usage.byModel }
        : undefined,
    };
    return firstTriggered(context, conditions) ??
      firstTriggeredByCaller(this.#run.control.caller, context);
  }
}
