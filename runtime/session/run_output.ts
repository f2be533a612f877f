/**
 * The output of a run that is added to a session.
 *
 * @module
 */

import { asRecord, isRecord } from "@parley/internal/json";
import type { ModelMessage } from "../shared/model.ts";
import type { AgentStopReason, PartialLoopOutput } from "../shared/output.ts";
import type { SessionConversation } from "./record.ts";

/** The position of a run in its session. */
export interface SessionPosition extends SessionConversation {
  readonly runId: string;
  /** Whether a step runner records the steps of the run. */
  readonly isJournaled: boolean;
  /** Number of records in the session before the run. */
  readonly length: number;
}

/** Returns the messages that a run added to the conversation. */
export function addedMessages(
  { messages: earlier }: SessionConversation,
  { messages }: PartialLoopOutput,
): readonly ModelMessage[] {
  const start = messages[0]?.role === "system" ? 1 : 0;
  return messages.slice(start + earlier.length);
}

/** Returns the output that the loop has attached to an error. */
export function partialOutputOf(
  error: unknown,
): PartialLoopOutput & { readonly stopReason?: AgentStopReason } | undefined {
  const { partialOutput } = asRecord(error);
  return isOutput(partialOutput) ? partialOutput : undefined;
}

function isOutput(value: unknown): value is PartialLoopOutput {
  return isRecord(value) && Array.isArray(value.messages) && isRecord(value.totalUsage);
}
