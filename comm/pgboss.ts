/**
 * A message queue on pg-boss, which stores the messages in PostgreSQL: {@linkcode pgBossQueue}.
 *
 * pg-boss is a dependency of the application, which passes the `PgBoss` class to the queue. pg-boss
 * 12 requires Node.js 22.12 or later, or Deno, and PostgreSQL 13 or later.
 *
 * @example Open a queue
 * ```ts ignore
 * import { pgBossQueue } from "@parley/comm/pgboss";
 * import { PgBoss } from "pg-boss";
 *
 * await using queue = await pgBossQueue({
 *   PgBoss,
 *   connectionString: "postgres://agents@db.example/agents",
 *   inboxOf: () => "office",
 * });
 * await queue.consume("office", async ({ message }) => {
 *   console.log(message.payload);
 * });
 * ```
 *
 * @module
 */

import type { MessageQueue } from "./queues/message_queue.ts";
import type { PgBossQueueOptions } from "./queues/pgboss_options.ts";
import { openPgBossStore } from "./queues/pgboss_store.ts";
import { StoredQueue } from "./queues/stored_queue.ts";
import type { SqlClient } from "./shared/sql_client.ts";

export type {
  ConsumeOptions,
  DeadLetter,
  DeadLetterOptions,
  MessageQueue,
  QueueDelivery,
  QueueHandler,
  QueueSendOptions,
} from "./queues/message_queue.ts";
export type { PgBossQueueOptions } from "./queues/pgboss_options.ts";
export type {
  PgBossClass,
  PgBossDatabase,
  PgBossExecutor,
  PgBossInstance,
  PgBossJob,
  PgBossJobInsert,
  PgBossJobResult,
  PgBossQueueSettings,
  PgBossQueueUpdate,
  PgBossSettings,
  PgBossTransaction,
  PgBossWorkOptions,
} from "./queues/pgboss_types.ts";
export type { QueueOptions, StoredQueueOptions } from "./queues/queue_options.ts";
export type { SqlClient } from "./shared/sql_client.ts";

/**
 * Opens a message queue in a PostgreSQL database.
 *
 * If a process exits without acknowledging a message, the message is delivered again after 10 to 16
 * seconds, because pg-boss requires a heartbeat of at least 10 seconds.
 *
 * @param options Driver, database, inboxes and limits.
 * @returns The queue. The queue's transactions are {@linkcode SqlClient} objects: to send a message
 *   in a transaction of the program, pass the client of the package `pg`.
 * @throws {CommError} With code "receive_failed" if the database cannot be reached or the schema
 *   cannot be created.
 * @throws {TypeError} If an option has the wrong type or a name is invalid.
 * @throws {RangeError} If a limit is out of range.
 *
 * @example Store a message in the same transaction as an order
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { pgBossQueue, type PgBossClass, type SqlClient } from "@parley/comm/pgboss";
 * import type { MessageQueue } from "@parley/comm/queues";
 * import { assertRejects } from "@std/assert";
 *
 * function openQueue(PgBoss: PgBossClass, connectionString: string) {
 *   return pgBossQueue({ PgBoss, connectionString, inboxOf: () => "office" });
 * }
 *
 * async function order(queue: MessageQueue<SqlClient>, tx: SqlClient, id: string) {
 *   await tx.query("insert into orders (id) values ($1)", [id]);
 *   await queue.send(
 *     new AgentCommMessage({
 *       sender: "did:web:shop.example",
 *       recipient: "did:web:warehouse.example",
 *       protocol: "agent.task.v1",
 *       messageType: "task_assign",
 *       payload: { order: id },
 *     }),
 *     { tx },
 *   );
 * }
 *
 * // @ts-expect-error the class is required
 * await assertRejects(() => openQueue(undefined, "postgres://127.0.0.1/agents"), TypeError);
 * ```
 */
export async function pgBossQueue(
  options: PgBossQueueOptions,
): Promise<MessageQueue<SqlClient>> {
  return new StoredQueue(await openPgBossStore(options));
}
