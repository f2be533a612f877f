/**
 * A connection to an SQLite database that other processes can use at the same time.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "./error.ts";

type Value = string | number | null;

/** A prepared statement, as provided by all supported versions of `node:sqlite`. */
interface SqliteStatement {
  get(...values: Value[]): unknown;
  all(...values: Value[]): unknown[];
  run(...values: Value[]): { readonly changes: number | bigint };
}

/** The database methods that the store uses. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
}

/**
 * Error message of SQLite if another connection has locked the database. Deno's errors have no
 * SQLite error code.
 */
const BUSY = "database is locked";

/** Executes statements and transactions. */
export class SqliteStore {
  readonly #database: SqliteDatabase;
  readonly #path: string;
  readonly #busyTimeoutMs: number;
  /** Prepared statements, keyed by SQL text. */
  readonly #statements: Map<string, SqliteStatement> = new Map();

  /**
   * @param path Path to the database file, for error messages.
   * @param busyTimeoutMs How long the connection waits for a lock.
   */
  constructor(database: SqliteDatabase, path: string, busyTimeoutMs: number) {
    this.#database = database;
    this.#path = path;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Returns the first row, or `undefined`. */
  get(sql: string, ...values: Value[]): unknown {
    return this.#call(() => this.#prepare(sql).get(...values));
  }

  /** Returns all rows. */
  all(sql: string, ...values: Value[]): readonly unknown[] {
    return this.#call(() => this.#prepare(sql).all(...values));
  }

  /** Changes rows, and returns their number. */
  run(sql: string, ...values: Value[]): number {
    return Number(this.#call(() => this.#prepare(sql).run(...values)).changes);
  }

  /**
   * Executes a transaction. It locks the database for other writers before it reads, so that what
   * it has read is still true when it writes.
   */
  transaction<Result>(work: () => Result): Result {
    this.#call(() => this.#database.exec("begin immediate"));
    try {
      const result = work();
      this.#call(() => this.#database.exec("commit"));
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

  #call<Result>(call: () => Result): Result {
    try {
      return call();
    } catch (cause) {
      const reason = lockReasonOf(cause, this.#busyTimeoutMs);
      if (reason === undefined) throw cause;
      throw AgentError.core(`Cannot write to "${this.#path}": ${reason}`, { cause });
    }
  }
}

/**
 * Returns the reason of an error about a locked database, with a remedy; otherwise, `undefined`.
 */
export function lockReasonOf(error: unknown, busyTimeoutMs: number): string | undefined {
  if (errorMessageOf(error) !== BUSY) return undefined;
  return `locked by another process for ${busyTimeoutMs} ms; close the program that keeps a ` +
    'transaction open, or increase "busyTimeoutMs"';
}
