/**
 * A journal for durable runs in an SQLite database.
 *
 * @module
 */

import type { JournalEntry } from "../journal/journal.ts";
import { formatSorted } from "../loop/decisions.ts";
import type { JsonValue } from "../shared/json.ts";
import { asRecord, defined } from "@parley/internal/json";
import type { RunClock } from "./clock.ts";
import type {
  AppendOutcome,
  CloseOutcome,
  NewRun,
  OpenRun,
  RunAddress,
  RunEnd,
  RunFailure,
  RunFilter,
  RunJournal,
  RunRecord,
  SignalOutcome,
  WakeOptions,
} from "./contracts.ts";
import {
  awaitedKeysOf,
  decisionPrefixOf,
  DEFAULT_PAGE,
  isEnded,
  type StoredJournalLimits,
  tooManyRuns,
} from "./memory_journal.ts";
import {
  digestOf,
  isDamaged,
  readRecord,
  readSignal,
  readStep,
  textOrNull,
  toRecord,
} from "./stored_rows.ts";

type Value = string | number | null;

/** A prepared statement, as provided by all supported versions of `node:sqlite`. */
interface SqliteStatement {
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
  run(...values: Value[]): { readonly changes: number | bigint };
}

/** The database methods that the journal uses. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
}

/**
 * SQL that creates the tables. Steps and signals contain a digest, which reveals changes by other
 * programs.
 */
export const SCHEMA = `
create table run (
  run_id text primary key, agent text not null, version text not null, input text not null,
  status text not null, epoch integer not null, waiting_for text not null, due text, result text,
  error text, created_at text not null, updated_at text not null, party text
) strict, without rowid;
create index run_status on run (status, agent, run_id);
create index run_party on run (party, updated_at, run_id) where party is not null;
create table step (
  id integer primary key, run_id text not null, key text not null, entry text not null,
  digest text not null, unique (run_id, key)
) strict;
create table signal (
  run_id text not null, key text not null, entry text not null, digest text not null,
  primary key (run_id, key)
) strict, without rowid;
`;

/** An epoch, or null if it is damaged. A run is not opened as often as the maximum. */
const EPOCH = `case when epoch between 0 and ${2 ** 40} then epoch end`;

const ENDED = "('done', 'failed', 'cancelled')";

/**
 * Columns of a run's row. An epoch that JavaScript cannot represent is read as null, and the row
 * counts as damaged.
 */
const RECORD = `run_id, agent, version, input, status, waiting_for, due, result, error, created_at,
  updated_at, party, case when epoch between 0 and ${Number.MAX_SAFE_INTEGER} then epoch end as epoch`;

const FIND = `select ${RECORD} from run where run_id = ?`;
const FIND_OPEN = `${FIND} and status not in ${ENDED}`;
const UNFINISHED = `select ${RECORD} from run where run_id in (
  select run_id from run where status not in ${ENDED}
) order by created_at, run_id`;
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
const LIST = `select ${RECORD} from run where run_id > ? and (? is null or status = ?)
  and (? is null or agent = ?) order by run_id limit ?`;

/** Stores runs in a database that no other process uses. Every method is one transaction. */
export class SqliteRunJournal implements RunJournal {
  readonly #database: SqliteDatabase;
  readonly #clock: RunClock;
  readonly #limits: StoredJournalLimits;
  /** Prepared statements, keyed by SQL text. */
  readonly #statements: Map<string, SqliteStatement> = new Map();
  /** The newest epoch of the runs that this process has deleted. New runs have newer ones. */
  #deletedEpoch = 0;

  constructor(database: SqliteDatabase, clock: RunClock, limits: StoredJournalLimits) {
    this.#database = database;
    this.#clock = clock;
    this.#limits = limits;
  }

