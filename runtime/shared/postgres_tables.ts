/**
 * Creates and migrates tables in a PostgreSQL database.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { asRecord } from "@parley/internal/json";
import type { SqlClient } from "./sql_client.ts";

/**
 * Maximum length of the schema name. The name of the pg-boss schema has a suffix, and PostgreSQL
 * allows names of at most 63 bytes.
 */
const MAX_SCHEMA_LENGTH = 40;

/** Tables that have one version. */
export interface TableSet {
  /** Content of the tables, such as `durable runs`. */
  readonly content: string;
  /** Name of the table whose comment contains the version. */
  readonly table: string;
  /** Prefix of the comment, followed by the version. */
  readonly comment: string;
  /** Key of the advisory lock that a process holds while it changes the tables. */
  readonly lock: number;
  /**
   * Scripts that migrate the tables from each version to the next. Two processes that start at the
   * same time may both execute a script, so executing a script twice must have the same effect as
   * executing it once.
   */
  readonly migrations: readonly ((schema: string) => string)[];
}

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
export async function prepareTables(
  database: SqlClient,
  schema: string,
  { migrate, tables }: { readonly migrate: boolean; readonly tables: TableSet },
): Promise<void> {
  const { comment, content, lock, migrations, table } = tables;
  const version = await readVersion(database, schema, tables);
  const required = migrations.length;
  if (version === 0 && !migrate) throw new Error(`schema "${schema}" has no ${content}`);
  if (version > required || !migrate && version < required) {
    throw new Error(
      `schema "${schema}" has version ${version}, but this version of @parley/runtime requires ${required}`,
    );
  }
  if (version === required) return;
  // PostgreSQL executes a query string with several statements in one transaction. A session that
  // has looked up a missing schema caches this result until the session opens another table.
  // Without the query on `pg_namespace`, `create schema if not exists` fails if another session has
  // created the schema before the lock was granted.
  await database.query([
    `select pg_advisory_xact_lock(${lock});`,
    "select 1 from pg_catalog.pg_namespace limit 1;",
    ...migrations.slice(version).map((migration) => migration(schema)),
    `comment on table "${schema}".${table} is '${comment}${required}';`,
  ].join("\n"));
}

/** Returns the version of the tables, or 0 if there are no tables. */
async function readVersion(
  database: SqlClient,
  schema: string,
  { comment: prefix, table }: TableSet,
): Promise<number> {
  const { rows: [row] } = await database.query(
    `select to_regclass($1) is not null as exists, obj_description(to_regclass($1), 'pg_class') as comment`,
    [`"${schema}".${table}`],
  );
  const { comment, exists } = asRecord(row);
  if (exists !== true) return 0;
  const version = typeof comment === "string" && comment.startsWith(prefix)
    ? Number(comment.slice(prefix.length))
    : NaN;
  if (Number.isSafeInteger(version)) return version;
  throw new Error(`schema "${schema}" contains a table "${table}" that belongs to another program`);
}
