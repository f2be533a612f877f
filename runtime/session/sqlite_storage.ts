/**
 * Storage for sessions in an SQLite database that several processes share.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { asRecord } from "@parley/internal/json";
import { SqliteStore } from "../shared/sqlite_store.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { ChangeSignal } from "../log/change_signal.ts";
import {
  hasChanged,
  type RunClaim,
  type RunFinish,
  type RunHead,
  type RunHold,
  type RunLog,
  type RunLogFilter,
  type RunRange,
} from "../log/run_log.ts";
import type { SessionEnd, SessionRecords, SessionStorage, StepStore } from "./storage.ts";
import { readHead } from "../log/stored_head.ts";
import { parseColumn, readStep } from "../log/stored_text.ts";

/** SQL that creates the tables. */
export const SCHEMA = `
create table session_record (
  session_id text not null, n integer not null, record text not null, primary key (session_id, n)
) strict, without rowid;
create table session_run (
  key text primary key, run_id text not null, epoch integer not null, phase text not null,
  lease_until integer not null, is_stopping integer not null, turn text not null, turn_id text,
  first integer not null, count integer not null, result text not null,
  keep_until integer not null, started_at integer not null, changed_at integer not null
) strict, without rowid;
create table session_entry (
  key text not null, n integer not null, epoch integer not null, entry text not null,
  primary key (key, n)
) strict, without rowid;
create table session_step (
  key text not null, step text not null, entry text not null, primary key (key, step)
) strict, without rowid;
`;

const ADD_STEP = "insert or ignore into session_step values (?, ?, ?)";
const ADD_ENTRY = "insert into session_entry values (?, ?, ?, ?)";
const HEAD = "select * from session_run where key = ?";
const CLAIM = `insert or replace into session_run values
  (?, ?, ?, 'running', ?, 0, ?, ?, ?, ?, 'null', 0, ?, ?)`;
const HELD = `${HEAD} and epoch = ? and phase = 'running'`;
const FINISH = `update session_run set phase = ?, result = ?, keep_until = ?, changed_at = ?
  where key = ?`;
const READ = `select n, entry from session_entry
  where key = ? and n >= ? and n < ? and epoch = ? order by n`;
const COUNT = "select count(*) as n from session_record where session_id = ?";
const LIST = `select * from session_run where key > ? and (? is null or phase = ?)
  and (? is null or ? = (phase = 'released' or phase = 'running' and lease_until <= ?))
  order by key limit ?`;
const PURGE = `select key from session_run where phase = 'ended' and keep_until <= ? and count > 0`;

/** Maximum time that a reader waits before it reads the state again, in milliseconds. */
const MAX_WAIT_MS = 1000;

/** Stores sessions in a database. Every method is one transaction. */
export class SqliteStorage implements SessionStorage {
  readonly #database: DatabaseSync;
  readonly #store: SqliteStore;
  readonly #path: string;
  readonly #pollIntervalMs: number;
  readonly #changes = new ChangeSignal();
  /** States that readers wait to change, with the number of readers. */
  readonly #seen = new Map<RunHead, number>();
  #look: ReturnType<typeof setInterval> | undefined;
  #version: unknown;
  #isClosed = false;

