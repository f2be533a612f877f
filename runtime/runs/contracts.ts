/**
 * The interfaces between durable runs and the engine that stores and delivers them.
 *
 * @module
 */

import type { RunFailure } from "../shared/run_failure.ts";
import type { JournalEntry } from "../journal/journal.ts";
import type { RunLog } from "../log/run_log.ts";
import type { JsonValue } from "../shared/json.ts";
import type { NewRun, RunRecord, RunSignal, RunStatus, RunWait } from "./run_record.ts";

/** A run that a worker has opened. */
export interface OpenRun {
  /** The run, with its new epoch. */
  readonly run: RunRecord;
  /** All recorded steps, keyed by step key. */
  readonly steps: ReadonlyMap<string, JournalEntry>;
  /** All signals of the run, keyed by signal key, in the order of their arrival. */
  readonly signals: ReadonlyMap<string, JsonValue>;
}

/**
 * Outcome that a worker records when it closes a run: the run has ended, is waiting, or is returned
 * to the queue.
 */
export type RunEnd =
  | {
    /** The run has a result. */
    readonly status: "done";
    /** Result of the run. */
    readonly result: JsonValue;
  }
  | {
    /** The run has failed. */
    readonly status: "failed";
    /** The run's error. */
    readonly error: RunFailure;
  }
  | {
    /** The run waits for signals or for a scheduled time. */
    readonly status: "waiting";
    /** Decisions, signals and scheduled times that the run waits for. */
    readonly waitingFor: readonly RunWait[];
    /** Earliest scheduled time that the run waits for, in ISO 8601 format (UTC). */
    readonly due?: string;
  }
  | {
    /** The worker returns the run to the queue, to be executed again. */
    readonly status: "queued";
    /**
     * Error that caused the run to be returned to the queue. Absent if the worker was stopped
     * during the run.
     */
    readonly error?: RunFailure;
  };

/**
 * Outcome of {@linkcode RunJournal.append}:
 *
 * - `"stored"`: the step is recorded.
 * - `"present"`: the run already has a step with this key, which stays unchanged.
 * - `"fenced"`: the run was opened again, cancelled or closed, and the worker must stop.
 */
export type AppendOutcome = "stored" | "present" | "fenced";

/**
 * Outcome of {@linkcode RunJournal.close}:
 *
 * - `"closed"`: the outcome is recorded.
 * - `"fenced"`: the run was opened again, cancelled or closed, and the worker must stop.
 * - `"signalled"`: the run has already received a signal that it would wait for, so the outcome is
 *   not recorded, and the run must be opened again.
 */
export type CloseOutcome = "closed" | "fenced" | "signalled";

/**
 * Outcome of {@linkcode RunJournal.signal}:
 *
 * - `"stored"`: the signal is recorded.
 * - `"present"`: the run already has this signal with the same value.
 * - `"conflict"`: the run already has this signal with a different value, which stays unchanged.
 * - `"ended"`: the run is done, failed or cancelled.
 * - `"full"`: the run does not wait for the signal and has reached the maximum number of signals.
 * - `"not_found"`: there is no run with this id.
 */
export type SignalOutcome = "stored" | "present" | "conflict" | "ended" | "full" | "not_found";

/** Position in a list of runs: the members of a {@linkcode RunRecord} that lists are sorted by. */
export interface RunPosition {
  /** Id of the run. */
  readonly runId: string;
  /**
   * Time of the last change to the run, in ISO 8601 format (UTC). Required if the list has the
   * order `"updated"`.
   */
  readonly updatedAt?: string;
}

