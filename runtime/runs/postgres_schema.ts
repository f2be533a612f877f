/**
 * The tables for durable runs in a PostgreSQL database.
 *
 * @module
 */

import { createLog, type LogPlace } from "../log/postgres_log_schema.ts";
import type { SqlClient } from "../shared/sql_client.ts";
import { prepareTables, type TableSet } from "../shared/postgres_tables.ts";

/** Returns the place of the log of runs. */
export function logPlaceIn(schema: string): LogPlace {
  return { schema, prefix: "run" };
}

const MIGRATIONS: TableSet["migrations"] = [
  (schema) => `
    create schema if not exists "${schema}";
    create table if not exists "${schema}".run (
      run_id text collate "C" primary key,
      agent text not null,
      version text not null,
      input text not null,
      status text not null default 'queued',
      epoch integer not null default 0,
      waiting_for text not null default '[]',
      awaited text[] not null default '{}',
      signals text[] not null default '{}',
      due text,
      result text,
      error text,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now()
    );
    create index if not exists run_status on "${schema}".run (status, agent, run_id);
    create index if not exists run_ended on "${schema}".run (updated_at)
      where status in ('done', 'failed', 'cancelled');
    create table if not exists "${schema}".entry (
      run_id text collate "C" not null,
      id uuid not null,
      position bigint generated always as identity,
      is_signal boolean not null,
      key text not null,
      content text not null,
      digest text not null,
      primary key (run_id, id)
    );`,
  (schema) => `
    alter table "${schema}".run add column if not exists party text collate "C";
    create index if not exists run_party on "${schema}".run (party, updated_at, run_id)
      where party is not null;`,
  (schema) => `
    create table if not exists "${schema}".fence (
      id boolean primary key default true check (id),
      epoch integer not null default 0
    );
    insert into "${schema}".fence default values on conflict do nothing;`,
  (schema) => `
    alter table "${schema}".run add column if not exists metadata text;
    create index if not exists run_updated on "${schema}".run (updated_at, run_id);
    ${createLog(logPlaceIn(schema))}`,
];

const TABLES: TableSet = {
  content: "durable runs",
  table: "run",
  comment: "Durable runs of @parley/runtime, schema version ",
  // "PRLY" in ASCII
  lock: 0x50524c59,
  migrations: MIGRATIONS,
};

/**
 * Creates the tables, or migrates tables from an older version.
 *
 * @throws {Error} If the tables belong to another program or have a newer version, or if `migrate`
 * is `false` and the tables are missing or have an older version.
 */
export function prepareSchema(
  database: SqlClient,
  schema: string,
  { migrate }: { readonly migrate: boolean },
): Promise<void> {
  return prepareTables(database, schema, { migrate, tables: TABLES });
}
