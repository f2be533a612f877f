/**
 * The record of a run in a session.
 *
 * @module
 */

import { readMessages } from "../loop/conversation.ts";
import { formatValue } from "../shared/format_value.ts";
import { isRecord, type JsonValue } from "../shared/json.ts";
import type { ModelMessage } from "../shared/model.ts";
import type { AgentStopReason, PartialLoopOutput } from "../shared/output.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";

const VERSION = 1;

/**
 * Why a recorded run ended: the stop reason of its output, `"failed"` if the run rejected, or `"abandoned"` if the run
 * was interrupted or waiting for an approval when the session continued with a different message.
 */
export type SessionStopReason = AgentStopReason | "failed" | "abandoned";

/** The part of a record that is read when a session continues. */
export interface SessionRecord {
  /** Messages that the run added to the conversation. */
  readonly messages: readonly unknown[];
}

/** Converts a run to a record. Bytes are encoded as base64. */
export function toSessionRecord(
  runId: string,
  stopReason: SessionStopReason,
  messages: readonly ModelMessage[],
  { totalUsage: usage }: Pick<PartialLoopOutput, "totalUsage">,
): JsonValue {
  return toStepValue({ v: VERSION, runId, stopReason, usage, messages });
}

/** Reads a record. Returns a description of the error if the record is invalid. */
export function readSessionRecord(value: unknown): SessionRecord | string {
  if (!isRecord(value)) return "not a JSON object";
  const { v, messages } = value;
  if (v !== VERSION) return `"v" must be ${VERSION}, got ${formatValue(v)}`;
  const decoded = fromStepValue(messages);
  return Array.isArray(decoded) ? { messages: decoded } : '"messages" must be an array';
}

/**
 * Joins the messages of records to a conversation.
 *
 * @throws {TypeError} If the messages are not a valid conversation.
 */
export function joinMessages(records: readonly SessionRecord[]): readonly ModelMessage[] {
  // `readMessages` validates the messages, which are unknown until then.
  const messages = records.flatMap((record) => record.messages) as ModelMessage[];
  return readMessages(messages);
}
