/**
 * A transaction on a connection of a PostgreSQL pool.
 *
 * @module
 */

import type { ConnectionPool, PooledConnection } from "./pg_listener.ts";

/** An open transaction, as pg-boss describes it. */
export interface PgTransaction {
  readonly db: {
    executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  };
  /** Commits the transaction. */
  commit(): Promise<void>;
  /** Rolls the transaction back. A rollback has no effect after a commit. */
  rollback(): Promise<void>;
}

/**
 * Checks a connection out of a pool and starts a transaction. The connection returns to the pool at
 * the end of the transaction, or is closed if its state is unknown.
 */
export async function beginTransaction(pool: ConnectionPool): Promise<PgTransaction> {
  const transaction = new Transaction(await pool.connect());
  await transaction.begin();
  return {
    db: { executeSql: (text, values) => transaction.execute(text, values) },
    commit: () => transaction.end("commit"),
    rollback: () => transaction.rollback(),
  };
}

class Transaction {
  readonly #connection: PooledConnection;
  /** Why the connection was lost. */
  #loss: unknown;
  #isEnded = false;

  constructor(connection: PooledConnection) {
    this.#connection = connection;
    // A connection that is lost without a listener ends the process.
    connection.on("error", this.#lose);
  }

  readonly #lose = (cause: unknown): void => {
    this.#loss ??= cause;
    this.#release(true);
  };

  async begin(): Promise<void> {
    try {
      await this.#connection.query("begin");
    } catch (error) {
      this.#release(true);
      throw error;
    }
  }

  /** Executes a statement. After the transaction, its connection belongs to another caller. */
  async execute(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
    this.#assertOpen();
    return await this.#connection.query(text, values);
  }

  async end(statement: "commit" | "rollback"): Promise<void> {
    this.#assertOpen();
    try {
      await this.#connection.query(statement);
    } catch (error) {
      this.#release(true);
      throw error;
    }
    this.#release(false);
  }

  async rollback(): Promise<void> {
    if (!this.#isEnded) await this.end("rollback");
  }

  #assertOpen(): void {
    if (!this.#isEnded) return;
    throw this.#loss ?? new Error("Cannot use the transaction: it has ended");
  }

  #release(isClosed: boolean): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    // A closed connection can still report errors.
    if (!isClosed) this.#connection.removeListener("error", this.#lose);
    this.#connection.release(isClosed);
  }
}
