/**
 * Replay store in a PostgreSQL database.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import {
  assertCount,
  assertFunction,
  assertShare,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { assertSqlClient } from "@parley/internal/sql-client";
import type { SqlClient } from "../shared/sql_client.ts";
import { formatValue } from "@parley/internal/format-value";
import { digestReplayEntry } from "./replay_key.ts";
import {
  assertFiniteTime,
  durationOf,
  type ReplayBeginOptions,
  type ReplayBeginResult,
  type ReplayStore,
} from "./replay_store.ts";
import { SenderCounts } from "./sender_counts.ts";

/** Options for {@linkcode PostgresReplayStore}. */
export interface PostgresReplayStoreOptions {
  /**
   * The database, such as a `Pool` of the package `pg`. To track a message in the transaction that
   * processes the message, use {@linkcode PostgresReplayStore.inTransaction}.
   */
  readonly db: SqlClient;
  /**
   * Name of the table, optionally with a schema, such as `agents.replay`.
   *
   * @default {"parley_replay"}
   */
  readonly table?: string;
  /**
   * Maximum time to track a message, in milliseconds.
   *
   * @default {600_000}
   */
  readonly ttlMs?: number;
  /**
   * Time after which a reservation that was neither committed nor aborted expires, in milliseconds.
   * `reservationMs` must be longer than it takes to process a message. If the process that reserved
   * a message exits, the message is rejected until `reservationMs` has elapsed.
   *
   * @default {960_000}
   */
  readonly reservationMs?: number;
  /**
   * Maximum number of entries. If the store is full, new messages are rejected. The store counts
   * the entries and deletes expired entries once a minute, so the limit can be exceeded for up to a
   * minute.
   *
   * @default {10_000_000}
   */
  readonly maxEntries?: number;
  /**
   * Maximum share of `maxEntries` per sender, greater than 0 and at most 1. Every sender may use at
   * least one entry. The entries of a sender are counted once a minute; in between, the entries of
   * other processes are not counted. DIDs are free to create, so the share does not limit an
   * attacker who signs with many keys; the policy can limit the senders.
   *
   * @default {0.1}
   */
  readonly maxSharePerSender?: number;
  /**
   * Returns the current time, in milliseconds. If the result is not a finite number, `begin`
   * rejects with a `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
}

const TABLE_NAME = /^(?:[a-z_][a-z0-9_]{0,49}\.)?[a-z_][a-z0-9_]{0,49}$/;

const readOptions = optionsReader<PostgresReplayStoreOptions>("options")({
  db: required(assertSqlClient),
  table: withDefault("parley_replay", assertTableName),
  ttlMs: withDefault(600_000, assertFiniteTime),
  reservationMs: withDefault(960_000, assertFiniteTime),
  maxEntries: withDefault(10_000_000, assertCount),
  maxSharePerSender: withDefault(0.1, assertShare),
  now: withDefault((): number => Date.now(), assertFunction),
});

const MAINTENANCE_INTERVAL_MS = 60_000;

/** Number of expired entries that one statement deletes. */
const DELETE_BATCH = 10_000;

/**
 * Key of the lock that is held while the table is created. The key is arbitrary, but must be the
 * same in all processes.
 */
const LOCK_KEY = 7_285_309;

/**
 * A replay store in a PostgreSQL database, for replicas that share a DID and for processes that
 * restart. The store contains digests of senders and ids.
 *
 * @example Share replay protection between replicas
 * ```ts
 * import { createVerifier } from "@parley/comm/policy";
 * import { PostgresReplayStore } from "@parley/comm/postgres";
 * import { assertEquals } from "@std/assert";
 *
 * // In a program: a `Pool` of the package `pg`.
 * const pool = { query: () => Promise.resolve({ rows: [{ state: "new", entries: 0 }] }) };
 * const replayGuard = new PostgresReplayStore({ db: pool });
 * await replayGuard.createTable();
 * createVerifier({ recipient: "did:web:bob.example", replayGuard });
 *
 * const untilMs = Date.now() + 300_000;
 * assertEquals(await replayGuard.begin("did:web:ann.example", "1", untilMs), true);
 * ```
 */
export class PostgresReplayStore implements ReplayStore {
  /** Maximum time to track a message, in milliseconds. */
  readonly ttlMs: number;
  readonly #db: SqlClient;
  readonly #reservationMs: number;
  readonly #maxEntries: number;
  readonly #now: () => number;
  readonly #sql: ReturnType<typeof statementsFor>;
  /** Identifies the reservations that this store has made. */
  readonly #owner: string = crypto.randomUUID();
  readonly #senders: SenderCounts;
  #maintainedMs: number;
  #isFull = false;
  /** Whether the last deletion may have left expired entries. */
  #hasExpired = false;

