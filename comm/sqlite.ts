/**
 * A message queue and a replay store in SQLite databases, for processes that restart and for
 * several processes on one machine: {@linkcode sqliteQueue} and {@linkcode SqliteReplayStore}. Each
 * has its own file.
 *
 * The module uses `node:sqlite`, which is available in Node.js 22.13 or later, Deno 2.2 or later,
 * and Bun 1.4. Node.js 22 warns that SQLite is experimental;
 * `node --disable-warning=ExperimentalWarning` hides the warning.
 *
 * @example Reject replays after a restart
 * ```ts
 * import { createVerifier } from "@parley/comm/policy";
 * import { SqliteReplayStore } from "@parley/comm/sqlite";
 * import { assertEquals } from "@std/assert";
 *
 * // A program uses a file, such as "replay.db".
 * await using replayGuard = new SqliteReplayStore(":memory:");
 * const verifier = createVerifier({ recipient: "did:web:bob.example", replayGuard });
 * assertEquals(typeof verifier.verify, "function");
 * ```
 *
 * @module
 */

import { openDatabase } from "@parley/internal/sqlite-database";
import type { DatabaseSync } from "node:sqlite";
import { CommError } from "./shared/error.ts";
import { errorText } from "./shared/error_text.ts";
import { askClock } from "@parley/internal/ask-clock";
import { quote } from "@parley/internal/format-value";
import {
  assertCount,
  assertFunction,
  assertNonEmptyString,
  assertShare,
} from "@parley/internal/assert-argument";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { digestReplayEntry } from "./signing/replay_key.ts";
import {
  assertFiniteTime,
  durationOf,
  type ReplayBeginOptions,
  type ReplayBeginResult,
  type ReplayStore,
} from "./signing/replay_store.ts";
import { SenderCounts } from "./signing/sender_counts.ts";

export type {
  ConsumeOptions,
  DeadLetter,
  DeadLetterOptions,
  MessageQueue,
  QueueDelivery,
  QueueHandler,
  QueueSendOptions,
} from "./queues/message_queue.ts";
export type { QueueOptions } from "./queues/queue_options.ts";
export type { SqliteStatement, SqliteTransaction, SqliteValue } from "./queues/sqlite_database.ts";
export type { SqliteQueueOptions } from "./queues/sqlite_options.ts";
export { sqliteQueue } from "./queues/sqlite_queue.ts";
export type { ReplayBeginOptions, ReplayBeginResult, ReplayStore } from "./signing/replay_store.ts";

/** Options for {@linkcode SqliteReplayStore}. */
export interface SqliteReplayStoreOptions {
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
   * Maximum number of entries. If the store is full, new messages are rejected. Expired entries are
   * deleted once a minute, and entries that other processes add are counted once a minute.
   *
   * @default {1_000_000}
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
   * Maximum time to wait for a lock that another process holds, in milliseconds. The event loop is
   * blocked while the store waits for the lock.
   *
   * @default {1000}
   */
  readonly busyTimeoutMs?: number;
  /**
   * Returns the current time, in milliseconds. If the result is not a finite number, `begin`
   * rejects with a `TypeError`. Defaults to `Date.now`.
   */
  readonly now?: () => number;
}

const readOptions = optionsReader<SqliteReplayStoreOptions>("options")({
  ttlMs: withDefault(600_000, assertFiniteTime),
  reservationMs: withDefault(960_000, assertFiniteTime),
  maxEntries: withDefault(1_000_000, assertCount),
  maxSharePerSender: withDefault(0.1, assertShare),
  busyTimeoutMs: withDefault(1000, int32From(1)),
  now: withDefault((): number => Date.now(), assertFunction),
});

/** Version of the schema, stored in the database as `user_version`. */
const SCHEMA_VERSION = 2;
/**
 * Identifies a replay store's database, which stores this value as `application_id`: "PRLR" in
 * ASCII.
 */
const APPLICATION_ID = 0x50524c52;
const MAINTENANCE_INTERVAL_MS = 60_000;

