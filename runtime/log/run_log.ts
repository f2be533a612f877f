/**
 * The log of runs: the process that executes a run, and the events so far.
 *
 * @module
 */

import type { JsonObject, JsonValue } from "../shared/json.ts";

/**
 * Phase of a run:
 *
 * - `"running"`: a process executes the run, and renews its lease.
 * - `"released"`: the process that executed the run has stopped, so another process may continue
 *   the run.
 * - `"waiting"`: the run waits for a decision or a signal.
 * - `"ended"`: the run is part of the session.
 */
export type RunPhase = "running" | "released" | "waiting" | "ended";

/** State of a run. The log computes the times with its own clock, because processes differ. */
export interface RunHead {
  /** Id of the session. */
  readonly key: string;
  /** Id of the run. */
  readonly runId: string;
  /**
   * Number of the newest claim of the session, which is higher than those of all earlier claims.
   * Only the process with this claim can write.
   */
  readonly epoch: number;
  /** Phase of the run. */
  readonly phase: RunPhase;
  /** Whether the phase is `"running"` and the lease has not expired. */
  readonly isLeased: boolean;
  /** Whether the process that executes the run must stop it. */
  readonly isStopping: boolean;
  /** The user's message, in the form in which it is stored, or `null`. */
  readonly turn: JsonValue;
  /** Id that the client gave the message, if any. */
  readonly turnId: string | undefined;
  /** Data of the program about the run. */
  readonly metadata: JsonObject;
  /**
   * Number of times that another process has claimed the run because its lease had expired, and not
   * because the run was released or waited.
   */
  readonly takeovers: number;
  /** Index of the first entry of the newest epoch. */
  readonly first: number;
  /** Index after the last entry. The index continues when another process claims the same run. */
  readonly count: number;
  /** Result of the run at its end or while it waits, as passed to `finish`, or `null`. */
  readonly result: JsonValue;
  /** Whether the entries can be read: the run has not ended, or ended a moment ago. */
  readonly isReadable: boolean;
  /** Time at which the run was first claimed, in milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** Time of the last change of the phase, in milliseconds since the Unix epoch. */
  readonly changedAt: number;
}

/** A claim on the execution of a run. */
export interface RunClaim {
  /** Id of the run. */
  readonly runId: string;
  /**
   * Whether a run starts. The entries and the steps of the earlier run are deleted, and its state
   * is kept for {@linkcode RunLog.find} if it has ended.
   */
  readonly isNew: boolean;
  /** The user's message, in the form in which it is stored, or `null`. */
  readonly turn: JsonValue;
  /** Id that the client gave the message. */
  readonly turnId: string | undefined;
  /** Data of the program about the run. */
  readonly metadata: JsonObject;
  /** Duration of the lease, in milliseconds. */
  readonly leaseMs: number;
  /** Epoch that the caller has seen, or 0. Only one of several callers can claim a run. */
  readonly seenEpoch: number;
  /**
   * Epoch of the claim, for a caller whose epochs come from elsewhere, such as the journal of
   * durable runs. The claim then succeeds if the epoch in the log is lower, whether or not another
   * process holds the lease, and `seenEpoch` is not compared.
   */
  readonly epoch?: number;
  /**
   * Maximum number of earlier runs of the session whose states are kept; an integer of 0 or more.
   */
  readonly keepRuns: number;
}

/** End of the execution of a run, which ends, waits or is released. */
export interface RunFinish {
  /** New phase. */
  readonly phase: Exclude<RunPhase, "running">;
  /** Last entries, which are added before the phase changes. */
  readonly entries: readonly JsonValue[];
  /** Time for which the entries of an ended run can be read, in milliseconds. */
  readonly keepMs: number;
  /** Result that the log stores, or `null`. */
  readonly result: JsonValue;
}

/**
 * Whether the caller still executes the run: `"fenced"` if another process has claimed the run, or
 * the run has ended; `"stop"` if the caller must stop the run.
 */
export type RunHold = "held" | "stop" | "fenced";

/** A part of the entries of a run. */
export interface RunRange {
  /** Index of the first entry to read. */
  readonly from: number;
  /** Maximum number of entries; a positive integer. */
  readonly limit: number;
}

/** Selects runs. */
export interface RunLogFilter {
  /** Only runs that no process executes: the phase is `"released"`, or the lease has expired. */
  readonly isInterrupted?: boolean;
  /** Only runs in this phase. */
  readonly phase?: RunPhase;
  /** Only sessions whose id is greater, in the order of the result. */
  readonly after?: string;
  /** Maximum number of runs; a positive integer. */
  readonly limit: number;
}

/** Position in a list of runs that is ordered by time. */
export interface RunHistoryPosition {
  /** Time of the last change of the run, in milliseconds since the Unix epoch. */
  readonly changedAt: number;
  /** Id of the run. */
  readonly runId: string;
}

/** Selects runs for {@linkcode RunLog.history}. */
export interface RunHistoryFilter {
  /** Only runs of sessions whose id starts with this text. */
  readonly prefix?: string;
  /** Only runs after the last run of the previous page. */
  readonly after?: RunHistoryPosition;
  /** Maximum number of runs; a positive integer. */
  readonly limit: number;
}

/** Which data {@linkcode RunLog.purge} deletes. */
export interface RunPurge {
  /**
   * Time for which the states of runs that are not the newest of their session are kept, in
   * milliseconds.
   */
  readonly keepRunsMs: number;
}

