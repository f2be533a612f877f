/**
 * PostgreSQL tables for servers on several machines.
 *
 * @module
 */

import { assertSqlClient } from "@parley/internal/sql-client";
import type { SqlClient } from "../shared/sql_client.ts";

/**
 * Stores a task and returns `stored`, `fenced` if the stored task has a different epoch, or `full`
 * if a limit would be exceeded.
 *
 * A function is used because each of its statements sees what has been committed when the statement
 * starts. If a task needs capacity, the function first takes a lock that other processes wait for,
 * so that two processes cannot both use the last capacity. The lock is taken before any row is
 * locked, and rows that other statements have locked are skipped, so there are no deadlocks.
 */
const SET_TASK = `create or replace function parley_mcp_set_task(
  new_id text, new_record text, new_subject text, new_epoch integer, ttl_ms float8, lease_ms float8,
  free_chars bigint, max_tasks bigint, max_chars bigint, max_own_tasks bigint, max_own_chars bigint
) returns text language plpgsql as $set_task$
declare
  old_chars bigint;
  more_tasks bigint;
  more_chars bigint;
  tasks bigint;
  chars bigint;
  own_tasks bigint;
  own_chars bigint;
begin
  select task.chars into old_chars from parley_mcp_tasks as task where task.task_id = new_id;
  more_tasks := case when old_chars is null then 1 else 0 end;
  more_chars := char_length(new_record) - coalesce(old_chars, 0);
  if more_tasks = 1 and new_epoch <> 0 then return 'fenced'; end if;
  if more_tasks = 1 or more_chars > free_chars then
    perform pg_advisory_xact_lock(hashtext('parley_mcp_task_limits'));
    for attempt in 1..2 loop
      select count(*), coalesce(sum(task.chars), 0),
        count(*) filter (where task.subject = new_subject),
        coalesce(sum(task.chars) filter (where task.subject = new_subject), 0)
      into tasks, chars, own_tasks, own_chars from parley_mcp_tasks as task;
      exit when tasks + more_tasks <= max_tasks and chars + more_chars <= max_chars
        and (new_subject is null or (own_tasks + more_tasks <= max_own_tasks
          and own_chars + more_chars <= max_own_chars));
      if attempt = 2 then return 'full'; end if;
      delete from parley_mcp_tasks as task where task.task_id in (
        select due.task_id from parley_mcp_tasks as due
        where due.expires_at <= now() and due.task_id <> new_id for update skip locked
      );
    end loop;
  end if;
  insert into parley_mcp_tasks as task
    (task_id, record, subject, epoch, expires_at, leased_until)
  values (new_id, new_record, new_subject, new_epoch,
    now() + ttl_ms * interval '1 millisecond', now() + lease_ms * interval '1 millisecond')
  on conflict (task_id) do update set record = excluded.record, subject = excluded.subject,
    expires_at = excluded.expires_at, leased_until = excluded.leased_until
  where task.epoch = excluded.epoch;
  if not found then return 'fenced'; end if;
  perform pg_notify('parley_mcp_tasks', 'change ' || new_id);
  return 'stored';
end $set_task$`;

/**
 * Stores a signal for a task and returns `stored`, `unknown` if no process runs the task, or `full`
 * if a limit would be exceeded. A short signal, such as a cancellation, is stored even if the
 * waiting signals use all characters. The lock is the reason for the function: a single statement
 * would count the signals before it waits for the lock.
 */
