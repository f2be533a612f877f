/**
 * A log of runs in an SQLite database that several processes share.
 *
 * @module
 */

import { asRecord } from "@parley/internal/json";
import type { JsonValue } from "../shared/json.ts";
import type { SqliteStore } from "../shared/sqlite_store.ts";
import { ChangeSignal } from "./change_signal.ts";
import {
  hasChanged,
  type RunClaim,
  type RunFinish,
  type RunHead,
  type RunHistoryFilter,
  type RunHold,
  type RunLog,
  type RunLogFilter,
  type RunPurge,
  type RunRange,
} from "./run_log.ts";
import { readHead } from "./stored_head.ts";
import { parseColumn } from "./stored_text.ts";

/** SQL that creates the tables. The row of `run_fence` contains the highest deleted epoch. */
export const LOG_SCHEMA: string = `
create table run_head (
  key text primary key, run_id text not null, epoch integer not null, phase text not null,
  lease_until integer not null, is_stopping integer not null, turn text not null, turn_id text,
  metadata text not null, takeovers integer not null, first integer not null,
  count integer not null, result text not null, keep_until integer not null,
  started_at integer not null, changed_at integer not null
) strict, without rowid;
create index run_head_id on run_head (run_id);
create index run_head_changed on run_head (changed_at, run_id);
create table run_earlier (
  run_id text primary key, key text not null, epoch integer not null, turn text not null,
  turn_id text, metadata text not null, takeovers integer not null, result text not null,
  started_at integer not null, changed_at integer not null
) strict, without rowid;
create index run_earlier_key on run_earlier (key, changed_at, run_id);
create index run_earlier_changed on run_earlier (changed_at, run_id);
create table run_entry (
  key text not null, n integer not null, epoch integer not null, entry text not null,
  primary key (key, n)
) strict, without rowid;
create table run_fence (epoch integer not null) strict;
insert into run_fence values (0);
`;

/** The columns that both tables of runs have. */
const SHARED =
  "key, run_id, epoch, turn, turn_id, metadata, takeovers, result, started_at, changed_at";
const COLUMNS = `${SHARED}, phase, lease_until, is_stopping, first, count, keep_until`;
/** The columns of an earlier run, which has ended and has no entries. */
const EARLIER = `${SHARED}, 'ended' as phase, 0 as lease_until, 0 as is_stopping, 0 as first,
  0 as count, 0 as keep_until`;

const ADD_ENTRY = "insert into run_entry values (?, ?, ?, ?)";
const HEAD = `select ${COLUMNS} from run_head where key = ?`;
/** Reads the states of several sessions without the values that can be large. */
const LOOK = `select key, run_id, epoch, phase, lease_until, is_stopping, 'null' as turn,
    null as turn_id, '{}' as metadata, takeovers, first, count, 'null' as result, keep_until,
    started_at, changed_at
  from run_head where key in (select value from json_each(?))`;
const CLAIM = `insert or replace into run_head (key, run_id, epoch, phase, lease_until, is_stopping,
    turn, turn_id, metadata, takeovers, first, count, result, keep_until, started_at, changed_at)
  values (?, ?, ?, 'running', ?, 0, ?, ?, ?, ?, ?, ?, 'null', 0, ?, ?)`;
const HELD = `${HEAD} and epoch = ? and phase = 'running'`;
const FINISH = `update run_head set phase = ?, result = ?, keep_until = ?, changed_at = ?
  where key = ?`;
const READ = `select n, entry from run_entry
  where key = ? and n >= ? and n < ? and epoch = ? order by n`;
const LIST = `select ${COLUMNS} from run_head where key > ? and (? is null or phase = ?)
  and (? is null or ? = (phase = 'released' or phase = 'running' and lease_until <= ?))
  order by key limit ?`;
const FIND = `select ${COLUMNS} from run_head where run_id = ?
  union all select ${EARLIER} from run_earlier where run_id = ?`;
