/**
 * The iterations of a run. An iteration consists of one model call and the tool calls in its
 * response.
 *
 * @module
 */

import type { AssistantMessage, FinishReason, ToolCall, ToolResult } from "../shared/model.ts";
import { AgentStopReason, type ToolLoopIteration } from "../shared/output.ts";
import { byPriority, firstTriggered, firstTriggeredByCaller } from "./evaluate_stop_conditions.ts";
import type { FinalAnswer } from "./final_answer.ts";
import { type ModelStepCall, ModelSteps } from "./model_steps.ts";
import type { ModelStep } from "./prepare_iteration.ts";
import type { Replay } from "./replay.ts";
import { completeToolCalls, type ParsedResponse } from "./response.ts";
import type { RunEnd, RunState } from "./run_state.ts";
import { type AgentStopCondition, type LoopContext, maxIterations } from "./stop_conditions.ts";
import { ToolCallBatch, type ToolCallBatchOutcome } from "./tool_call_batch.ts";
import { errorResult } from "./tool_result.ts";
import { usagesIn } from "./usage_totals.ts";

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
  readonly #modelSteps: ModelSteps;

  constructor(run: RunState) {
    this.#run = run;
    this.#modelSteps = new ModelSteps(run, this.finished);
    this.#conditions = byPriority([
      ...run.config.stopConditions ?? [],
      maxIterations(run.config.maxIterations),
      { name: "toolStop", reason: AgentStopReason.ToolStop, check: () => run.stopRequested },
    ]);
  }

  /**
   * Runs iterations until the run ends. An iteration calls only two asynchronous functions, the
   * model call and the tool calls, because each further one would add 5% to its duration.
   *
   * @param limit Limit at which the run ends after one more iteration, with the final model call,
   * in which the model can only give its final answer. Tool calls in the response are not executed.
   * @returns The stop reason with its details.
   */
  async run(limit?: RunEnd): Promise<RunEnd> {
    const run = this.#run;
    const steps = this.#modelSteps;
    let end: RunEnd | undefined;
    while (end === undefined) {
      if (run.shouldPause) await run.waitUntilResumed();
      const call = steps.start(this.replay, limit !== undefined);
      if ("reason" in call) return call;
      let step: ModelStep;
      try {
        step = await steps.execute(call);
      } catch (error) {
        return steps.endOfFailed(call, error);
      }
      const response = steps.finish(call, step);
      if ("reason" in response) return response;
      const turn = this.#completeTurn(call, response);
      const { calls, index } = turn;
      if (run.answer?.isAnswer(calls) && !SKIP_REASON_BY_FINISH[response.finishReason]) {
        end = await this.#readAnswer(run.answer, turn) ?? limit;
        continue;
      }
      if (calls.length === 0) return this.#endWithoutCalls(turn);
      let outcome = skipCalls(turn);
      if (outcome === undefined) {
        if (run.shouldPause) await run.waitUntilResumed();
        const batch = new ToolCallBatch(run, index, calls, this.replay);
        const preparing = batch.prepare();
        if (preparing) await preparing;
        await batch.execute();
        outcome = batch.finish();
      }
      if (outcome.pending.length + outcome.waits.length > 0) return this.#suspend(turn, outcome);
      end = this.#endWithResults(turn, outcome) ?? limit;
    }
    return end;
  }

  /** Completes the tool calls in the response, and emits the response. */
  #completeTurn(
    { index, isFinal, isReplayed }: ModelStepCall,
    response: ParsedResponse,
  ): ModelTurn {
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
    const context: { -readonly [Name in keyof LoopContext]: LoopContext[Name] } = {
      iteration: index,
      totalUsage: usage.total,
      lastFinishReason: finishReason,
      lastToolCallCount: calls.length,
      iterations: this.finished,
      totalToolCalls: this.#toolCallCount,
      messages,
    };
    // The built-in conditions do not use these members, which take time to compute.
    if (config.stopConditions) {
      context.elapsedMs = this.#run.elapsedMs;
      context.usageByModel = usage.byModel;
    }
    return firstTriggered(context, conditions) ??
      firstTriggeredByCaller(this.#run.control.caller, context);
  }
}

/**
 * Returns an error result for each call if the calls must not be executed, and otherwise
 * `undefined`.
 */
function skipCalls(
  { calls, isFinal, response: { finishReason } }: ModelTurn,
): ToolCallBatchOutcome | undefined {
  const skipReason = isFinal ? "the run has reached a limit" : SKIP_REASON_BY_FINISH[finishReason];
  if (skipReason === undefined) return undefined;
  const text = `Not executed: ${skipReason}`;
  const results = calls.map((call) => errorResult(call, "output_truncated", text));
  return { results, pending: [], waits: [] };
}
