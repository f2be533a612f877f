/**
 * Durable runs in an SQLite database, for programs that run in a single process.
 *
 * The module uses `node:sqlite`, which is available in Node.js 22.13 or later, Deno 2.2 or later,
 * and Bun 1.4. Node.js 22 warns that SQLite is experimental;
 * `node --disable-warning=ExperimentalWarning` hides the warning.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { openRuns } from "@parley/runtime/runs";
 * import { sqliteRuns } from "@parley/runtime/sqlite";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const runs = openRuns(sqliteRuns(":memory:"), {
 *   clerk: {
 *     version: "1",
 *     make: () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) }),
 *   },
 * });
 * const working = runs.work();
 * await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
 * assertEquals((await runs.result("r1")).status, "done");
 * await runs.close();
 * await working;
 * ```
 *
 * @module
 */

import { openDatabase } from "@parley/internal/sqlite-database";
import type { DatabaseSync } from "node:sqlite";
import type { RunEngine } from "./runs/contracts.ts";
import { LocalQueue } from "./runs/local_queue.ts";
import { CLOCK_RULE, ENGINE_RULES, type LocalRunsOptions } from "./runs/memory.ts";
import { SCHEMA, SqliteRunJournal } from "./runs/sqlite_journal.ts";
import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { AgentError, errorMessageOf } from "./shared/error.ts";

export type { RunEngine } from "./runs/contracts.ts";
export type { LocalRunsOptions } from "./runs/memory.ts";

/** Options for {@linkcode sqliteRuns}. */
export interface SqliteRunsOptions extends LocalRunsOptions {
  /**
   * Maximum size of the database, in bytes; a positive integer. If the database has reached this
   * size, runs cannot be started or continued until runs are purged.
   *
   * @default {17_179_869_184}
   */
  readonly maxBytes?: number;
  /**
   * Maximum number of stored runs of one party; a positive integer. If a party has reached the
   * maximum, its run that ended first is deleted. If none of its runs has ended, it cannot start
   * another run.
   *
   * @default {10_000}
   */
  readonly maxPartyRuns?: number;
}

const readSqliteRunsOptions = optionsReader<SqliteRunsOptions>("options")({
  ...ENGINE_RULES,
  clock: CLOCK_RULE,
  maxBytes: withDefault(17_179_869_184, assertCount),
  maxPartyRuns: withDefault(10_000, assertCount),
});

/** Version of the schema, stored in the database as `user_version`. */
const SCHEMA_VERSION = 2;
/**
 * Identifies a durable-runs database: "PRLY" in ASCII, stored in the database as `application_id`.
 */
const APPLICATION_ID = 0x50524c59;
const PAGE_BYTES = 4096;
/**
 * SQLite error message for a database locked by another connection. Deno's errors have no SQLite
 * error code.
 */
const BUSY = "database is locked";

/**
 * Opens an engine that stores runs in an SQLite database and executes them in this process. After a
 * crash, the next process that opens the database continues the runs.
 *
 * One process at a time can use the database; opening it in a second process throws an error. Every
 * recorded step is written to disk before the run continues, so that recorded steps survive a power
 * failure.
 *
 * @param path Path to the database file, or `":memory:"`. The file is created if it does not exist.
 * @param options Limits, delays and clock.
 * @throws {TypeError} If `path` is not a non-empty string.
 * @throws {RangeError} If a limit or delay is out of range.
 * @throws {AgentError} With code `core` if the file cannot be opened, is used by another process,
 * is not a durable-runs database, or has a different schema version.
 *
 * @example Start a run without executing it
 * ```ts
 * import { openRuns } from "@parley/runtime/runs";
 * import { sqliteRuns } from "@parley/runtime/sqlite";
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ text: "Hello" }]);
 * const clerk = { version: "1", make: () => new ToolLoopAgent({ name: "clerk", model }) };
 * // A program uses a file, such as "runs.db".
 * const runs = openRuns(sqliteRuns(":memory:"), { clerk });
 * await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
 * assertEquals((await runs.list({ status: "queued" })).length, 1);
 * await runs.close();
 * ```
 */
export function sqliteRuns(path: string, options: SqliteRunsOptions = {}): RunEngine {
  if (typeof path !== "string" || path === "") rejectArgument("path", "a non-empty string", path);
  const { clock, maxBytes, maxPartyRuns, maxSignals, ...delays } = readSqliteRunsOptions(options);
  const database = openStore(path, maxBytes);
  const journal = new SqliteRunJournal(database, clock, { maxPartyRuns, maxSignals });
  const unfinished = readUnfinished(path, database, journal);
  const queue = new LocalQueue(clock, delays);
  const requests = unfinished.map((run) => queue.wake(run, run.request));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await Promise.all(requests);
    await queue[Symbol.asyncDispose]();
    database.close();
  };
  return { journal, queue, [Symbol.asyncDispose]: () => closing ??= close() };
}

function openStore(path: string, maxBytes: number): DatabaseSync {
  const maxPages = Math.max(1, Math.floor(maxBytes / PAGE_BYTES));
  try {
    return openDatabase(path, {
      packageName: "@parley/runtime",
      applicationId: APPLICATION_ID,
      schemaVersion: SCHEMA_VERSION,
      schema: SCHEMA,
      // The exclusive lock excludes other processes, and is held until the database is closed.
      pragmas:
        `pragma busy_timeout = 0; pragma locking_mode = exclusive; pragma max_page_count = ${maxPages}`,
      lock: "exclusive",
    });
  } catch (cause) {
    throw openError(path, cause);
  }
}

/**
 * Lists the runs to be delivered. Closes the database if the runs cannot be read, so that other
 * processes can open it.
 */
function readUnfinished(
  path: string,
  database: DatabaseSync,
  journal: SqliteRunJournal,
): ReturnType<SqliteRunJournal["unfinished"]> {
  try {
    return journal.unfinished();
  } catch (cause) {
    database.close();
    throw openError(path, cause);
  }
}

function openError(path: string, cause: unknown): AgentError {
  return AgentError.core(`Cannot open the runs in "${path}": ${reasonOf(cause)}`, { cause });
}

function reasonOf(error: unknown): string {
  const message = errorMessageOf(error);
  return message === BUSY ? "another process uses the database" : message;
}