/**
 * The log of the newest run of each session, shared by all processes that serve the sessions.
 * Durable runs use the same log, with the id of the run as `key`.
 *
 * A process claims a run for a limited time and renews the claim while it executes the run. Each
 * claim increases the epoch of the session, and a write with an older epoch is rejected, so a
 * process that was suspended for longer than its lease cannot write anymore. All methods must
 * reject, rather than wait indefinitely, if the storage does not respond.
 */
export interface RunLog {
  /**
   * Claims the execution of a run. The claim succeeds if the session has no run and `seenEpoch` is
   * 0, or if the epoch of the session is `seenEpoch` and no process holds the lease. Without
   * `isNew`, the claim fails if the run has ended since the caller has read it. The check, the
   * claim and, for a new run, the deletion of the entries and steps of the earlier run must be one
   * atomic operation. Without `epoch`, the new epoch is higher than all epochs of the session, also
   * of a deleted session with the same id.
   *
   * @param key Id of the session.
   * @param claim Run and lease.
   * @returns The new state, or `undefined` if another process was faster or holds the lease.
   */
  claim(key: string, claim: RunClaim): Promise<RunHead | undefined>;
  /**
   * Returns the state of the newest run, or `undefined` if the session has never had a run.
   *
   * @param key Id of the session.
   */
  head(key: string): Promise<RunHead | undefined>;
  /**
   * Adds entries after the last entry. The check of the epoch and the addition must be one atomic
   * operation.
   *
   * @param key Id of the session.
   * @param epoch Epoch of the caller's claim.
   * @param entries Entries to add.
   */
  append(key: string, epoch: number, entries: readonly JsonValue[]): Promise<RunHold>;
  /**
   * Renews the lease.
   *
   * @param key Id of the session.
   * @param epoch Epoch of the caller's claim.
   * @param leaseMs Duration of the lease, starting now, in milliseconds.
   */
  renew(key: string, epoch: number, leaseMs: number): Promise<RunHold>;
  /**
   * Adds the last entries, and ends the execution of the run.
   *
   * @param key Id of the session.
   * @param epoch Epoch of the caller's claim.
   * @param finish New phase, last entries and result.
   * @returns `false`, without a change, if the caller does not hold the run anymore.
   */
  finish(key: string, epoch: number, finish: RunFinish): Promise<boolean>;
  /**
   * Asks the process that executes a run to stop it.
   *
   * @param key Id of the session.
   * @param epoch Epoch of the run to stop.
   * @returns `false` if no process executes the run with this epoch.
   */
  requestStop(key: string, epoch: number): Promise<boolean>;
  /**
   * Returns entries that were added with an epoch, oldest first. Returns an empty array for an
   * epoch whose entries were deleted.
   *
   * @param key Id of the session.
   * @param epoch Epoch of the entries.
   * @param range First index and maximum number.
   */
  read(key: string, epoch: number, range: RunRange): Promise<readonly JsonValue[]>;
  /**
   * Resolves when the newest run of a session may differ from a state: immediately if it has
   * changed since the state was read, and at the latest after a time that the storage chooses,
   * because a lease can expire without a change. Rejects if the storage fails.
   *
   * @param seen State that the caller has read.
   * @param signal Ends the wait.
   */
  changed(seen: RunHead, signal: AbortSignal): Promise<void>;
  /**
   * Lists the newest runs of sessions, in the order of the session ids.
   *
   * @param filter Which runs to list.
   */
  list(filter: RunLogFilter): Promise<readonly RunHead[]>;
  /**
   * Returns the state of a run: the newest run of its session, or an earlier one whose state is
   * kept. Returns `undefined` for other runs. An earlier run has no entries.
   *
   * @param runId Id of the run.
   */
  find(runId: string): Promise<RunHead | undefined>;
  /**
   * Lists the newest runs of sessions and the earlier runs whose states are kept, the most recently
   * changed first. Runs that changed at the same time are in the descending order of their ids.
   *
   * @param filter Which runs to list.
   */
  history(filter: RunHistoryFilter): Promise<readonly RunHead[]>;
  /**
   * Deletes the runs of a session, with their entries. The check and the deletion must be one
   * atomic operation.
   *
   * @param key Id of the session.
   * @param epoch Epoch that the session must have.
   * @returns `false`, without a change, if the session has another epoch, or a process holds the
   * lease.
   */
  delete(key: string, epoch: number): Promise<boolean>;
  /**
   * Deletes the entries of ended runs that cannot be read anymore, and the states of earlier runs.
   *
   * @param purge Time for which the states are kept.
   * @returns Number of sessions whose entries were deleted.
   */
  purge(purge: RunPurge): Promise<number>;
}

/** Returns true if no process executes a run that has neither ended nor waits. */
export function isInterruptedRun({ isLeased, phase }: RunHead): boolean {
  return phase === "released" || phase === "running" && !isLeased;
}

/**
 * Returns true if two states are those of one run. A run that replaces the newest response, and a
 * run of a session that was deleted and begins again, have the id of an earlier run.
 */
export function isSameRun(one: RunHead, other: RunHead | undefined): boolean {
  return one.runId === other?.runId && one.startedAt === other.startedAt;
}

/**
 * Returns true if a run has changed since its state was read. The epoch of a run that the log does
 * not contain yet is 0.
 */
export function hasChanged(seen: RunHead, now: RunHead | undefined): boolean {
  if (now === undefined) return seen.epoch !== 0;
  return seen.epoch !== now.epoch || seen.count !== now.count || seen.phase !== now.phase ||
    seen.isStopping !== now.isStopping;
}
