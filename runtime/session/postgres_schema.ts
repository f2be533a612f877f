/**
 * The tables, functions and statements for sessions in a PostgreSQL database. Each change is one
 * call of a function, as in the log of the runs.
 *
 * @module
 */

import { createLog, HELD, type LogPlace } from "../log/postgres_log_schema.ts";
import type { TableSet } from "../shared/postgres_tables.ts";

/** Returns the place of the log of sessions. */
export function placeIn(schema: string): LogPlace {
  return { schema, prefix: "session" };
}

function createTables(schema: string): string {
  return `
create table if not exists "${schema}".session_record (
  session_id text collate "C" not null, n integer not null, record text not null,
  primary key (session_id, n)
);
create table if not exists "${schema}".session_step (
  key text collate "C" not null, step text collate "C" not null, entry text not null,
  primary key (key, step)
);`;
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
  perform 1 from "${schema}".session_head where ${HELD} for share;
  if not found then return 'fenced'; end if;
  insert into "${schema}".session_step (key, step, entry) values (p_key, p_step, p_entry)
    on conflict (key, step) do nothing;
  return case when found then 'stored' else 'present' end;
end $$;
create or replace function "${schema}".session_commit(p_key text, p_epoch integer, p_phase text,
  p_entries text, p_keep_ms bigint, p_result text, p_record text, p_expected integer)
returns text language plpgsql as $$
begin
  perform 1 from "${schema}".session_head where ${HELD} for update;
  if not found then return 'fenced'; end if;
  if not "${schema}".session_add_record(p_key, p_record, p_expected) then
    return 'conflict';
  end if;
  delete from "${schema}".session_step where key = p_key;
  perform "${schema}".session_finish(p_key, p_epoch, p_phase, p_entries, p_keep_ms, p_result);
  return 'stored';
end $$;
create or replace function "${schema}".session_delete(p_key text, p_epoch integer)
returns boolean language plpgsql as $$
begin
  if not "${schema}".session_delete_runs(p_key, p_epoch) then return false; end if;
  perform "${schema}".session_count(p_key);
  delete from "${schema}".session_step where key = p_key;
  delete from "${schema}".session_record where session_id = p_key;
  return true;
end $$;`;
}

/** The tables for sessions. */
export const SESSION_TABLES: TableSet = {
  content: "sessions",
  table: "session_head",
  comment: "Sessions of @parley/runtime, schema version ",
  // "PRLS" in ASCII
  lock: 0x50524c53,
  migrations: [
    (schema) => {
      const onStart = `delete from "${schema}".session_step where key = p_key;`;
      return createLog(placeIn(schema), onStart) + createTables(schema) +
        createRecordFunctions(schema);
    },
  ],
};

/** The statements for records and steps. */
export type SessionStatements = ReturnType<typeof statementsFor>;

/** Returns the statements for the tables in one schema, whose name must be valid. */
export function statementsFor(schema: string) {
  return {
    records: `select n, record from "${schema}".session_record
      where session_id = $1 and n >= $2 order by n`,
    count: `select count(*)::integer as count from "${schema}".session_record
      where session_id = $1`,
    addRecord: `select "${schema}".session_add_record($1, $2, $3) as outcome`,
    removeRecord: `select "${schema}".session_remove_record($1, $2) as outcome`,
    steps: `select step as n, entry from "${schema}".session_step where key = $1`,
    putStep: `select "${schema}".session_put_step($1, $2, $3, $4) as outcome`,
    deleteSteps: `delete from "${schema}".session_step where key = $1`,
    commit: `select "${schema}".session_commit($1, $2, $3, $4, $5, $6, $7, $8) as outcome`,
    delete: `select "${schema}".session_delete($1, $2) as outcome`,
  };
}
