/**
 * Durable runs in a PostgreSQL database, for programs with any number of processes on any number of
 * machines.
 *
 * Version 12 of the `pg-boss` package delivers the runs. Install `pg-boss`, and pass its `PgBoss`
 * class to {@linkcode pgBossRuns}. `pg-boss` requires Node.js 22.12 or later, or Deno, and
 * PostgreSQL 16 or later.
 *
 * ```ts ignore
 * import { PgBoss } from "pg-boss";
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { pgBossRuns } from "@parley/runtime/pgboss";
 * import { openRuns } from "@parley/runtime/runs";
 * import { scriptedModel } from "@parley/runtime/testing";
 *
 * const connectionString = "postgres://user:password@localhost/app";
 * const runs = openRuns(pgBossRuns({ PgBoss, connectionString }), {
 *   clerk: {
 *     version: "1",
 *     make: () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) }),
 *   },
 * });
 * await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
 * await runs.work();
 * ```
 *
 * @module
 */

import { PostgresRunLog } from "./log/postgres_log.ts";
import { delay, systemClock } from "./runs/clock.ts";
import type { RunEngine } from "./runs/contracts.ts";
import type { RunStatus } from "./runs/run_record.ts";
import { ENGINE_RULES } from "./runs/memory.ts";
import { isTemporary, reasonOf, reconnectDelay, toError } from "./shared/database_errors.ts";
import { PgBossRunQueue } from "./runs/pgboss_run_queue.ts";
import type { PgBossClass, PgBossInstance, PgBossSettings } from "./runs/pgboss_types.ts";
import { PostgresRunJournal } from "./runs/postgres_journal.ts";
import { logPlaceIn, prepareSchema } from "./runs/postgres_schema.ts";
import { assertSchemaName } from "./shared/postgres_tables.ts";
import {
  assertCount,
  assertNonNegative,
  assertOptionalBoolean,
  assertOptionalFunction,
  assertOptionalSignal,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { AgentError, errorMessageOf } from "./shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { asRecord, defined } from "@parley/internal/json";
import {
  assertSqlClient,
  canListen,
  fromPgBossDatabase,
  toPgBossDatabase,
} from "@parley/internal/sql-client";
import type { SqlClient } from "./shared/sql_client.ts";
import { openWithErrorListeners } from "@parley/internal/pool-errors";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";

export type { RunEngine } from "./runs/contracts.ts";
export type { RunStatus } from "./runs/run_record.ts";
export type {
  PgBossClass,
  PgBossDatabase,
  PgBossInstance,
  PgBossJob,
  PgBossQueueSettings,
  PgBossSendOptions,
  PgBossSettings,
  PgBossWorkOptions,
} from "./runs/pgboss_types.ts";
export type { SqlClient } from "./shared/sql_client.ts";

/** Options for {@linkcode pgBossRuns}. Either `connectionString` or `db` is required. */
export interface PgBossRunsOptions {
  /** The `PgBoss` class from the `pg-boss` package, version 12. */
  readonly PgBoss: PgBossClass;
  /** Connection string of the PostgreSQL database. */
  readonly connectionString?: string;
  /**
   * The caller's database, such as a `Pool` of the package `pg`, which the caller must close. One
   * connection of the pool receives notifications. If the database cannot receive notifications,
   * workers poll for new runs every 2 seconds.
   */
  readonly db?: SqlClient;
  /**
   * Schema of the `run` and `entry` tables: 1 to 40 of the characters `a-z`, `0-9` and `_`. pg-boss
   * uses a second schema, with the suffix `_pgboss`. Programs with the same schema share their
   * runs.
   *
   * @default {"parley"}
   */
  readonly schema?: string;
  /**
   * Maximum number of connections that `connectionString` opens; a positive integer. One additional
   * connection receives notifications.
   *
   * @default {10}
   */
  readonly maxConnections?: number;
  /**
   * Delay after the first failed attempt to execute a run, in milliseconds. The delay doubles with
   * each attempt.
   *
   * @default {1000}
   */
  readonly retryDelayMs?: number;
  /**
   * Maximum delay between attempts, in milliseconds.
   *
   * @default {60_000}
   */
  readonly maxRetryDelayMs?: number;
  /**
   * Maximum number of deliveries of a run that end with a worker crash or the loss of the database
   * connection; a positive integer. After the last permitted delivery, the run fails with code
   * `run_limit`, because the run itself may be causing the crashes. The delivery count is reset
   * when the run waits or an attempt fails.
   *
   * @default {50}
   */
  readonly maxDeliveries?: number;
  /**
   * Maximum number of signals per run for which the run does not wait; a positive integer.
   * Decisions on approvals are counted separately. Signals and decisions for which the run waits,
   * or waited when it last ended an execution, are always stored.
   *
   * @default {1000}
   */
  readonly maxSignals?: number;
  /**
   * Maximum number of stored runs of one party; a positive integer. If a party has reached the
   * maximum, its run that ended first is deleted. If none of its runs has ended, it cannot start
   * another run. Runs that are started at the same time can exceed the maximum.
   *
   * @default {10_000}
   */
  readonly maxPartyRuns?: number;
  /**
   * How long the engine keeps trying to connect to a database that is not available, in
   * milliseconds.
   *
   * @default {60_000}
   */
  readonly startTimeoutMs?: number;
  /**
   * Whether the engine creates its tables and migrates tables from older versions. If `false`,
   * missing tables or tables with a different version cause an error.
   *
   * @default {true}
   */
  readonly migrate?: boolean;
  /** Signal that aborts the attempts to connect. */
  readonly signal?: AbortSignal;
  /**
   * Called with errors that do not reject a promise: failed attempts to connect, pg-boss errors and
   * warnings, and runs that were delivered too many times. If omitted, each distinct error is
   * printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

const readPgBossRunsOptions = optionsReader<PgBossRunsOptions>("options")({
  ...ENGINE_RULES,
  PgBoss: required((name, value) => {
    if (typeof value === "function") return;
    const remedy = 'import { PgBoss } from "pg-boss"';
    rejectArgument(name, "the class PgBoss of the package pg-boss", value, remedy);
  }),
  connectionString: (name, value) => {
    if (typeof value === "string" && value !== "") return;
    // The error message does not contain the connection string, which may include a password.
    throw new TypeError(`"${name}" must be a non-empty string`);
  },
  db: assertSqlClient,
  schema: withDefault("parley", assertSchemaName),
  maxConnections: withDefault(10, assertCount),
  maxDeliveries: withDefault(50, assertCount),
  maxPartyRuns: withDefault(10_000, assertCount),
  startTimeoutMs: withDefault(60_000, assertNonNegative),
  migrate: withDefault(true, assertOptionalBoolean),
  signal: assertOptionalSignal,
  onError: assertOptionalFunction,
});

/** An engine for durable runs in a PostgreSQL database. */
export interface PgBossRuns extends RunEngine {
  /** Counts the stored runs, grouped by status. */
  countRuns(): Promise<Readonly<Record<RunStatus, number>>>;
}

/** Interval at which a process checks whether the monitor is due, in seconds. */
const SUPERVISE_SECONDS = 1;
/**
 * Interval at which the pg-boss monitor looks for crashed workers, in seconds. Together with the
 * 10-second heartbeat timeout and the 2-second fetch interval, this interval limits the time until
 * another worker takes over a run to 17 seconds.
 */
const MONITOR_SECONDS = 4;

/** Interval at which the readers of runs look for events without notifications, in milliseconds. */
const POLL_INTERVAL_MS = 200;

/**
 * Replacements for pg-boss error messages about missing or outdated tables, which do not name the
 * schema.
 */
const SCHEMA_ERRORS: ReadonlyMap<string, (schema: string) => string> = new Map([
  ["pg-boss is not installed", (schema) => `schema "${schema}" has no durable runs`],
  [
    "pg-boss database requires migrations",
    (schema) =>
      `the tables in schema "${schema}_pgboss" were created by a different version of pg-boss`,
  ],
]);

/**
 * Opens an engine that stores runs in a PostgreSQL database, and delivers them with pg-boss to the
 * workers of all processes that use the same schema. The engine creates its tables, and migrates
 * tables from older versions.
 *
 * If a worker crashes or hangs, its runs are delivered to other workers 10 to 17 seconds later. If
 * another process cancels a run, the run's worker notices within about 1 second. While the database
 * is not available, a worker keeps retrying its database calls. A worker with several agents, or
 * agents that accept older versions, executes at most `concurrency` runs at a time. For each
 * version, the worker may also hold back up to `concurrency` fetched runs until it has capacity.
 * The runs of several parties are delivered in turns, and the program's own runs come first.
 *
 * To start a run within a transaction, pass the {@linkcode SqlClient} of the transaction as `tx`,
 * such as the client of the package `pg` that has started the transaction.
 *
 * @param options pg-boss class, database and limits.
 * @throws {TypeError} If an option has the wrong type, or if neither or both of `connectionString`
 * and `db` are set.
 * @throws {RangeError} If a limit is out of range.
 * @throws {AgentError} With code `core` if the database does not become available in time, or if
 * its tables belong to another program or a newer version.
 *
 * @example Start a run in the transaction that stores an order
 * ```ts
 * import { type PgBossClass, pgBossRuns, type SqlClient } from "@parley/runtime/pgboss";
 * import { openRuns, type Runs } from "@parley/runtime/runs";
 *
 * // The first argument is the class PgBoss of the package pg-boss.
 * export function open(PgBoss: PgBossClass, connectionString: string): Runs {
 *   return openRuns(pgBossRuns({ PgBoss, connectionString }), {});
 * }
 *
 * // The client is a client of the package pg.
 * export async function order(runs: Runs, client: SqlClient, id: string): Promise<void> {
 *   await client.query("begin");
 *   await client.query("insert into orders (id) values ($1)", [id]);
 *   await runs.start({ runId: id, agent: "clerk", input: `Order ${id}`, tx: client });
 *   await client.query("commit");
 * }
 * ```
 */
export function pgBossRuns(options: PgBossRunsOptions): Promise<PgBossRuns> {
  const settings = readPgBossRunsOptions(options);
  if ((settings.connectionString === undefined) === (settings.db === undefined)) {
    throw new TypeError('Exactly one of "connectionString" and "db" must be set');
  }
  const { maxDeliveries, maxPartyRuns, maxSignals, PgBoss, schema, signal, startTimeoutMs } =
    settings;
  const { maxRetryDelayMs, retryDelayMs } = settings;
  const onError = createErrorReporter("pgBossRuns", settings.onError);
  const start = async (): Promise<PgBossRuns> => {
    const boss = await connect(PgBoss, toPgBossSettings(settings), {
      schema,
      startTimeoutMs,
      onError,
      signal,
    });
    const db = fromPgBossDatabase(boss.getDb());
    const journal = new PostgresRunJournal(db, schema, { maxPartyRuns, maxSignals });
    const queue = new PgBossRunQueue(boss, journal, {
      retryDelayMs,
      maxRetryDelayMs,
      maxDeliveries,
      countQueued: (run) => journal.countQueued(run),
      onError,
    });
    const log = new PostgresRunLog({
      place: logPlaceIn(schema),
      owner: "run",
      query: async (text, ...values) => (await db.query(text, [...values])).rows.map(asRecord),
      listener: settings.db !== undefined && canListen(settings.db) ? settings.db : undefined,
      pollIntervalMs: POLL_INTERVAL_MS,
      onError,
    });
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await queue[Symbol.asyncDispose]();
      await log.close();
      await boss.stop({ graceful: false });
    };
    return {
      journal,
      queue,
      log,
      countRuns: () => journal.count(),
      [Symbol.asyncDispose]: () => closing ??= close(),
    };
  };
  return start();
}

function toPgBossSettings(
  { connectionString, db, maxConnections, migrate, schema }: Settings<
    PgBossRunsOptions,
    "maxConnections" | "migrate" | "schema"
  >,
): PgBossSettings {
  return {
    ...defined({ connectionString, db: db && toPgBossDatabase(db) }),
    schema: `${schema}_pgboss`,
    migrate,
    // One connection receives the notifications.
    max: maxConnections + 1,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: MONITOR_SECONDS,
    useListenNotify: db === undefined || canListen(db),
    registerInstance: false,
    schedule: false,
  };
}

/** Starts pg-boss and prepares the tables. Retries while the database is not available. */
async function connect(
  PgBoss: PgBossClass,
  settings: PgBossSettings,
  { onError, schema, signal, startTimeoutMs }: {
    readonly schema: string;
    readonly startTimeoutMs: number;
    readonly onError: (error: unknown) => void;
    readonly signal: AbortSignal | undefined;
  },
): Promise<PgBossInstance> {
  const endsAt = systemClock.now() + startTimeoutMs;
  for (let attempt = 1;; attempt++) {
    signal?.throwIfAborted();
    const boss = new PgBoss(settings);
    boss.on("error", (error) => onError(toError(error)));
    boss.on("warning", ({ message }) => onError(new Error(message)));
    try {
      if (settings.db === undefined) await openWithErrorListeners(boss.getDb());
      await boss.start();
      await prepareSchema(fromPgBossDatabase(boss.getDb()), schema, settings);
      return boss;
    } catch (cause) {
      await boss.stop({ graceful: false }).catch(onError);
      const reason = SCHEMA_ERRORS.get(errorMessageOf(cause))?.(schema) ?? reasonOf(cause);
      const message = `Cannot open the runs in the database: ${reason}`;
      const error = AgentError.core(message, { cause });
      const delayMs = reconnectDelay(attempt);
      if (!isTemporary(cause) || systemClock.now() + delayMs > endsAt) throw error;
      onError(error);
      await delay(systemClock, delayMs, signal);
    }
  }
}
