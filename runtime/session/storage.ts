/**
 * Storage for sessions that several processes serve.
 *
 * @module
 */

import type { JournalEntry } from "../journal/journal.ts";
import type { JsonValue } from "../shared/json.ts";
import type { RunFinish, RunLog } from "../log/run_log.ts";
import type { SessionStore } from "./store.ts";

/** Records of sessions, as for {@linkcode SessionStore}, that can also be counted and removed. */
export interface SessionRecords extends SessionStore {
  /**
   * Returns the number of records of a session.
   *
   * @param sessionId Id of the session.
   */
  count(sessionId: string): Promise<number>;
  /**
   * Removes the last record of a session. The check and the removal must be one atomic operation.
   *
   * @param sessionId Id of the session.
   * @param expectedLength Number of records that the session must have; a positive integer.
   * @returns `false`, without a change, if the session does not have `expectedLength` records.
   */
  removeLast(sessionId: string, expectedLength: number): Promise<boolean>;
}

/** Steps of the newest run of each session, so that another process can continue the run. */
export interface StepStore {
  /**
   * Returns the steps of the session's run, in any order.
   *
   * @param key Id of the session.
   */
  load(key: string): Promise<readonly JournalEntry[]>;
  /**
   * Records a step. The check of the epoch and of the step's key, and the addition, must be one
   * atomic operation.
   *
   * @param key Id of the session.
   * @param epoch Epoch of the caller's claim.
   * @param entry Step to record.
   * @returns `"fenced"`, without recording the step, if the caller does not hold the run anymore;
   * `"present"` if a step with the same key is recorded.
   */
  put(key: string, epoch: number, entry: JournalEntry): Promise<"stored" | "present" | "fenced">;
  /**
   * Deletes the steps of a session's run.
   *
   * @param key Id of the session.
   */
  delete(key: string): Promise<void>;
}

/** The end of a run that becomes part of its session. */
export interface SessionEnd extends RunFinish {
  /** Record of the run. */
  readonly record: JsonValue;
  /** Number of records that the session must have. */
  readonly expectedLength: number;
}

/**
 * Storage for sessions: the records of ended runs, the log of the newest run, and the steps with
 * which another process can continue a run. {@linkcode memoryStorage} keeps sessions in memory,
 * `sqliteStorage` from `@parley/runtime/sqlite` in a file, and `postgresStorage` from
 * `@parley/runtime/postgres` in a PostgreSQL database. `sessionStorageChecks` from
 * `@parley/runtime/testing` check a storage.
 */
export interface SessionStorage extends AsyncDisposable {
  /** Records of ended runs. */
  readonly records: SessionRecords;
  /** Log of the newest run of each session. */
  readonly log: RunLog;
  /**
   * Steps of the newest run of each session. If omitted, an interrupted run cannot be continued: it
   * is added to the session as failed, with the text that was received.
   */
  readonly steps?: StepStore;
  /**
   * Adds the record, ends the run and deletes its steps in one transaction. If omitted, the three
   * changes are made one after the other, in this order; after a crash between them, the run is
   * ended when the session is next used.
   *
   * @param key Id of the session.
   * @param epoch Epoch of the caller's claim.
   * @param end Record and last entries.
   * @returns `"fenced"` if the caller does not hold the run anymore; `"conflict"` if the session
   * does not have the expected number of records. Nothing is changed in both cases.
   */
  commit?(key: string, epoch: number, end: SessionEnd): Promise<"stored" | "fenced" | "conflict">;
  /**
   * Deletes a session: its records, steps and runs. The check and the deletion must be one atomic
   * operation.
   *
   * @param key Id of the session.
   * @param epoch Epoch that the session must have; 0 for a session that has had no run.
   * @returns `false`, without a change, if the session has another epoch, or a process holds the
   * lease of its run.
   */
  delete(key: string, epoch: number): Promise<boolean>;
}
