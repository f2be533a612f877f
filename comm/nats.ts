/**
 * A message queue on NATS JetStream: {@linkcode natsQueue}.
 *
 * `@nats-io/jetstream` 3 and a package that connects to NATS, such as `@nats-io/transport-node`,
 * are dependencies of the application, which passes the JetStream client to the queue. The NATS
 * server must be version 2.9 or later, with JetStream enabled.
 *
 * @example Open a queue
 * ```ts ignore
 * import { jetstream } from "@nats-io/jetstream";
 * import { connect } from "@nats-io/transport-node";
 * import { natsQueue } from "@parley/comm/nats";
 *
 * const connection = await connect({ servers: "nats.example", maxReconnectAttempts: -1 });
 * await using queue = await natsQueue({
 *   jetstream: jetstream(connection),
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
import type { NatsQueueOptions } from "./queues/nats_options.ts";
import { openNatsStore } from "./queues/nats_store.ts";
import { StoredQueue } from "./queues/stored_queue.ts";

export type {
  ConsumeOptions,
  DeadLetter,
  DeadLetterOptions,
  MessageQueue,
  QueueDelivery,
  QueueHandler,
  QueueSendOptions,
} from "./queues/message_queue.ts";
export type { NatsQueueOptions } from "./queues/nats_options.ts";
export type {
  NatsConsumer,
  NatsConsumerConfig,
  NatsConsumerInfo,
  NatsConsumerManager,
  NatsConsumers,
  NatsJetStream,
  NatsManager,
  NatsMessage,
  NatsMessages,
  NatsPublishOptions,
  NatsStoredMessage,
  NatsStreamConfig,
  NatsStreamInfo,
  NatsStreamManager,
  NatsStreamUpdate,
} from "./queues/nats_types.ts";
export type { QueueOptions, StoredQueueOptions } from "./queues/queue_options.ts";

/**
 * Opens a message queue in NATS JetStream.
 *
 * The connection must be configured to reconnect without a limit, with
 * `maxReconnectAttempts: -1`. If the connection is closed, `consume` rejects.
 *
 * @param options JetStream client, inboxes and limits.
 * @returns The queue, which does not support transactions.
 * @throws {CommError} With code "receive_failed" if the server does not respond or does not support
 *   JetStream.
 * @throws {TypeError} If an option has the wrong type or a name is invalid.
 * @throws {RangeError} If a limit is out of range.
 *
 * @example Use the same program with any queue
 * ```ts
 * import { natsQueue, type NatsJetStream } from "@parley/comm/nats";
 * import { memoryQueue, type MessageQueue } from "@parley/comm/queues";
 *
 * async function openQueue(jetstream: NatsJetStream | undefined): Promise<MessageQueue> {
 *   const inboxOf = () => "office";
 *   return jetstream === undefined ? memoryQueue({ inboxOf }) : await natsQueue({ jetstream, inboxOf });
 * }
 *
 * await using queue = await openQueue(undefined);
 * await queue.close();
 * ```
 */
export async function natsQueue(options: NatsQueueOptions): Promise<MessageQueue> {
  return new StoredQueue(await openNatsStore(options));
}
