/**
 * The tables, functions and statements of a log of runs in a PostgreSQL database.
 *
 * Each change is one call of a function: a pool may execute each statement on another connection,
 * so a transaction of several statements would need a reserved connection. If a statement of a
 * function waits for a lock, the later statements of the function see the commits of that time.
 *
 * @module
 */

import type { RunHistoryFilter, RunLogFilter } from "./run_log.ts";

/** The current time of the database, in milliseconds since the Unix epoch. */
export const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** Number of runs that one statement purges. */
export const PURGE_BATCH = 1000;

/**
 * Maximum size of a key in a notification, in bytes. PostgreSQL allows less than 8000 bytes. For a
 * longer key, the payload is empty, and all readers look for changes.
 */
const MAX_PAYLOAD_BYTES = 4000;

/** Schema and names of the tables of a log. */
export interface LogPlace {
  /** Schema, whose name must be valid. */
  readonly schema: string;
  /** Prefix of the names of tables and functions, such as `session`. */
  readonly prefix: string;
}

/** Returns the channel for notifications of changes. */
export function channelOf({ prefix, schema }: LogPlace): string {
  return `${schema}_${prefix}s`;
}

/** Columns that identify the run that a process executes. */
export const HELD = "key = p_key and epoch = p_epoch and phase = 'running'";

/** The columns that both tables of runs have. */
const SHARED =
  "key, run_id, epoch, turn, turn_id, metadata, takeovers, result, started_at, changed_at";
const COLUMNS = `${SHARED}, phase, lease_until, is_stopping, first, count, keep_until`;
/** The columns of an earlier run, which has ended and has no entries. */
const EARLIER = `${SHARED}, 'ended' as phase, 0 as lease_until, 0 as is_stopping, 0 as first,
  0 as count, 0 as keep_until`;

/**
 * Returns the script that creates the tables and functions. `onStart` is a statement that is
 * executed when a run starts, and can use the parameter `p_key`.
 */
export function createLog(place: LogPlace, onStart = ""): string {
  const name = `"${place.schema}".${place.prefix}`;
  return [
    createTables(place),
    createStartFunctions(place, onStart),
    createClaimFunction(name),
    createRunFunctions(name),
    createDeleteFunction(name),
  ].join("\n");
}

/** The row of the table `fence` contains the highest epoch of the deleted keys. */
function createTables({ prefix, schema }: LogPlace): string {
  const name = `"${schema}".${prefix}`;
  return `
create schema if not exists "${schema}";
create table if not exists ${name}_head (
  key text collate "C" primary key, run_id text collate "C" not null, epoch integer not null,
  phase text not null, lease_until bigint not null, is_stopping integer not null,
  turn text not null, turn_id text, metadata text not null, takeovers integer not null,
  first integer not null, count integer not null, result text not null,
  keep_until bigint not null, started_at bigint not null, changed_at bigint not null
);
create index if not exists ${prefix}_head_open on ${name}_head (key)
  where phase in ('running', 'released');
create index if not exists ${prefix}_head_kept on ${name}_head (keep_until)
  where phase = 'ended' and count > 0;
create index if not exists ${prefix}_head_id on ${name}_head (run_id);
create index if not exists ${prefix}_head_changed on ${name}_head (changed_at, run_id);
create table if not exists ${name}_earlier (
  run_id text collate "C" primary key, key text collate "C" not null, epoch integer not null,
  turn text not null, turn_id text, metadata text not null, takeovers integer not null,
  result text not null, started_at bigint not null, changed_at bigint not null
);
create index if not exists ${prefix}_earlier_key on ${name}_earlier (key, changed_at, run_id);
create index if not exists ${prefix}_earlier_changed on ${name}_earlier (changed_at, run_id);
create table if not exists ${name}_entry (
  key text collate "C" not null, n integer not null, epoch integer not null, entry text not null,
  primary key (key, n)
);
create table if not exists ${name}_fence (
  id boolean primary key default true check (id), epoch integer not null default 0
);
insert into ${name}_fence default values on conflict do nothing;`;
}

/** Functions that notify the readers, and delete what an earlier run has left. */
function createStartFunctions(place: LogPlace, onStart: string): string {
  const name = `"${place.schema}".${place.prefix}`;
  return `
create or replace function ${name}_notify(p_key text) returns void
language sql as $$
  select pg_notify('${channelOf(place)}',
    case when octet_length(p_key) <= ${MAX_PAYLOAD_BYTES} then p_key else '' end);
$$;
create or replace function ${name}_start(p_key text, p_run text, p_keep_runs integer)
returns void language plpgsql as $$
begin
  delete from ${name}_entry where key = p_key;
  ${onStart}
  delete from ${name}_earlier where run_id = p_run;
  insert into ${name}_earlier (${SHARED})
    select ${SHARED} from ${name}_head
    where key = p_key and phase = 'ended' and run_id <> p_run
    on conflict do nothing;
  delete from ${name}_earlier where run_id in (
    select run_id from ${name}_earlier where key = p_key order by epoch desc offset p_keep_runs
  );
end $$;`;
}

