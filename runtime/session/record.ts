/**
 * The record of a run in a session.
 *
 * @module
 */

import { assertValidView, readHistoryView } from "../loop/conversation.ts";
import type { Conversation } from "../loop/known_conversation.ts";
import { emptyConversation, extendConversation } from "../loop/known_conversation.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import { rejectArgument } from "@parley/internal/assert-argument";
import { escapeText } from "@parley/internal/escape-text";
import { formatValue } from "@parley/internal/format-value";
import type { JsonObject, JsonValue } from "../shared/json.ts";
import { asRecord, defined, isRecord } from "@parley/internal/json";
import type { ModelMessage } from "../shared/model.ts";
import { AgentStopReason, type HistoryView, type PartialLoopOutput } from "../shared/output.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";
import type { SessionStore } from "./store.ts";

const VERSION = 1;

/**
 * Reason why a recorded run ended: the stop reason of its output, `"failed"` if the run rejected,
 * or `"abandoned"` if the run was interrupted or waiting for an approval when the session continued
 * with a different message.
 */
export type SessionStopReason = AgentStopReason | "failed" | "abandoned";

const STOP_REASONS: ReadonlySet<unknown> = new Set<SessionStopReason>([
  ...Object.values(AgentStopReason),
  "failed",
  "abandoned",
]);

/** Returns true if a value is the reason why a run of a session ended. */
export function isStopReason(value: unknown): value is SessionStopReason {
  return STOP_REASONS.has(value);
}

/** The record members that are read when a session continues. */
interface SessionRecord {
  /** Messages that the run added to the conversation. */
  readonly messages: readonly unknown[];
  /** History view in effect at the end of the run, not validated. */
  readonly history?: unknown;
}

/**
 * Converts a run to a record. Bytes are encoded as base64.
 *
 * @param output Output of the run. If omitted, the run has ended before its first step.
 */
export function toSessionRecord(
  runId: string,
  stopReason: SessionStopReason,
  messages: readonly ModelMessage[],
  output?: PartialLoopOutput,
): JsonValue {
  const { history, messages: transcript = [], totalUsage: usage } = output ?? {};
  const view = history && withoutSystemIndex(history, transcript);
  return toStepValue(
    defined({ v: VERSION, runId, stopReason, usage, messages, history: view }),
  );
}

/** Stop reasons of runs that may have ended in the middle of a response. */
const INTERRUPTED: ReadonlySet<unknown> = new Set<SessionStopReason>([
  "aborted",
  "abandoned",
  "failed",
  "terminated",
]);

/**
 * Adds the text of a response that has not ended to the record of its run, so that the session
 * contains what the user has read.
 */
export function withPartialText(record: JsonValue, text: string): JsonValue {
  if (text === "" || !isJsonObject(record)) return record;
  const { messages, stopReason } = record;
  if (!INTERRUPTED.has(stopReason) || !Array.isArray(messages)) return record;
  // If the process crashed after it had recorded the response, the record contains the text.
  const answer = messages.findLast((message) => asRecord(message).role === "assistant");
  if (textOf(asRecord(answer).content).startsWith(text)) return record;
  const message = { role: "assistant", content: [{ type: "text", text }] };
  return { ...record, messages: [...messages, message], isPartial: true };
}

/**
 * Adds the id that the client gave the user's message, and the epoch of the claim, to the record of
 * a run. The epoch distinguishes the record from equal records of a deleted session with the same
 * id.
 */
export function withClaim(
  record: JsonValue,
  { epoch, turnId }: { readonly epoch: number; readonly turnId: string | undefined },
): JsonValue {
  return isJsonObject(record) ? { ...record, epoch, ...defined({ turnId }) } : record;
}

/**
 * Returns the record of a run that was stopped. A run that is stopped before its session continues
 * it is abandoned by the session.
 */
