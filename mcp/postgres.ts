/**
 * Shares tasks, change notifications and DPoP proofs between MCP servers on several machines
 * through a PostgreSQL database. The application provides the database driver: a `Pool` of the
 * package `pg`, or the package `postgres` with {@linkcode fromPostgres}.
 *
 * ```ts ignore
 * import { Pool } from "pg";
 * import { createTables, postgresChangeBus, postgresTaskStore } from "@parley/mcp/postgres";
 * import { McpServer } from "@parley/mcp/server";
 * import { serverTasks } from "@parley/mcp/tasks";
 *
 * const pool = new Pool({ connectionString: "postgres://localhost/mcp" });
 * await createTables(pool);
 * const jobs = serverTasks({ store: postgresTaskStore(pool) });
 * const server = new McpServer({
 *   name: "mill",
 *   version: "1.0.0",
 *   extensions: [jobs],
 *   changeBus: postgresChangeBus(pool),
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
export { createTables } from "./postgres/tables.ts";
export { postgresTaskStore, type PostgresTaskStoreOptions } from "./postgres/task_store.ts";
export {
  fromPostgres,
  type PostgresSql,
  type ReservedSql,
  type SqlClient,
} from "./shared/sql_client.ts";