/** The function that claims a run. */
function createClaimFunction(name: string): string {
  return `
create or replace function ${name}_claim(p_key text, p_run text, p_is_new boolean, p_turn text,
  p_turn_id text, p_metadata text, p_lease_ms bigint, p_seen integer, p_epoch integer,
  p_keep_runs integer)
returns setof ${name}_head language plpgsql as $$
declare
  v_now bigint;
  v_old ${name}_head;
begin
  select * into v_old from ${name}_head where key = p_key for update;
  v_now := ${NOW};
  if not found then
    if p_epoch is null and p_seen <> 0 then return; end if;
    insert into ${name}_head (key, run_id, epoch, phase, lease_until, is_stopping, turn, turn_id,
      metadata, takeovers, first, count, result, keep_until, started_at, changed_at)
    select p_key, p_run, coalesce(p_epoch, epoch + 1), 'running', v_now + p_lease_ms, 0, p_turn,
      p_turn_id, p_metadata, 0, 0, 0, 'null', 0, v_now, v_now
    from ${name}_fence
    on conflict (key) do nothing;
    if not found then return; end if;
  else
    if p_epoch is null
      and (v_old.epoch <> p_seen or v_old.phase = 'running' and v_old.lease_until > v_now
        or v_old.phase = 'ended' and not p_is_new)
      or v_old.epoch >= p_epoch
    then return; end if;
    if p_is_new then perform ${name}_start(p_key, p_run, p_keep_runs); end if;
    update ${name}_head set run_id = p_run, epoch = coalesce(p_epoch, p_seen + 1),
      phase = 'running', lease_until = v_now + p_lease_ms, is_stopping = 0, turn = p_turn,
      turn_id = p_turn_id, metadata = p_metadata,
      takeovers = case when p_is_new then 0 when phase = 'running' then takeovers + 1
        else takeovers end,
      first = case when p_is_new then 0 else count end,
      count = case when p_is_new then 0 else count end, result = 'null', keep_until = 0,
      started_at = case when p_is_new then v_now else started_at end, changed_at = v_now
    where key = p_key;
  end if;
  perform ${name}_notify(p_key);
  return query select * from ${name}_head where key = p_key;
end $$;`;
}

/** Functions that change a claimed run. */
function createRunFunctions(name: string): string {
  return `
create or replace function ${name}_append(p_key text, p_epoch integer, p_entries text)
returns text language plpgsql as $$
declare
  v_added integer := json_array_length(p_entries::json);
  v_count integer;
  v_is_stopping integer;
begin
  update ${name}_head set count = count + v_added where ${HELD}
    returning count, is_stopping into v_count, v_is_stopping;
  if not found then return 'fenced'; end if;
  if v_added > 0 then
    insert into ${name}_entry (key, n, epoch, entry)
      select p_key, v_count - v_added + place - 1, p_epoch, content
      from json_array_elements_text(p_entries::json) with ordinality as added (content, place);
    perform ${name}_notify(p_key);
  end if;
  return case v_is_stopping when 0 then 'held' else 'stop' end;
end $$;
create or replace function ${name}_finish(p_key text, p_epoch integer, p_phase text,
  p_entries text, p_keep_ms bigint, p_result text)
returns boolean language plpgsql as $$
declare v_now bigint := ${NOW};
begin
  if ${name}_append(p_key, p_epoch, p_entries) = 'fenced' then return false; end if;
  update ${name}_head set phase = p_phase, result = p_result,
    keep_until = v_now + p_keep_ms, changed_at = v_now where key = p_key;
  perform ${name}_notify(p_key);
  return true;
end $$;
create or replace function ${name}_stop(p_key text, p_epoch integer)
returns boolean language plpgsql as $$
begin
  update ${name}_head set is_stopping = 1 where ${HELD};
  if not found then return false; end if;
  perform ${name}_notify(p_key);
  return true;
end $$;`;
}

