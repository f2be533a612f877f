/**
 * Database transactions that send messages together with the related changes.
 *
 * @module
 */

// @ts-types="@types/pg"
import type pg from "pg";
import type { SqlClient } from "@parley/comm/pgboss";
import { emitProblem } from "./child.ts";

/** Calls a function in a transaction that is committed if the function succeeds. */
export async function inTransaction(
  pool: pg.Pool,
  work: (tx: SqlClient) => Promise<void>,
): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await work(client);
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(emitProblem);
    throw error;
  } finally {
    client.release();
  }
}
