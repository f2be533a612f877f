/**
 * The storage of a message queue in an SQLite database.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { abortable } from "@parley/internal/abortable";
import { assertMethods, holds } from "@parley/internal/assert-argument";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { quote } from "@parley/internal/format-value";
import { receiveFailed } from "../shared/error.ts";
import { errorText } from "../shared/error_text.ts";
import { partyOf } from "../shared/party.ts";
import { Inboxes } from "./inboxes.ts";
import { senderOf } from "./queue_options.ts";
import type { Outgoing } from "./send_batches.ts";
import { SqliteConsumers } from "./sqlite_consumers.ts";
import {
  openQueueDatabase,
  type QueueDatabase,
  type SqliteTransaction,
} from "./sqlite_database.ts";
import { type NewMessage, SqliteMessages } from "./sqlite_messages.ts";
import type { SqliteQueueInit, SqliteSettings } from "./sqlite_options.ts";
import { SqliteTurns } from "./sqlite_turns.ts";
import {
  type ConsumeCall,
  type QueueStore,
  type StoredDeadLetter,
  transactionsUnsupported,
} from "./stored_queue.ts";

/** A store in a file that several processes can use. An opened inbox is represented by its name. */
export class SqliteStore implements QueueStore<string, SqliteTransaction> {
  readonly settings: SqliteSettings;
  readonly #database: QueueDatabase;
  /** Path of the file, or an empty string for a database in memory. */
  readonly #file: string;
  readonly #messages: SqliteMessages;
  readonly #turns: SqliteTurns;
  readonly #consumers: SqliteConsumers;
  readonly #inboxes: Inboxes<string>;
  /** Prepared statements of connections that the caller has passed as transactions. */
  readonly #byCaller = new WeakMap<SqliteTransaction, SqliteMessages>();

  constructor(path: string, { settings, onError }: SqliteQueueInit) {
    this.settings = settings;
    this.#database = openOrExplain(path, settings.busyTimeoutMs);
    this.#file = fileOf(this.#database);
    this.#messages = new SqliteMessages(this.#database, settings);
    this.#turns = new SqliteTurns(this.#database, settings.busyTimeoutMs);
    const report = createErrorReporter("sqliteQueue", onError);
    const shared = { messages: this.#messages, settings, turns: this.#turns, report };
    this.#consumers = new SqliteConsumers(shared);
    this.#inboxes = new Inboxes(settings.maxInboxes, async (name) => {
      await this.#turns.run(() => this.#messages.openInbox(name));
      return name;
    });
  }

  assertTransaction(tx: SqliteTransaction): void {
    if (this.#file === "") throw transactionsUnsupported("tx", "in memory");
    assertMethods("tx", 'a connection, such as a "DatabaseSync"', tx, ["prepare"]);
    if (!isInTransaction(tx)) {
      throw new TypeError('"tx" must be a connection with an open transaction; execute "begin"');
    }
    if (this.#byCaller.has(tx)) return;
    if (fileOf(tx) !== this.#file) {
      throw new TypeError(`"tx" must be a connection to the file of the queue, ${this.#file}`);
    }
    this.#byCaller.set(tx, new SqliteMessages(tx, this.settings));
  }

  assertTransactional(): void {
    throw new TypeError(
      '"transactional" must be false: SQLite has one writer at a time, so a handler that waits ' +
        "would block all other writers; use natural keys or a replay store instead",
    );
  }

  async send(
    name: string,
    outgoing: Outgoing,
    { tx, signal }: {
      readonly tx: SqliteTransaction | undefined;
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<void> {
    const message = toNewMessage(outgoing);
    const caller = tx === undefined ? undefined : this.#byCaller.get(tx);
    if (caller !== undefined) {
      // The caller can commit as soon as this call returns its promise.
      caller.openInbox(name);
      return caller.add(name, message, Date.now());
    }
    await this.#inboxes.open(name);
    const stored = this.#turns.run(() => {
      if (signal?.aborted !== true) this.#messages.add(name, message, Date.now());
    });
    this.#consumers.claim();
    await abortable(stored, signal);
  }

  open(name: string): Promise<string> {
    return this.#inboxes.open(name);
  }

  consume(inbox: string, call: ConsumeCall<SqliteTransaction>): Promise<void> {
    return this.#consumers.consume(inbox, call);
  }

  async deadLetters(inbox: string, limit: number): Promise<readonly StoredDeadLetter[]> {
    return await this.#turns.runLast(() => this.#messages.listDead(inbox, limit));
  }

  async redrive(inbox: string, limit: number): Promise<number> {
    const redriven = this.#turns.run(() => this.#messages.redrive(inbox, limit));
    this.#consumers.claim();
    return await redriven;
  }

  // deno-lint-ignore require-await -- errors become rejections
  async close(): Promise<void> {
    this.#turns.flush();
    this.#database.close();
  }
}

function openOrExplain(
  path: string,
  busyTimeoutMs: number,
): QueueDatabase {
  try {
    return openQueueDatabase(path, busyTimeoutMs);
  } catch (cause) {
    const reason = `cannot open the queue in ${quote(path)}: ${errorText(cause)}`;
    throw receiveFailed(reason, { cause });
  }
}

/**
 * Returns a message with its digest. A forged message with the sender and id of another message has
 * a different digest, so both are stored.
 */
function toNewMessage({ key, lane, json }: Outgoing): NewMessage {
  const id = createHash("sha256").update(`${key} ${json}`).digest("base64url");
  return { id, key, party: partyOf(senderOf(key)), lane: lane ?? null, json };
}

/** Returns the path of the file that a connection uses, as SQLite resolves it. */
function fileOf(connection: SqliteTransaction): string {
  const row = connection.prepare("pragma database_list").get();
  return String(Reflect.get(Object(row), "file") ?? "");
}

function isInTransaction(connection: SqliteTransaction): boolean {
  const { isTransaction } = connection;
  if (isTransaction !== undefined) return isTransaction;
  // SQLite rejects this statement in a transaction.
  const hasBegun = holds(() => {
    connection.prepare("begin").run();
    return true;
  });
  if (hasBegun) connection.prepare("rollback").run();
  return !hasBegun;
}
