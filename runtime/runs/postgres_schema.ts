/**
 * The tables for durable runs in a PostgreSQL database.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { asRecord } from "@parley/internal/json";
import type { SqlClient } from "../shared/sql_client.ts";

/**
 * Maximum length of the schema name. The name of the pg-boss schema has a suffix, and PostgreSQL
 * allows names of at most 63 bytes.
 */
const MAX_SCHEMA_LENGTH = 40;

/** Key of the advisory lock that a process holds while it changes the tables: "PRLY" in ASCII. */
const LOCK = 0x50524c59;

/** Prefix of the comment on the `run` table, followed by the schema version. */
const COMMENT = "Durable runs of @parley/runtime, schema version ";

/**
 * Scripts that migrate the tables from each schema version to the next. Two processes that start at
 * the same time may both execute a script, so executing a script twice must have the same effect as
 * executing it once.
 */
const MIGRATIONS: readonly ((schema: string) => string)[] = [
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
];

/**
 * Validates the name of a schema, because SQL does not support names as parameters.
 *
 * @throws {TypeError} If the name is not a lowercase identifier of at most 40 characters.
 */
export function assertSchemaName(name: string, schema: unknown): void {
  const isName = typeof schema === "string" && /^[a-z_][a-z0-9_]*$/.test(schema) &&
    schema.length <= MAX_SCHEMA_LENGTH && !schema.startsWith("pg_");
  if (isName) return;
  const requirement = `a name of 1 to ${MAX_SCHEMA_LENGTH} characters a-z, 0-9 and _`;
  rejectArgument(name, requirement, schema);
}

/**
 * Creates the tables, or migrates tables from an older version.
 *
 * @throws {Error} If the tables belong to another program or have a newer version, or if `migrate`
 * is `false` and the tables are missing or have an older version.
 */
export async function prepareSchema(
  database: SqlClient,
  schema: string,
  { migrate }: { readonly migrate: boolean },
): Promise<void> {
  const version = await readVersion(database, schema);
  if (version > MIGRATIONS.length || !migrate && version < MIGRATIONS.length) {
    throw new Error(
      `schema "${schema}" has version ${version}, but this version of @parley/runtime requires ${MIGRATIONS.length}`,
    );
  }
  if (version === MIGRATIONS.length) return;
  // PostgreSQL executes a query string with several statements in one transaction. A session that
  // has looked up a missing schema caches this result until the session opens another table.
  // Without the query on `pg_namespace`, `create schema if not exists` fails if another session has
  // created the schema before the lock was granted.
  await database.query([
    `select pg_advisory_xact_lock(${LOCK});`,
    "select 1 from pg_catalog.pg_namespace limit 1;",
    ...MIGRATIONS.slice(version).map((migration) => migration(schema)),
    `comment on table "${schema}".run is '${COMMENT}${MIGRATIONS.length}';`,
  ].join("\n"));
}

/** Returns the version of the tables, or 0 if there are no tables. */
async function readVersion(database: SqlClient, schema: string): Promise<number> {
  const { rows: [row] } = await database.query(
    `select to_regclass($1) is not null as exists, obj_description(to_regclass($1), 'pg_class') as comment`,
    [`"${schema}".run`],
  );
  const { comment, exists } = asRecord(row);
  if (exists !== true) return 0;
  const version = typeof comment === "string" && comment.startsWith(COMMENT)
    ? Number(comment.slice(COMMENT.length))
    : NaN;
  if (Number.isSafeInteger(version)) return version;
  throw new Error(`schema "${schema}" contains a table "run" that belongs to another program`);
}
