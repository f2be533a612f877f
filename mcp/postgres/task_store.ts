/**
 * Task storage in PostgreSQL.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { assertCount, assertFunction, assertShare } from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { optionsReader, withDefault } from "@parley/internal/options";
import { isTerminal, readTask } from "../tasks/task.ts";
import {
  FREE_CHARS,
  freeCharsOf,
  MAX_WAITING_SIGNALS,
  type StoredTaskSignal,
  type TaskLease,
  type TaskLeaseOptions,
  type TaskLimits,
  type TaskRecord,
  type TaskSignal,
  type TaskStore,
  type TaskWatcher,
  tooManySignals,
  tooManyTasks,
} from "../tasks/task_store.ts";
import { assertListeningClient, listenTo } from "@parley/internal/sql-client";
import type { UnknownRecord } from "@parley/internal/json";
import type { SqlClient } from "../shared/sql_client.ts";
import { queryTables } from "./query_tables.ts";

/** Channel for changes and signals, with the payload `change <task id>` or `signal <task id>`. */
const CHANNEL = "parley_mcp_tasks";

const SET = `select parley_mcp_set_task($1::text, $2::text, $3::text, $4::integer, $5::float8,
  $6::float8, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::bigint) as outcome`;

/** Remaining time to live by the database's clock, in milliseconds. */
const TTL_MS = `(extract(epoch from expires_at - now()) * 1000)::float8 as ttl_ms`;

const GET =
  `select task_id, record, epoch, ${TTL_MS} from parley_mcp_tasks where task_id = $1::text`;

const RENEW = `update parley_mcp_tasks as task
set leased_until = now() + $2::float8 * interval '1 millisecond'
from json_to_recordset($1::text::json) as lease ("taskId" text, epoch integer)
where task.task_id = lease."taskId" and task.epoch = lease.epoch and task.leased_until is not null
returning task.task_id`;

const DELETE_EXPIRED = `delete from parley_mcp_tasks where expires_at <= now()`;

/**
 * A statement that skips locked rows, because another process is taking over their tasks. It also
 * skips rows for which a computation of the statement would fail, because one such row would
 * prevent all takeovers: rows with the largest epoch, and rows that never expire.
 */
const TAKE_EXPIRED = `with due as materialized (
  select task_id from parley_mcp_tasks
  where leased_until <= now() and epoch < 2147483647 and isfinite(expires_at)
  order by leased_until limit $1::integer for update skip locked
)
update parley_mcp_tasks as task
set epoch = task.epoch + 1, leased_until = now() + $2::float8 * interval '1 millisecond'
from due where task.task_id = due.task_id
returning task.task_id, task.record, task.epoch, ${TTL_MS}`;

/**
 * Ends the leases of tasks that cannot be read. Otherwise, they would be taken over again and
 * again.
 */
const RELEASE = `update parley_mcp_tasks as task set leased_until = null
from json_to_recordset($1::text::json) as lease ("taskId" text, epoch integer)
where task.task_id = lease."taskId" and task.epoch = lease.epoch`;

const SIGNAL = `select parley_mcp_signal_task($1::text, $2::text, $3::integer, $4::bigint,
  $5::bigint, $6::bigint) as outcome`;

const TAKE_SIGNALS = `with taken as (
  delete from parley_mcp_task_signals
  where task_id in (select json_array_elements_text($1::text::json))
  returning number, task_id, signal
)
select task_id, signal from taken order by number`;

