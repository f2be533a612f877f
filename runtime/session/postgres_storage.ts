/**
 * Storage for sessions in a PostgreSQL database.
 *
 * @module
 */

import { assertOptionalBoolean, assertOptionalFunction } from "@parley/internal/assert-argument";
import { callWithin } from "@parley/internal/call-within";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { asRecord, type UnknownRecord } from "@parley/internal/json";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, type Settings, withDefault } from "@parley/internal/options";
import { assertSqlClient, canListen } from "@parley/internal/sql-client";
import { reasonOf } from "../shared/database_errors.ts";
import { assertSchemaName, prepareTables } from "../shared/postgres_tables.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { SqlClient } from "../shared/sql_client.ts";
import { PostgresChanges } from "../log/postgres_changes.ts";
import { channelOf, SESSION_TABLES } from "./postgres_schema.ts";
import {
  listOf,
  PURGE_BATCH,
  type SessionStatements,
  statementsFor,
} from "./postgres_statements.ts";
import type { RunFinish, RunHead, RunHold, RunLog, RunLogFilter } from "../log/run_log.ts";
import type { SessionEnd, SessionRecords, SessionStorage, StepStore } from "./storage.ts";
import { readHead } from "../log/stored_head.ts";
import { fromStorable, parseColumn, readStep, toStorable } from "../log/stored_text.ts";

/** Options for {@linkcode postgresStorage}. */
export interface PostgresStorageOptions {
  /**
   * Schema of the tables and functions, whose names start with `session_`: 1 to 40 of the
   * characters `a-z`, `0-9` and `_`. Programs with the same schema share their sessions.
   *
   * @default {"parley"}
   */
  readonly schema?: string;
  /**
   * Whether readers receive notifications of changes (`LISTEN`), for which the storage takes one
   * connection of the pool. Set the option to `false` for a connection pooler that shares sessions
   * between transactions, such as PgBouncer. A client that cannot receive notifications and a pool
   * with a single connection have the same effect as `false`.
   *
   * @default {true}
   */
  readonly listen?: boolean;
  /**
   * Interval at which readers look for changes by other processes while they receive no
   * notifications, in milliseconds; a positive integer.
   *
   * @default {200}
   */
  readonly pollIntervalMs?: number;
  /**
   * Maximum time that a call waits for the database, in milliseconds; a positive integer. The
   * database may still execute the statement of a call that has been rejected.
   *
   * @default {10_000}
   */
  readonly queryTimeoutMs?: number;
  /**
   * Whether the storage creates its tables and migrates tables from older versions. If `false`,
   * missing tables or tables with a different version cause an error.
   *
   * @default {true}
   */
  readonly migrate?: boolean;
  /**
   * Called with errors that do not reject a promise: the connection for notifications is lost or
   * cannot be established. If omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

const readPostgresStorageOptions = optionsReader<PostgresStorageOptions>("options")({
  schema: withDefault("parley", assertSchemaName),
  listen: withDefault(true, assertOptionalBoolean),
  pollIntervalMs: withDefault(200, int32From(1)),
  queryTimeoutMs: withDefault(10_000, int32From(1)),
  migrate: withDefault(true, assertOptionalBoolean),
  onError: assertOptionalFunction,
});

type StorageSettings = Settings<
  PostgresStorageOptions,
  "schema" | "listen" | "pollIntervalMs" | "queryTimeoutMs" | "migrate"
>;

/** Longest lease and retention, in milliseconds, so that times remain exact numbers. */
const MAX_MS = 1e15;

/**
 * Opens a storage for sessions in a PostgreSQL database, for any number of processes on any number
 * of machines: if one of them crashes, another one continues its runs. The database's clock
 * determines when a lease expires, so the clocks of the processes may differ.
 *
 * The first call that uses the database creates the tables. The caller closes the pool, after the
 * storage.
 *
 * @param db Database: a `Pool` of the package `pg`, or the result of {@linkcode fromPostgres} for
 * the package `postgres`.
 * @param options Schema, notifications and limits.
 * @throws {TypeError} If `db` has no method `query`, or an option has the wrong type.
 * @throws {RangeError} If an interval is out of range.
 *
 * @example Share conversations between processes
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { postgresStorage, type SqlClient } from "@parley/runtime/postgres";
 * import { openSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertRejects } from "@std/assert";
 *
 * function openChats(pool: SqlClient) {
 *   const model = scriptedModel([{ text: "Hello" }]);
 *   return openSessions({
 *     storage: postgresStorage(pool),
 *     agent: () => new ToolLoopAgent({ name: "shop", model }),
 *   });
 * }
 *
 * // In a program: a `Pool` of the package `pg`.
 * const pool: SqlClient = { query: () => Promise.reject(new Error("connection refused")) };
 * await using chats = openChats(pool);
 * await assertRejects(() => chats.state("chat-1"), Error, "connection refused");
 * ```
 */
export function postgresStorage(
  db: SqlClient,
  options: PostgresStorageOptions = {},
): SessionStorage {
  assertSqlClient("db", db);
  return new PostgresStorage(db, readPostgresStorageOptions(options));
}

/** Stores sessions in a database. Every method executes one statement. */
class PostgresStorage implements SessionStorage {
  readonly #db: SqlClient;
  readonly #settings: StorageSettings;
  readonly #sql: SessionStatements;
  readonly #changes: PostgresChanges;
  #prepared: Promise<void> | undefined;
  #isClosed = false;

