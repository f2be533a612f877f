/**
 * PostgreSQL tables for servers on several machines.
 *
 * @module
 */

import { assertSqlClient, type SqlClient } from "./sql_client.ts";

/**
 * A single statement is atomic even if a connection pool executes it. The advisory lock allows
 * several processes to create the tables at the same time.
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
    expires_at timestamptz not null
  );
  create index if not exists parley_mcp_dpop_proofs_expires_at
    on parley_mcp_dpop_proofs (expires_at);
end $$`;

/**
 * Creates this module's tables if they do not exist yet. The table names start with `parley_mcp_`.
 * Several processes can call `createTables` at the same time. The database user needs permission to
 * create tables in the first schema of its `search_path`.
 *
 * @param sql Access to the database.
 * @throws {TypeError} If `sql` lacks a required function.
 * @throws The database driver's error.
 *
 * @example Create the tables before the server starts
 * ```ts
 * import { createTables, type SqlClient } from "@parley/mcp/postgres";
 * import { assertStringIncludes } from "@std/assert";
 *
 * // Stands in for `fromPostgres(postgres("postgres://localhost/mcp"))`.
 * const statements: string[] = [];
 * const sql: SqlClient = {
 *   query: (text) => Promise.resolve(statements.push(text)).then(() => []),
 *   listen: () => Promise.resolve(() => Promise.resolve()),
 * };
 * await createTables(sql);
 * assertStringIncludes(statements.join(), "create table if not exists parley_mcp_tasks");
 * ```
 */
export async function createTables(sql: SqlClient): Promise<void> {
  assertSqlClient(sql);
  await sql.query(CREATE_TABLES);
}
