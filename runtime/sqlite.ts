/**
 * Durable runs, sessions and budgets in SQLite databases, for the processes of one machine.
 *
 * {@linkcode sqliteRuns} opens an engine for `openRuns` from `@parley/runtime/runs`, and
 * {@linkcode sqliteStorage} opens a storage for `openSessions` from `@parley/runtime/session`, and
 * {@linkcode sqliteBudgetStore} opens a store of budgets. Each needs its own file.
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

import { type DatabaseUse, openDatabase } from "@parley/internal/sqlite-database";
import type { DatabaseSync } from "node:sqlite";
import type { PurgeableBudgetStore } from "./budget/budget_store.ts";
import { BUDGET_SCHEMA, SqliteBudgets } from "./budget/sqlite_budget_store.ts";
import { systemClock } from "./runs/clock.ts";
import type { RunEngine } from "./runs/contracts.ts";
import { CLOCK_RULE, ENGINE_RULES, type LocalRunsOptions } from "./runs/memory.ts";
import { SqliteDeliveries } from "./runs/sqlite_deliveries.ts";
import { SqliteRunJournal } from "./runs/sqlite_journal.ts";
import { SqliteRunQueue } from "./runs/sqlite_queue.ts";
import { MIGRATIONS, SCHEMA, SCHEMA_VERSION } from "./runs/sqlite_schema.ts";
import {
  assertCount,
  assertOptionalBoolean,
  assertOptionalFunction,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { AgentError, errorMessageOf } from "./shared/error.ts";
import { SqliteRunLog } from "./log/sqlite_log.ts";
import { settle } from "./shared/settle.ts";
import { lockReasonOf, SqliteStore } from "./shared/sqlite_store.ts";

export type {
  BudgetState,
  BudgetStore,
  PurgeableBudgetStore,
  ReserveOptions,
} from "./budget/budget_store.ts";
export { sqliteStorage, type SqliteStorageOptions } from "./session/open_sqlite_storage.ts";
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
  /**
   * Interval at which a worker looks for changes by other processes, in milliseconds; a positive
   * integer. Changes by the same process have an effect immediately.
   *
   * @default {100}
   */
  readonly pollIntervalMs?: number;
  /**
   * Time after which a run is delivered to another worker if its process has crashed, in
   * milliseconds; a positive integer. A process renews the leases of its runs three times in this
   * time. If its event loop is blocked for longer, another worker opens the runs, and the process
   * can no longer record their steps.
   *
   * @default {5000}
   */
  readonly leaseMs?: number;
  /**
   * Maximum time to wait for a lock that another process holds, in milliseconds; a positive
   * integer. The event loop is blocked while the engine waits for the lock.
   *
   * @default {5000}
   */
  readonly busyTimeoutMs?: number;
  /**
   * Whether the tables of an older version are changed into those of this version. If `false`, a
   * file with an older version is rejected.
   *
   * @default {true}
   */
  readonly migrate?: boolean;
  /**
   * Called with errors that do not reject a promise, for example if the file is locked while a
   * worker looks for runs. If omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

const readSqliteRunsOptions = optionsReader<SqliteRunsOptions>("options")({
  ...ENGINE_RULES,
  clock: CLOCK_RULE,
  maxBytes: withDefault(17_179_869_184, assertCount),
  maxPartyRuns: withDefault(10_000, assertCount),
  pollIntervalMs: withDefault(100, int32From(1)),
  leaseMs: withDefault(5000, int32From(1)),
  busyTimeoutMs: withDefault(5000, int32From(1)),
  migrate: withDefault(true, assertOptionalBoolean),
  onError: assertOptionalFunction,
});

const RUN_TABLES: StoreTables = {
  content: "runs",
  names:
    "run, step, signal, fence, delivery, agent_turn, run_head, run_earlier, run_entry, run_fence",
  // "PRLY" in ASCII.
  applicationId: 0x50524c59,
  schemaVersion: SCHEMA_VERSION,
  schema: SCHEMA,
};

const PAGE_BYTES = 4096;

/**
 * Opens an engine that stores runs in an SQLite database. Several processes of one machine can open
 * the file at the same time, also with different runtimes. If a process crashes, another worker
 * continues its runs after `leaseMs`.
 *
 * Every recorded step is written to disk before the run continues, so that recorded steps survive a
 * power failure. The file must be on a local disk: the locks of network file systems are not
 * reliable. Statements block the event loop, at most for `busyTimeoutMs` if another process has
 * locked the file.
 *
 * @param path Path to the database file, or `":memory:"`. The file is created if it does not exist.
 * @param options Limits, delays and clock.
 * @throws {TypeError} If `path` is not a non-empty string.
 * @throws {RangeError} If a limit or delay is out of range.
 * @throws {AgentError} With code `core` if the file cannot be opened, is locked for longer than
 * `busyTimeoutMs`, is not a durable-runs database, or has the schema of a newer version.
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
  const settings = readSqliteRunsOptions(options);
  const { busyTimeoutMs, clock, maxPartyRuns, maxSignals, migrate } = settings;
  const database = openFile(path, settings, {
    ...RUN_TABLES,
    ...migrate && { migrations: MIGRATIONS },
  });
  const store = new SqliteStore(database, path, busyTimeoutMs);
  const deliveries = new SqliteDeliveries(store, { clock, leaseClock: systemClock });
  const journal = new SqliteRunJournal(store, deliveries, { clock, maxPartyRuns, maxSignals });
  const onError = createErrorReporter("sqliteRuns", settings.onError);
  const queue = new SqliteRunQueue(deliveries, { ...settings, onError });
  const log = new SqliteRunLog({
    store,
    read: settle,
    write: (work) => settle(() => store.transaction(work)),
    pollIntervalMs: settings.pollIntervalMs,
    owner: "run",
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await queue[Symbol.asyncDispose]();
    log.close();
    database.close();
  };
  return { journal, queue, log, [Symbol.asyncDispose]: () => closing ??= close() };
}

/** Options for {@linkcode sqliteBudgetStore}. */
export interface SqliteBudgetStoreOptions {
  /**
   * Maximum time to wait for a lock that another process holds, in milliseconds; a positive
   * integer. The event loop is blocked while the store waits for the lock. After this time, the
   * call rejects.
   *
   * @default {5000}
   */
  readonly busyTimeoutMs?: number;
  /**
   * Maximum size of the database, in bytes; a positive integer. If the database has reached this
   * size, reservations reject until budgets are purged.
   *
   * @default {1_073_741_824}
   */
  readonly maxBytes?: number;
  /** Returns the current time, in milliseconds since the Unix epoch. If omitted, `Date.now`. */
  readonly now?: () => number;
}