  async create(run: NewRun, tx?: unknown): Promise<boolean> {
    await null;
    if (tx !== undefined) {
      throw new TypeError('"tx" must be omitted: the engine has no transactions');
    }
    const { agent, due = null, input, party = null, runId, version } = run;
    return this.#transaction(() => {
      if (this.#prepare("select 1 from run where run_id = ?").get(runId) !== undefined) {
        return false;
      }
      this.#makeRoom(run);
      const time = this.#time();
      this.#prepare(
        "insert into run values (?, ?, ?, ?, 'queued', ?, '[]', ?, null, null, ?, ?, ?)",
      ).run(
        runId,
        agent,
        version,
        JSON.stringify(input),
        this.#deletedEpoch,
        due,
        time,
        time,
        party,
      );
      return true;
    });
  }

  /** Deletes the run of a party that ended first if the party has too many runs. */
  #makeRoom(run: NewRun): void {
    const { party } = run;
    const { maxPartyRuns } = this.#limits;
    if (party === undefined) return;
    const { n } = asRecord(this.#prepare(COUNT_PARTY).get(party));
    if (Number(n) < maxPartyRuns) return;
    const ended = this.#prepare(FIRST_ENDED).get(party);
    if (ended === undefined) throw tooManyRuns(run, maxPartyRuns);
    const { epoch, run_id: runId } = asRecord(ended);
    this.#addDeletedEpoch(epoch);
    for (const table of ["step", "signal", "run"]) {
      this.#prepare(`delete from ${table} where run_id = ?`).run(String(runId));
    }
  }

  /** Remembers the epoch of a deleted run. */
  #addDeletedEpoch(epoch: unknown): void {
    this.#deletedEpoch = Math.max(this.#deletedEpoch, Number(epoch));
  }

  async open(runId: string): Promise<OpenRun | undefined> {
    await null;
    try {
      return this.#transaction(() => this.#open(runId));
    } catch (error) {
      if (isDamaged(error)) this.#fail(runId, error);
      throw error;
    }
  }

  async append(runId: string, epoch: number, entry: JournalEntry): Promise<AppendOutcome> {
    await null;
    return this.#transaction(() => {
      if (this.#findHeld(runId, epoch) === undefined) return "fenced";
      const text = JSON.stringify(entry);
      const { changes } = this.#prepare(
        "insert into step (run_id, key, entry, digest) values (?, ?, ?, ?) on conflict do nothing",
      ).run(runId, entry.key, text, digestOf(runId, entry.key, text));
      return changes === 1 ? "stored" : "present";
    });
  }

  async close(runId: string, epoch: number, end: RunEnd): Promise<CloseOutcome> {
    await null;
    return this.#transaction(() => {
      const run = this.#findHeld(runId, epoch);
      if (run === undefined) return "fenced";
      const hasSignal = this.#prepare("select 1 from signal where run_id = ? and key = ?");
      if (awaitedKeysOf(end).some((key) => hasSignal.get(runId, key))) return "signalled";
      if (end.status !== "queued") {
        const waits = end.status === "waiting" ? end.waitingFor : [];
        this.#prepare(SET_WAITS).run(JSON.stringify(waits), runId);
      }
      this.#save({ ...run, ...end, updatedAt: this.#time() });
      return "closed";
    });
  }

  async signal(runId: string, key: string, value: JsonValue): Promise<SignalOutcome> {
    await null;
    return this.#transaction(() => {
      const run = this.#find(runId);
      if (run === undefined) return "not_found";
      if (isEnded(run.status)) return "ended";
      const row = this.#prepare("select * from signal where run_id = ? and key = ?").get(
        runId,
        key,
      );
      if (row !== undefined) {
        const [, existing] = readSignal(runId, asRecord(row));
        return formatSorted(existing) === formatSorted(value) ? "present" : "conflict";
      }
      const isAwaited = this.#prepare(IS_AWAITED).get(runId, key) !== undefined;
      if (!isAwaited && this.#isFull(runId, key)) return "full";
      const text = JSON.stringify(value);
      this.#prepare("insert into signal values (?, ?, ?, ?)")
        .run(runId, key, text, digestOf(runId, key, text));
      if (isAwaited && run.status === "waiting") {
        const { due: _, ...rest } = run;
        this.#save({ ...rest, status: "queued", updatedAt: this.#time() });
      }
      return "stored";
    });
  }

  /** Returns true if there is no room for a signal for which the run does not wait. */
  #isFull(runId: string, key: string): boolean {
    const prefix = decisionPrefixOf(runId);
    const isDecision = key.startsWith(prefix) ? 1 : 0;
    const { n } = asRecord(this.#prepare(COUNT_SIGNALS).get(runId, prefix, prefix, isDecision));
    return Number(n) >= this.#limits.maxSignals;
  }

  async cancel(runId: string): Promise<boolean> {
    await null;
    return this.#transaction(() => {
      const record = this.#find(runId);
      if (record === undefined || isEnded(record.status)) return false;
      const { due: _, error: __, ...run } = record;
      const epoch = run.epoch + 1;
      this.#save({ ...run, status: "cancelled", epoch, updatedAt: this.#time() });
      return true;
    });
  }

  async get(runId: string): Promise<RunRecord | undefined> {
    await null;
    return this.#find(runId);
  }

  async list(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    await null;
    const { after = "", agent = null, limit = DEFAULT_PAGE, status = null } = filter;
    const rows = this.#prepare(LIST).all(after, status, status, agent, agent, limit);
    return rows.map((row) => toRecord(asRecord(row)));
  }

  async *steps(runId: string): AsyncIterable<JournalEntry> {
    await null;
    yield* this.#readSteps(runId);
  }

  async purge(before: Date): Promise<number> {
    await null;
    return this.#transaction(() => {
      const ended = `select run_id from run where status in ${ENDED} and updated_at < ?`;
      const time = before.toISOString();
      const newest = `select max(${EPOCH}) as epoch from run where run_id in (${ended})`;
      this.#addDeletedEpoch(asRecord(this.#prepare(newest).get(time)).epoch);
      for (const table of ["step", "signal"]) {
        this.#prepare(`delete from ${table} where run_id in (${ended})`).run(time);
      }
      return Number(this.#prepare(`delete from run where run_id in (${ended})`).run(time).changes);
    });
  }

  /**
   * Lists the runs that must be delivered now or later, with their delivery requests. Marks runs
   * with damaged rows as failed.
   */
  unfinished(): readonly (RunAddress & { readonly request: WakeOptions })[] {
    return this.#prepare(UNFINISHED).all().flatMap((row) => {
      const record = toRecord(asRecord(row));
      const { agent, due, epoch, error, party, runId, status, version } = record;
      if (error !== undefined && status === "failed") this.#fail(runId, error);
      if (isEnded(status) || status === "waiting" && due === undefined) return [];
      const id = status === "queued" ? String(epoch) : `${status}/${epoch}`;
      const time = due === undefined ? {} : { due: new Date(due) };
      return [{ runId, agent, version, ...defined({ party }), request: { id, ...time } }];
    });
  }

  #open(runId: string): OpenRun | undefined {
    const row = this.#prepare(FIND_OPEN).get(runId);
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
    const signals = new Map(this.#readSignals(runId));
    this.#save(run);
    return { run, steps, signals };
  }

  /** Marks a damaged run as failed. */
  #fail(runId: string, { code, message }: RunFailure): void {
    this.#prepare(FAIL).run(JSON.stringify({ code, message }), this.#time(), runId);
  }

  #readSteps(runId: string): readonly JournalEntry[] {
    return this.#prepare("select key, entry, digest from step where run_id = ? order by id").all(
      runId,
    )
      .map((row) => readStep(runId, asRecord(row)));
  }

  #readSignals(runId: string): readonly (readonly [string, JsonValue])[] {
    return this.#prepare("select * from signal where run_id = ?").all(runId)
      .map((row) => readSignal(runId, asRecord(row)));
  }

  #find(runId: string): RunRecord | undefined {
    const row = this.#prepare(FIND).get(runId);
    return row === undefined ? undefined : toRecord(asRecord(row));
  }

  /** Returns the run if the worker with the given epoch can write. */
  #findHeld(runId: string, epoch: number): RunRecord | undefined {
    const run = this.#find(runId);
    return run?.status === "running" && run.epoch === epoch ? run : undefined;
  }

  #save({ due, epoch, error, result, runId, status, updatedAt }: RunRecord): void {
    this.#prepare(UPDATE).run(
      status,
      epoch,
      due ?? null,
      textOrNull(result),
      textOrNull(error && { ...error }),
      updatedAt,
      runId,
    );
  }

  #transaction<Result>(work: () => Result): Result {
    this.#database.exec("begin immediate");
    try {
      const result = work();
      this.#database.exec("commit");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("rollback");
    } catch {
      // SQLite has already rolled back the transaction, for example because the database is full.
    }
  }

  #prepare(sql: string): SqliteStatement {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #time(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}
