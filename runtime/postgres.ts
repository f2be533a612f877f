/**
 * Stores in a PostgreSQL database, for any number of processes: sessions with
 * {@linkcode postgresStorage}, and budgets with {@linkcode postgresBudgetStore}.
 *
 * The database driver is a dependency of the application: a `Pool` of the package `pg`, or the
 * package `postgres` with {@linkcode fromPostgres}. Durable runs in PostgreSQL are in the module
 * `pgboss`.
 *
 * ```ts ignore
 * import { storedBudget, ToolLoopAgent } from "@parley/runtime";
 * import { postgresBudgetStore, postgresStorage } from "@parley/runtime/postgres";
 * import { openSessions } from "@parley/runtime/session";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://user:password@localhost/app" });
 * const store = postgresBudgetStore(pool);
 * await store.createTables();
 * const budget = storedBudget(store, { key: "team", maxTokens: 10_000_000 });
 * await using sessions = openSessions({
 *   storage: postgresStorage(pool),
 *   agent: () => new ToolLoopAgent({ name: "shop", model, budget }),
 * });
 * ```
 *
 * @module
 */

export type {
  BudgetState,
  BudgetStore,
  PurgeableBudgetStore,
  ReserveOptions,
} from "./budget/budget_store.ts";
export {
  type PostgresBudgetStore,
  postgresBudgetStore,
  type PostgresBudgetStoreOptions,
} from "./budget/postgres_budget_store.ts";
export { postgresStorage, type PostgresStorageOptions } from "./session/postgres_storage.ts";
export type { SessionStorage } from "./session/storage.ts";
export {
  fromPostgres,
  type PostgresSql,
  type ReservedSql,
  type SqlClient,
} from "./shared/sql_client.ts";