/** A store of budgets in an SQLite database. */
export interface SqliteBudgetStore extends PurgeableBudgetStore, AsyncDisposable {
  /** Closes the database. Idempotent. */
  close(): void;
}

const readBudgetStoreOptions = optionsReader<SqliteBudgetStoreOptions>("options")({
  busyTimeoutMs: withDefault(5000, int32From(1)),
  maxBytes: withDefault(1_073_741_824, assertCount),
  now: withDefault(() => Date.now(), assertOptionalFunction),
});

const BUDGET_TABLES: StoreTables = {
  content: "budgets",
  names: "budget, reservation",
  // "PRLB" in ASCII.
  applicationId: 0x50524c42,
  schemaVersion: 1,
  schema: BUDGET_SCHEMA,
};

/**
 * Opens a store of budgets in an SQLite database, which the processes of a machine can share. Every
 * reservation is written to disk before the model is called. The file must not be on a network file
 * system.
 *
 * @param path Path to the database file, or `":memory:"`. The file is created if it does not exist.
 * @param options Limits and clock.
 * @throws {TypeError} If `path` is not a non-empty string.
 * @throws {RangeError} If a limit is out of range.
 * @throws {AgentError} With code `core` if the file cannot be opened, is locked for longer than
 * `busyTimeoutMs`, is not a database of budgets, or has a different schema version.
 *
 * @example Limit the tokens of a user per day
 * ```ts
 * import { storedBudget, ToolLoopAgent } from "@parley/runtime";
 * import { sqliteBudgetStore } from "@parley/runtime/sqlite";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * // A program uses a file, such as "budgets.db".
 * await using store = sqliteBudgetStore(":memory:");
 * const budget = storedBudget(store, { key: "user:42", maxTokens: 100_000 });
 * const usage = { inputTokens: 900, outputTokens: 100, totalTokens: 1_000 };
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hi", usage }]) });
 * await agent.run("Hello", { budget });
 * assertEquals(await store.read("user:42"), { used: 1_000, reserved: 0 });
 * ```
 */
export function sqliteBudgetStore(
  path: string,
  options: SqliteBudgetStoreOptions = {},
): SqliteBudgetStore {
  if (typeof path !== "string" || path === "") rejectArgument("path", "a non-empty string", path);
  const settings = readBudgetStoreOptions(options);
  const database = openFile(path, settings, BUDGET_TABLES);
  const store = new SqliteStore(database, path, settings.busyTimeoutMs);
  const budgets = new SqliteBudgets(store, settings.now);
  let isClosed = false;
  const close = (): void => {
    if (!isClosed) database.close();
    isClosed = true;
  };
  return {
    reserve: (key, amount, limits) => budgets.reserve(key, amount, limits),
    settle: (id, used) => budgets.settle(id, used),
    read: (key) => budgets.read(key),
    purge: (before) => budgets.purge(before),
    close,
    [Symbol.asyncDispose]: () => Promise.resolve(close()),
  };
}

/** The tables of a store. */
interface StoreTables extends Omit<DatabaseUse, "lock" | "packageName" | "pragmas"> {
  /** What the tables contain, for error messages. */
  readonly content: string;
  /** Names of the tables. */
  readonly names: string;
}

function openFile(
  path: string,
  { busyTimeoutMs, maxBytes }: { readonly busyTimeoutMs: number; readonly maxBytes: number },
  { content, names, ...tables }: StoreTables,
): DatabaseSync {
  const maxPages = Math.max(1, Math.floor(maxBytes / PAGE_BYTES));
  try {
    const database = openDatabase(path, {
      packageName: "@parley/runtime",
      ...tables,
      pragmas: `pragma busy_timeout = ${busyTimeoutMs}; pragma max_page_count = ${maxPages}`,
      lock: "immediate",
    });
    assertTables(database, names);
    return database;
  } catch (cause) {
    const reason = lockReasonOf(cause, busyTimeoutMs) ?? errorMessageOf(cause);
    throw AgentError.core(`Cannot open the ${content} in "${path}": ${reason}`, { cause });
  }
}

/** Closes a file whose tables another program has deleted, and throws. */
function assertTables(database: DatabaseSync, names: string): void {
  try {
    database.prepare(`select 1 from ${names}`);
  } catch (error) {
    database.close();
    throw error;
  }
}
