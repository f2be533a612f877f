/**
 * The state of a session.
 *
 * @module
 */

import { asRecord, copyJson, defined, isRecord } from "@parley/internal/json";
import { assertTurn } from "../loop/conversation.ts";
import { readStoredResult, type RunResult } from "../loop/run_result.ts";
import { AgentError } from "../shared/error.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import type { JsonObject } from "../shared/json.ts";
import type { RunFailure } from "../shared/run_failure.ts";
import type { UserTurn } from "../shared/model.ts";
import type { PendingBatch } from "../shared/output.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";
import { isStopReason, type SessionStopReason, type StoredSessionRun } from "./record.ts";
import type { RunHead, RunHistoryPosition, RunLogFilter } from "../log/run_log.ts";
import type { SessionStatus } from "./session_filters.ts";

/** State of a session and of its newest run. */
export interface SessionSummary {
  /** Id of the session. */
  readonly sessionId: string;
  /** State of the session. */
  readonly status: SessionStatus;
  /** Id of the newest run. */
  readonly runId: string;
  /** Time of the last change of the state, in milliseconds since the Unix epoch. */
  readonly changedAt: number;
}

/** State of a run of a session. */
export interface SessionRun extends RunHistoryPosition {
  /** Id of the run. */
  readonly runId: string;
  /** Id of the session. */
  readonly sessionId: string;
  /** State of the run. */
  readonly status: "running" | "waiting" | "interrupted" | "ended";
  /** Time at which the run was started, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Time of the last change of the status, in milliseconds since the Unix epoch. */
  readonly changedAt: number;
  /** Metadata that the run was started with, or an empty object. */
  readonly metadata: JsonObject;
  /** Id that the client gave the user's message. Absent if the client gave none. */
  readonly turnId?: string;
  /** Reason why the run ended. Absent if the run has not ended, or its record was not stored. */
  readonly stopReason?: SessionStopReason;
  /** Error of a run that has failed. */
  readonly error?: RunFailure;
  /** Result of a run that has ended, and that neither failed nor was given up. */
  readonly result?: RunResult;
}

/** A run that is not part of its session yet. */
export interface CurrentSessionRun {
  /** Id of the run. */
  readonly runId: string;
  /** Number that is higher each time that a process claims the session. */
  readonly epoch: number;
  /** The user's message, which a reloaded page must show. */
  readonly turn: UserTurn | undefined;
  /** Id that the client gave the user's message. Absent if the client gave none. */
  readonly turnId?: string;
  /** The tool calls that wait for decisions. Present if the session is waiting. */
  readonly pending?: PendingBatch;
}

/** State of a session, with its conversation. */
export interface SessionState {
  /** State of the session. */
  readonly status: SessionStatus;
  /** Runs that are part of the session, oldest first. */
  readonly runs: readonly StoredSessionRun[];
  /** The run in progress. Absent if the session is idle. */
  readonly current?: CurrentSessionRun;
}

/** Returns the state of a session whose newest run is given. */
export function statusOf(head: RunHead | undefined): SessionStatus {
  if (head === undefined || head.phase === "ended") return "idle";
  if (head.phase === "waiting") return "waiting";
  return head.isLeased ? "running" : "interrupted";
}

/** Returns the state of a run. */
export function toSessionRun(head: RunHead): SessionRun {
  const { changedAt, key: sessionId, metadata, result, runId, startedAt, turnId } = head;
  const status = statusOf(head);
  const { error, result: stored, stopReason } = asRecord(result);
  const { code, message } = asRecord(error);
  return {
    runId,
    sessionId,
    status: status === "idle" ? "ended" : status,
    startedAt,
    changedAt,
    metadata: copyJson(metadata),
    ...turnId !== undefined && { turnId },
    ...isStopReason(stopReason) && { stopReason },
    ...typeof code === "string" && typeof message === "string" && { error: { code, message } },
    ...defined({ result: readStoredResult(stored) }),
  };
}

/** Returns the filter for the log. */
export function filterOf(
  status: SessionStatus,
): Pick<RunLogFilter, "isInterrupted" | "phase"> {
  switch (status) {
    case "idle":
      return { phase: "ended" };
    case "waiting":
      return { phase: "waiting" };
    case "running":
      return { phase: "running", isInterrupted: false };
    case "interrupted":
      return { isInterrupted: true };
  }
}

/** Returns true if a message is a repetition of the message that started the newest run. */
export function isSameTurn(
  head: RunHead,
  turn: UserTurn | undefined,
  { metadata = {}, turnId }: {
    readonly turnId?: string | undefined;
    readonly metadata?: JsonObject | undefined;
  },
): boolean {
  return turn !== undefined && turnId !== undefined && head.turnId === turnId &&
    formatSorted(head.turn) === formatSorted(toStepValue(turn)) &&
    formatSorted(head.metadata) === formatSorted(metadata);
}

/** Returns the user's message of a run. */
export function readStoredTurn(key: string, turn: unknown): UserTurn | undefined {
  const value = fromStepValue(turn) ?? undefined;
  try {
    assertTurn("turn", value);
    return value;
  } catch (cause) {
    throw AgentError.core(`Cannot read the message of session "${key}": it is damaged`, { cause });
  }
}

/** Returns the tool calls that a waiting run has left. */
export function readPending(result: unknown): PendingBatch | undefined {
  const value = fromStepValue(result);
  // The batch was written by `ActiveRun`.
  return isRecord(value) && isRecord(value.pending)
    ? value.pending as unknown as PendingBatch
    : undefined;
}
