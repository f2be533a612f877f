/**
 * Options for message queues in an SQLite database.
 *
 * @module
 */

import { assertCount, assertPositiveNumber, assertShare } from "@parley/internal/assert-argument";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { QUEUE_RULES, type QueueOptions, type QueueSettings } from "./queue_options.ts";

/** Options for `sqliteQueue`. All processes that use a file should set the same limits. */
export interface SqliteQueueOptions extends QueueOptions {
  /**
   * Maximum number of stored messages, without dead letters. The queue also tracks up to
   * `maxMessages` acknowledged messages, to avoid storing these messages again.
   *
   * @default {1_000_000}
   */
  readonly maxMessages?: number;
  /**
   * Maximum total size of the stored messages, in bytes. Each UTF-16 code unit of a message counts
   * as one byte.
   *
   * @default {1_073_741_824}
   */
  readonly maxBytes?: number;
  /**
   * Maximum share of `maxMessages`, of `maxBytes`, of the tracked messages and of the handlers of a
   * consumer per sender, greater than 0 and at most 1. Every sender may use at least one handler.
   * All did:web senders with the same domain count as one sender, and so do all senders of another
   * method whose keys must be fetched. Set a smaller share if the queue stores messages from
   * unknown senders. The queue does not verify the sender that a message names.
   *
   * @default {1}
   */
  readonly maxSharePerSender?: number;
  /**
   * Maximum number of dead letters. If a limit of the dead letters is reached, the oldest dead
   * letter is deleted and reported to `onError`. The limits apply separately to messages that
   * `verified` has rejected, because any agent can forge messages in the name of a sender.
   *
   * @default {100_000}
   */
  readonly maxDeadLetters?: number;
  /**
   * Maximum total size of the dead letters, in bytes, counted as for `maxBytes`.
   *
   * @default {268_435_456}
   */
  readonly maxDeadLetterBytes?: number;
  /**
   * Maximum share of `maxDeadLetters` and `maxDeadLetterBytes` per sender, greater than 0 and at
   * most 1. Senders are counted as for `maxSharePerSender`. A sender that exceeds its share loses
   * its own oldest dead letter, preferably one with the same reason.
   *
   * @default {0.1}
   */
  readonly maxDeadLetterShare?: number;
  /**
   * Maximum number of inboxes in the file. If `inboxOf` returns too many names, `send` rejects with
   * `capacity_exceeded`.
   *
   * @default {1000}
   */
  readonly maxInboxes?: number;
  /**
   * Time to track acknowledged messages, in milliseconds. A message with the same sender, id and
   * content that is sent within `deduplicationMs` is not stored again.
   *
   * @default {86_400_000}
   */
  readonly deduplicationMs?: number;
  /**
   * Time after which the messages of a process that no longer responds are delivered again, in
   * milliseconds. Consumers extend the lease of a message while its handler runs. A handler that
   * blocks the event loop for longer than `leaseMs` loses its message.
   *
   * @default {5000}
   */
  readonly leaseMs?: number;
  /**
   * Interval at which a consumer checks whether another process has stored messages, in
   * milliseconds. A check takes about 3 µs. Messages that the same queue sends are delivered
   * immediately.
   *
   * @default {100}
   */
  readonly pollIntervalMs?: number;
  /**
   * Maximum time to wait for a lock that another process holds, in milliseconds. The event loop is
   * blocked while the queue waits for the lock.
   *
   * @default {5000}
   */
  readonly busyTimeoutMs?: number;
}

/** Options with default values filled in. */
export type SqliteSettings =
  & QueueSettings
  & Required<Omit<SqliteQueueOptions, keyof QueueOptions>>;

/** Options for opening a queue. */
export interface SqliteQueueInit {
  readonly settings: SqliteSettings;
  readonly onError: QueueOptions["onError"];
}

const readOptions = optionsReader<SqliteQueueOptions>("options")({
  ...QUEUE_RULES,
  maxMessages: withDefault(1_000_000, assertCount),
  maxBytes: withDefault(1_073_741_824, assertCount),
  maxSharePerSender: withDefault(1, assertShare),
  maxDeadLetters: withDefault(100_000, assertCount),
  maxDeadLetterBytes: withDefault(268_435_456, assertCount),
  maxDeadLetterShare: withDefault(0.1, assertShare),
  maxInboxes: withDefault(1000, assertCount),
  deduplicationMs: withDefault(86_400_000, assertPositiveNumber),
  leaseMs: withDefault(5000, int32From(1)),
  pollIntervalMs: withDefault(100, int32From(1)),
  busyTimeoutMs: withDefault(5000, int32From(1)),
});

/** Validates the options for a queue in SQLite and fills in default values. */
export function readSqliteOptions(options: SqliteQueueOptions): SqliteQueueInit {
  const { onError, ...settings } = readOptions(options);
  return { settings: { ...settings, orderedInboxes: new Set(settings.orderedInboxes) }, onError };
}
