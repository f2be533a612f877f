/**
 * A store of budgets in a PostgreSQL database.
 *
 * @module
 */

import { assertDate, rejectArgument } from "@parley/internal/assert-argument";
import { asRecord, type UnknownRecord } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
import { assertSqlClient } from "@parley/internal/sql-client";
import type { SqlClient } from "../shared/sql_client.ts";
import type { BudgetState, PurgeableBudgetStore, ReserveOptions } from "./budget_store.ts";

/** Options for {@linkcode postgresBudgetStore}. */
export interface PostgresBudgetStoreOptions {
  /**
   * Name of the table, with or without a schema, each of 1 to 50 of the characters `a-z`, `0-9` and
   * `_`. A second table has the suffix `_entry`.
   *
   * @default {"parley_budget"}
   */
  readonly table?: string;
}

/** A store of budgets in a PostgreSQL database. */
export interface PostgresBudgetStore extends PurgeableBudgetStore {
  /** Creates the tables if they do not exist. */
  createTables(): Promise<void>;
}

const TABLE_NAME = /^(?:[a-z_][a-z0-9_]{0,49}\.)?[a-z_][a-z0-9_]{0,49}$/;

const readOptions = optionsReader<PostgresBudgetStoreOptions>("options")({
  table: withDefault("parley_budget", (name, table) => {
    if (typeof table === "string" && TABLE_NAME.test(table)) return;
    rejectArgument(name, "a name of 1 to 50 characters a-z, 0-9 and _", table);
  }),
});

/**
 * Key of the lock that is held while the tables are created. The key is arbitrary, but must be the
 * same in all processes.
 */
const LOCK_KEY = 7_285_310;

/**
 * Creates a store of budgets in a PostgreSQL database, for any number of processes. Times come from
 * the clock of the database. The caller closes the client.
 *
 * @param client Pool or client of the database.
 * @param options Name of the table.
 * @throws {TypeError} If the client has no `query` method, or an option has the wrong type.
 *
 * @example Limit the tokens of a user per day in all processes
 * ```ts
 * import { type Budget, storedBudget } from "@parley/runtime";
 * import { postgresBudgetStore, type SqlClient } from "@parley/runtime/postgres";
 * import { assertEquals } from "@std/assert";
 *
 * // In a program: a `Pool` of the package `pg`.
 * const pool: SqlClient = { query: () => Promise.resolve({ rows: [] }) };
 * const store = postgresBudgetStore(pool);
 * await store.createTables();
 *
 * function budgetOf(user: string): Budget {
 *   const key = () => `${user}/${new Date().toISOString().slice(0, 10)}`;
 *   return storedBudget(store, { key, maxTokens: 1_000_000 });
 * }
 * assertEquals(budgetOf("user:42").exceeded, undefined);
 * ```
 */
export function postgresBudgetStore(
  client: SqlClient,
  options: PostgresBudgetStoreOptions = {},
): PostgresBudgetStore {
  assertSqlClient("client", client);
  return new PostgresBudgets(client, readOptions(options).table);
}

class PostgresBudgets implements PostgresBudgetStore {
  readonly #client: SqlClient;
  readonly #sql: ReturnType<typeof statementsFor>;

  constructor(client: SqlClient, table: string) {
    this.#client = client;
    this.#sql = statementsFor(table);
  }

  async createTables(): Promise<void> {
    await this.#client.query(this.#sql.create);
  }

  async reserve(
    key: string,
    amount: number,
    { limit, ttlMs }: ReserveOptions,
  ): Promise<string | undefined> {
    const id = crypto.randomUUID();
    const rows = await this.#query(this.#sql.reserve, key, amount, limit, id, ttlMs);
    return rows.length === 1 ? id : undefined;
  }

  async settle(id: string, used: number): Promise<void> {
    await this.#query(this.#sql.settle, id, used);
  }

  async read(key: string): Promise<BudgetState> {
    const [row] = await this.#query(this.#sql.read, key);
    const { expired = 0, reserved = 0, used = 0 } = row ?? {};
    return {
      used: Number(used) + Number(expired),
      reserved: Number(reserved) - Number(expired),
    };
  }

  async purge(before: Date): Promise<number> {
    assertDate("before", before);
    const [row] = await this.#query(this.#sql.purge, before.toISOString());
    return Number(row?.count);
  }

  async #query(
    text: string,
    ...values: readonly (string | number)[]
  ): Promise<readonly UnknownRecord[]> {
    const { rows } = await this.#client.query(text, [...values]);
    return rows.map(asRecord);
  }
}

/** Returns the statements for a table, whose name must be valid. */
function statementsFor(table: string) {
  const entry = `${table}_entry`;
  return {
    // PostgreSQL executes a query string with several statements in one transaction. Two processes
    // that create a table at the same time would otherwise fail.
    create: `
      select pg_advisory_xact_lock(${LOCK_KEY});
      create table if not exists ${table} (
        key text collate "C" primary key,
        used bigint not null default 0,
        reserved bigint not null default 0,
        changed_at timestamptz not null default now()
      );
      create table if not exists ${entry} (
        id text primary key,
        key text collate "C" not null,
        amount bigint not null,
        expires_at timestamptz not null
      );
      create index if not exists ${entry.replace(/^.*\./, "")}_key on ${entry} (key, expires_at);`,
    // The database evaluates the condition on the newest version of the row, after waiting for
    // concurrent reservations. A sum of the entries could miss them.
    reserve: `with changed as (
        insert into ${table} as budget (key, reserved)
        select $1::text, $2::bigint where $2::bigint <= $3::bigint
        on conflict (key) do update
          set reserved = budget.reserved + excluded.reserved, changed_at = now()
          where budget.used + budget.reserved + excluded.reserved <= $3::bigint
        returning 1
      )
      insert into ${entry} (id, key, amount, expires_at)
      select $4::text, $1::text, $2::bigint, now() + $5::float8 * interval '1 millisecond'
      from changed returning 1`,
    settle: `with removed as (
        delete from ${entry} where id = $1::text returning key, amount
      )
      update ${table} as budget set reserved = budget.reserved - removed.amount,
        used = least(budget.used + $2::bigint, ${Number.MAX_SAFE_INTEGER}), changed_at = now()
      from removed where budget.key = removed.key`,
    // Numbers of type bigint would be read as strings.
    read: `select used::float8 as used, reserved::float8 as reserved, (
        select coalesce(sum(amount), 0)::float8 from ${entry}
        where key = $1::text and expires_at <= now()
      ) as expired
      from ${table} where key = $1::text`,
    purge: `with old as (
        delete from ${table} where changed_at < $1::timestamptz returning key
      ), entries as (
        delete from ${entry} using old where ${entry}.key = old.key
      )
      select count(*)::int as count from old`,
  };
}