/** The function that deletes the runs of a key. */
function createDeleteFunction(name: string): string {
  return `
create or replace function ${name}_delete_runs(p_key text, p_epoch integer)
returns boolean language plpgsql as $$
declare v_old ${name}_head;
begin
  select * into v_old from ${name}_head where key = p_key for update;
  if coalesce(v_old.epoch, 0) <> p_epoch
    or v_old.phase = 'running' and v_old.lease_until > ${NOW}
  then return false; end if;
  update ${name}_fence set epoch = greatest(epoch, p_epoch);
  delete from ${name}_head where key = p_key;
  delete from ${name}_earlier where key = p_key;
  delete from ${name}_entry where key = p_key;
  perform ${name}_notify(p_key);
  return true;
end $$;`;
}

/** The statements for the tables of a log. */
export type LogStatements = ReturnType<typeof logStatementsFor>;

/** Returns the statements for the tables of a log. */
export function logStatementsFor({ prefix, schema }: LogPlace) {
  const name = `"${schema}".${prefix}`;
  return {
    claim: `select run.*, ${NOW} as now
      from ${name}_claim($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as run`,
    head: `select ${COLUMNS}, ${NOW} as now from ${name}_head where key = $1`,
    look: `select key, run_id, epoch, phase, lease_until, is_stopping, 'null' as turn,
        null as turn_id, '{}' as metadata, takeovers, first, count, 'null' as result, keep_until,
        started_at, changed_at, ${NOW} as now
      from ${name}_head
      where key in (select json_array_elements_text($1::text::json))`,
    append: `select ${name}_append($1, $2, $3) as outcome`,
    renew: `update ${name}_head set lease_until = ${NOW} + $3::bigint
      where key = $1 and epoch = $2 and phase = 'running'
      returning case is_stopping when 0 then 'held' else 'stop' end as hold`,
    finish: `select ${name}_finish($1, $2, $3, $4, $5, $6) as outcome`,
    stop: `select ${name}_stop($1, $2) as outcome`,
    entries: `select n, entry from ${name}_entry
      where key = $1 and epoch = $2 and n >= $3 and n < $4 order by n`,
    find: `select ${COLUMNS}, ${NOW} as now from ${name}_head where run_id = $1
      union all select ${EARLIER}, ${NOW} as now from ${name}_earlier where run_id = $1`,
    deleteRuns: `select ${name}_delete_runs($1, $2) as outcome`,
    purgeEarlier: `delete from ${name}_earlier where changed_at < ${NOW} - $1::bigint`,
    purge: `with ended as (
        update ${name}_head set first = 0, count = 0 where key in (
          select key from ${name}_head
          where phase = 'ended' and keep_until <= ${NOW} and count > 0
          limit ${PURGE_BATCH} for update skip locked
        ) returning key
      ), deleted as (
        delete from ${name}_entry as entry using ended where entry.key = ended.key
      )
      select count(*)::integer as count from ended`,
  };
}

/**
 * Returns the statement that lists runs: `$1` is the key before, `$2` the phase, `$3` the limit.
 */
export function listOf({ prefix, schema }: LogPlace, { isInterrupted }: RunLogFilter): string {
  // The conditions are those of the index for runs that have not ended.
  const interrupted = `(phase in ('running', 'released')
    and (phase = 'released' or lease_until <= ${NOW}))`;
  const condition = isInterrupted === undefined
    ? ""
    : isInterrupted
    ? `and ${interrupted}`
    : `and not ${interrupted}`;
  return `select ${COLUMNS}, ${NOW} as now from "${schema}".${prefix}_head
    where key > $1 and ($2::text is null or phase = $2) ${condition}
    order by key limit $3`;
}

/**
 * Returns the statement that lists runs by time: `$1` and `$2` are the position before, `$3` the
 * limit, `$4` the start of the keys, and `$5` the end of the keys with this start, if there is one.
 */
export function historyOf(
  { prefix, schema }: LogPlace,
  filter: RunHistoryFilter & { readonly end: string | undefined },
): string {
  const name = `"${schema}".${prefix}`;
  const conditions = [
    ...filter.after === undefined ? ["$1::bigint is null and $2::text is null"] : [
      '(changed_at, run_id) < ($1::bigint, $2::text collate "C")',
    ],
    filter.prefix === undefined ? "$4::text is null" : "key >= $4::text",
    filter.end === undefined ? "$5::text is null" : "key < $5::text",
  ].join(" and ");
  const pageOf = (columns: string, table: string) =>
    `(select ${columns}, ${NOW} as now from ${name}_${table} where ${conditions}
      order by changed_at desc, run_id desc limit $3)`;
  return `${pageOf(COLUMNS, "head")} union all ${pageOf(EARLIER, "earlier")}
    order by changed_at desc, run_id desc limit $3`;
}
