/**
 * A message queue in an SQLite database.
 *
 * @module
 */

import { assertNonEmptyString } from "@parley/internal/assert-argument";
import type { MessageQueue } from "./message_queue.ts";
import type { SqliteTransaction } from "./sqlite_database.ts";
import { readSqliteOptions, type SqliteQueueOptions } from "./sqlite_options.ts";
import { SqliteStore } from "./sqlite_store.ts";
import { StoredQueue } from "./stored_queue.ts";

/**
 * Opens a message queue in an SQLite database, for the processes of one machine. Stored messages
 * survive a restart, a crash and a power failure.
 *
 * Several processes can send to and consume from the same file. If a process exits without
 * acknowledging a message, the message is delivered again after `leaseMs`. SQLite's locks do not
 * work on network file systems. The file can also contain the tables of the program, and
 * `send(message, { tx })` stores a message in a transaction of the program. The queue sets the
 * journal mode of the file to WAL. Handlers cannot acknowledge messages in a transaction.
 *
 * @param path Path to the database file, or `":memory:"`. The file is created if it does not exist.
 * @param options Inboxes and limits.
 * @returns The queue. The queue's transactions are connections to the same file, such as a
 *   `DatabaseSync`, with an open transaction.
 * @throws {CommError} With code "receive_failed" if the file cannot be opened, is locked, belongs
 *   to another store of Parley, or has a different schema version.
 * @throws {TypeError} If `path` is not a non-empty string, if an option has the wrong type or is
 *   unknown, or if a name is invalid.
 * @throws {RangeError} If a limit is out of range.
 *
 * @example Store a message in the same transaction as an order
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import type { MessageQueue } from "@parley/comm/queues";
 * import { sqliteQueue, type SqliteTransaction } from "@parley/comm/sqlite";
 * import { assertEquals, assertThrows } from "@std/assert";
 * import { DatabaseSync } from "node:sqlite";
 *
 * async function order(queue: MessageQueue<SqliteTransaction>, db: DatabaseSync, id: string) {
 *   db.exec("begin immediate");
 *   try {
 *     db.prepare("insert into orders (id) values (?)").run(id);
 *     await queue.send(
 *       new AgentCommMessage({
 *         sender: "did:web:shop.example",
 *         recipient: "did:web:warehouse.example",
 *         protocol: "agent.task.v1",
 *         messageType: "task_assign",
 *         payload: { order: id },
 *       }),
 *       { tx: db },
 *     );
 *     db.exec("commit");
 *   } catch (error) {
 *     db.exec("rollback");
 *     throw error;
 *   }
 * }
 *
 * // A program uses a file, such as "shop.db", and opens the connection `db` to the same file.
 * await using queue = sqliteQueue(":memory:", { inboxOf: () => "office" });
 * assertEquals(await queue.deadLetters("office"), []);
 * assertEquals(typeof order, "function");
 * // @ts-expect-error a path is required
 * assertThrows(() => sqliteQueue(), TypeError);
 * ```
 */
export function sqliteQueue(
  path: string,
  options: SqliteQueueOptions,
): MessageQueue<SqliteTransaction> {
  assertNonEmptyString("path", path);
  return new StoredQueue(new SqliteStore(path, readSqliteOptions(options)));
}
