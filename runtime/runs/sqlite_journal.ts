/**
 * A journal for durable runs in an SQLite database.
 *
 * @module
 */

import type { RunFailure } from "../shared/run_failure.ts";
import type { JournalEntry } from "../journal/journal.ts";
import { formatSorted } from "../shared/format_sorted.ts";
import type { JsonValue } from "../shared/json.ts";
import { asRecord, type UnknownRecord } from "@parley/internal/json";
import type { RunClock } from "./clock.ts";
import type {
  AppendOutcome,
  CloseOutcome,
  OpenRun,
  RunEnd,
  RunFilter,
  RunJournal,
  SignalOutcome,
} from "./contracts.ts";
import type { NewRun, RunRecord, RunSignal } from "./run_record.ts";
import {
  awaitedKeysOf,
  decisionPrefixOf,
  isEnded,
  type StoredJournalLimits,
  tooManyRuns,
} from "./memory_journal.ts";
import type { SqliteDeliveries } from "./sqlite_deliveries.ts";
import { type ListDialect, toListQuery } from "./list_query.ts";
import { ENDED, UPDATED_AT } from "./sqlite_schema.ts";
import type { SqliteStore } from "../shared/sqlite_store.ts";
import {
  digestOf,
  isDamaged,
  readRecord,
  readSignal,
  readStep,
  textOrNull,
  toRecord,
} from "./stored_rows.ts";

/** An epoch, or null if it is damaged. A run is not opened as often as the maximum. */
const EPOCH = `case when epoch between 0 and ${2 ** 40} then epoch end`;

/**
 * Columns of a run's row. An epoch that JavaScript cannot represent is read as null, and the row
 * counts as damaged.
 */
const RECORD = `run_id, agent, version, input, status, waiting_for, due, result, error, created_at,
  updated_at, party, metadata, case when epoch between 0 and ${Number.MAX_SAFE_INTEGER} then epoch end as epoch`;

const INSERT = "insert into run values (?, ?, ?, ?, 'queued', ?, '[]', ?, null, null, ?, ?, ?, ?)";
const INSERT_STEP =
  "insert into step (run_id, key, entry, digest) values (?, ?, ?, ?) on conflict do nothing";
const INSERT_SIGNAL = "insert into signal (run_id, key, entry, digest) values (?, ?, ?, ?)";
const RAISE_FENCE = "update fence set epoch = max(epoch, ?)";
const FIND = `select ${RECORD} from run where run_id = ?`;
const FIND_OPEN = `${FIND} and status not in ${ENDED}`;
const FAIL = `update run set status = 'failed', waiting_for = '[]', due = null, error = ?,
  updated_at = ? where run_id = ?`;
const UPDATE = `update run set status = ?, epoch = ?, due = ?, result = ?, error = ?,
  updated_at = ? where run_id = ?`;
const SET_WAITS = "update run set waiting_for = ? where run_id = ?";
/** Looks up a key among the signals for which the run waited when it was last closed. */
const IS_AWAITED = `select 1 from run, json_each(waiting_for) as wait
  where run_id = ? and wait.value ->> 'kind' <> 'time' and wait.value ->> 'key' = ?`;
const COUNT_PARTY = "select count(*) as n from run where party = ?";
const FIRST_ENDED =
  `select run_id, ${EPOCH} as epoch from run where party = ? and status in ${ENDED}
  order by updated_at, run_id limit 1`;
/** Counts the signals whose keys have a prefix, or do not have it. */
const COUNT_SIGNALS = `select count(*) as n from signal
  where run_id = ? and (substr(key, 1, length(?)) = ?) = ?`;
const LIST = `select ${RECORD} from run`;
const LIST_DIALECT: ListDialect = {
  updatedAt: UPDATED_AT,
  parameter: () => "?",
  time: (parameter) => parameter,
};

/** Options for {@linkcode SqliteRunJournal}. */
export interface SqliteRunJournalOptions extends StoredJournalLimits {
  /** Clock for recorded times. */
  readonly clock: RunClock;
}

/**
 * Stores runs in a database. Every method is one transaction, which also requests the delivery that
 * its change requires.
 */
export class SqliteRunJournal implements RunJournal {
  readonly #store: SqliteStore;
  readonly #deliveries: SqliteDeliveries;
  readonly #options: SqliteRunJournalOptions;

  constructor(
    store: SqliteStore,
    deliveries: SqliteDeliveries,
    options: SqliteRunJournalOptions,
  ) {
    this.#store = store;
    this.#deliveries = deliveries;
    this.#options = options;
  }