/** Filter for {@linkcode RunJournal.list}. */
export interface RunFilter {
  /** Status of the runs to list. If omitted, the list contains runs with any status. */
  readonly status?: RunStatus;
  /** Name of the agent whose runs are listed. If omitted, the list contains runs of all agents. */
  readonly agent?: string;
  /** Text with which the ids of the runs start. If omitted, the list contains runs with any id. */
  readonly prefix?: string;
  /**
   * Order of the list: by id, in the order of Unicode code points, or by the time of the last
   * change, most recent first. Runs that changed in the same millisecond are sorted by id, in
   * descending order. A run that changes while a program reads page after page moves to the start
   * of the order `"updated"`.
   *
   * @default {"id"}
   */
  readonly order?: "id" | "updated";
  /**
   * Last run on the previous page, such as `page.at(-1)`. If omitted or `undefined`, the list
   * starts at the first run.
   */
  readonly after?: RunPosition | undefined;
  /**
   * Maximum number of runs; an integer between 1 and 1000.
   *
   * @default {100}
   */
  readonly limit?: number;
}

/**
 * Storage for durable runs: their state, steps and signals.
 *
 * A journal uses no leases, timers or polling. Opening a run raises its epoch, and only the worker
 * with the newest epoch can write, so any queue with at-least-once delivery is safe. Every journal
 * method is atomic, and its promise resolves when the change is stored durably.
 */
