/**
 * The model calls of the iterations of a run, each with its preparation, within the budgets of the
 * run, and recorded in its journal.
 *
 * @module
 */

import type { UsedUp } from "../budget/run_budget.ts";
import type { LanguageModel } from "../shared/model.ts";
import { AgentStopReason, type ToolLoopIteration } from "../shared/output.ts";
import { AllowedTools } from "./allowed_tools.ts";
import { callAround, type ModelStepInfo } from "./around.ts";
import { BudgetedCalls } from "./budgeted_calls.ts";
import { toUserMessage } from "./conversation.ts";
import type { Offer } from "./final_answer.ts";
import { callModel, type ModelCallInput } from "./model_call.ts";
import { type ModelStep, PreparedCall, type RecordedPlan } from "./prepare_iteration.ts";
import type { Replay } from "./replay.ts";
import type { ParsedResponse } from "./response.ts";
import type { RunEnd, RunState } from "./run_state.ts";
import { UNKNOWN_MODEL } from "./usage_totals.ts";

/** The model call of an iteration. */
export interface ModelStepCall {
  /** Index of the iteration. */
  readonly index: number;
  readonly input: ModelCallInput & Offer;
  /** Whether this is the final model call, whose tool calls are not executed. */
  readonly isFinal: boolean;
  /** Whether the response is read from a journal. */
  isReplayed: boolean;
  /** The call with its preparation. `undefined` without a `prepareIteration` option. */
  readonly prepared: PreparedCall | undefined;
  /** Replay of the run's journal. `undefined` if the run has no step runner. */
  readonly replay: Replay | undefined;
  /** Limit that was used up before the call. */
  readonly usedUp: UsedUp | undefined;
}

/** Makes the model calls of one run. */
export class ModelSteps {
  readonly #run: RunState;
  readonly #finished: readonly ToolLoopIteration[];
  /** Model calls within the budgets of the run. `undefined` if the run has no budget. */
  readonly #budgeted: BudgetedCalls | undefined;

  /** @param finished The finished iterations of the run. */
  constructor(run: RunState, finished: readonly ToolLoopIteration[]) {
    this.#run = run;
    this.#finished = finished;
    this.#budgeted = run.budget && new BudgetedCalls(run, run.budget, finished);
  }

  /**
   * Starts an iteration and prepares its model call. Returns the end of the run if the model is not
   * called.
   *
   * @param replay Replay of the run's journal, if the run has a step runner.
   * @param isFinal Whether the model can only give its final answer.
   */
  start(replay: Replay | undefined, isFinal: boolean): ModelStepCall | RunEnd {
    const run = this.#run;
    const index = this.#finished.length;
    if (run.isAborted) return run.abortEnd;
    const budgeted = this.#budgeted;
    // The final call after a used up budget belongs to the iteration that the budget has ended.
    if (!budgeted?.isLast) run.emit?.({ type: "iteration_started", iteration: index });
    if (run.failure) throw run.failure;
    if (run.isAborted) return run.abortEnd;
    run.allowedTools = undefined;
    const usedUp = budgeted?.findUsedUp();
    if (budgeted && usedUp && !replay) return budgeted.endAt(usedUp);
    const input = this.#toModelCall(index, isFinal);
    const prepared = this.#toPreparedCall(input, isFinal);
    return { index, input, isFinal, isReplayed: replay !== undefined, prepared, replay, usedUp };
  }

  /** Makes the model call of an iteration, or reads it from the journal. */
  execute(call: ModelStepCall): Promise<ModelStep> {
    const { index, replay } = call;
    if (replay === undefined) return this.#callInBudget(call);
    const kind = this.#budgeted?.isLast ? "final" : "model";
    return replay.modelStep(index, kind, () => this.#callInBudget(call));
  }

  #callInBudget(call: ModelStepCall): Promise<ModelStep> {
    const { input, prepared } = call;
    return this.#budgeted === undefined ? this.#callPrepared(call) : this.#budgeted.call({
      execute: () => this.#callPrepared(call),
      input,
      planOf: () => prepared?.plan,
    });
  }

  #callPrepared(call: ModelStepCall): Promise<ModelStep> {
    call.isReplayed = false;
    return call.prepared?.execute() ?? this.#callModel(call.input);
  }

  /**
   * Returns the end of a run whose model call has failed.
   *
   * @throws The error of the call, if the run fails with it.
   */
  endOfFailed({ prepared, usedUp }: ModelStepCall, error: unknown): RunEnd {
    const run = this.#run;
    // The output of the failed run contains the message that the plan appended and the tokens that
    // `prepareIteration` used.
    if (prepared?.plan) this.#applyPlan(prepared.plan);
    // If the run is aborted, the error from the model call is ignored.
    if (run.isAborted) return run.abortEnd;
    const end = this.#budgeted?.endOf(error, usedUp);
    if (end) return end;
    throw error;
  }

  /**
   * Applies the plan of a model call. Returns the response, or the end of the run if the plan has
   * ended the run.
   */
  finish({ isReplayed }: ModelStepCall, step: ModelStep): ParsedResponse | RunEnd {
    const { plan, response } = "plan" in step ? step : { plan: undefined, response: step };
    if (isReplayed) this.#run.budget?.countModelCall();
    if (plan) this.#applyPlan(plan);
    if (response) return response;
    return { reason: AgentStopReason.CustomCondition, conditionName: plan?.stop };
  }

  #toModelCall(iteration: number, isFinal: boolean): ModelCallInput & Offer {
    const run = this.#run;
    const { answer, config: { model } } = run;
    const correction = answer?.takeCorrection();
    if (correction) run.messages.push(correction);
    const { isForced, options, tools } = this.#toOffer(model, isFinal);
    return { iteration, model, messages: run.view, tools, options, isForced };
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
      lastUsage: this.#finished.at(-1)?.usage,
      toOffer: (model) => this.#toOffer(model, isFinal),
    }, (planned) => this.#callModel(planned));
  }

  /** Calls the model, wrapped by `around`. */
  #callModel(input: ModelCallInput): Promise<ParsedResponse> {
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
}
