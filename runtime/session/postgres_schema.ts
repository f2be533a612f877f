/**
 * The tables and functions for sessions in a PostgreSQL database.
 *
 * Each change is one call of a function: a pool may execute each statement on another connection,
 * so a transaction of several statements would need a reserved connection. If a statement of a
 * function waits for a lock, the later statements of the function see the commits of that time.
 *
 * @module
 */

import type { TableSet } from "../shared/postgres_tables.ts";

/** The current time of the database, in milliseconds since the Unix epoch. */
export const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/**
 * Maximum size of a session's id in a notification, in bytes. PostgreSQL allows less than 8000
 * bytes. For a longer id, the payload is empty, and all readers look for changes.
 */
const MAX_PAYLOAD_BYTES = 4000;

/** Returns the channel for notifications of changes. */
export function channelOf(schema: string): string {
  return `${schema}_sessions`;
}

/** Columns that identify the run that a process executes. */
const HELD = "key = p_key and epoch = p_epoch and phase = 'running'";

function createTables(schema: string): string {
  return `
create schema if not exists "${schema}";
create table if not exists "${schema}".session_record (
  session_id text collate "C" not null, n integer not null, record text not null,
  primary key (session_id, n)
);
create table if not exists "${schema}".session_run (
  key text collate "C" primary key, run_id text not null, epoch integer not null,
  phase text not null, lease_until bigint not null, is_stopping integer not null,
  turn text not null, turn_id text, first integer not null, count integer not null,
  result text not null, keep_until bigint not null, started_at bigint not null,
  changed_at bigint not null
);
create index if not exists session_run_open on "${schema}".session_run (key)
  where phase in ('running', 'released');
create index if not exists session_run_kept on "${schema}".session_run (keep_until)
  where phase = 'ended' and count > 0;
create table if not exists "${schema}".session_entry (
  key text collate "C" not null, n integer not null, epoch integer not null, entry text not null,
  primary key (key, n)
);
create table if not exists "${schema}".session_step (
  key text collate "C" not null, step text collate "C" not null, entry text not null,
  primary key (key, step)
);`;
}

/** Functions that notify the readers and claim a run. */
function createClaimFunctions(schema: string): string {
  return `
create or replace function "${schema}".session_notify(p_key text) returns void
language sql as $$
  select pg_notify('${channelOf(schema)}',
    case when octet_length(p_key) <= ${MAX_PAYLOAD_BYTES} then p_key else '' end);
$$;
create or replace function "${schema}".session_claim(p_key text, p_run text, p_is_new boolean,
  p_turn text, p_turn_id text, p_lease_ms bigint, p_seen integer)
returns setof "${schema}".session_run language plpgsql as $$
declare v_now bigint := ${NOW};
begin
  if p_seen = 0 then
    insert into "${schema}".session_run (key, run_id, epoch, phase, lease_until, is_stopping, turn,
      turn_id, first, count, result, keep_until, started_at, changed_at)
    values (p_key, p_run, 1, 'running', v_now + p_lease_ms, 0, p_turn, p_turn_id, 0, 0, 'null', 0,
      v_now, v_now)
    on conflict (key) do nothing;
  else
    update "${schema}".session_run set run_id = p_run, epoch = p_seen + 1, phase = 'running',
      lease_until = v_now + p_lease_ms, is_stopping = 0, turn = p_turn, turn_id = p_turn_id,
      first = case when p_is_new then 0 else count end,
      count = case when p_is_new then 0 else count end, result = 'null', keep_until = 0,
      started_at = case when p_is_new then v_now else started_at end, changed_at = v_now
    where key = p_key and epoch = p_seen and (phase <> 'running' or lease_until <= v_now);
  end if;
  if not found then return; end if;
  if p_is_new then
    delete from "${schema}".session_entry where key = p_key;
    delete from "${schema}".session_step where key = p_key;
  end if;
  perform "${schema}".session_notify(p_key);
  return query select * from "${schema}".session_run where key = p_key;
end $$;`;
}

