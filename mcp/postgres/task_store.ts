/**
 * Task storage in PostgreSQL.
 *
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { isTerminal, readTask } from "../tasks/task.ts";
import {
  MAX_WAITING_SIGNALS,
  type TaskRecord,
  type TaskSignal,
  type TaskStore,
  tooManySignals,
} from "../tasks/task_store.ts";
import { assertSqlClient, queryTables, type SqlClient, type SqlRow } from "./sql_client.ts";

/** Channel for changes and signals, with the payload `change <task id>` or `signal <task id>`. */
const CHANNEL = "parley_mcp_tasks";

/**
 * Stores a new task, or a task whose epoch is unchanged. Returns one row if the task was stored.
 */
const SET = `with stored as (
  insert into parley_mcp_tasks as task (task_id, record, epoch, expires_at, leased_until)
  select $1::text, $2::text, $3::integer, to_timestamp($4::float8 / 1000),
    case when $5::boolean then null else now() + $6::float8 * interval '1 millisecond' end
  where $3::integer = 0 or exists (select from parley_mcp_tasks where task_id = $1::text)
  on conflict (task_id) do update set record = excluded.record, expires_at = excluded.expires_at,
    leased_until = excluded.leased_until
  where task.epoch = excluded.epoch
  returning task_id
)
select pg_notify('${CHANNEL}', 'change ' || task_id) from stored`;

const GET = `select record, epoch from parley_mcp_tasks where task_id = $1::text`;

const RENEW = `update parley_mcp_tasks as task
set leased_until = now() + $2::float8 * interval '1 millisecond'
from json_to_recordset($1::text::json) as lease ("taskId" text, epoch integer)
where task.task_id = lease."taskId" and task.epoch = lease.epoch and task.leased_until is not null
returning task.task_id`;

const DELETE_EXPIRED = `delete from parley_mcp_tasks where expires_at <= now()`;

/** A statement that skips locked rows, because another process is taking over their tasks. */
const TAKE_EXPIRED = `with due as materialized (
  select task_id from parley_mcp_tasks where leased_until <= now()
  order by leased_until limit $1::integer for update skip locked
)
update parley_mcp_tasks as task
set epoch = task.epoch + 1, leased_until = now() + $2::float8 * interval '1 millisecond'
from due where task.task_id = due.task_id
returning task.record, task.epoch`;

/** Returns the number of leased tasks with the id, and the number of stored signals. */
const SIGNAL = `with target as materialized (
  select task_id from parley_mcp_tasks where task_id = $1::text and leased_until > now()
), stored as (
  insert into parley_mcp_task_signals (task_id, signal)
  select task_id, $2::text from target
  where (select count(*) from parley_mcp_task_signals where task_id = $1::text) < $3::integer
  returning task_id
), sent as materialized (
  select pg_notify('${CHANNEL}', 'signal ' || task_id) from stored
)
select (select count(*)::integer from target) as tasks,
  (select count(*)::integer from sent) as signals`;

const TAKE_SIGNALS = `with taken as (
  delete from parley_mcp_task_signals
  where task_id in (select json_array_elements_text($1::text::json))
  returning number, task_id, signal
)
select task_id, signal from taken order by number`;

/**
 * Creates a task store in PostgreSQL, which all processes of a server share.
 * {@linkcode createTables} creates the store's tables. The store uses the database's clock to
 * determine when leases expire.
 *
 * @param sql Access to the database.
 * @throws {TypeError} If `sql` lacks a required function.
 *
 * @example Share tasks between processes
 * ```ts
 * import { postgresTaskStore, type SqlClient } from "@parley/mcp/postgres";
 * import { serverTasks } from "@parley/mcp/tasks";
 * import { assertEquals } from "@std/assert";
 *
 * // Stands in for `fromPostgres(postgres("postgres://localhost/mcp"))`.
 * const sql: SqlClient = {
 *   query: () => Promise.resolve([]),
 *   listen: () => Promise.resolve(() => Promise.resolve()),
 * };
 * const jobs = serverTasks({ store: postgresTaskStore(sql) });
 * assertEquals(jobs.id, "io.modelcontextprotocol/tasks");
 * await jobs.close();
 * ```
 */
export function postgresTaskStore(sql: SqlClient): TaskStore {
  assertSqlClient(sql);
  return {
    get: async (taskId) => {
      const [row] = await queryTables(sql, GET, [taskId]);
      return row && readRecord(row);
    },
    set: async (record, { leaseMs }) => {
      const { task: { taskId, status }, epoch, expiresAt } = record;
      const values = [
        taskId,
        JSON.stringify(record),
        epoch,
        expiresAt,
        isTerminal(status),
        leaseMs,
      ];
      return (await queryTables(sql, SET, values)).length > 0;
    },
    renew: async (leases, { leaseMs }) => {
      const rows = await queryTables(sql, RENEW, [JSON.stringify(leases), leaseMs]);
      return rows.map((row) => readColumn(row, "task_id"));
    },
    takeExpired: async ({ limit, leaseMs }) => {
      await queryTables(sql, DELETE_EXPIRED);
      return (await queryTables(sql, TAKE_EXPIRED, [limit, leaseMs])).map(readRecord);
    },
    signal: async (taskId, signal) => {
      const values = [taskId, JSON.stringify(signal), MAX_WAITING_SIGNALS];
      const [row] = await queryTables(sql, SIGNAL, values);
      if (row?.tasks !== 1) return false;
      if (row.signals !== 1) throw tooManySignals();
      return true;
    },
    takeSignals: async (taskIds) => {
      const rows = await queryTables(sql, TAKE_SIGNALS, [JSON.stringify(taskIds)]);
      return rows.map((row) => ({ taskId: readColumn(row, "task_id"), signal: readSignal(row) }));
    },
    watch: ({ onChange, onSignal }) =>
      sql.listen(CHANNEL, (payload) => {
        const [kind, taskId = ""] = payload.split(" ", 2);
        if (kind === "change") onChange(taskId);
        if (kind === "signal") onSignal(taskId);
      }),
  };
}

function readColumn(row: SqlRow, name: string): string {
  const value = row[name];
  if (typeof value === "string") return value;
  throw new TypeError(`Cannot read column "${name}": expected text, got ${typeof value}`);
}

/**
 * Reads a stored task. The epoch is a column, because a takeover does not change the record.
 *
 * @throws {TypeError} If the row does not contain a task.
 */
function readRecord(row: SqlRow): TaskRecord {
  const record: unknown = JSON.parse(readColumn(row, "record"));
  const { epoch } = row;
  if (
    isRecord(record) && isRecord(record.task) && readTask(record.task).ok &&
    typeof record.expiresAt === "number" && typeof epoch === "number" &&
    (record.subject === undefined || typeof record.subject === "string")
  ) {
    // The members were checked above, and the input requests were serialized by `set`.
    return { ...record, epoch } as unknown as TaskRecord;
  }
  throw new TypeError('Cannot read a row of "parley_mcp_tasks": the record is not a task');
}

function readSignal(row: SqlRow): TaskSignal {
  const signal: unknown = JSON.parse(readColumn(row, "signal"));
  if (isRecord(signal)) {
    const { kind, inputResponses } = signal;
    if (kind === "cancel") return { kind };
    if (kind === "input" && isRecord(inputResponses)) return { kind, inputResponses };
  }
  throw new TypeError('Cannot read a row of "parley_mcp_task_signals": the signal is unknown');
}
