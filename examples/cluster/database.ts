/**
 * The example's database: PostgreSQL, installed from npm, with the tables that the processes use.
 *
 * @module
 */

// @ts-types="@types/pg"
import pg from "pg";
import { createTables } from "@parley/mcp/postgres";
import { run } from "../../tools/cli.ts";
import { type Postgres, startPostgres } from "../../tools/testing/postgres.ts";

const TABLES = `
  create table reservation (
    key text primary key,
    item text not null,
    quantity integer not null,
    executions integer not null default 1,
    executed_at timestamptz not null default clock_timestamp()
  );
  create table responded (run_id text primary key);
  create table request (message_id text primary key, order_number integer not null);
  create table response (order_number integer not null, text text not null)`;

/** Starts an empty database with all tables. pg-boss and the run engine create their own tables. */
export async function startDatabase(): Promise<Postgres> {
  const server = await startPostgres({ program: await findPostgres() });
  try {
    const pool = new pg.Pool({ connectionString: server.url });
    await pool.query(TABLES);
    await createTables(pool);
    await pool.end();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Returns the path to the `postgres` executable. The first call downloads PostgreSQL. */
async function findPostgres(): Promise<string> {
  const flags = ["--quiet", "--frozen", "--allow-env", "--allow-read", "--allow-sys"];
  const config = new URL("deno.json", import.meta.url).pathname;
  const program = new URL("find_postgres.ts", import.meta.url).pathname;
  const args = ["run", ...flags, "--config", config, program];
  return (await run(Deno.execPath(), args)).stdout.trim();
}
