/**
 * The content of the logs of durable runs: claims, states and last events.
 *
 * @module
 */

import type { LogEntry } from "../log/log_entry.ts";
import type { RunClaim, RunHead, RunPhase } from "../log/run_log.ts";
import type { LoopEvent } from "../loop/events.ts";
import type { RunResult } from "../loop/run_result.ts";
import { AgentStopReason } from "../shared/output.ts";
import { NO_USAGE } from "../shared/usage.ts";
import type { RunEnd } from "./contracts.ts";
import type { RunFailure } from "../shared/run_failure.ts";
import type { RunRecord } from "./run_record.ts";
import { readRunResult } from "./run_result.ts";

/** Result of a run that was cancelled while no worker executed it. */
const CANCELLED: RunResult = {
  finalText: "",
  hasAnswer: false,
  stopReason: AgentStopReason.Aborted,
  totalUsage: NO_USAGE,
};

const UNKNOWN_FAILURE: RunFailure = { code: "Error", message: "unknown" };

/** Returns the phase of the log after an execution with the given outcome. */
export function phaseOf(end: RunEnd): Exclude<RunPhase, "running"> {
  if (end.status === "done" || end.status === "failed") return "ended";
  const isBlocked = end.status === "waiting" && end.waitingFor.some(({ kind }) => kind !== "time");
  return isBlocked ? "waiting" : "released";
}

/** Returns a claim on the log of a run. The record of the run contains the message. */
export function claimOf(
  { runId }: RunRecord,
  { epoch, isNew }: { readonly epoch: number; readonly isNew: boolean },
): RunClaim {
  // The record of the run contains the message and the metadata.
  const content = { turn: null, turnId: undefined, metadata: {} };
  return { runId, isNew, ...content, leaseMs: 0, seenEpoch: 0, epoch, keepRuns: 0 };
}

/** Returns the state of a run that no worker has opened yet. */
export function notStarted({ createdAt, runId }: RunRecord): RunHead {
  const at = Date.parse(createdAt);
  return {
    key: runId,
    runId,
    epoch: 0,
    phase: "released",
    isLeased: false,
    isStopping: false,
    turn: null,
    turnId: undefined,
    metadata: {},
    takeovers: 0,
    first: 0,
    count: 0,
    result: null,
    isReadable: true,
    startedAt: at,
    changedAt: at,
  };
}

/** Returns the event of a new state. */
export function stateOf({ runId }: RunRecord, state: RunPhase, at: number): LogEntry {
  return { type: "run_state", state, runId, path: [], at };
}

/** Returns the last event of a run that has ended, from its record. */
export function lastEventOf(run: RunRecord, at: number): LoopEvent {
  const { error, runId } = run;
  const result = readRunResult(run) ?? (run.status === "cancelled" ? CANCELLED : undefined);
  if (result === undefined) return failureOf(run, error ?? UNKNOWN_FAILURE, at);
  const output = { ...result, messages: [], iterations: [], usageByModel: {} };
  return { type: "run_finished", runId, path: [], at, stopReason: result.stopReason, output };
}

/** Returns true if an event is the end of a run, and not the start of a wait. */
export function isFinal(event: LogEntry, runId: string): boolean {
  if (event.runId !== runId) return false;
  return event.type === "run_failed" ||
    event.type === "run_finished" && event.output.pending === undefined;
}

/** Returns the last event of a run that has failed. */
export function failureOf(
  { runId }: RunRecord,
  { code, message }: RunFailure,
  at: number,
): LoopEvent {
  const error = new Error(message);
  error.name = code;
  return { type: "run_failed", runId, path: [], at, error };
}
