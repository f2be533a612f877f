/**
 * Utilities for testing implementations of this package's interfaces: {@linkcode queueChecks} for
 * message queues, and {@linkcode replayStoreChecks} for replay stores.
 *
 * @example Check a message queue
 * ```ts
 * import { memoryQueue } from "@parley/comm/queues";
 * import { queueChecks } from "@parley/comm/testing";
 *
 * for (const check of queueChecks) {
 *   await check.run(memoryQueue, { timeoutMs: 10_000 });
 * }
 * ```
 *
 * @module
 */

export type { QueueCheck, QueueCheckOptions } from "./queues/check_setup.ts";
export { queueChecks } from "./queues/queue_checks.ts";
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
export type { ReplayBeginOptions, ReplayBeginResult, ReplayStore } from "./signing/replay_store.ts";
export {
  type ReplayStoreCheck,
  replayStoreChecks,
  type ReplayStoreLimits,
} from "./signing/replay_store_checks.ts";
