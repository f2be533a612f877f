/**
 * A store of budgets in a PostgreSQL database: {@linkcode postgresBudgetStore}.
 *
 * The database driver is a dependency of the application. Any driver can be used, such as `pg` or
 * `postgres`. Durable runs in PostgreSQL are in the module `pgboss`.
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
  type SqlClient,
  type SqlValue,
} from "./budget/postgres_budget_store.ts";
