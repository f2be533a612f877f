/**
 * A store of budgets in an SQLite database.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { assertDate } from "@parley/internal/assert-argument";
import { asRecord } from "@parley/internal/json";
import type { SqliteStore } from "../shared/sqlite_store.ts";
import type { BudgetState, PurgeableBudgetStore, ReserveOptions } from "./budget_store.ts";

/** SQL that creates the tables. Times are in milliseconds since the Unix epoch. */
export const BUDGET_SCHEMA = `
create table budget (
  key text primary key, used integer not null default 0, reserved integer not null default 0,
  changed_at integer not null
) strict, without rowid;
create table reservation (
  id text primary key, key text not null, amount integer not null, expires_at integer not null
) strict, without rowid;
create index reservation_key on reservation (key, expires_at);
`;

const FIND = "select used, reserved from budget where key = ?";
const RESERVE = `insert into budget (key, reserved, changed_at) values (?, ?, ?)
  on conflict (key) do update set reserved = reserved + excluded.reserved,
    changed_at = excluded.changed_at`;
const ADD = "insert into reservation (id, key, amount, expires_at) values (?, ?, ?, ?)";
const REMOVE = "delete from reservation where id = ? returning key, amount";
const SETTLE = `update budget set reserved = reserved - ?,
  used = min(used + ?, ${Number.MAX_SAFE_INTEGER}), changed_at = ? where key = ?`;
const EXPIRED = `select coalesce(sum(amount), 0) as amount from reservation
  where key = ? and expires_at <= ?`;
const PURGE_RESERVATIONS =
  "delete from reservation where key in (select key from budget where changed_at < ?)";
const PURGE = "delete from budget where changed_at < ?";

/** Stores budgets in a database that several processes can use. Every method is one transaction. */
export class SqliteBudgets implements PurgeableBudgetStore {
  readonly #store: SqliteStore;
  readonly #now: () => number;

  constructor(store: SqliteStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  // deno-lint-ignore require-await -- errors become rejections
  async reserve(
    key: string,
    amount: number,
    { limit, ttlMs }: ReserveOptions,
  ): Promise<string | undefined> {
    return this.#store.transaction(() => {
      const { reserved = 0, used = 0 } = asRecord(this.#store.get(FIND, key));
      if (Number(used) + Number(reserved) + amount > limit) return undefined;
      const id = crypto.randomUUID();
      const now = askClock(this.#now);
      this.#store.run(RESERVE, key, amount, now);
      this.#store.run(ADD, id, key, amount, now + ttlMs);
      return id;
    });
  }

  // deno-lint-ignore require-await -- errors become rejections
  async settle(id: string, used: number): Promise<void> {
    this.#store.transaction(() => {
      const { amount, key } = asRecord(this.#store.get(REMOVE, id));
      if (key === undefined) return;
      this.#store.run(SETTLE, Number(amount), used, askClock(this.#now), String(key));
    });
  }

  // deno-lint-ignore require-await -- errors become rejections
  async read(key: string): Promise<BudgetState> {
    return this.#store.transaction(() => {
      const { reserved = 0, used = 0 } = asRecord(this.#store.get(FIND, key));
      const { amount } = asRecord(this.#store.get(EXPIRED, key, askClock(this.#now)));
      const expired = Number(amount);
      return { used: Number(used) + expired, reserved: Number(reserved) - expired };
    });
  }

  // deno-lint-ignore require-await -- errors become rejections
  async purge(before: Date): Promise<number> {
    assertDate("before", before);
    return this.#store.transaction(() => {
      this.#store.run(PURGE_RESERVATIONS, before.getTime());
      return this.#store.run(PURGE, before.getTime());
    });
  }
}
