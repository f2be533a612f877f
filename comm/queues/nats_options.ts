/**
 * Options for message queues on NATS JetStream.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import { assertCounts, assertPositive } from "@parley/internal/assert-argument";
import type { NatsJetStream } from "./nats_types.ts";
import { type QueueOptions, type QueueSettings, readQueueOptions } from "./queue_options.ts";

/** Options for `natsQueue`. */
export interface NatsQueueOptions extends QueueOptions {
  /**
   * The JetStream client: the result of the function `jetstream` from `@nats-io/jetstream`. The
   * queue does not close the client's connection.
   */
  readonly jetstream: NatsJetStream;
  /**
   * Maximum size of a message, in bytes. The server's `max_payload`, which is 1 MiB by default, must
   * exceed this size by 16 KiB, because a dead letter also contains a reason.
   *
   * @default {1_000_000}
   */
  readonly maxMessageBytes?: number;
  /**
   * Prefix for the names of streams and subjects: 1 to 32 letters and digits.
   *
   * @default {"parley"}
   */
  readonly prefix?: string;
  /**
   * Number of servers in the NATS cluster that store each message.
   *
   * @default {1}
   */
  readonly replicas?: number;
  /**
   * Number of partitions of an ordered inbox. Each sender-recipient pair belongs to one partition, and the
   * messages of a partition are delivered sequentially. All queues that use the same inbox must have the same number
   * of partitions.
   *
   * @default {16}
   */
  readonly partitions?: number;
  /**
   * Time after which a message is delivered again if its consumer no longer responds, in milliseconds. Consumers
   * extend the timeout while a handler is running.
   *
   * @default {10_000}
   */
  readonly takeoverMs?: number;
  /**
   * Maximum number of inboxes that this queue uses. Each inbox has two streams.
   *
   * @default {20}
   */
  readonly maxInboxes?: number;
  /**
   * Maximum number of messages being stored at the same time. If `maxPendingMessages` messages are being stored,
   * `send` rejects with `capacity_exceeded`.
   *
   * @default {1000}
   */
  readonly maxPendingMessages?: number;
  /**
   * Maximum total size of the messages being stored at the same time, in bytes.
   *
   * @default {8_388_608}
   */
  readonly maxPendingBytes?: number;
  /**
   * Maximum number of messages in an inbox, including acknowledged messages that are still tracked.
   * If the inbox is full, `send` rejects with `capacity_exceeded`.
   *
   * @default {10_000_000}
   */
  readonly maxStoredMessages?: number;
  /**
   * Maximum total size of the messages in an inbox, in bytes. `maxStoredBytes` also applies separately to the dead
   * letters of the inbox. The server reserves storage for the messages and for the dead letters. If omitted, only
   * the limits of the NATS account apply.
   */
  readonly maxStoredBytes?: number;
  /**
   * Time after which undelivered messages and dead letters are deleted, in milliseconds.
   *
   * @default {1_209_600_000}
   */
  readonly retentionMs?: number;
  /**
   * Time to track acknowledged messages, in milliseconds, at most `retentionMs`. A message with the
   * same sender and id that is sent within `deduplicationMs` is not stored again.
   *
   * @default {86_400_000}
   */
  readonly deduplicationMs?: number;
}

/** Validated options, with default values filled in. */
export interface NatsLimits extends QueueSettings {
  readonly prefix: string;
  readonly replicas: number;
  readonly partitions: number;
  readonly takeoverMs: number;
  readonly maxInboxes: number;
  readonly maxPendingMessages: number;
  readonly maxPendingBytes: number;
  readonly maxStoredMessages: number;
  readonly maxStoredBytes: number | undefined;
  readonly retentionMs: number;
  readonly deduplicationMs: number;
}

const PREFIX = /^[A-Za-z0-9]{1,32}$/;

/** Each partition is a consumer on the server. */
const MAX_PARTITIONS = 256;

/** Validates the options for a queue on JetStream. */
export function readNatsOptions(options: NatsQueueOptions): NatsLimits {
  const { jetstream, prefix = "parley", maxMessageBytes = 1_000_000 } = options;
  if (typeof jetstream?.jetstreamManager !== "function") {
    throw new TypeError(
      `"jetstream" must be a JetStream client of the package "@nats-io/jetstream", got ${
        formatValue(jetstream)
      }`,
    );
  }
  if (typeof prefix !== "string" || !PREFIX.test(prefix)) {
    throw new TypeError(`"prefix" must be 1 to 32 letters and digits, got ${formatValue(prefix)}`);
  }
  const settings = readQueueOptions({ ...options, maxMessageBytes });
  const { replicas = 1, partitions = 16, maxInboxes = 20, maxStoredBytes } = options;
  const { maxPendingMessages = 1000, maxPendingBytes = 8 * 1024 * 1024 } = options;
  const { maxStoredMessages = 10_000_000, takeoverMs = 10_000 } = options;
  const { retentionMs = 1_209_600_000, deduplicationMs = 86_400_000 } = options;
  const counts = { replicas, partitions, maxInboxes, maxPendingMessages, maxPendingBytes };
  assertCounts(1, { ...counts, maxStoredMessages });
  if (maxStoredBytes !== undefined) assertCounts(1, { maxStoredBytes });
  if (partitions > MAX_PARTITIONS) {
    throw new RangeError(`"partitions" must be at most ${MAX_PARTITIONS}, got ${partitions}`);
  }
  assertPositive({ takeoverMs, retentionMs, deduplicationMs });
  return {
    ...settings,
    ...counts,
    prefix,
    maxStoredMessages,
    maxStoredBytes,
    takeoverMs,
    retentionMs,
    deduplicationMs,
  };
}