/** The runs after a position, in an index of times or of keys. */
const AFTER = "(?1 is null or (changed_at, run_id) < (?1, ?2))";
// No UTF-8 text contains the byte FF.
const AFTER_WITH_PREFIX = `key >= ?4 and key < ?4 || cast(x'ff' as text)
  and (?1 is null or (+changed_at, +run_id) < (?1, ?2))`;
const HISTORY = historyOf(AFTER);
const HISTORY_WITH_PREFIX = historyOf(AFTER_WITH_PREFIX);
const KEEP = `insert or replace into run_earlier (${SHARED}) select ${SHARED} from run_head
  where key = ? and phase = 'ended' and run_id <> ?`;
const TRIM = `delete from run_earlier where run_id in (
  select run_id from run_earlier where key = ? order by epoch desc limit -1 offset ?)`;
const PURGE = "select key from run_head where phase = 'ended' and keep_until <= ? and count > 0";

/** Maximum time that a reader waits before it reads the state again, in milliseconds. */
const MAX_WAIT_MS = 1000;

/** Database of the log, and functions that the other tables of the database use too. */
export interface SqliteRunLogOptions {
  readonly store: SqliteStore;
  /** Executes statements that only read. Converts errors. */
  readonly read: <T>(work: () => T) => Promise<T>;
  /** Executes a transaction. Converts errors. */
  readonly write: <T>(work: () => T) => Promise<T>;
  /** Interval at which readers look for changes by other processes, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Object that a key identifies, for error messages: `session` or `run`. */
  readonly owner: string;
  /** Called in the transaction in which a run starts. */
  readonly onStart?: (key: string) => void;
}

/**
 * Keeps the log of runs in a database. Every method with a promise is one transaction; the other
 * methods are parts of a transaction.
 */
export class SqliteRunLog implements RunLog {
  readonly #options: SqliteRunLogOptions;
  readonly #store: SqliteStore;
  readonly #changes = new ChangeSignal();
  /** States that readers wait to change, with the number of readers. */
  readonly #seen = new Map<RunHead, number>();
  #look: ReturnType<typeof setInterval> | undefined;
  #version: unknown;