  async create(run: NewRun, tx?: unknown): Promise<boolean> {
    await null;
    if (tx !== undefined) {
      throw new TypeError('"tx" must be omitted: the engine has no transactions');
    }
    const { agent, due, input, metadata, party = null, runId, version } = run;
    return this.#store.transaction(() => {
      if (this.#store.get("select 1 from run where run_id = ?", runId) !== undefined) return false;
      this.#makeRoom(run);
      const time = this.#time();
      const epoch = Number(asRecord(this.#store.get("select epoch from fence")).epoch);
      const text = JSON.stringify(input);
      const values = [runId, agent, version, text, epoch, due ?? null, time, time, party];
      this.#store.run(INSERT, ...values, textOrNull(metadata));
      this.#deliveries.request(run, String(epoch), toDate(due));
      return true;
    });
  }

  /** Deletes the run of a party that ended first if the party has too many runs. */
  #makeRoom(run: NewRun): void {
    const { party } = run;
    const { maxPartyRuns } = this.#options;
    if (party === undefined) return;
    const { n } = asRecord(this.#store.get(COUNT_PARTY, party));
    if (Number(n) < maxPartyRuns) return;
    const ended = this.#store.get(FIRST_ENDED, party);
    if (ended === undefined) throw tooManyRuns(run, maxPartyRuns);
    const { epoch, run_id: id } = asRecord(ended);
    const runId = String(id);
    this.#store.run(RAISE_FENCE, Number(epoch));
    for (const table of ["step", "signal", "run"]) {
      this.#store.run(`delete from ${table} where run_id = ?`, runId);
    }
    this.#deliveries.forget(runId);
  }

  async open(runId: string): Promise<OpenRun | undefined> {
    await null;
    try {
      return this.#store.transaction(() => this.#open(runId));
    } catch (error) {
      if (isDamaged(error)) this.#fail(runId, error);
      throw error;
    }
  }

  async append(runId: string, epoch: number, entry: JournalEntry): Promise<AppendOutcome> {
    await null;
    return this.#store.transaction(() => {
      if (this.#findHeld(runId, epoch) === undefined) return "fenced";
      const text = JSON.stringify(entry);
      const digest = digestOf(runId, entry.key, text);
      const changes = this.#store.run(INSERT_STEP, runId, entry.key, text, digest);
      return changes === 1 ? "stored" : "present";
    });
  }

