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
import { PostgresRunLog, valuesOf } from "../log/postgres_log.ts";
import type { RunLog } from "../log/run_log.ts";
import { format, parseColumn, readStep, toStorable } from "../log/stored_text.ts";
import {
  placeIn,
  SESSION_TABLES,
  type SessionStatements,
  statementsFor,
} from "./postgres_schema.ts";
import type { SessionEnd, SessionRecords, SessionStorage, StepStore } from "./storage.ts";

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
  readonly #log: PostgresRunLog;
  #prepared: Promise<void> | undefined;
  #isClosed = false;

  readonly records: SessionRecords = {
    load: async (id) => await this.#records(id, 0),
    loadFrom: async (id, start) => await this.#records(id, start),
    count: async (id) => Number((await this.#query(this.#sql.count, toStorable(id)))[0]?.count),
    append: async (id, record, expectedLength) =>
      await this.#call(this.#sql.addRecord, toStorable(id), format(record), expectedLength) ===
        true,
    removeLast: async (id, expectedLength) =>
      await this.#call(this.#sql.removeRecord, toStorable(id), expectedLength) === true,
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
    this.#log = new PostgresRunLog({
      place: placeIn(schema),
      owner: "session",
      query: (text, ...values) => this.#query(text, ...values),
      assertOpen: () => this.#assertOpen(),
      listener: listen && canListen(db) ? db : undefined,
      pollIntervalMs,
      onError: createErrorReporter("postgresStorage", onError),
    });
  }

  get log(): RunLog {
    return this.#log;
  }

  async commit(
    key: string,
    epoch: number,
    { expectedLength, record, ...finish }: SessionEnd,
  ): Promise<"stored" | "fenced" | "conflict"> {
    const values = [...valuesOf(finish), format(record), expectedLength];
    const outcome = await this.#log.change(key, this.#sql.commit, epoch, ...values);
    return outcome === "stored" || outcome === "conflict" ? outcome : "fenced";
  }

  async delete(key: string, epoch: number): Promise<boolean> {
    return await this.#log.change(key, this.#sql.delete, epoch) === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#log.close();
  }

  async #records(id: string, start: number): Promise<readonly JsonValue[]> {
    const rows = await this.#query(this.#sql.records, toStorable(id), start);
    return rows.map((row) => parseColumn(row, "record", `session "${id}"`));
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