/** Functions that change a claimed run. */
function createRunFunctions(schema: string): string {
  return `
create or replace function "${schema}".session_append(p_key text, p_epoch integer, p_entries text)
returns text language plpgsql as $$
declare
  v_added integer := json_array_length(p_entries::json);
  v_count integer;
  v_is_stopping integer;
begin
  update "${schema}".session_run set count = count + v_added where ${HELD}
    returning count, is_stopping into v_count, v_is_stopping;
  if not found then return 'fenced'; end if;
  if v_added > 0 then
    insert into "${schema}".session_entry (key, n, epoch, entry)
      select p_key, v_count - v_added + place - 1, p_epoch, content
      from json_array_elements_text(p_entries::json) with ordinality as added (content, place);
    perform "${schema}".session_notify(p_key);
  end if;
  return case v_is_stopping when 0 then 'held' else 'stop' end;
end $$;
create or replace function "${schema}".session_finish(p_key text, p_epoch integer, p_phase text,
  p_entries text, p_keep_ms bigint, p_result text)
returns boolean language plpgsql as $$
declare v_now bigint := ${NOW};
begin
  if "${schema}".session_append(p_key, p_epoch, p_entries) = 'fenced' then return false; end if;
  update "${schema}".session_run set phase = p_phase, result = p_result,
    keep_until = v_now + p_keep_ms, changed_at = v_now where key = p_key;
  perform "${schema}".session_notify(p_key);
  return true;
end $$;
create or replace function "${schema}".session_stop(p_key text, p_epoch integer)
returns boolean language plpgsql as $$
begin
  update "${schema}".session_run set is_stopping = 1 where ${HELD};
  if not found then return false; end if;
  perform "${schema}".session_notify(p_key);
  return true;
end $$;`;
}

/**
 * Functions that change records and steps. A lock on the session's id orders the changes of its
 * records.
 */
function createRecordFunctions(schema: string): string {
  return `
create or replace function "${schema}".session_count(p_key text) returns integer
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('${schema}.session_record ' || p_key, 0));
  return (select count(*)::integer from "${schema}".session_record where session_id = p_key);
end $$;
create or replace function "${schema}".session_add_record(p_key text, p_record text,
  p_expected integer)
returns boolean language plpgsql as $$
begin
  if "${schema}".session_count(p_key) <> p_expected then return false; end if;
  insert into "${schema}".session_record (session_id, n, record)
    values (p_key, p_expected, p_record);
  return true;
end $$;
create or replace function "${schema}".session_remove_record(p_key text, p_expected integer)
returns boolean language plpgsql as $$
begin
  if p_expected < 1 or "${schema}".session_count(p_key) <> p_expected then return false; end if;
  delete from "${schema}".session_record where session_id = p_key and n = p_expected - 1;
  return true;
end $$;
create or replace function "${schema}".session_put_step(p_key text, p_epoch integer, p_step text,
  p_entry text)
returns text language plpgsql as $$
begin
  perform 1 from "${schema}".session_run where ${HELD} for share;
  if not found then return 'fenced'; end if;
  insert into "${schema}".session_step (key, step, entry) values (p_key, p_step, p_entry)
    on conflict (key, step) do nothing;
  return case when found then 'stored' else 'present' end;
end $$;
create or replace function "${schema}".session_commit(p_key text, p_epoch integer, p_phase text,
  p_entries text, p_keep_ms bigint, p_result text, p_record text, p_expected integer)
returns text language plpgsql as $$
begin
  perform 1 from "${schema}".session_run where ${HELD} for update;
  if not found then return 'fenced'; end if;
  if not "${schema}".session_add_record(p_key, p_record, p_expected) then
    return 'conflict';
  end if;
  delete from "${schema}".session_step where key = p_key;
  perform "${schema}".session_finish(p_key, p_epoch, p_phase, p_entries, p_keep_ms, p_result);
  return 'stored';
end $$;`;
}

/** The tables for sessions. */
export const SESSION_TABLES: TableSet = {
  content: "sessions",
  table: "session_run",
  comment: "Sessions of @parley/runtime, schema version ",
  // "PRLS" in ASCII
  lock: 0x50524c53,
  migrations: [
    (schema) =>
      [createTables, createClaimFunctions, createRunFunctions, createRecordFunctions]
        .map((create) => create(schema)).join("\n"),
  ],
};