  async close(runId: string, epoch: number, end: RunEnd): Promise<CloseOutcome> {
    await null;
    return this.#store.transaction(() => {
      const run = this.#findHeld(runId, epoch);
      if (run === undefined) return "fenced";
      const isSignalled = awaitedKeysOf(end).some((key) =>
        this.#store.get("select 1 from signal where run_id = ? and key = ?", runId, key)
      );
      if (isSignalled) return "signalled";
      if (end.status !== "queued") {
        const waits = end.status === "waiting" ? end.waitingFor : [];
        this.#store.run(SET_WAITS, JSON.stringify(waits), runId);
      }
      this.#save({ ...run, ...end, updatedAt: this.#time() });
      this.#requestNext(run, end);
      return "closed";
    });
  }

  /** Requests the delivery that the end of an execution requires. */
  #requestNext(run: RunRecord, end: RunEnd): void {
    if (end.status === "queued") this.#deliveries.requeue(run, String(run.epoch));
    else if (end.status !== "waiting") this.#deliveries.forget(run.runId);
    else if (end.due !== undefined) {
      this.#deliveries.request(run, `due/${run.epoch}`, toDate(end.due));
    }
  }

  async signal(runId: string, key: string, value: JsonValue): Promise<SignalOutcome> {
    await null;
    return this.#store.transaction(() => {
      const run = this.#find(runId);
      if (run === undefined) return "not_found";
      if (isEnded(run.status)) return "ended";
      const row = this.#store.get("select * from signal where run_id = ? and key = ?", runId, key);
      if (row !== undefined) {
        const { value: existing } = readSignal(runId, asRecord(row));
        return formatSorted(existing) === formatSorted(value) ? "present" : "conflict";
      }
      const isAwaited = this.#store.get(IS_AWAITED, runId, key) !== undefined;
      if (!isAwaited && this.#isFull(runId, key)) return "full";
      const text = JSON.stringify(value);
      const digest = digestOf(runId, key, text);
      this.#store.run(INSERT_SIGNAL, runId, key, text, digest);
      if (isAwaited && run.status === "waiting") {
        const { due: _, ...rest } = run;
        this.#save({ ...rest, status: "queued", updatedAt: this.#time() });
        // The run no longer waits for its due time.
        this.#deliveries.forget(runId);
        this.#deliveries.request(run, String(run.epoch));
      }
      return "stored";
    });
  }

  /** Returns true if there is no room for a signal for which the run does not wait. */
  #isFull(runId: string, key: string): boolean {
    const prefix = decisionPrefixOf(runId);
    const isDecision = key.startsWith(prefix) ? 1 : 0;
    const { n } = asRecord(this.#store.get(COUNT_SIGNALS, runId, prefix, prefix, isDecision));
    return Number(n) >= this.#options.maxSignals;
  }

  async cancel(runId: string): Promise<boolean> {
    await null;
    return this.#store.transaction(() => {
      const record = this.#find(runId);
      if (record === undefined || isEnded(record.status)) return false;
      const { due: _, error: __, ...run } = record;
      const epoch = run.epoch + 1;
      this.#save({ ...run, status: "cancelled", epoch, updatedAt: this.#time() });
      this.#deliveries.drop(runId);
      return true;
    });
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    await null;
    return this.#find(runId);
  }

  async list(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    await null;
    const { clauses, values } = toListQuery(filter, LIST_DIALECT);
    const rows = this.#store.all(`${LIST} ${clauses}`, ...values);
    return rows.map((row) => toRecord(asRecord(row)));
  }

  async *steps(runId: string): AsyncIterable<JournalEntry> {
    await null;
    yield* this.#readSteps(runId);
  }

  async *signals(runId: string): AsyncIterable<RunSignal> {
    await null;
    yield* this.#readSignals(runId);
  }

  async purge(before: Date): Promise<number> {
    await null;
    return this.#store.transaction(() => {
      const ended = `select run_id from run where status in ${ENDED} and updated_at < ?`;
      const time = before.toISOString();
      const { epoch } = asRecord(
        this.#store.get(`select max(${EPOCH}) as epoch from run where run_id in (${ended})`, time),
      );
      this.#store.run(RAISE_FENCE, Number(epoch));
      for (const { run_id: runId } of this.#store.all(ended, time).map(asRecord)) {
        this.#deliveries.forget(String(runId));
      }
      for (const table of ["step", "signal"]) {
        this.#store.run(`delete from ${table} where run_id in (${ended})`, time);
      }
      return this.#store.run(`delete from run where run_id in (${ended})`, time);
    });
  }

  #open(runId: string): OpenRun | undefined {
    const row = this.#store.get(FIND_OPEN, runId);
    if (row === undefined) return undefined;
    const { due: _, error: __, ...rest } = readRecord(asRecord(row));
    const run: RunRecord = {
      ...rest,
      status: "running",
      epoch: rest.epoch + 1,
      waitingFor: [],
      updatedAt: this.#time(),
    };
    const steps = new Map(this.#readSteps(runId).map((entry) => [entry.key, entry]));
    const signals = new Map(this.#readSignals(runId).map(({ key, value }) => [key, value]));
    this.#save(run);
    return { run, steps, signals };
  }

  /** Marks a damaged run as failed. */
  #fail(runId: string, { code, message }: RunFailure): void {
    this.#store.run(FAIL, JSON.stringify({ code, message }), this.#time(), runId);
  }

  #readSteps(runId: string): readonly JournalEntry[] {
    return this.#readEntries("step", runId).map((row) => readStep(runId, row));
  }

  #readSignals(runId: string): readonly RunSignal[] {
    return this.#readEntries("signal", runId).map((row) => readSignal(runId, row));
  }

  /** Reads the rows of a table in the order in which they were stored. */
  #readEntries(table: "signal" | "step", runId: string): readonly UnknownRecord[] {
    const sql = `select key, entry, digest from ${table} where run_id = ? order by id`;
    return this.#store.all(sql, runId).map(asRecord);
  }

  #find(runId: string): RunRecord | undefined {
    const row = this.#store.get(FIND, runId);
    return row === undefined ? undefined : toRecord(asRecord(row));
  }

  /** Returns the run if the worker with the given epoch can write. */
  #findHeld(runId: string, epoch: number): RunRecord | undefined {
    const run = this.#find(runId);
    return run?.status === "running" && run.epoch === epoch ? run : undefined;
  }

  #save({ due, epoch, error, result, runId, status, updatedAt }: RunRecord): void {
    this.#store.run(
      UPDATE,
      status,
      epoch,
      due ?? null,
      textOrNull(result),
      textOrNull(error && { ...error }),
      updatedAt,
      runId,
    );
  }

  #time(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}

function toDate(time: string | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