export interface RunJournal {
  /**
   * Adds a run with status `"queued"`. Its epoch is 0, or at least that of a deleted run with the
   * same id. Resolves to `false`, and changes nothing, if there is a run with the same id.
   *
   * If the party of the run has too many runs, the run of the party that ended first is deleted.
   *
   * @param run The run.
   * @param tx The caller's transaction, of a type that the engine defines. If omitted, the journal
   * uses its own transaction.
   * @throws {AgentError} With code `run_limit` if the party has too many runs, and none has ended.
   */
  create(run: NewRun, tx?: unknown): Promise<boolean>;
  /**
   * Opens a run to execute it: raises the epoch by 1, sets the status to `"running"`, clears the
   * last error and the list of waits, and loads all steps and signals. Resolves to `undefined` if
   * the run does not exist, or is done, failed or cancelled.
   *
   * If the stored run, a step or a signal is damaged, the run fails: the journal records the status
   * `"failed"` and the error, and rejects. A failed run is not delivered again.
   *
   * @param runId Id of the run.
   * @throws {AgentError} With code `run_damaged` if the stored data of the run is damaged.
   */
  open(runId: string): Promise<OpenRun | undefined>;
  /**
   * Records a step.
   *
   * @param runId Id of the run.
   * @param epoch Epoch of the worker.
   * @param entry The step.
   */
  append(runId: string, epoch: number, entry: JournalEntry): Promise<AppendOutcome>;
  /**
   * Closes a run.
   *
   * @param runId Id of the run.
   * @param epoch Epoch of the worker.
   * @param end Whether the run has ended, is waiting, or is returned to the queue.
   */
  close(runId: string, epoch: number, end: RunEnd): Promise<CloseOutcome>;
  /**
   * Records a signal. If several signals have the same key, only the first is stored. Signal keys
   * and step keys are independent of each other. If the run is waiting for the signal, its status
   * becomes `"queued"`. A signal for which the run waited when it was last closed is recorded even
   * if the run has reached the maximum number of signals. Decisions, whose keys start with the run
   * id and a slash, are counted separately from other signals.
   *
   * @param runId Id of the run.
   * @param key Key of the signal.
   * @param value Value of the signal.
   */
  signal(runId: string, key: string, value: JsonValue): Promise<SignalOutcome>;
  /**
   * Cancels a run and raises its epoch by 1, so that a worker that is executing the run can no
   * longer write. Resolves to `false`, and changes nothing, if the run does not exist, or is done,
   * failed or cancelled.
   *
   * @param runId Id of the run.
   */
  cancel(runId: string): Promise<boolean>;
  /**
   * Resolves to the run, or to `undefined` if the run does not exist. A run whose record is damaged
   * has the status `"failed"` and an error with code `run_damaged`.
   *
   * @param runId Id of the run.
   */
  get(runId: string): Promise<RunRecord | undefined>;
  /**
   * Lists runs. A damaged record does not hide other runs: it is listed in the
   * form that `get` returns, and the filter compares the stored status.
   *
   * @param filter Filter, order and pagination options. If omitted, the first 100 runs are
   * returned.
   */
  list(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /**
   * Iterates over the recorded steps of a run, in the order in which they were recorded.
   *
   * @param runId Id of the run.
   */
  steps(runId: string): AsyncIterable<JournalEntry>;
  /**
   * Iterates over the signals that a run has received, including decisions, in the order of their
   * arrival.
   *
   * @param runId Id of the run.
   */
  signals(runId: string): AsyncIterable<RunSignal>;
  /**
   * Deletes runs that are done, failed or cancelled, with their steps and signals. Resolves to the
   * number of deleted runs.
   *
   * @param before Runs whose last change is earlier than this time are deleted.
   */
  purge(before: Date): Promise<number>;
}

/** What a queue delivers: run id, agent name and version. The parties of runs can take turns. */
export type RunAddress = Pick<NewRun, "agent" | "party" | "runId" | "version">;

/** Name and version of an agent. */
export type AgentAddress = Pick<NewRun, "agent" | "version">;

/** Options for {@linkcode RunQueue.wake}. */
export interface WakeOptions {
  /**
   * Id of the delivery, unique for the run. While a delivery with this id is waiting or in
   * progress, `wake` has no effect.
   */
  readonly id: string;
  /** Earliest time of the delivery. If omitted, the run is delivered to the next free worker. */
  readonly due?: Date;
  /**
   * The caller's transaction, of a type that the engine defines. If omitted, the queue uses its own
   * transaction.
   */
  readonly tx?: unknown;
}

/** A delivery of a run to a worker. */
export interface RunDelivery {
  /** Number of the attempt, starting at 1. After a delay, an attempt follows one that throws. */
  readonly attempt: number;
  /**
   * Aborted when the run is dropped, the worker stops, or the queue delivers the run to another
   * worker.
   */
  readonly signal: AbortSignal;
}

/** Options for {@linkcode RunQueue.work}. */
export interface QueueWorkOptions {
  /** Maximum number of concurrent deliveries; a positive integer. */
  readonly concurrency: number;
  /** Signal that stops the worker. */
  readonly signal?: AbortSignal;
}

/**
 * Delivers runs to workers: at least once per call to `wake`, to one worker at a time, and again if
 * the worker crashes.
 */
export interface RunQueue {
  /**
   * Requests the delivery of a run. Resolves when the request is stored durably.
   *
   * @param run The run, agent and version.
   * @param options Id and time of the delivery.
   */
  wake(run: RunAddress, options: WakeOptions): Promise<void>;
  /**
   * Removes the pending deliveries of a cancelled run, and aborts the signal of its current
   * delivery.
   *
   * @param run The run, agent and version.
   */
  drop(run: RunAddress): Promise<void>;
  /**
   * Delivers runs until the signal is aborted. Resolves when all deliveries have ended.
   *
   * @param agents Names and versions of the agents whose runs are delivered.
   * @param options Maximum concurrency, and the signal that stops the worker.
   * @param handle Executes a run. If `handle` resolves, the delivery is complete. If `handle`
   * rejects, the run is delivered again after a delay that increases with each attempt, or without
   * a delay if the worker has been stopped.
   */
  work(
    agents: readonly AgentAddress[],
    options: QueueWorkOptions,
    handle: (runId: string, delivery: RunDelivery) => Promise<void>,
  ): Promise<void>;
}

/**
 * A journal and a queue that together store and deliver runs. Disposing of the engine stops its
 * workers and closes its storage.
 */
export interface RunEngine extends AsyncDisposable {
  /** Stores the runs. */
  readonly journal: RunJournal;
  /** Delivers queued runs to the workers. */
  readonly queue: RunQueue;
  /**
   * Log of the events of runs, with the ids of runs as keys. If omitted, the events of runs cannot
   * be stored.
   */
  readonly log?: RunLog;
}