  /**
   * Creates a store. Does not access the database.
   *
   * @param options Database, table and limits.
   * @throws {TypeError} If `db` has no `query` method, if `table` is not a valid name, if an option
   *   is unknown, or if `now` does not return a finite number.
   * @throws {RangeError} If a limit is not positive, if a time is not finite, if `maxEntries` is
   *   not an integer, or if `maxSharePerSender` is not greater than 0 and at most 1.
   */
  constructor(options: PostgresReplayStoreOptions) {
    const settings = readOptions(options);
    const { db, table, ttlMs, reservationMs, maxEntries, maxSharePerSender, now } = settings;
    this.ttlMs = ttlMs;
    this.#senders = new SenderCounts(maxEntries, maxSharePerSender);
    this.#db = db;
    this.#reservationMs = reservationMs;
    this.#maxEntries = maxEntries;
    this.#now = now;
    this.#maintainedMs = askClock(now);
    this.#sql = statementsFor(table);
  }

  /**
   * Creates the table if the table does not exist.
   *
   * @throws The database error.
   */
  async createTable(): Promise<void> {
    await this.#db.query(this.#sql.create);
  }

  /**
   * Reserves the sender and id of a message.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   * @param untilMs Time until which the entry is kept, in milliseconds since the Unix epoch, at
   *   most `ttlMs` from now. If `untilMs` is in the past, the entry is kept for `ttlMs`. The
   *   duration is measured with the clock of the database.
   * @param options The caller's time, if the caller's clock is not the store's clock.
   * @returns `true` if this call reserved the sender and id, `false` if they are committed,
   * `"reserved"` if they are already reserved, or `"full"` if the store has no capacity.
   * @throws {TypeError} If `now` does not return a finite number.
   * @throws The database error.
   */
  async begin(
    sender: string,
    id: string,
    untilMs: number,
    options?: ReplayBeginOptions,
  ): Promise<ReplayBeginResult> {
    return await this.#begin(this.#db, await digestReplayEntry(sender, id), untilMs, options);
  }

