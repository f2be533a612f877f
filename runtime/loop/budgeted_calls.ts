/**
 * Model calls of a run with a budget.
 *
 * @module
 */

import type { ModelUsages } from "../budget/account.ts";
import { BudgetUsedUp, type RunBudget, type UsedUp } from "../budget/run_budget.ts";
import { AgentStopReason, type ToolLoopIteration } from "../shared/output.ts";
import { CallDeadline } from "./deadlines.ts";
import type { ModelCallInput } from "./model_call.ts";
import type { ModelStep, RecordedPlan } from "./prepare_iteration.ts";
import type { RunState } from "./run_state.ts";
import { UNKNOWN_MODEL, usagesIn } from "./usage_totals.ts";

/** End of a run whose budget is used up. */
interface BudgetEnd {
  readonly reason: AgentStopReason;
  readonly conditionName: string;
  readonly finalize?: true;
}

/** A model call that a budget allows or prevents. */
interface CallInBudget {
  readonly input: ModelCallInput;
  /** Returns the plan of the iteration, which may have used tokens although the call fails. */
  readonly planOf: () => RecordedPlan | undefined;
  readonly execute: () => Promise<ModelStep>;
}

/** Applies the budgets of a run to its model calls. */
export class BudgetedCalls {
  readonly #run: RunState;
  readonly #budget: RunBudget;
  readonly #finished: readonly ToolLoopIteration[];
  #isLast = false;

  constructor(run: RunState, budget: RunBudget, finished: readonly ToolLoopIteration[]) {
    this.#run = run;
    this.#budget = budget;
    this.#finished = finished;
  }

  /** Whether a limit of the run itself is used up, and the next model call is the last one. */
  get isLast(): boolean {
    return this.#isLast;
  }

  /**
   * Returns a limit that prevents the next model call.
   *
   * @throws The error of a model without a price.
   */
  findUsedUp(): UsedUp | undefined {
    return this.#budget.findUsedUp(this.#isLast);
  }

  /**
   * Executes a model call.
   *
   * @throws {BudgetUsedUp} If a limit is used up.
   */
  call({ execute, input, planOf }: CallInBudget): Promise<ModelStep> {
    const { messages, model: { modelId }, options: { maxOutputTokens } } = input;
    const run = this.#run;
    const budgeted = {
      modelId,
      messages,
      maxOutputTokens,
      lastUsage: this.#finished.at(-1)?.usage,
      isLast: this.#isLast,
      isAborted: () => run.isAborted,
      wait: <Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> =>
        run.deadlines.wait(work, new CallDeadline(timeoutMs)),
      usagesOfFailure: () => usagesOfPlan(planOf()),
    };
    return this.#budget.callModel(budgeted, execute, (step) => {
      const { plan, response } = "plan" in step ? step : { plan: undefined, response: step };
      return [...response ? usagesIn(response, modelId) : [], ...usagesOfPlan(plan)];
    });
  }

  /**
   * Returns the end of a run after an error, if the error means that a limit is used up.
   *
   * @param usedUp Limit that was used up before the step. A step runner may have recorded the error
   * of this step, and then throws a different error.
   */
  endOf(error: unknown, usedUp: UsedUp | undefined): BudgetEnd | undefined {
    const limit = error instanceof BudgetUsedUp ? error.limit : usedUp;
    return limit && this.endAt(limit);
  }

  /** Returns the end of a run at a limit, which may request the last model call. */
  endAt({ isOwn, name: conditionName }: UsedUp): BudgetEnd {
    const end = { reason: AgentStopReason.BudgetExceeded, conditionName };
    // Calls are aborted when the time is used up. Without a finished iteration, the model has
    // nothing to summarize, and each run that starts with a used up budget would make a model call.
    const mayFinalize = isOwn && conditionName !== "budget.maxDurationMs" && !this.#isLast &&
      this.#finished.length > 0 &&
      this.#run.config.onBudgetExceeded === "finalize";
    this.#isLast ||= mayFinalize;
    return mayFinalize ? { ...end, finalize: true } : end;
  }
}

function usagesOfPlan(plan: RecordedPlan | undefined): ModelUsages {
  if (plan?.usage === undefined) return [];
  return [[plan.usageModelId ?? UNKNOWN_MODEL, plan.usage]];
}
