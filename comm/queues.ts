/**
 * Message queues: messages are stored until they are processed, and delivered at least once.
 *
 * To create a queue, call {@linkcode memoryQueue}, `sqliteQueue` from `@parley/comm/sqlite` for a
 * queue in a file, `pgBossQueue` from `@parley/comm/pgboss` for a queue in PostgreSQL, or
 * `natsQueue` from `@parley/comm/nats` for a queue in NATS. A queue delivers unverified messages:
 * wrap the handler in {@linkcode verified}. To send requests through a queue, use
 * {@linkcode toTransport}.
 *
 * @example Verify and process the messages in an inbox
 * ```ts
 * import { AgentCommMessage, generateSigner, signMessage } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { memoryQueue, verified } from "@parley/comm/queues";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * await using queue = memoryQueue({ inboxOf: () => "office" });
 * const message = new AgentCommMessage({
 *   sender: ann.did,
 *   recipient: bob.did,
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: "file the report",
 * });
 * await queue.send(await signMessage(message, ann));
 *
 * const day = 86_400_000;
 * const verifier = createVerifier({
 *   recipient: bob.did,
 *   policy: { maxAgeMs: 14 * day }, // at least the retention time of the queue
 *   replayGuard: new ReplayGuard({ ttlMs: 15 * day }),
 * });
 * const stopping = new AbortController();
 * const tasks: unknown[] = [];
 * const handler = verified(verifier, ({ message }) => {
 *   tasks.push(message.payload);
 *   stopping.abort();
 * });
 * await queue.consume("office", handler, { signal: stopping.signal });
 * assertEquals(tasks, ["file the report"]);
 * ```
 *
 * @module
 */

export { memoryQueue, type MemoryQueueOptions } from "./queues/memory_queue.ts";
export {
  type ConsumeOptions,
  type DeadLetter,
  type DeadLetterOptions,
  type MessageQueue,
  type QueueDelivery,
  type QueueHandler,
  type QueueSendOptions,
  Reject,
} from "./queues/message_queue.ts";
export type { QueueOptions } from "./queues/queue_options.ts";
export { toTransport, type ToTransportOptions } from "./queues/to_transport.ts";
export { verified } from "./queues/verified.ts";