const SIGNAL_TASK = `create or replace function parley_mcp_signal_task(
  target_id text, new_signal text, max_signals integer, free_chars bigint, max_chars bigint,
  max_own_chars bigint
) returns text language plpgsql as $signal_task$
declare
  owner text;
  signals integer;
  chars bigint;
  own_chars bigint;
begin
  perform pg_advisory_xact_lock(hashtext('parley_mcp_task_signals'));
  select task.subject into owner from parley_mcp_tasks as task
  where task.task_id = target_id and task.leased_until > now();
  if not found then return 'unknown'; end if;
  select count(*) filter (where waiting.task_id = target_id),
    coalesce(sum(char_length(waiting.signal)), 0),
    coalesce(sum(char_length(waiting.signal)) filter (where task.subject = owner), 0)
  into signals, chars, own_chars
  from parley_mcp_task_signals as waiting join parley_mcp_tasks as task using (task_id);
  if signals >= max_signals then return 'full'; end if;
  if char_length(new_signal) > free_chars and (
    chars + char_length(new_signal) > max_chars
    or (owner is not null and own_chars + char_length(new_signal) > max_own_chars)
  ) then return 'full'; end if;
  insert into parley_mcp_task_signals (task_id, signal) values (target_id, new_signal);
  perform pg_notify('parley_mcp_tasks', 'signal ' || target_id);
  return 'stored';
end $signal_task$`;

/**
 * A single statement is atomic even if a connection pool executes it. The advisory lock allows
 * several processes to create the tables at the same time. Columns that an earlier version did not
 * have are added only if they are missing, because adding a column blocks all other statements.
 */
const CREATE_TABLES = `do $$ begin
  perform pg_advisory_xact_lock(hashtext('parley_mcp_tables'));
  create table if not exists parley_mcp_tasks (
    task_id text primary key,
    record text not null,
    epoch integer not null,
    expires_at timestamptz not null,
    leased_until timestamptz
  );
  if not exists (select from pg_attribute
    where attrelid = 'parley_mcp_tasks'::regclass and attname = 'chars' and not attisdropped) then
    alter table parley_mcp_tasks add column subject text,
      add column chars bigint not null generated always as (char_length(record)) stored;
  end if;
  create index if not exists parley_mcp_tasks_expires_at on parley_mcp_tasks (expires_at);
  create index if not exists parley_mcp_tasks_leased_until on parley_mcp_tasks (leased_until)
    where leased_until is not null;
  create table if not exists parley_mcp_task_signals (
    number bigint generated always as identity primary key,
    task_id text not null references parley_mcp_tasks on delete cascade,
    signal text not null
  );
  create index if not exists parley_mcp_task_signals_task_id on parley_mcp_task_signals (task_id);
  create table if not exists parley_mcp_dpop_proofs (
    key text primary key,
    expires_at timestamptz not null,
    subject text
  );
  if not exists (select from pg_attribute where attrelid = 'parley_mcp_dpop_proofs'::regclass
    and attname = 'subject' and not attisdropped) then
    alter table parley_mcp_dpop_proofs add column subject text;
  end if;
  create index if not exists parley_mcp_dpop_proofs_expires_at
    on parley_mcp_dpop_proofs (expires_at);
  ${SET_TASK};
  ${SIGNAL_TASK};
end $$`;

/**
 * Creates this module's tables and functions if they do not exist yet, and updates those of an
 * earlier version. Their names start with `parley_mcp_`. Several processes can call `createTables`
 * at the same time. The database user needs permission to create tables and functions in the first
 * schema of its `search_path`.
 *
 * @param sql Database, such as a `Pool` of the package `pg`.
 * @throws {TypeError} If `sql` has no method `query`.
 * @throws The database driver's error.
 *
 * @example Create the tables before the server starts
 * ```ts
 * import { createTables, type SqlClient } from "@parley/mcp/postgres";
 * import { assertStringIncludes } from "@std/assert";
 *
 * // Stands in for a `Pool` of the package `pg`.
 * const statements: string[] = [];
 * const sql: SqlClient = {
 *   query: (text) => Promise.resolve(statements.push(text)).then(() => ({ rows: [] })),
 * };
 * await createTables(sql);
 * assertStringIncludes(statements.join(), "create table if not exists parley_mcp_tasks");
 * ```
 */
export async function createTables(sql: SqlClient): Promise<void> {
  assertSqlClient("sql", sql);
  await sql.query(CREATE_TABLES);
}
