/**
 * Stores in a PostgreSQL database: {@linkcode postgresBudgetStore}, and {@linkcode fromPostgres} for
 * the package `postgres`. A `Pool` of the package `pg` needs no adapter.
 *
 * The database driver is a dependency of the application. Durable runs in PostgreSQL are in the
 * module `pgboss`.
 *
 * ```ts ignore
 * import { storedBudget } from "@parley/runtime";
 * import { postgresBudgetStore } from "@parley/runtime/postgres";
 * import { Pool } from "pg";
 *
 * const pool = new Pool({ connectionString: "postgres://agents@db.example/agents" });
 * const store = postgresBudgetStore(pool);
 * await store.createTables();
 * const budget = storedBudget(store, { key: "team", maxTokens: 10_000_000 });
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
export { fromPostgres, type PostgresSql, type SqlClient } from "./shared/sql_client.ts";