/** Options for {@linkcode postgresTaskStore}. */
export interface PostgresTaskStoreOptions {
  /**
   * Maximum number of stored tasks of all processes. When the store is full, expired tasks are
   * deleted. If no tasks have expired, new tasks are rejected.
   *
   * @default {10_000}
   */
  readonly maxTasks?: number;
  /**
   * Maximum total size of all tasks, in characters of their serialized JSON. The same limit applies
   * to the total size of the signals that wait for tasks, such as input responses.
   *
   * @default {268_435_456}
   */
  readonly maxChars?: number;
  /**
   * Maximum share of `maxTasks` and `maxChars` per authenticated principal, greater than 0 and at
   * most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
  /**
   * Called with errors for stored tasks and signals that cannot be read, for example because a
   * newer version has stored them, and when the connection for notifications is lost or cannot be
   * restored. If omitted, errors are printed to standard error: each error
   * once, and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
}

const readOptions = optionsReader<PostgresTaskStoreOptions>("options")({
  maxTasks: withDefault(10_000, assertCount),
  maxChars: withDefault(256 * 1024 * 1024, assertCount),
  maxSharePerPrincipal: withDefault(0.25, assertShare),
  onError: assertFunction,
});

/**
 * Creates a task store in PostgreSQL, which all processes of a server share.
 * {@linkcode createTables} creates the store's tables. The store uses the database's clock to
 * determine when leases and tasks expire, so the clocks of the processes may differ. Use the same
 * limits in all processes.
 *
 * @param sql Database that can receive notifications: a `Pool` of the package `pg`, or the result
 * of {@linkcode fromPostgres}.
 * @param options Limits for the store, and the callback for errors.
 * @throws {TypeError} If `sql` is not a database that can receive notifications, or `onError` is
 * not a function.
 * @throws {RangeError} If a limit is not a positive integer, or if `maxSharePerPrincipal` is not
 * greater than 0 and at most 1.
 *
 * @example Share tasks between processes
 * ```ts
 * import { postgresTaskStore, type SqlClient } from "@parley/mcp/postgres";
 * import { serverTasks } from "@parley/mcp/tasks";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for a `Pool` of the package `pg`.
 * const sql: SqlClient = {
 *   query: () => Promise.resolve({ rows: [] }),
 *   listen: () => Promise.resolve(() => Promise.resolve()),
 * };
 * const jobs = serverTasks({ store: postgresTaskStore(sql) });
 * assertEquals(jobs.id, "io.modelcontextprotocol/tasks");
 * await jobs.close();
 * ```
 */
export function postgresTaskStore(
  sql: SqlClient,
  options: PostgresTaskStoreOptions = {},
): TaskStore {
  assertListeningClient("sql", sql);
  const { onError, ...limits } = readOptions(options);
  return new PostgresTaskStore(sql, limits, createErrorReporter("postgresTaskStore", onError));
}

class PostgresTaskStore implements TaskStore {
  readonly #sql: SqlClient;
  readonly #limits: readonly number[];
  readonly #onError: (error: unknown) => void;

  constructor(
    sql: SqlClient,
    { maxTasks, maxChars, maxSharePerPrincipal }: TaskLimits,
    onError: (error: unknown) => void,
  ) {
    const own = (max: number): number => Math.max(Math.floor(max * maxSharePerPrincipal), 1);
    this.#sql = sql;
    this.#limits = [maxTasks, maxChars, own(maxTasks), own(maxChars)];
    this.#onError = onError;
  }

  async get(taskId: string): Promise<TaskRecord | undefined> {
    if (!isStorable(taskId)) return undefined;
    const [row] = await queryTables(this.#sql, GET, [taskId]);
    return row && readRecord(row);
  }

  async set(record: TaskRecord, { leaseMs }: TaskLeaseOptions): Promise<boolean> {
    const { task, epoch, expiresAt, subject } = record;
    const [row] = await queryTables(this.#sql, SET, [
      task.taskId,
      JSON.stringify(record),
      // As JSON, a subject contains no characters that PostgreSQL cannot store.
      subject === undefined ? null : JSON.stringify(subject),
      epoch,
      expiresAt - Date.now(),
      isTerminal(task.status) ? null : leaseMs,
      freeCharsOf(task),
      ...this.#limits,
    ]);
    if (row?.outcome === "full") throw tooManyTasks();
    return row?.outcome === "stored";
  }

