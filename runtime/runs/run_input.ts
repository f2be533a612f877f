/**
 * The input of a durable run, as the JSON that an engine stores: the message and, if set, the
 * earlier conversation and the limits of the run's budget.
 *
 * @module
 */

import { assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { defined, isRecord, type UnknownRecord } from "@parley/internal/json";
import { Budget } from "../budget/budget.ts";
import { type BudgetLimits, readBudgetLimits } from "../budget/limits.ts";
import { assertTurn } from "../loop/conversation.ts";
import { assertMessages } from "../loop/run_options.ts";
import { isJsonValue, type JsonValue } from "../shared/json.ts";
import type { MessageInput, UserTurn } from "../shared/model.ts";
import type { PriceTable } from "../shared/prices.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";

/** Limits of a budget that can be stored. */
export type StorableLimits = Omit<BudgetLimits, "prices"> & { readonly prices?: PriceTable };

/** Conversation and limits of a run. */
export interface RunInput {
  readonly turn: UserTurn;
  /** Earlier conversation. */
  readonly messages?: readonly MessageInput[];
  readonly budget?: BudgetLimits;
}

/**
 * Converts the conversation and the limits of a run to JSON.
 *
 * @throws {TypeError} If the limits are invalid, or a value cannot be stored.
 * @throws {RangeError} If a limit or a price is out of range.
 */
export function toRunInput(
  turn: UserTurn,
  { budget, messages = [] }: {
    readonly budget?: StorableLimits | undefined;
    readonly messages?: readonly MessageInput[] | undefined;
  },
): JsonValue {
  const message = toStepValue(turn);
  if (budget === undefined && messages.length === 0) return message;
  return {
    message,
    ...messages.length > 0 && { messages: toStepValue(messages) },
    ...budget !== undefined && { budget: toStoredLimits(budget) },
  };
}

/**
 * Reads the input of a run.
 *
 * @throws {TypeError} If the message is not a valid turn, the earlier messages are not an array, or
 * the budget is not an object.
 */
export function readRunInput(input: JsonValue): RunInput {
  const { budget, message, messages: earlier }: UnknownRecord = isRecord(input)
    ? input
    : { message: input };
  const turn = fromStepValue(message);
  assertTurn("the recorded user message", turn);
  if (turn === undefined) rejectArgument("the recorded user message", "a message", turn);
  if (earlier !== undefined) assertMessages("the recorded messages", earlier);
  if (budget !== undefined) assertRecord("the recorded budget", budget);
  // The casts are safe, because the run validates all members.
  return defined({
    turn,
    messages: fromStepValue(earlier) as RunInput["messages"],
    budget: budget as BudgetLimits | undefined,
  });
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