  readonly records: SessionRecords = {
    load: (id) =>
      this.#read(() =>
        this.#store.all("select n, record from session_record where session_id = ? order by n", id)
          .map((row) => parseColumn(row, "record", `session "${id}"`))
      ),
    count: (id) => this.#read(() => this.#count(id)),
    append: (id, record, expectedLength) =>
      this.#write(() => this.#addRecord(id, record, expectedLength)),
    removeLast: (id, expectedLength) =>
      this.#write(() => {
        if (expectedLength < 1 || this.#count(id) !== expectedLength) return false;
        this.#store.run(
          "delete from session_record where session_id = ? and n = ?",
          id,
          expectedLength - 1,
        );
        return true;
      }),
  };

  readonly log: RunLog = {
    claim: (key, claim) => this.#change(key, () => this.#claim(key, claim)),
    head: (key) => this.#read(() => this.#head(key)),
    append: (key, epoch, entries) =>
      this.#change(key, (): RunHold => {
        const head = this.#held(key, epoch);
        if (head === undefined) return "fenced";
        this.#addEntries(head, entries);
        return head.isStopping ? "stop" : "held";
      }),
    renew: (key, epoch, leaseMs) =>
      this.#write((): RunHold => {
        const head = this.#held(key, epoch);
        if (head === undefined) return "fenced";
        this.#store.run(
          "update session_run set lease_until = ? where key = ?",
          Date.now() + leaseMs,
          key,
        );
        return head.isStopping ? "stop" : "held";
      }),
    finish: (key, epoch, finish) => this.#change(key, () => this.#finish(key, epoch, finish)),
    requestStop: (key, epoch) =>
      this.#change(key, () => {
        if (this.#held(key, epoch) === undefined) return false;
        this.#store.run("update session_run set is_stopping = 1 where key = ?", key);
        return true;
      }),
    read: (key, epoch, range) => this.#read(() => this.#entries(key, epoch, range)),
    changed: (seen, signal) => this.#changed(seen, signal),
    list: (filter) => this.#read(() => this.#list(filter)),
    purge: () =>
      this.#write(() => {
        const keys = this.#store.all(PURGE, Date.now()).map((row) => String(asRecord(row).key));
        for (const key of keys) {
          this.#store.run("delete from session_entry where key = ?", key);
          this.#store.run("update session_run set first = 0, count = 0 where key = ?", key);
        }
        return keys.length;
      }),
  };

  readonly steps: StepStore = {
    load: (key) =>
      this.#read(() =>
        this.#store.all("select step as n, entry from session_step where key = ?", key)
          .map((row) => readStep(parseColumn(row, "entry", `session "${key}"`), key))
      ),
    put: (key, epoch, entry) =>
      this.#write(() => {
        if (this.#held(key, epoch) === undefined) return "fenced";
        const values = [key, entry.key, JSON.stringify(entry)];
        return this.#store.run(ADD_STEP, ...values) === 1 ? "stored" : "present";
      }),
    delete: (key) => this.#write(() => this.#deleteSteps(key)),
  };

  constructor(
    database: DatabaseSync,
    path: string,
    { busyTimeoutMs, pollIntervalMs }: {
      readonly busyTimeoutMs: number;
      readonly pollIntervalMs: number;
    },
  ) {
    this.#database = database;
    this.#store = new SqliteStore(database, path, busyTimeoutMs);
    this.#path = path;
    this.#pollIntervalMs = pollIntervalMs;
  }

  commit(
    key: string,
    epoch: number,
    { expectedLength, record, ...finish }: SessionEnd,
  ): Promise<"stored" | "fenced" | "conflict"> {
    return this.#change(key, () => {
      if (this.#held(key, epoch) === undefined) return "fenced";
      if (!this.#addRecord(key, record, expectedLength)) return "conflict";
      this.#deleteSteps(key);
      this.#finish(key, epoch, finish);
      return "stored";
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosed) this.#database.close();
    this.#isClosed = true;
    clearInterval(this.#look);
    this.#changes.notifyAll();
    return Promise.resolve();
  }

  #claim(key: string, claim: RunClaim): RunHead | undefined {
    const { isNew, leaseMs, runId, seenEpoch, turn, turnId } = claim;
    const earlier = this.#head(key);
    if ((earlier?.epoch ?? 0) !== seenEpoch || earlier?.isLeased === true) return undefined;
    if (isNew) {
      this.#store.run("delete from session_entry where key = ?", key);
      this.#deleteSteps(key);
    }
    const now = Date.now();
    const first = isNew ? 0 : earlier?.count ?? 0;
    const startedAt = isNew ? now : earlier?.startedAt ?? now;
    this.#store.run(
      CLAIM,
      key,
      runId,
      seenEpoch + 1,
      now + leaseMs,
      JSON.stringify(turn),
      turnId ?? null,
      first,
      first,
      startedAt,
      now,
    );
    return this.#head(key);
  }

  #head(key: string): RunHead | undefined {
    const row = this.#store.get(HEAD, key);
    return row === undefined ? undefined : readHead(row, Date.now());
  }

  /** Returns the run if the caller with this epoch executes it. */
  #held(key: string, epoch: number): RunHead | undefined {
    const row = this.#store.get(HELD, key, epoch);
    return row === undefined ? undefined : readHead(row, Date.now());
  }

  #addEntries({ count, epoch, key }: RunHead, entries: readonly JsonValue[]): void {
    if (entries.length === 0) return;
    for (const [index, entry] of entries.entries()) {
      this.#store.run(ADD_ENTRY, key, count + index, epoch, JSON.stringify(entry));
    }
    this.#store.run("update session_run set count = ? where key = ?", count + entries.length, key);
  }

  #finish(key: string, epoch: number, { entries, keepMs, phase, result }: RunFinish): boolean {
    const head = this.#held(key, epoch);
    if (head === undefined) return false;
    this.#addEntries(head, entries);
    const now = Date.now();
    this.#store.run(FINISH, phase, JSON.stringify(result), now + keepMs, now, key);
    return true;
  }

  #entries(key: string, epoch: number, { from, limit }: RunRange): readonly JsonValue[] {
    return this.#store.all(READ, key, from, from + limit, epoch)
      .map((row) => parseColumn(row, "entry", `session "${key}"`));
  }

  #list({ after = "", isInterrupted, limit, phase }: RunLogFilter): readonly RunHead[] {
    const now = Date.now();
    const inPhase = phase ?? null;
    const wanted = isInterrupted === undefined ? null : Number(isInterrupted);
    return this.#store.all(LIST, after, inPhase, inPhase, wanted, wanted, now, limit)
      .map((row) => readHead(row, now));
  }

  #count(id: string): number {
    return Number(asRecord(this.#store.get(COUNT, id)).n);
  }

  #addRecord(id: string, record: JsonValue, expectedLength: number): boolean {
    if (this.#count(id) !== expectedLength) return false;
    this.#store.run(
      "insert into session_record values (?, ?, ?)",
      id,
      expectedLength,
      JSON.stringify(record),
    );
    return true;
  }

  #deleteSteps(key: string): void {
    this.#store.run("delete from session_step where key = ?", key);
  }

  async #changed(seen: RunHead, signal: AbortSignal): Promise<void> {
    let wait: Promise<void> | undefined;
    // The version is read before the state, and nothing else runs until the wait has started, so
    // that no change is missed.
    await this.#read(() => {
      this.#version ??= this.#dataVersion();
      if (hasChanged(seen, this.#head(seen.key))) return;
      this.#seen.set(seen, (this.#seen.get(seen) ?? 0) + 1);
      this.#look ??= setInterval(() => this.#lookForChanges(), this.#pollIntervalMs);
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

  /** Wakes the readers of sessions that another process has changed. */
  #lookForChanges(): void {
    try {
      const version = this.#dataVersion();
      if (version === this.#version) return;
      this.#version = version;
      for (const seen of this.#seen.keys()) {
        if (hasChanged(seen, this.#head(seen.key))) this.#changes.notify(seen.key);
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

  async #read<T>(work: () => T): Promise<T> {
    await null;
    try {
      return work();
    } catch (cause) {
      throw this.#toError(cause);
    }
  }

  #write<T>(work: () => T): Promise<T> {
    return this.#read(() => this.#store.transaction(work));
  }

  /** Writes, and wakes the readers of the session. */
  async #change<T>(key: string, work: () => T): Promise<T> {
    try {
      return await this.#write(work);
    } finally {
      this.#changes.notify(key);
    }
  }

  #toError(cause: unknown): AgentError {
    if (AgentError.isAgentError(cause)) return cause;
    const reason = this.#isClosed ? "the storage is closed" : errorMessageOf(cause);
    return AgentError.core(`Cannot use the sessions in "${this.#path}": ${reason}`, { cause });
  }
}
