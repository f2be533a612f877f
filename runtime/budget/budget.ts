/**
 * Budgets that several runs use up together.
 *
 * @module
 */

import { assertRecord } from "@parley/internal/assert-argument";
import { Account } from "./account.ts";
import {
  type BudgetLimits,
  type BudgetUse,
  type LimitName,
  type LimitSettings,
  readBudgetLimits,
} from "./limits.ts";
import type { StoredAccount } from "./stored_account.ts";

/** Accounts of a budget. */
export interface BudgetParts {
  readonly account: Account;
  /** Account in a store. Absent if the budget is only in memory. */
  readonly stored?: StoredAccount;
}

/** Returns the accounts of a run's budget: those of a shared budget, or new ones. */
export type OpenBudget = () => BudgetParts;

/**
 * The accounts, keyed by budget. The loop charges them, and exposing private fields in a static
 * block would prevent tree shaking of the class.
 */
const PARTS: WeakMap<object, BudgetParts> = new WeakMap();

/**
 * Limits that several runs use up together. Everything that receives the same budget shares it:
 * agents, their sub-agents, the steps of workflows and the turns of a session.
 *
 * The limits are checked before each model call and before each tool call. A budget that is only in
 * memory is lost with the process; {@linkcode storedBudget} creates a budget that processes share.
 *
 * @example Share a budget between two runs
 * ```ts
 * import { Budget, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const usage = { inputTokens: 900, outputTokens: 100, totalTokens: 1000 };
 * const model = scriptedModel([{ text: "Hello", usage }]);
 * const agent = new ToolLoopAgent({ name: "clerk", model });
 * const budget = new Budget({ maxTokens: 1000 });
 * const first = await agent.run("Hi", { budget });
 * const second = await agent.run("Hi again", { budget });
 * assertEquals([first.stopReason, second.stopReason], ["model_stop", "budget_exceeded"]);
 * assertEquals([budget.exceeded, budget.used.modelCalls], ["maxTokens", 1]);
 * ```
 */
export class Budget {
  readonly #account: Account;

  /**
   * Creates a budget of which nothing is used.
   *
   * @param limits Limits and prices.
   * @throws {TypeError} If there is an unknown limit, a limit is not a number, `maxCost` is set
   * without `prices`, or the prices are invalid.
   * @throws {RangeError} If a limit or a price is out of range.
   */
  constructor(limits: BudgetLimits) {
    this.#account = new Account(readBudgetLimits(limits, "limits"));
    PARTS.set(this, { account: this.#account });
  }

  /** The amounts that were used. */
  get used(): BudgetUse {
    return this.#account.use;
  }

  /**
   * Name of a limit that is used up, such as `maxTokens`. `undefined` if all limits have capacity.
   */
  get exceeded(): LimitName | undefined {
    return this.#account.exceeded;
  }
}

/** Adds an account in a store to a budget. */
export function connectStore(budget: Budget, stored: StoredAccount): void {
  PARTS.set(budget, { ...openBudget(budget)(), stored });
}

/**
 * Reads a budget option.
 *
 * @throws {TypeError} If the value is neither a budget nor valid limits.
 * @throws {RangeError} If a limit or a price is out of range.
 */
export function openBudget(given: Budget | BudgetLimits): OpenBudget {
  const parts = PARTS.get(given);
  if (parts !== undefined) return () => parts;
  const settings = readLimitsOf(given);
  return () => ({ account: new Account(settings) });
}

/**
 * Returns a budget that can be shared: the given one, or a new one with the given limits.
 *
 * @throws {TypeError} If the value is neither a budget nor valid limits.
 * @throws {RangeError} If a limit or a price is out of range.
 */
export function toBudget(given: Budget | BudgetLimits): Budget {
  return given instanceof Budget ? given : new Budget(given);
}

/** Check for a budget option. */
export function assertBudget(name: string, value: unknown): void {
  assertRecord(name, value);
  if (!PARTS.has(value)) readLimitsOf(value, name);
}

function readLimitsOf(given: object, at?: string): LimitSettings {
  // The cast is safe, because all members are validated.
  return readBudgetLimits(given as BudgetLimits, at);
}
