/**
 * Transactions that the work of one turn of the event loop shares.
 *
 * @module
 */

import { clearImmediate, setImmediate } from "node:timers";
import { CommError } from "../shared/error.ts";
import { explainLock } from "./sqlite_database.ts";

/** The part of a database that {@linkcode SqliteTurns} uses. */
interface Database {
  exec(sql: string): void;
}

/** Work in a transaction. */
interface Work {
  /** Executes the work. Returns a function that reports the result after the commit. */
  readonly run: () => () => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of pieces of work in a transaction. Further work starts the next transaction. */
const MAX_WORK = 1000;

/**
 * Executes the work of each turn of the event loop in one transaction. A transaction waits for the
 * disk, so a transaction for each message would take many times as long.
 */
export class SqliteTurns {
  readonly #database: Database;
  readonly #busyTimeoutMs: number;
  #work: Work[] = [];
  #lastWork: Work[] = [];
  #scheduled: ReturnType<typeof setImmediate> | undefined;

  constructor(database: Database, busyTimeoutMs: number) {
    this.#database = database;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /**
   * Executes work in the transaction of this turn. Resolves when the transaction is committed. If
   * the work throws a {@linkcode CommError}, which it must do before it changes the database, only
   * this promise rejects. Any other error rolls back the transaction.
   *
   * @param work The work, which must be synchronous.
   */
  run<T>(work: () => T): Promise<T> {
    const done = this.#add(this.#work, work);
    if (this.#work.length >= MAX_WORK) this.flush();
    return done;
  }

  /** Executes work in the transaction of this turn, after the other work. */
  runLast<T>(work: () => T): Promise<T> {
    return this.#add(this.#lastWork, work);
  }

  /** Executes the work that has been added. */
  flush(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const all = [...this.#work.splice(0), ...this.#lastWork.splice(0)];
    if (all.length === 0) return;
    for (const settle of this.#execute(all)) settle();
  }

  #add<T>(list: Work[], work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const run = (): () => void => {
        const value = work();
        return () => resolve(value);
      };
      list.push({ run, reject });
      // Microtasks would join only part of a turn, and many messages would block the event loop.
      this.#scheduled ??= setImmediate(() => this.flush());
    });
  }

  /** Executes work in one transaction. Returns functions that report the results. */
  #execute(all: readonly Work[]): readonly (() => void)[] {
    try {
      this.#database.exec("begin immediate");
      const settled = all.map(runSafely);
      this.#database.exec("commit");
      return settled;
    } catch (cause) {
      this.#rollBack();
      const error = explainLock(cause, this.#busyTimeoutMs);
      return all.map(({ reject }) => () => reject(error));
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("rollback");
    } catch {
      // The transaction was not started, or SQLite has already rolled it back.
    }
  }
}

function runSafely({ run, reject }: Work): () => void {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof CommError)) throw error;
    return () => reject(error);
  }
}