  readonly records: SessionRecords = {
    load: async (id) =>
      (await this.#query(this.#sql.records, toStorable(id)))
        .map((row) => parseColumn(row, "record", `session "${id}"`)),
    count: async (id) => Number((await this.#query(this.#sql.count, toStorable(id)))[0]?.count),
    append: async (id, record, expectedLength) =>
      await this.#call(this.#sql.addRecord, toStorable(id), format(record), expectedLength) ===
        true,
    removeLast: async (id, expectedLength) =>
      await this.#call(this.#sql.removeRecord, toStorable(id), expectedLength) === true,
  };

  readonly log: RunLog = {
    claim: async (key, { isNew, leaseMs, runId, seenEpoch, turn, turnId }) => {
      const id = turnId === undefined ? null : toStorable(turnId);
      const run = [toStorable(key), toStorable(runId), isNew, format(turn), id];
      const rows = await this.#query(this.#sql.claim, ...run, toMs(leaseMs), seenEpoch);
      this.#changes.notify(key);
      return rows.map(readRun)[0];
    },
    head: async (key) => (await this.#query(this.#sql.head, toStorable(key))).map(readRun)[0],
    append: async (key, epoch, entries) => {
      const texts = formatAll(entries);
      return toHold(await this.#change(key, this.#sql.append, toStorable(key), epoch, texts));
    },
    renew: async (key, epoch, leaseMs) => {
      const [row] = await this.#query(this.#sql.renew, toStorable(key), epoch, toMs(leaseMs));
      return toHold(row?.hold ?? "fenced");
    },
    finish: async (key, epoch, finish) =>
      await this.#change(key, this.#sql.finish, toStorable(key), epoch, ...valuesOf(finish)) ===
        true,
    requestStop: async (key, epoch) =>
      await this.#change(key, this.#sql.stop, toStorable(key), epoch) === true,
    read: async (key, epoch, { from, limit }) =>
      (await this.#query(this.#sql.entries, toStorable(key), epoch, from, from + limit))
        .map((row) => parseColumn(row, "entry", `session "${key}"`)),
    changed: async (seen, signal) => {
      this.#assertOpen();
      await this.#changes.wait(seen, signal);
    },
    list: (filter) => this.#list(filter),
    purge: () => this.#purge(),
  };

  readonly steps: StepStore = {
    load: async (key) =>
      (await this.#query(this.#sql.steps, toStorable(key)))
        .map((row) => readStep(parseColumn(row, "entry", `session "${key}"`), key)),
    put: async (key, epoch, entry) => {
      const step = toStorable(entry.key);
      const values = [toStorable(key), epoch, step, format(entry)];
      const outcome = await this.#call(this.#sql.putStep, ...values);
      return outcome === "stored" || outcome === "present" ? outcome : "fenced";
    },
    delete: async (key) => void await this.#query(this.#sql.deleteSteps, toStorable(key)),
  };

  constructor(db: SqlClient, settings: StorageSettings) {
    const { listen, onError, pollIntervalMs, schema } = settings;
    this.#db = db;
    this.#settings = settings;
    this.#sql = statementsFor(schema);
    this.#changes = new PostgresChanges({
      listener: listen && canListen(db) ? db : undefined,
      channel: channelOf(schema),
      pollIntervalMs,
      load: (keys) => this.#query(this.#sql.look, formatTexts(keys)),
      read: readRun,
      onError: createErrorReporter("postgresStorage", onError),
    });
  }

  async commit(
    key: string,
    epoch: number,
    { expectedLength, record, ...finish }: SessionEnd,
  ): Promise<"stored" | "fenced" | "conflict"> {
    const values = [...valuesOf(finish), format(record), expectedLength];
    const outcome = await this.#change(key, this.#sql.commit, toStorable(key), epoch, ...values);
    return outcome === "stored" || outcome === "conflict" ? outcome : "fenced";
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#changes.close();
  }

  async #list(filter: RunLogFilter): Promise<readonly RunHead[]> {
    const { after = "", limit, phase = null } = filter;
    const text = listOf(this.#settings.schema, filter);
    return (await this.#query(text, toStorable(after), phase, limit)).map(readRun);
  }

  async #purge(): Promise<number> {
    for (let total = 0;;) {
      const [row] = await this.#query(this.#sql.purge);
      const count = Number(row?.count);
      total += count;
      if (count < PURGE_BATCH) return total;
    }
  }

  /** Calls a function that changes a session, and wakes the readers of the session. */
  async #change(key: string, text: string, ...values: readonly unknown[]): Promise<unknown> {
    const outcome = await this.#call(text, ...values);
    this.#changes.notify(key);
    return outcome;
  }

  /** Calls a function, and returns its outcome. */
  async #call(text: string, ...values: readonly unknown[]): Promise<unknown> {
    return (await this.#query(text, ...values))[0]?.outcome;
  }

  async #query(text: string, ...values: readonly unknown[]): Promise<readonly UnknownRecord[]> {
    this.#assertOpen();
    try {
      const { rows } = await this.#within(async () => {
        await (this.#prepared ??= this.#prepare());
        return await this.#db.query(text, [...values]);
      });
      return rows.map(asRecord);
    } catch (cause) {
      throw this.#errorOf(reasonOf(cause), { cause });
    }
  }

  async #prepare(): Promise<void> {
    const { migrate, schema } = this.#settings;
    try {
      await this.#within(() =>
        prepareTables(this.#db, schema, { migrate, tables: SESSION_TABLES })
      );
    } catch (error) {
      // The next call tries again.
      this.#prepared = undefined;
      throw error;
    }
  }

  #within<T>(work: () => Promise<T>): Promise<T> {
    const { queryTimeoutMs: timeoutMs } = this.#settings;
    const late = (): Error => new Error(`the database did not respond within ${timeoutMs} ms`);
    return callWithin(work, { signal: undefined, timeoutMs, late });
  }

