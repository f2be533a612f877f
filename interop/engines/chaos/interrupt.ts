/**
 * Database interruptions.
 *
 * @module
 */

import type { Postgres } from "../../../tools/testing/postgres.ts";

/** Kills a database, and restarts it after the given time in milliseconds. */
export async function interrupt(server: Postgres, downMs: number): Promise<void> {
  await server.kill();
  await new Promise((resolve) => setTimeout(resolve, downMs));
  await server.restart();
}
