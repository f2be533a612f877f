/**
 * A replay store in PostgreSQL that several replicas can share: {@linkcode PostgresReplayStore}.
 *
 * The database driver is a dependency of the application: `pg`, `postgres` with
 * {@linkcode fromPostgres}, or another driver.
 *
 * @example Use a delivery's transaction
 * ```ts ignore
 * import { createVerifier } from "@parley/comm/policy";
 * import { pgBossQueue } from "@parley/comm/pgboss";
 * import { PostgresReplayStore } from "@parley/comm/postgres";
 * import { Reject, verified } from "@parley/comm/queues";
 * import { Pool } from "pg";
 * import { PgBoss } from "pg-boss";
 *
 * const pool = new Pool({ connectionString: "postgres://agents@db.example/agents" });
 * await using queue = await pgBossQueue({ PgBoss, db: pool, inboxOf: () => "office" });
 * const store = new PostgresReplayStore({ db: pool });
 * await store.createTable();
 * const recipient = "did:web:bob.example";
 * const handler = verified(({ tx }) => {
 *   if (tx === undefined) throw new Reject("not transactional");
 *   return createVerifier({ recipient, replayGuard: store.inTransaction(tx) });
 * }, async ({ message, tx }) => {
 *   await tx?.query("insert into tasks (id) values ($1)", [message.id]);
 * });
 * await queue.consume("office", handler, { transactional: true, concurrency: 4 });
 * ```
 *
 * @module
 */

export {
  fromPostgres,
  type PostgresSql,
  type ReservedSql,
  type SqlClient,
} from "./shared/sql_client.ts";
export {
  PostgresReplayStore,
  type PostgresReplayStoreOptions,
} from "./signing/postgres_replay_store.ts";
export type { ReplayBeginOptions, ReplayBeginResult, ReplayStore } from "./signing/replay_store.ts";