  async #begin(
    db: SqlClient,
    [key, party]: readonly [string, string],
    untilMs: number,
    options: ReplayBeginOptions = {},
  ): Promise<ReplayBeginResult> {
    await this.#maintain();
    const ownMs = askClock(this.#now);
    const hasCapacity = !this.#isFull &&
      await this.#senders.take(party, ownMs, () => this.#countOf(party));
    if (!hasCapacity) return await this.#find(db, key) ?? "full";
    const { ttlMs } = this;
    const keptMs = durationOf(untilMs, { nowMs: options.nowMs ?? ownMs, ttlMs });
    const values = [key, this.#owner, this.#reservationMs, keptMs, party];
    const { rows: [row] } = await db.query(this.#sql.begin, values);
    const state = readMember(row, "state");
    if (state === "new") return true;
    this.#senders.release(party);
    return state === "committed" ? false : "reserved";
  }

  /** Returns the state of an entry, or `undefined` if there is no entry. */
  async #find(db: SqlClient, key: string): Promise<ReplayBeginResult | undefined> {
    const { rows: [row] } = await db.query(this.#sql.find, [key]);
    const isCommitted = readMember(row, "is_committed");
    if (typeof isCommitted !== "boolean") return undefined;
    return isCommitted ? false : "reserved";
  }

  /** Counts the entries of a sender, outside of the transaction. */
  async #countOf(party: string): Promise<number> {
    const { rows: [row] } = await this.#db.query(this.#sql.countOf, [party]);
    const entries = readMember(row, "entries");
    if (typeof entries === "number") return entries;
    throw new TypeError(`Cannot count entries: got ${formatValue(entries)}`);
  }

  /**
   * Marks a reserved entry as accepted.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   * @throws The database error.
   */
  async commit(sender: string, id: string): Promise<void> {
    await this.#commit(this.#db, await digestReplayEntry(sender, id));
  }

  async #commit(db: SqlClient, [key, party]: readonly [string, string]): Promise<void> {
    await db.query(this.#sql.commit, [key, this.#owner, this.ttlMs, party]);
  }

  /**
   * Removes an entry that this store has reserved. Does not change a committed entry.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   * @throws The database error.
   */
  async abort(sender: string, id: string): Promise<void> {
    await this.#abort(this.#db, await digestReplayEntry(sender, id));
  }

  async #abort(db: SqlClient, [key, party]: readonly [string, string]): Promise<void> {
    const { rows } = await db.query(this.#sql.abort, [key, this.#owner]);
    if (rows.length > 0) this.#senders.release(party);
  }

  /**
   * Returns a replay store that tracks messages in a transaction: a message is tracked only if the
   * transaction is committed. Expired entries are deleted and entries are counted outside the
   * transaction.
   *
   * @param tx Transaction in the same database, such as the `tx` of a delivery.
   * @throws {TypeError} If `tx` has no `query` method.
   *
   * @example Track each message in the transaction that delivers it
   * ```ts
   * import { createVerifier } from "@parley/comm/policy";
   * import { PostgresReplayStore, type SqlClient } from "@parley/comm/postgres";
   * import { Reject, verified } from "@parley/comm/queues";
   * import { assertEquals } from "@std/assert";
   *
   * function createHandler(pool: SqlClient, recipient: string) {
   *   const store = new PostgresReplayStore({ db: pool });
   *   return verified<SqlClient>(
   *     ({ tx }) => {
   *       if (tx === undefined) throw new Reject("the consumer must be transactional");
   *       return createVerifier({ recipient, replayGuard: store.inTransaction(tx) });
   *     },
   *     async ({ message, tx }) => {
   *       await tx?.query("insert into tasks (id) values ($1)", [message.id]);
   *     },
   *   );
   * }
   *
   * const pool: SqlClient = { query: () => Promise.resolve({ rows: [] }) };
   * assertEquals(typeof createHandler(pool, "did:web:bob.example"), "function");
   * ```
   */
  inTransaction(tx: SqlClient): ReplayStore {
    assertSqlClient("tx", tx);
    return {
      ttlMs: this.ttlMs,
      begin: async (sender, id, untilMs, options) =>
        await this.#begin(tx, await digestReplayEntry(sender, id), untilMs, options),
      commit: async (sender, id) => await this.#commit(tx, await digestReplayEntry(sender, id)),
      abort: async (sender, id) => await this.#abort(tx, await digestReplayEntry(sender, id)),
    };
  }

  /**
   * Deletes expired entries and counts the remaining entries, at most once a minute. If there are
   * more expired entries than one statement deletes, each of the next calls deletes some of them:
   * otherwise, a sender could fill the store with more entries than are deleted per minute.
   */
  async #maintain(): Promise<void> {
    const nowMs = askClock(this.#now);
    // If the clock was set back, the time of the next deletion is unknown.
    const isDue = !(Math.abs(nowMs - this.#maintainedMs) < MAINTENANCE_INTERVAL_MS);
    if (!isDue && !this.#hasExpired) return;
    this.#maintainedMs = nowMs;
    this.#hasExpired = false;
    const deleted = await this.#db.query(this.#sql.deleteExpired, [DELETE_BATCH]);
    this.#hasExpired = deleted.rows.length >= DELETE_BATCH;
    const { rows } = await this.#db.query(this.#sql.isFull, [this.#maxEntries]);
    this.#isFull = rows.length > 0;
  }
}

/** Returns a member of a row, or `undefined` if there is no such row or member. */
function readMember(row: unknown, name: string): unknown {
  return typeof row === "object" && row !== null ? Reflect.get(row, name) : undefined;
}

function assertTableName(name: string, value: unknown): void {
  if (typeof value === "string" && TABLE_NAME.test(value)) return;
  rejectArgument(name, 'lowercase letters, digits and "_", with an optional schema', value);
}

/** Returns the statements for a table, whose name must be valid. */
function statementsFor(table: string) {
  const after = (parameter: string): string => `now() + ${parameter} * interval '1 millisecond'`;
  return {
    // Without the lock, two processes that create the table at the same time can fail.
    create: `select pg_advisory_xact_lock(${LOCK_KEY});
      create table if not exists ${table} (
        key text primary key,
        owner text not null,
        is_committed boolean not null,
        expires_at timestamptz not null,
        until_at timestamptz not null,
        sender text not null
      );
      create index if not exists ${table.replace(/^.*\./, "")}_expires_at
        on ${table} (expires_at);
      create index if not exists ${table.replace(/^.*\./, "")}_sender
        on ${table} (sender, expires_at);`,
    begin: `with taken as (
        insert into ${table} as entry (key, owner, is_committed, expires_at, until_at, sender)
        values ($1, $2, false, ${after("$3::float8")}, ${after("$4::float8")}, $5)
        on conflict (key) do update set owner = excluded.owner, is_committed = false,
          expires_at = excluded.expires_at, until_at = excluded.until_at
        where entry.expires_at <= now()
        returning 1
      )
      select case
        when exists (select 1 from taken) then 'new'
        when (select is_committed from ${table} where key = $1) then 'committed'
        else 'reserved'
      end as state`,
    commit: `insert into ${table} as entry (key, owner, is_committed, expires_at, until_at, sender)
      values ($1, $2, true, ${after("$3::float8")}, ${after("$3::float8")}, $4)
      on conflict (key) do update set is_committed = true, expires_at = entry.until_at`,
    abort: `delete from ${table} where key = $1 and owner = $2 and not is_committed
      returning 1`,
    find: `select is_committed from ${table} where key = $1 and expires_at > now()`,
    countOf: `select count(*)::int as entries from ${table}
      where sender = $1 and expires_at > now()`,
    deleteExpired: `delete from ${table} where key in (
        select key from ${table} where expires_at <= now() limit $1::int for update skip locked
      ) returning 1`,
    isFull: `select 1 from ${table} offset $1::int - 1 limit 1`,
  };
}
