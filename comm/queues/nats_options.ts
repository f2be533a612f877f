/**
 * Options for message queues on NATS JetStream.
 *
 * @module
 */

import {
  assertCount,
  assertMethods,
  assertPositiveNumber,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { integerFrom } from "@parley/internal/option-checks";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import type { NatsJetStream } from "./nats_types.ts";
import {
  STORED_QUEUE_RULES,
  type StoredQueueOptions,
  type StoredQueueSettings,
} from "./queue_options.ts";

/**
 * Options for `natsQueue`. Each inbox has two streams. Messages are tracked for at most
 * `retentionMs`, even if `deduplicationMs` is longer.
 */
export interface NatsQueueOptions extends StoredQueueOptions {
  /**
   * The JetStream client: the result of the function `jetstream` from `@nats-io/jetstream`. The
   * queue does not close the client's connection.
   */
  readonly jetstream: NatsJetStream;
  /**
   * Maximum size of a message, in bytes. The server's `max_payload`, which is 1 MiB by default,
   * must exceed this size by 16 KiB, because a dead letter also contains a reason.
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
   * Number of partitions of an ordered inbox. Each sender-recipient pair belongs to one partition,
   * and the messages of a partition are delivered sequentially. All queues that use the same inbox
   * must have the same number of partitions.
   *
   * @default {16}
   */
  readonly partitions?: number;
  /**
   * Time after which a message is delivered again if its consumer no longer responds, in
   * milliseconds. Consumers extend the timeout while a handler is running.
   *
   * @default {10_000}
   */
  readonly takeoverMs?: number;
  /**
   * Maximum number of messages in an inbox, including acknowledged messages that are still tracked.
   * If the inbox is full, `send` rejects with `capacity_exceeded`. The same limit applies
   * separately to the dead letters of the inbox, of which the oldest are dropped.
   *
   * @default {10_000_000}
   */
  readonly maxStoredMessages?: number;
  /**
   * Maximum total size of the messages in an inbox, in bytes. `maxStoredBytes` also applies
   * separately to the dead letters of the inbox. The server reserves storage for the messages and
   * for the dead letters. If omitted, only the limits of the NATS account apply.
   */
  readonly maxStoredBytes?: number;
}

/** Options with default values filled in. */
export type NatsLimits =
  & StoredQueueSettings
  & Omit<Settings<NatsQueueOptions, OptionWithDefault>, keyof StoredQueueOptions | "jetstream">;

/** Options for opening the queue. */
export type NatsConnection =
  & Pick<Settings<NatsQueueOptions, OptionWithDefault>, "jetstream" | "onError">
  & { readonly limits: NatsLimits };

type OptionWithDefault = Exclude<
  keyof NatsQueueOptions,
  "inboxOf" | "onError" | "jetstream" | "maxStoredBytes"
>;

const PREFIX = /^[A-Za-z0-9]{1,32}$/;

/** Each partition is a consumer on the server. */
const MAX_PARTITIONS = 256;

const readOptions = optionsReader<NatsQueueOptions>("options")({
  ...STORED_QUEUE_RULES,
  jetstream: required(assertJetStream),
  maxMessageBytes: withDefault(1_000_000, assertCount),
  prefix: withDefault("parley", assertPrefix),
  replicas: withDefault(1, assertCount),
  partitions: withDefault(16, integerFrom(1, MAX_PARTITIONS)),
  takeoverMs: withDefault(10_000, assertPositiveNumber),
  maxStoredMessages: withDefault(10_000_000, assertCount),
  maxStoredBytes: assertCount,
});

function assertJetStream(name: string, value: unknown): void {
  const requirement = 'a JetStream client of the package "@nats-io/jetstream"';
  assertMethods(name, requirement, value, ["jetstreamManager"]);
}

function assertPrefix(name: string, value: unknown): void {
  if (typeof value === "string" && PREFIX.test(value)) return;
  rejectArgument(name, "1 to 32 letters and digits", value);
}

/** Validates the options for a queue on JetStream and fills in default values. */
export function readNatsOptions(options: NatsQueueOptions): NatsConnection {
  const { jetstream, onError, ...settings } = readOptions(options);
  const limits = { ...settings, orderedInboxes: new Set(settings.orderedInboxes) };
  return { jetstream, onError, limits };
}
