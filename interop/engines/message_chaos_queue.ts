/**
 * Opens the queue of the message chaos test.
 *
 * @module
 */

import { jetstream } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { natsQueue } from "@parley/comm/nats";
import { pgBossQueue, type SqlClient } from "@parley/comm/pgboss";
import type { MessageQueue } from "@parley/comm/queues";
import { PgBoss } from "pg-boss";

/** Name of the inbox. */
export const CHAOS_INBOX = "chaos";

/** Engine of the queue. */
export type ChaosEngineName = "pgboss" | "nats";

/** Options for {@linkcode openChaosQueue}. */
export interface ChaosQueueOptions {
  readonly engine: ChaosEngineName;
  /** URL of the engine. */
  readonly url: string;
  readonly isOrdered: boolean;
}

/** An open queue with its connection. */
export interface ChaosQueue extends AsyncDisposable {
  readonly queue: MessageQueue<SqlClient>;
}

/** Opens the queue. */
export async function openChaosQueue(options: ChaosQueueOptions): Promise<ChaosQueue> {
  const { engine, url, isOrdered } = options;
  const settings = {
    inboxOf: () => CHAOS_INBOX,
    orderedInboxes: isOrdered ? [CHAOS_INBOX] : [],
    maxAttempts: 100,
    retryDelayMs: 1000,
    maxRetryDelayMs: 1000,
    onError: () => {},
  };
  if (engine === "pgboss") {
    const queue = await pgBossQueue({ ...settings, PgBoss, connectionString: url });
    return { queue, [Symbol.asyncDispose]: () => queue.close() };
  }
  const connection = await connect({
    servers: url,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
  });
  const client = jetstream(connection, { timeout: 2000 });
  const queue = await natsQueue({ ...settings, jetstream: client });
  return {
    queue,
    async [Symbol.asyncDispose]() {
      await queue.close();
      await connection.close();
    },
  };
}