const SCHEMA = `
create table entry (
  key text primary key, owner text not null, is_committed integer not null,
  expires_at real not null, until_at real not null, sender text not null
) strict, without rowid;
create index entry_expires_at on entry (expires_at);
create index entry_sender on entry (sender, expires_at);
`;

const FIND = "select is_committed from entry where key = ? and expires_at > ?";
const BEGIN = `insert into entry values (?, ?, 0, ?, ?, ?) on conflict (key) do update set
  owner = excluded.owner, is_committed = 0, expires_at = excluded.expires_at,
  until_at = excluded.until_at where entry.expires_at <= ?`;
const COMMIT = `insert into entry values (?, ?, 1, ?, ?, ?) on conflict (key) do update set
  is_committed = 1, expires_at = entry.until_at`;
const ABORT = "delete from entry where key = ? and owner = ? and is_committed = 0";
const DELETE_EXPIRED = "delete from entry where expires_at <= ?";
const COUNT = "select count(*) from entry";
const COUNT_OF_SENDER = "select count(*) from entry where sender = ? and expires_at > ?";

/**
 * A replay store in an SQLite database. Every accepted message is written to disk before it is
 * processed, so that its replay is rejected after a restart, a crash, and a power failure. The
 * store contains digests of senders and ids.
 *
 * Several processes on one machine can use the same file. Replicas on several machines need
 * `PostgresReplayStore` (`@parley/comm/postgres`), because SQLite's locks do not work on network
 * file systems.
 *
 * @example Track a message
 * ```ts
 * import { SqliteReplayStore } from "@parley/comm/sqlite";
 * import { assertEquals } from "@std/assert";
 *
 * await using store = new SqliteReplayStore(":memory:");
 * const untilMs = Date.now() + 300_000;
 * assertEquals(await store.begin("did:web:ann.example", "1", untilMs), true);
 * await store.commit("did:web:ann.example", "1");
 * assertEquals(await store.begin("did:web:ann.example", "1", untilMs), false);
 * ```
 */
export class SqliteReplayStore implements ReplayStore {
  /** Maximum time to track a message, in milliseconds. */
  readonly ttlMs: number;
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareStatements>;
  readonly #reservationMs: number;
  readonly #maxEntries: number;
  readonly #now: () => number;
  /** Identifies the reservations of this store. */
  readonly #owner: string = crypto.randomUUID();
  readonly #senders: SenderCounts;
  #maintainedMs = -Infinity;
  #entries = 0;
  #isClosed = false;

  /**
   * Opens a database.
   *
   * @param path Path to the database file, or `":memory:"`. The file is created if it does not
   * exist.
   * @param options Limits and clock.
   * @throws {TypeError} If `path` is not a non-empty string, if `now` is not a function, or an
   *   option is unknown.
   * @throws {RangeError} If a limit is not positive, if `ttlMs` or `reservationMs` is not finite,
   *   if `maxEntries` or `busyTimeoutMs` is not an integer, or if `maxSharePerSender` is not
   *   greater than 0 and at most 1.
   * @throws {CommError} With code "replay_store_failed" if the file cannot be opened, is a database
   *   that belongs to another program, or has a different schema version.
   */
  constructor(path: string, options: SqliteReplayStoreOptions = {}) {
    assertNonEmptyString("path", path);
    const settings = readOptions(options);
    const { ttlMs, reservationMs, maxEntries, maxSharePerSender, busyTimeoutMs, now } = settings;
    this.ttlMs = ttlMs;
    this.#senders = new SenderCounts(maxEntries, maxSharePerSender);
    this.#reservationMs = reservationMs;
    this.#maxEntries = maxEntries;
    this.#now = now;
    this.#database = openStore(path, busyTimeoutMs);
    this.#statements = prepareStatements(this.#database);
  }

