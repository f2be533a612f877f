/**
 * The amounts that a budget has used, and the limit that is used up.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { createAbortReason } from "../shared/platform.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "../shared/usage.ts";
import type { BudgetUse, LimitName, LimitSettings } from "./limits.ts";

/** Token usage of a model call or of several, keyed by model id. */
export type ModelUsages = readonly (readonly [modelId: string, usage: TokenUsage])[];

/** Amounts that a budget has used, and its limits. */
export class Account {
  /** The limits. */
  readonly limits: LimitSettings;
  /**
   * Error of a model without a price. No run can use the budget afterwards, because its cost is
   * unknown.
   */
  failure: unknown;
  readonly #byModel = new Map<string, TokenUsage>();
  readonly #timeout = new AbortController();
  #usage = NO_USAGE;
  #cost = 0;
  #toolCalls = 0;
  #modelCalls = 0;
  /** Number of runs that use the budget and are not paused. */
  #users = 0;
  #usedMs = 0;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: LimitSettings) {
    this.limits = limits;
  }

  /** The amounts that were used. */
  get use(): BudgetUse {
    return defined({
      usage: this.#usage,
      usageByModel: Object.fromEntries(this.#byModel),
      cost: this.limits.priceOf && this.#cost,
      toolCalls: this.#toolCalls,
      modelCalls: this.#modelCalls,
      durationMs: this.#durationMs,
    });
  }

  /** Name of a limit that is used up. */
  get exceeded(): LimitName | undefined {
    const { limits } = this;
    if (isReached(limits.maxTokens, this.#usage.totalTokens)) return "maxTokens";
    if (isReached(limits.maxCost, this.#cost)) return "maxCost";
    if (isReached(limits.maxToolCalls, this.#toolCalls)) return "maxToolCalls";
    if (isReached(limits.maxModelCalls, this.#modelCalls)) return "maxModelCalls";
    // The timer of a program that blocks its thread fires too late.
    const isOver = this.#timeout.signal.aborted ||
      isReached(limits.maxDurationMs, this.#durationMs);
    if (isOver) return "maxDurationMs";
    return undefined;
  }

  /** Signal that is aborted when the time is used up. Absent if the time has no limit. */
  get signal(): AbortSignal | undefined {
    return this.limits.maxDurationMs === undefined ? undefined : this.#timeout.signal;
  }

  /**
   * Starts the clock for a run. Returns a function that stops it, unless another run uses the
   * budget.
   */
  enter(): () => void {
    if (this.#users++ === 0) {
      this.#startedAt = Date.now();
      this.#setTimer();
    }
    return () => {
      if (--this.#users > 0) return;
      clearTimeout(this.#timer);
      this.#usedMs += elapsedSince(this.#startedAt);
    };
  }

  /** Counts a model call. */
  countModelCall(count = 1): void {
    this.#modelCalls += count;
  }

  /** Returns true if another tool may be executed. */
  get mayCallTool(): boolean {
    return !isReached(this.limits.maxToolCalls, this.#toolCalls);
  }

  /** Counts a tool call. */
  countToolCall(count = 1): void {
    this.#toolCalls += count;
  }

  /** Adds the usage of models. Sets `failure` if a model has no price. */
  charge(usages: ModelUsages): void {
    for (const [modelId, usage] of usages) {
      this.#usage = addUsage(this.#usage, usage);
      this.#byModel.set(modelId, addUsage(this.#byModel.get(modelId) ?? NO_USAGE, usage));
    }
    try {
      this.#cost += costOfUsages(this.limits, usages);
    } catch (error) {
      this.failure ??= error;
    }
  }

  get #durationMs(): number {
    return this.#users > 0 ? this.#usedMs + elapsedSince(this.#startedAt) : this.#usedMs;
  }

  #setTimer(): void {
    const { maxDurationMs } = this.limits;
    if (maxDurationMs === undefined) return;
    const restMs = maxDurationMs - this.#durationMs;
    if (restMs <= 0) return this.#expire(maxDurationMs);
    const delayMs = Math.min(restMs, MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      // A duration beyond the maximum delay of a timer needs several timers.
      if (delayMs < restMs) this.#setTimer();
      else this.#expire(maxDurationMs);
    }, delayMs);
  }

  #expire(maxDurationMs: number): void {
    const text = `The budget of ${maxDurationMs} ms is used up`;
    this.#timeout.abort(createAbortReason(text, "TimeoutError"));
  }
}

/** Returns the cost of model calls, or 0 if there are no prices. */
export function costOfUsages({ priceOf }: LimitSettings, usages: ModelUsages): number {
  if (priceOf === undefined) return 0;
  return usages.reduce((sum, [modelId, usage]) => sum + priceOf(modelId, usage), 0);
}

/** Returns the time since a time. A changed system clock makes the time too short or too long. */
function elapsedSince(startedAt: number): number {
  return Math.max(Date.now() - startedAt, 0);
}

function isReached(limit: number | undefined, used: number): boolean {
  return limit !== undefined && used >= limit;
}
