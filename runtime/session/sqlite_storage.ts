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
import type { RunLog } from "../log/run_log.ts";
import { LOG_SCHEMA, SqliteRunLog } from "../log/sqlite_log.ts";
import type { SessionEnd, SessionRecords, SessionStorage, StepStore } from "./storage.ts";
import { parseColumn, readStep } from "../log/stored_text.ts";

/** SQL that creates the tables. */
export const SCHEMA: string = `
create table session_record (
  session_id text not null, n integer not null, record text not null, primary key (session_id, n)
) strict, without rowid;
create table session_step (
  key text not null, step text not null, entry text not null, primary key (key, step)
) strict, without rowid;
${LOG_SCHEMA}`;

const ADD_STEP = "insert or ignore into session_step values (?, ?, ?)";
const RECORDS = `select n, record from session_record where session_id = ? and n >= ? order by n`;
const COUNT = "select count(*) as n from session_record where session_id = ?";

/** Stores sessions in a database. Every method is one transaction. */
export class SqliteStorage implements SessionStorage {
  readonly #database: DatabaseSync;
  readonly #store: SqliteStore;
  readonly #path: string;
  readonly #log: SqliteRunLog;
  #isClosed = false;

  readonly records: SessionRecords = {
    load: (id) => this.#read(() => this.#records(id, 0)),
    loadFrom: (id, start) => this.#read(() => this.#records(id, start)),
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

  readonly steps: StepStore = {
    load: (key) =>
      this.#read(() =>
        this.#store.all("select step as n, entry from session_step where key = ?", key)
          .map((row) => readStep(parseColumn(row, "entry", `session "${key}"`), key))
      ),
    put: (key, epoch, entry) =>
      this.#write(() => {
        if (!this.#log.isHeld(key, epoch)) return "fenced";
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
    this.#log = new SqliteRunLog({
      store: this.#store,
      read: (work) => this.#read(work),
      write: (work) => this.#write(work),
      pollIntervalMs,
      owner: "session",
      onStart: (key) => this.#deleteSteps(key),
    });
  }

  get log(): RunLog {
    return this.#log;
  }

  commit(
    key: string,
    epoch: number,
    { expectedLength, record, ...finish }: SessionEnd,
  ): Promise<"stored" | "fenced" | "conflict"> {
    return this.#log.change(key, () => {
      if (!this.#log.isHeld(key, epoch)) return "fenced";
      if (!this.#addRecord(key, record, expectedLength)) return "conflict";
      this.#deleteSteps(key);
      this.#log.end(key, epoch, finish);
      return "stored";
    });
  }

  delete(key: string, epoch: number): Promise<boolean> {
    return this.#log.change(key, () => {
      if (!this.#log.remove(key, epoch)) return false;
      this.#deleteSteps(key);
      this.#store.run("delete from session_record where session_id = ?", key);
      return true;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isClosed) this.#database.close();
    this.#isClosed = true;
    this.#log.close();
    return Promise.resolve();
  }

  #records(id: string, start: number): readonly JsonValue[] {
    return this.#store.all(RECORDS, id, start)
      .map((row) => parseColumn(row, "record", `session "${id}"`));
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

  #toError(cause: unknown): AgentError {
    if (AgentError.isAgentError(cause)) return cause;
    const reason = this.#isClosed ? "the storage is closed" : errorMessageOf(cause);
    return AgentError.core(`Cannot use the sessions in "${this.#path}": ${reason}`, { cause });
  }
}