  /**
   * Reserves the sender and id of a message.
   *
   * @param sender DID of the sender.
   * @param id Id of the message, of any length, compared exactly.
   * @param untilMs Time until which the entry is kept, in milliseconds since the Unix epoch, at
   *   most `ttlMs` from now. If `untilMs` is in the past, the entry is kept for `ttlMs`.
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
    options: ReplayBeginOptions = {},
  ): Promise<ReplayBeginResult> {
    const [key, party] = await digestReplayEntry(sender, id);
    const nowMs = askClock(this.#now);
    this.#maintain(nowMs);
    const isCommitted = readColumn(this.#statements.find.get(key, nowMs));
    if (isCommitted !== undefined) return isCommitted === 1 ? false : "reserved";
    if (this.#entries >= this.#maxEntries) return "full";
    const { countOfSender } = this.#statements;
    const count = (): number => Number(readColumn(countOfSender.get(party, nowMs)));
    if (!await this.#senders.take(party, nowMs, count)) return "full";
    const { ttlMs } = this;
    const keptMs = durationOf(untilMs, { nowMs: options.nowMs ?? nowMs, ttlMs });
    if (this.#insert(key, party, { nowMs, keptMs })) return true;
    this.#senders.release(party);
    // Another process has reserved the sender and id since the query.
    return "reserved";
  }

  /** Adds an entry. Returns `false` if there is an entry that has not expired. */
  #insert(
    key: string,
    party: string,
    { nowMs, keptMs }: { readonly nowMs: number; readonly keptMs: number },
  ): boolean {
    const { changes } = this.#statements.begin
      .run(key, this.#owner, nowMs + this.#reservationMs, nowMs + keptMs, party, nowMs);
    if (Number(changes) === 0) return false;
    this.#entries++;
    return true;
  }

  /**
   * Marks a reserved entry as accepted.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   * @throws {TypeError} If `now` does not return a finite number.
   * @throws The database error.
   */
  async commit(sender: string, id: string): Promise<void> {
    const [key, party] = await digestReplayEntry(sender, id);
    const latestMs = askClock(this.#now) + this.ttlMs;
    this.#statements.commit.run(key, this.#owner, latestMs, latestMs, party);
  }

  /**
   * Removes an entry that this store has reserved. Does not change a committed entry.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   * @throws The database error.
   */
  async abort(sender: string, id: string): Promise<void> {
    const [key, party] = await digestReplayEntry(sender, id);
    const { changes } = this.#statements.abort.run(key, this.#owner);
    if (Number(changes) === 0) return;
    this.#entries--;
    this.#senders.release(party);
  }

  /** Closes the database, after which the store's other methods reject. */
  close(): Promise<void> {
    if (!this.#isClosed) this.#database.close();
    this.#isClosed = true;
    return Promise.resolve();
  }

  /** Closes the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Deletes expired entries and counts the remaining ones, at most once a minute. */
  #maintain(nowMs: number): void {
    if (Math.abs(nowMs - this.#maintainedMs) < MAINTENANCE_INTERVAL_MS) return;
    this.#statements.deleteExpired.run(nowMs);
    this.#entries = Number(readColumn(this.#statements.count.get()));
    this.#maintainedMs = nowMs;
  }
}

/** Prepares the statements once, because each message executes several of them. */
function prepareStatements(database: DatabaseSync) {
  return {
    find: database.prepare(FIND),
    begin: database.prepare(BEGIN),
    commit: database.prepare(COMMIT),
    abort: database.prepare(ABORT),
    deleteExpired: database.prepare(DELETE_EXPIRED),
    count: database.prepare(COUNT),
    countOfSender: database.prepare(COUNT_OF_SENDER),
  };
}

function openStore(path: string, busyTimeoutMs: number): DatabaseSync {
  try {
    return openDatabase(path, {
      packageName: "@parley/comm",
      applicationId: APPLICATION_ID,
      schemaVersion: SCHEMA_VERSION,
      schema: SCHEMA,
      pragmas: `pragma busy_timeout = ${busyTimeoutMs}`,
      lock: "immediate",
    });
  } catch (cause) {
    const reason = errorText(cause);
    throw new CommError({
      code: "replay_store_failed",
      details: { method: "open", reason },
      message: `Cannot open the replay store in ${quote(path)}: ${reason}`,
      cause,
    });
  }
}

/** Returns the only column of a row, or `undefined` if there is no row. */
function readColumn(row: object | undefined): unknown {
  return row === undefined ? undefined : Object.values(row)[0];
}