  #assertOpen(): void {
    if (this.#isClosed) throw this.#errorOf("the storage is closed");
  }

  #errorOf(reason: string, options?: { readonly cause: unknown }): AgentError {
    const { schema } = this.#settings;
    return AgentError.core(`Cannot use the sessions in schema "${schema}": ${reason}`, options);
  }
}

/** Converts the escaped texts of a row of the table of runs. */
function fromRow(row: UnknownRecord): UnknownRecord {
  const { key, run_id, turn_id } = row;
  return {
    ...row,
    key: fromStorable(String(key)),
    run_id: fromStorable(String(run_id)),
    turn_id: typeof turn_id === "string" ? fromStorable(turn_id) : null,
  };
}

function readRun(row: UnknownRecord): RunHead {
  return readHead(fromRow(row), Number(row.now));
}

function toHold(outcome: unknown): RunHold {
  return outcome === "held" || outcome === "stop" ? outcome : "fenced";
}

/** Returns the parameters that `finish` and `commit` have in common. */
function valuesOf({ entries, keepMs, phase, result }: RunFinish): readonly unknown[] {
  return [phase, formatAll(entries), toMs(keepMs), format(result)];
}

function toMs(ms: number): number {
  return Math.min(Math.round(ms), MAX_MS);
}

/** As JSON, a value contains no characters that PostgreSQL cannot store. */
function format(value: unknown): string {
  return JSON.stringify(value);
}

function formatAll(values: readonly JsonValue[]): string {
  return JSON.stringify(values.map(format));
}

function formatTexts(texts: readonly string[]): string {
  return JSON.stringify(texts.map(toStorable));
}
