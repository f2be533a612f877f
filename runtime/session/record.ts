/**
 * The record of a run in a session.
 *
 * @module
 */

import { assertValidView, readHistoryView, readMessages } from "../loop/conversation.ts";
import { formatValue } from "@parley/internal/format-value";
import type { JsonValue } from "../shared/json.ts";
import { defined, isRecord } from "@parley/internal/json";
import type { ModelMessage } from "../shared/model.ts";
import type { AgentStopReason, HistoryView, PartialLoopOutput } from "../shared/output.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";

const VERSION = 1;

/**
 * Reason why a recorded run ended: the stop reason of its output, `"failed"` if the run rejected,
 * or `"abandoned"` if the run was interrupted or waiting for an approval when the session continued
 * with a different message.
 */
export type SessionStopReason = AgentStopReason | "failed" | "abandoned";

/** The record members that are read when a session continues. */
export interface SessionRecord {
  /** Messages that the run added to the conversation. */
  readonly messages: readonly unknown[];
  /** History view in effect at the end of the run, not validated. */
  readonly history?: unknown;
}

/** Converts a run to a record. Bytes are encoded as base64. */
export function toSessionRecord(
  runId: string,
  stopReason: SessionStopReason,
  messages: readonly ModelMessage[],
  { history, messages: transcript, totalUsage: usage }: PartialLoopOutput,
): JsonValue {
  const view = history && withoutSystemIndex(history, transcript);
  return toStepValue(
    defined({ v: VERSION, runId, stopReason, usage, messages, history: view }),
  );
}

/** Converts `from` to an index into the session's messages, which contain no system message. */
function withoutSystemIndex(
  { head, from }: HistoryView,
  [first]: readonly ModelMessage[],
): HistoryView {
  return { head, from: first?.role === "system" ? Math.max(from - 1, 0) : from };
}

/**
 * Reads a record. Returns a description of the error if the record is invalid.
 *
 * @param index Number of records before the record. The run id of the record ends with this number,
 * so a different number means that a record is missing, repeated or in the wrong place.
 */
export function readSessionRecord(value: unknown, index: number): SessionRecord | string {
  if (!isRecord(value)) return "not a JSON object";
  const { v, runId, messages, history } = value;
  if (v !== VERSION) return `"v" must be ${VERSION}, got ${formatValue(v)}`;
  if (runId !== undefined && !String(runId).endsWith(`/${index}`)) {
    const id = formatValue(runId);
    return `"runId" must end with "/${index}", got ${id}: a record is missing or repeated`;
  }
  const decoded = fromStepValue(messages);
  if (!Array.isArray(decoded)) return '"messages" must be an array';
  return history === undefined
    ? { messages: decoded }
    : { messages: decoded, history: fromStepValue(history) };
}

/** The conversation of a session, and the history view to send. */
export interface SessionConversation {
  /** Messages of all records. */
  readonly messages: readonly ModelMessage[];
  /** History view of the last record. */
  readonly history: HistoryView | undefined;
}

/**
 * Joins the messages from records into a conversation.
 *
 * @throws {TypeError} If the messages do not form a valid conversation, or the history view is
 * invalid.
 * @throws {RangeError} If the index in the history view is out of range.
 */
export function joinRecords(records: readonly SessionRecord[]): SessionConversation {
  // The casts are safe because `readMessages` and `readHistoryView` validate the values.
  const messages = readMessages(records.flatMap((record) => record.messages) as ModelMessage[]);
  const last = records.at(-1)?.history as HistoryView | undefined;
  if (last === undefined) return { messages, history: undefined };
  const history = readHistoryView(last, messages.length);
  assertValidView(messages, history);
  return { messages, history };
}
