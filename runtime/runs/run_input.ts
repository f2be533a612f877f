/**
 * The input of a durable run, as the JSON that an engine stores: the message and, if set, the
 * limits of the run's budget.
 *
 * @module
 */

import { assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { Budget } from "../budget/budget.ts";
import { type BudgetLimits, readBudgetLimits } from "../budget/limits.ts";
import { assertTurn } from "../loop/conversation.ts";
import { isJsonValue, type JsonValue } from "../shared/json.ts";
import type { UserTurn } from "../shared/model.ts";
import type { PriceTable } from "../shared/prices.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";

/** Limits of a budget that can be stored. */
export type StorableLimits = Omit<BudgetLimits, "prices"> & { readonly prices?: PriceTable };

/** Message and limits of a run. */
export interface RunInput {
  readonly turn: UserTurn;
  readonly budget?: BudgetLimits;
}

/**
 * Converts the message and the limits of a run to JSON.
 *
 * @throws {TypeError} If the limits are invalid or cannot be stored.
 * @throws {RangeError} If a limit or a price is out of range.
 */
export function toRunInput(turn: UserTurn, budget: StorableLimits | undefined): JsonValue {
  const message = toStepValue(turn);
  return budget === undefined ? message : { message, budget: toStoredLimits(budget) };
}

/**
 * Reads the input of a run.
 *
 * @throws {TypeError} If the message is not a valid turn, or the budget is not an object.
 */
export function readRunInput(input: JsonValue): RunInput {
  const { budget, message } = isRecord(input) ? input : { budget: undefined, message: input };
  const turn = fromStepValue(message);
  assertTurn("the recorded user message", turn);
  if (turn === undefined) rejectArgument("the recorded user message", "a message", turn);
  if (budget === undefined) return { turn };
  assertRecord("the recorded budget", budget);
  // The cast is safe, because the run validates all members.
  return { turn, budget: budget as BudgetLimits };
}

function toStoredLimits(budget: StorableLimits): JsonValue {
  assertRecord("budget", budget);
  if (budget instanceof Budget) {
    rejectArgument("budget", "limits", budget, "a Budget object cannot be stored");
  }
  readBudgetLimits(budget);
  const members = Object.entries(budget).filter(([, value]) => value !== undefined);
  const stored: unknown = Object.fromEntries(members);
  if (isJsonValue(stored)) return stored;
  return rejectArgument("budget", "JSON data, because it is stored with the run", budget);
}
