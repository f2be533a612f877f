/**
 * The record of a run in a session.
 *
 * @module
 */

import { assertValidView, readHistoryView, readMessages } from "../loop/conversation.ts";
import { formatSorted } from "../loop/decisions.ts";
import { rejectArgument } from "@parley/internal/assert-argument";
import { escapeText } from "@parley/internal/escape-text";
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
interface SessionRecord {
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
 * @param expectedRunId Run id of the record. It contains the id of the session and the number of
 * records before the record, so a different run id means that the record belongs to another
 * session, or that a record is missing, repeated or in the wrong place.
 */
function readSessionRecord(value: unknown, expectedRunId: string): SessionRecord | string {
  if (!isRecord(value)) return "not a JSON object";
  const { v, runId, messages, history } = value;
  if (v !== VERSION) return `"v" must be ${VERSION}, got ${formatValue(v)}`;
  if (runId !== undefined && runId !== expectedRunId) {
    const found = `got ${formatValue(runId)}`;
    const reason = "the record belongs to another session, or a record is missing or repeated";
    return `"runId" must be "${expectedRunId}", ${found}: ${reason}`;
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
 * Reads the records of a session and joins their messages into a conversation.
 *
 * @param values Records of the session, not validated.
 * @param runIdAt Returns the run id of the record at an index.
 * @throws {TypeError} If a record is invalid, the messages do not form a valid conversation, or the
 * history view is invalid.
 * @throws {RangeError} If the index in the history view is out of range.
 */
export function joinRecords(
  values: readonly unknown[],
  runIdAt: (index: number) => string,
): SessionConversation {
  const records = values.map((value, index) => {
    const record = readSessionRecord(value, runIdAt(index));
    if (typeof record !== "string") return record;
    throw new TypeError(escapeText(`record ${index}: ${record}`));
  });
  // The casts are safe because `readMessages` and `readHistoryView` validate the values.
  const messages = readMessages(records.flatMap((record) => record.messages) as ModelMessage[]);
  const last = records.at(-1)?.history as HistoryView | undefined;
  if (last === undefined) return { messages, history: undefined };
  const history = readHistoryView(last, messages.length);
  assertValidView(messages, history);
  return { messages, history };
}

/**
 * Returns true if a session has a record at an index: a concurrent execution of the same run, for
 * example for a repeated request, has read the same steps and added the run.
 *
 * @param values Records of the session, not validated.
 */
export function hasRecord(values: unknown, index: number, record: JsonValue): boolean {
  const stored: unknown = Array.isArray(values) ? values[index] : undefined;
  return stored !== undefined && formatSorted(stored) === formatSorted(record);
}

/**
 * Encodes a session id so that different sessions have different run ids, even if session ids
 * contain slashes.
 */
export function encodeRunIdPrefix(id: string): string {
  try {
    return encodeURIComponent(id);
  } catch {
    return rejectArgument("id", "a string without lone surrogates", id);
  }
}