  constructor(options: SqliteRunLogOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  claim(key: string, claim: RunClaim): Promise<RunHead | undefined> {
    return this.change(key, () => this.#claim(key, claim));
  }

  head(key: string): Promise<RunHead | undefined> {
    return this.#options.read(() => this.#head(key));
  }

  append(key: string, epoch: number, entries: readonly JsonValue[]): Promise<RunHold> {
    return this.change(key, (): RunHold => {
      const head = this.#held(key, epoch);
      if (head === undefined) return "fenced";
      this.#addEntries(head, entries);
      return head.isStopping ? "stop" : "held";
    });
  }

  renew(key: string, epoch: number, leaseMs: number): Promise<RunHold> {
    return this.#options.write((): RunHold => {
      const head = this.#held(key, epoch);
      if (head === undefined) return "fenced";
      this.#store.run(
        "update run_head set lease_until = ? where key = ?",
        Date.now() + leaseMs,
        key,
      );
      return head.isStopping ? "stop" : "held";
    });
  }

  finish(key: string, epoch: number, finish: RunFinish): Promise<boolean> {
    return this.change(key, () => this.end(key, epoch, finish));
  }

  requestStop(key: string, epoch: number): Promise<boolean> {
    return this.change(key, () => {
      if (!this.isHeld(key, epoch)) return false;
      this.#store.run("update run_head set is_stopping = 1 where key = ?", key);
      return true;
    });
  }

  read(key: string, epoch: number, { from, limit }: RunRange): Promise<readonly JsonValue[]> {
    return this.#options.read(() =>
      this.#store.all(READ, key, from, from + limit, epoch)
        .map((row) => parseColumn(row, "entry", `${this.#options.owner} "${key}"`))
    );
  }

  list({ after = "", isInterrupted, limit, phase }: RunLogFilter): Promise<readonly RunHead[]> {
    return this.#options.read(() => {
      const now = Date.now();
      const inPhase = phase ?? null;
      const wanted = isInterrupted === undefined ? null : Number(isInterrupted);
      return this.#store.all(LIST, after, inPhase, inPhase, wanted, wanted, now, limit)
        .map((row) => readHead(row, now));
    });
  }

  find(runId: string): Promise<RunHead | undefined> {
    return this.#options.read(() => toHead(this.#store.get(FIND, runId, runId)));
  }

  history({ after, limit, prefix = "" }: RunHistoryFilter): Promise<readonly RunHead[]> {
    return this.#options.read(() => {
      const { changedAt = null, runId = null } = after ?? {};
      const now = Date.now();
      const rows = prefix === ""
        ? this.#store.all(HISTORY, changedAt, runId, limit)
        : this.#store.all(HISTORY_WITH_PREFIX, changedAt, runId, limit, prefix);
      return rows.map((row) => readHead(row, now));
    });
  }

  delete(key: string, epoch: number): Promise<boolean> {
    return this.change(key, () => this.remove(key, epoch));
  }

  purge({ keepRunsMs }: RunPurge): Promise<number> {
    return this.#options.write(() => {
      const now = Date.now();
      this.#store.run("delete from run_earlier where changed_at < ?", now - keepRunsMs);
      const keys = this.#store.all(PURGE, now).map((row) => String(asRecord(row).key));
      for (const key of keys) {
        this.#store.run("delete from run_entry where key = ?", key);
        this.#store.run("update run_head set first = 0, count = 0 where key = ?", key);
      }
      return keys.length;
    });
  }

  async changed(seen: RunHead, signal: AbortSignal): Promise<void> {
    let wait: Promise<void> | undefined;
    // The version is read before the state, and nothing else runs until the wait has started, so
    // that no change is missed.
    await this.#options.read(() => {
      this.#version ??= this.#dataVersion();
      if (hasChanged(seen, this.#head(seen.key))) return;
      this.#seen.set(seen, (this.#seen.get(seen) ?? 0) + 1);
      this.#look ??= setInterval(() => this.#lookForChanges(), this.#options.pollIntervalMs);
      wait = this.#changes.wait(seen.key, signal, MAX_WAIT_MS);
    });
    if (wait === undefined) return;
    await wait;
    const left = (this.#seen.get(seen) ?? 1) - 1;
    if (left > 0) this.#seen.set(seen, left);
    else this.#seen.delete(seen);
    if (this.#seen.size > 0) return;
    clearInterval(this.#look);
    this.#look = undefined;
    this.#version = undefined;
  }

  /** Executes a transaction, and wakes the readers of the session. */
  async change<T>(key: string, work: () => T): Promise<T> {
    try {
      return await this.#options.write(work);
    } finally {
      this.#changes.notify(key);
    }
  }

  /** Returns true if the caller with this epoch executes the newest run of a session. */
  isHeld(key: string, epoch: number): boolean {
    return this.#held(key, epoch) !== undefined;
  }

  /** Ends the execution of a run, as `finish` does. */
  end(key: string, epoch: number, { entries, keepMs, phase, result }: RunFinish): boolean {
    const head = this.#held(key, epoch);
    if (head === undefined) return false;
    this.#addEntries(head, entries);
    const now = Date.now();
    this.#store.run(FINISH, phase, JSON.stringify(result), now + keepMs, now, key);
    return true;
  }

  /** Deletes the runs of a session, as `delete` does. */
  remove(key: string, epoch: number): boolean {
    const head = this.#head(key);
    if ((head?.epoch ?? 0) !== epoch || head?.isLeased === true) return false;
    this.#store.run("update run_fence set epoch = max(epoch, ?)", epoch);
    for (const table of ["run_head", "run_earlier", "run_entry"]) {
      this.#store.run(`delete from ${table} where key = ?`, key);
    }
    return true;
  }

  /** Ends all waits for changes. */
  close(): void {
    clearInterval(this.#look);
    this.#changes.notifyAll();
  }

  #claim(key: string, claim: RunClaim): RunHead | undefined {
    const { isNew, keepRuns, leaseMs, metadata, runId, seenEpoch, turn, turnId } = claim;
    const earlier = this.#head(key);
    const lastEpoch = earlier?.epoch ?? 0;
    const isFree = claim.epoch === undefined
      ? lastEpoch === seenEpoch && earlier?.isLeased !== true &&
        (isNew || earlier?.phase !== "ended")
      : lastEpoch < claim.epoch;
    if (!isFree) return undefined;
    const epoch = claim.epoch ?? (earlier === undefined ? this.#deletedEpoch() : lastEpoch) + 1;
    if (isNew) this.#startAfter(earlier, claim, key, keepRuns);
    const now = Date.now();
    const first = isNew ? 0 : earlier?.count ?? 0;
    const startedAt = isNew ? now : earlier?.startedAt ?? now;
    const wasRunning = earlier?.phase === "running";
    this.#store.run(
      CLAIM,
      key,
      runId,
      epoch,
      now + leaseMs,
      JSON.stringify(turn),
      turnId ?? null,
      JSON.stringify(metadata),
      isNew ? 0 : (earlier?.takeovers ?? 0) + (wasRunning ? 1 : 0),
      first,
      first,
      startedAt,
      now,
    );
    return this.#head(key);
  }

  /** Keeps the state of the earlier run, and deletes its entries. */
  #startAfter(
    earlier: RunHead | undefined,
    { runId }: RunClaim,
    key: string,
    keepRuns: number,
  ): void {
    this.#options.onStart?.(key);
    if (earlier === undefined) return;
    this.#store.run("delete from run_entry where key = ?", key);
    this.#store.run("delete from run_earlier where run_id = ?", runId);
    this.#store.run(KEEP, key, runId);
    this.#store.run(TRIM, key, keepRuns);
  }

  #deletedEpoch(): number {
    return Number(asRecord(this.#store.get("select epoch from run_fence")).epoch);
  }

  #head(key: string): RunHead | undefined {
    return toHead(this.#store.get(HEAD, key));
  }

  /** Returns the run if the caller with this epoch executes it. */
  #held(key: string, epoch: number): RunHead | undefined {
    return toHead(this.#store.get(HELD, key, epoch));
  }

  #addEntries({ count, epoch, key }: RunHead, entries: readonly JsonValue[]): void {
    if (entries.length === 0) return;
    for (const [index, entry] of entries.entries()) {
      this.#store.run(ADD_ENTRY, key, count + index, epoch, JSON.stringify(entry));
    }
    this.#store.run("update run_head set count = ? where key = ?", count + entries.length, key);
  }

  /** Wakes the readers of sessions that another process has changed. */
  #lookForChanges(): void {
    try {
      const version = this.#dataVersion();
      if (version === this.#version) return;
      this.#version = version;
      const keys = new Set([...this.#seen.keys()].map(({ key }) => key));
      const rows = this.#store.all(LOOK, JSON.stringify([...keys]));
      const heads = new Map(rows.map((row) => [asRecord(row).key, toHead(row)]));
      for (const seen of this.#seen.keys()) {
        if (hasChanged(seen, heads.get(seen.key))) this.#changes.notify(seen.key);
      }
    } catch {
      // The next call of a reader rejects with the error.
      this.#changes.notifyAll();
    }
  }

  /** Returns a number that changes when another connection changes the database. */
  #dataVersion(): unknown {
    return asRecord(this.#store.get("pragma data_version")).data_version;
  }
}

function toHead(row: unknown): RunHead | undefined {
  return row === undefined ? undefined : readHead(row, Date.now());
}

function historyOf(condition: string): string {
  return `select ${COLUMNS} from run_head where ${condition}
    union all select ${EARLIER} from run_earlier where ${condition}
    order by changed_at desc, run_id desc limit ?3`;
}
