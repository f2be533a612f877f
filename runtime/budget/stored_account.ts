/**
 * Reservations in a store of budgets.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { lengthOf } from "../shared/message_length.ts";
import type { ModelMessage } from "../shared/model.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "../shared/usage.ts";
import { costOfUsages, type ModelUsages } from "./account.ts";
import type { BudgetStore } from "./budget_store.ts";
import type { LimitName, LimitSettings } from "./limits.ts";

/** A model call for which an amount is reserved. */
export interface CallToEstimate {
  /** Id of the model to call. */
  readonly modelId: string;
  /** Messages to send. */
  readonly messages: readonly ModelMessage[];
  /** Maximum number of output tokens, if set. */
  readonly maxOutputTokens?: number | undefined;
  /** Token usage of the last model call of the run. */
  readonly lastUsage?: TokenUsage | undefined;
}

/** Token counts that a model call is expected to use. */
export type EstimatedUsage = Pick<TokenUsage, "inputTokens" | "outputTokens">;

/** A model call in a run with a budget. */
export interface BudgetedCall extends CallToEstimate {
  /** Whether the call is the last one of the run, which the limits of the run do not prevent. */
  readonly isLast: boolean;
  /** Returns the usage of a call that has failed, which the preparation of the call has used. */
  usagesOfFailure(): ModelUsages;
  /** Returns true if the run is aborted. */
  isAborted(): boolean;
  /** Waits for a call to the store. Rejects after a time limit, or if the run is aborted. */
  wait<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value>;
}

/** Settings of an account in a store. */
export interface StoredAccountSettings {
  readonly keyOf: () => string;
  readonly limits: LimitSettings;
  readonly estimate: (call: CallToEstimate) => EstimatedUsage;
  readonly reservationMs: number;
  readonly timeoutMs: number;
}

/** An amount that is reserved for a model call. */
export interface Reservation {
  /** Replaces the reservation with the usage of the call. */
  settle(usages: ModelUsages): Promise<void>;
  /** Releases the whole amount. */
  release(): Promise<void>;
}

/** Amounts of a currency are stored in millionths. */
const UNITS_PER_CURRENCY = 1_000_000;
const CHARS_PER_TOKEN = 3;
const DEFAULT_OUTPUT_TOKENS = 4_096;

/** An account in a store. */
export class StoredAccount {
  readonly #store: BudgetStore;
  readonly #settings: StoredAccountSettings;

  constructor(store: BudgetStore, settings: StoredAccountSettings) {
    this.#store = store;
    this.#settings = settings;
  }

  /**
   * Reserves the estimated amount of a model call. Returns the name of the limit if the amount
   * exceeds it.
   *
   * @throws {AgentError} With code `core` if the store or the estimate fails.
   */
  async reserve(call: BudgetedCall): Promise<Reservation | LimitName> {
    const { keyOf, limits: { maxCost, maxTokens }, reservationMs, timeoutMs } = this.#settings;
    const { modelId } = call;
    try {
      const key = keyOf();
      assertKey(key);
      const usage = toUsage(this.#settings.estimate(call));
      const amount = this.#amountOf([[modelId, usage]]);
      const most = maxTokens ?? Math.floor((maxCost ?? 0) * UNITS_PER_CURRENCY);
      const limit = call.isLast ? Number.MAX_SAFE_INTEGER : most;
      const reserving = this.#store.reserve(key, amount, { limit, ttlMs: reservationMs });
      const id = await call.wait(reserving, timeoutMs).catch((error) => {
        // The call that the amount is for is not made.
        reserving.then((late) => late === undefined ? late : this.#store.settle(late, 0))
          .catch(() => {});
        throw error;
      });
      if (id === undefined) return maxTokens === undefined ? "maxCost" : "maxTokens";
      if (typeof id !== "string") {
        throw new TypeError(`"reserve" must return an id or undefined, got ${formatValue(id)}`);
      }
      return {
        settle: (usages) => this.#settle(call, id, () => this.#usedAmount(usages, amount)),
        release: () => this.#settle(call, id, () => 0),
      };
    } catch (cause) {
      if (call.isAborted()) throw cause;
      throw AgentError.core(`Cannot reserve a budget: ${errorMessageOf(cause)}`, { cause });
    }
  }

  async #settle(call: BudgetedCall, id: string, amount: () => number): Promise<void> {
    try {
      await call.wait(this.#store.settle(id, amount()), this.#settings.timeoutMs);
    } catch (cause) {
      if (call.isAborted()) throw cause;
      throw AgentError.core(`Cannot settle a budget: ${errorMessageOf(cause)}`, { cause });
    }
  }

  /** Returns the used amount. A call without reported usage has used the reserved amount. */
  #usedAmount(usages: ModelUsages, reserved: number): number {
    const { totalTokens } = usages.reduce((sum, [, usage]) => addUsage(sum, usage), NO_USAGE);
    return totalTokens === 0 ? reserved : this.#amountOf(usages);
  }

  #amountOf(usages: ModelUsages): number {
    const { limits } = this.#settings;
    const amount = limits.maxTokens === undefined
      ? Math.ceil(costOfUsages(limits, usages) * UNITS_PER_CURRENCY)
      : usages.reduce((sum, [, usage]) => addUsage(sum, usage), NO_USAGE).totalTokens;
    return Math.min(amount, Number.MAX_SAFE_INTEGER);
  }
}

/**
 * Estimates the usage of a model call from the usage of the last call and the length of the
 * messages.
 */
export function estimateCall(
  { lastUsage = NO_USAGE, maxOutputTokens = DEFAULT_OUTPUT_TOKENS, messages }: CallToEstimate,
): EstimatedUsage {
  const inputTokens = Math.max(
    lastUsage.inputTokens,
    Math.ceil(lengthOf(messages) / CHARS_PER_TOKEN),
  );
  return { inputTokens, outputTokens: maxOutputTokens };
}

function toUsage({ inputTokens, outputTokens }: EstimatedUsage): TokenUsage {
  for (const count of [inputTokens, outputTokens]) {
    if (Number.isSafeInteger(count) && count >= 0) continue;
    throw new TypeError(`"estimate" must return non-negative integers, got ${formatValue(count)}`);
  }
  return addUsage(NO_USAGE, { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens });
}

function assertKey(key: unknown): void {
  if (typeof key === "string" && key !== "") return;
  throw new TypeError(`"key" must be a non-empty string, got ${formatValue(key)}`);
}