  async renew(
    leases: readonly TaskLease[],
    { leaseMs }: TaskLeaseOptions,
  ): Promise<readonly string[]> {
    const storable = leases.filter(({ taskId }) => isStorable(taskId));
    const rows = await queryTables(this.#sql, RENEW, [JSON.stringify(storable), leaseMs]);
    return rows.map((row) => readColumn(row, "task_id"));
  }

  async takeExpired(
    { limit, leaseMs }: TaskLeaseOptions & { readonly limit: number },
  ): Promise<readonly TaskRecord[]> {
    await queryTables(this.#sql, DELETE_EXPIRED);
    const rows = await queryTables(this.#sql, TAKE_EXPIRED, [limit, leaseMs]);
    const unreadable: TaskLease[] = [];
    const records = rows.flatMap((row) => {
      try {
        return readRecord(row);
      } catch (error) {
        this.#onError(error);
        unreadable.push({ taskId: readColumn(row, "task_id"), epoch: Number(row.epoch) });
        return [];
      }
    });
    if (unreadable.length > 0) {
      await queryTables(this.#sql, RELEASE, [JSON.stringify(unreadable)]).catch(this.#onError);
    }
    return records;
  }

  async signal(taskId: string, signal: TaskSignal): Promise<boolean> {
    if (!isStorable(taskId)) return false;
    const [, maxChars = 0, , maxOwnChars = 0] = this.#limits;
    const [row] = await queryTables(this.#sql, SIGNAL, [
      taskId,
      JSON.stringify(signal),
      MAX_WAITING_SIGNALS,
      FREE_CHARS,
      maxChars,
      maxOwnChars,
    ]);
    if (row?.outcome === "full") throw tooManySignals();
    return row?.outcome === "stored";
  }

  async takeSignals(taskIds: readonly string[]): Promise<readonly StoredTaskSignal[]> {
    const storable = taskIds.filter(isStorable);
    const rows = await queryTables(this.#sql, TAKE_SIGNALS, [JSON.stringify(storable)]);
    return rows.flatMap((row) => {
      try {
        return { taskId: readColumn(row, "task_id"), signal: readSignal(row) };
      } catch (error) {
        this.#onError(error);
        return [];
      }
    });
  }

  watch({ onChange, onSignal }: TaskWatcher): Promise<() => Promise<void>> {
    return listenTo(this.#sql, {
      channel: CHANNEL,
      onPayload: (payload) => {
        const [kind, taskId = ""] = payload.split(" ", 2);
        if (kind === "change") onChange(taskId);
        if (kind === "signal") onSignal(taskId);
      },
      onListen: () => {},
      onLoss: this.#onError,
    });
  }
}

/**
 * Returns `true` if PostgreSQL can store a string. It cannot store U+0000, and drivers replace lone
 * surrogates, so that different strings would become equal.
 */
function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

function readColumn(row: UnknownRecord, name: string): string {
  const value = row[name];
  if (typeof value === "string") return value;
  throw new TypeError(`Cannot read column "${name}": expected text, got ${typeof value}`);
}

/**
 * Reads a stored task. The epoch is a column, because a takeover does not change the record. The
 * expiry time is converted from the database's clock to that of this process.
 *
 * @throws {TypeError} If the row does not contain a task.
 */
function readRecord(row: UnknownRecord): TaskRecord {
  const record: unknown = JSON.parse(readColumn(row, "record"));
  const { epoch, ttl_ms: ttlMs, task_id: taskId } = row;
  if (
    isRecord(record) && isRecord(record.task) && readTask(record.task).ok &&
    (taskId === undefined || record.task.taskId === taskId) &&
    typeof ttlMs === "number" && typeof epoch === "number" &&
    (record.subject === undefined || typeof record.subject === "string")
  ) {
    // The members were checked above, and the input requests were serialized by `set`.
    return { ...record, epoch, expiresAt: Date.now() + ttlMs } as unknown as TaskRecord;
  }
  throw new TypeError('Cannot read a row of "parley_mcp_tasks": the record is not a task');
}

function readSignal(row: UnknownRecord): TaskSignal {
  const signal: unknown = JSON.parse(readColumn(row, "signal"));
  if (isRecord(signal)) {
    const { kind, inputResponses } = signal;
    if (kind === "cancel") return { kind };
    if (kind === "input" && isRecord(inputResponses)) return { kind, inputResponses };
  }
  throw new TypeError('Cannot read a row of "parley_mcp_task_signals": the signal is unknown');
}
