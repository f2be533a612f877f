/**
 * Shares tasks, change notifications and DPoP proofs between MCP servers on several machines
 * through a PostgreSQL database. The application provides the database driver, either `postgres`
 * (with {@linkcode fromPostgres}) or `pg` (with {@linkcode fromPg}).
 *
 * ```ts ignore
 * import postgres from "postgres";
 * import { createTables, fromPostgres, postgresChangeBus, postgresTaskStore } from "@parley/mcp/postgres";
 * import { McpServer } from "@parley/mcp/server";
 * import { serverTasks } from "@parley/mcp/tasks";
 *
 * const sql = fromPostgres(postgres("postgres://localhost/mcp"));
 * await createTables(sql);
 * const jobs = serverTasks({ store: postgresTaskStore(sql) });
 * const server = new McpServer({
 *   name: "mill",
 *   version: "1.0.0",
 *   extensions: [jobs],
 *   changeBus: postgresChangeBus(sql),
 * });
 * ```
 *
 * @module
 */

export { postgresChangeBus, type PostgresChangeBusOptions } from "./postgres/change_bus.ts";
export {
  postgresDpopReplayStore,
  type PostgresDpopReplayStoreOptions,
} from "./postgres/dpop_replay_store.ts";
export {
  fromPg,
  type FromPgOptions,
  fromPostgres,
  type PgConnection,
  type PgPool,
  type PostgresSql,
  type SqlClient,
  type SqlRow,
  type SqlValue,
} from "./postgres/sql_client.ts";
export { createTables } from "./postgres/tables.ts";
export { postgresTaskStore, type PostgresTaskStoreOptions } from "./postgres/task_store.ts";