export function toStopped(record: JsonValue): JsonValue {
  const isAbandoned = isJsonObject(record) && record.stopReason === "abandoned";
  return isAbandoned ? { ...record, stopReason: "aborted" } : record;
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isRecord(value);
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content.map((part) => asRecord(part)).map(({ text, type }) =>
    type === "text" && typeof text === "string" ? text : ""
  ).join("");
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

/** A run that is part of a session. */
export interface StoredSessionRun {
  /** Id of the run. */
  readonly runId: string;
  /** Reason why the run ended. */
  readonly stopReason: SessionStopReason;
  /** Messages that the run added to the conversation. */
  readonly messages: readonly ModelMessage[];
  /** Id that the client gave the user's message. Absent if the client gave none. */
  readonly turnId?: string;
  /** Whether the last message is the text of a response that was interrupted. */
  readonly isPartial?: true;
}

/**
 * Returns the runs of records that {@linkcode readRecords} has validated.
 *
 * @param start Index of the first record to return.
 */
export function toStoredRuns(
  sessionId: string,
  values: readonly unknown[],
  start = 0,
): readonly StoredSessionRun[] {
  const prefix = encodeRunIdPrefix(sessionId);
  return values.slice(Math.max(start, 0)).map((value, at) => {
    const { isPartial, messages, stopReason, turnId } = asRecord(value);
    // `readRecords` has validated the messages. Records of earlier versions may have other reasons.
    return {
      runId: `${prefix}/${start + at}`,
      stopReason: stopReason as SessionStopReason,
      messages: fromStepValue(messages) as ModelMessage[],
      ...typeof turnId === "string" && { turnId },
      ...isPartial === true && { isPartial },
    };
  });
}

/** The conversation of a session, and the history view to send. */
export interface SessionConversation {
  /** Messages of all records. */
  readonly messages: readonly ModelMessage[];
  /** History view of the last record. */
  readonly history: HistoryView | undefined;
}

/** The records of a session that were read. */
export interface ReadRecords extends SessionConversation {
  /** The records, as the store returned them. */
  readonly values: readonly unknown[];
  /** Total length of the records as JSON, in UTF-16 code units. */
  readonly chars: number;
  readonly conversation: Conversation;
}

/** The records of a session that has none. */
export function noRecords(): ReadRecords {
  const conversation = emptyConversation();
  const { messages } = conversation;
  return { values: [], chars: 0, conversation, messages, history: undefined };
}

/** Limits of a session, and the ids of its runs. */
export interface RecordRules {
  readonly maxRecords: number;
  readonly maxChars: number;
  /** Returns the run id of the record at an index. */
  readonly runIdAt: (index: number) => string;
}

/**
 * Reads further records of a session, and adds their messages to the conversation. The time depends
 * only on the further records, because a session reads its records before each run.
 *
 * @param known Records before the further ones.
 * @param added Further records, not validated.
 * @throws {TypeError} If a record is invalid, the messages do not form a valid conversation, or the
 * history view is invalid.
 * @throws {RangeError} If the session exceeds a limit, or the index in the history view is out of
 * range.
 */
export function readRecords(
  known: ReadRecords,
  added: readonly unknown[],
  { maxChars, maxRecords, runIdAt }: RecordRules,
): ReadRecords {
  if (added.length === 0 && known.values.length > 0) return known;
  const values = [...known.values, ...added];
  if (values.length > maxRecords) {
    throw new RangeError(`the session has ${values.length} records, more than ${maxRecords}`);
  }
  // `JSON.stringify` returns `undefined` for an `undefined` record, which only a faulty store
  // returns.
  const chars = added.reduce<number>(
    (sum, one) => sum + (JSON.stringify(one) ?? "").length,
    known.chars,
  );
  if (chars > maxChars) {
    throw new RangeError(`the records have ${chars} characters, more than ${maxChars}`);
  }
  const records = added.map((value, at) => {
    const index = known.values.length + at;
    const record = readSessionRecord(value, runIdAt(index));
    if (typeof record !== "string") return record;
    throw new TypeError(escapeText(`record ${index}: ${record}`));
  });
  // The casts are safe because `extendConversation` and `readHistoryView` validate the values.
  const further = records.flatMap((record) => record.messages) as ModelMessage[];
  const conversation = extendConversation(known.conversation, further);
  const { messages } = conversation;
  const last = records.at(-1)?.history as HistoryView | undefined;
  const history = last === undefined ? undefined : readHistoryView(last, messages.length);
  if (history !== undefined) assertValidView(messages, history);
  return { values, chars, conversation, messages, history };
}

/**
 * Reads the records of a session from its store: only those after the known records, if the store
 * still contains the known records.
 *
 * @param known Records that were read from the store before.
 * @returns The known records, or none if the store no longer contains them, and the records after
 * them, not validated.
 * @throws {TypeError} If the store does not return arrays.
 */
export async function loadRecords(
  store: SessionStore,
  sessionId: string,
  known: ReadRecords,
): Promise<{ readonly known: ReadRecords; readonly added: readonly unknown[] }> {
  const { values } = known;
  const last = values.at(-1);
  if (store.loadFrom !== undefined && values.length > 0) {
    const tail: unknown = await store.loadFrom(sessionId, values.length - 1);
    if (!Array.isArray(tail)) throw new TypeError('"store.loadFrom" must return an array');
    if (tail.length > 0 && isSameRecord(tail[0], last)) return { known, added: tail.slice(1) };
  }
  const loaded: unknown = await store.load(sessionId);
  if (!Array.isArray(loaded)) throw new TypeError('"store.load" must return an array');
  const isKnown = loaded.length >= values.length &&
    values.every((value, index) => value === loaded[index]);
  return isKnown
    ? { known, added: loaded.slice(values.length) }
    : { known: noRecords(), added: loaded };
}

function isSameRecord(first: unknown, second: unknown): boolean {
  return first === second || formatSorted(first) === formatSorted(second);
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
