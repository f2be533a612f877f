/**
 * An inbox in NATS JetStream.
 *
 * An inbox has two streams: one for messages and one for dead letters. Each message has its own
 * subject, which contains a digest of sender, id and content. The server stores a message only if
 * the stream contains no message with its subject, so a message is not stored again while the
 * stream contains it. Acknowledged messages therefore stay in the stream for `deduplicationMs`.
 *
 * @module
 */

import { formatBase64url } from "../shared/base64url.ts";
import { CommError } from "../shared/error.ts";
import type { NatsLimits } from "./nats_options.ts";
import type {
  NatsConsumer,
  NatsConsumerInfo,
  NatsJetStream,
  NatsManager,
  NatsMessage,
  NatsStoredMessage,
} from "./nats_types.ts";
import type { Outgoing } from "./send_batches.ts";
import type { StoredDeadLetter } from "./stored_queue.ts";
import { formatValue } from "@parley/internal/format-value";

/** Error codes of the JetStream API. */
const CONSUMER_NOT_FOUND = 10014;
const MESSAGE_NOT_FOUND = 10037;
const STREAM_NOT_FOUND = 10059;
const WRONG_LAST_SEQUENCE = 10071;
const STREAM_FULL = 10077;

/** Length of the digest in a subject. */
const KEY_LENGTH = 22;

/**
 * Maximum number of messages in an unordered inbox that are being handled or are waiting for a
 * retry.
 */
const MAX_UNACKNOWLEDGED = 10_000;

/** Maximum number of waiting pull requests. Each handler sends one pull request at a time. */
const MAX_WAITING = 10_000;

/**
 * Time after which the NATS server deletes a consumer that was created only to find a sequence
 * number.
 */
const SEARCH_EXPIRES_MS = 10_000;

/** Options for {@linkcode openInbox}. */
export interface NatsInboxInit {
  readonly name: string;
  readonly jetstream: NatsJetStream;
  readonly manager: NatsManager;
  readonly limits: NatsLimits;
}

/**
 * Creates the streams of an inbox, or changes their settings if they already exist. Throws a
 * `TypeError` if the inbox already exists with a different order setting.
 */
export async function openInbox(init: NatsInboxInit): Promise<NatsInbox> {
  const inbox = new NatsInbox(init);
  await inbox.open();
  return inbox;
}

/** An inbox with its two streams. */
export class NatsInbox {
  readonly #init: NatsInboxInit;
  /** Whether the messages of a partition are delivered sequentially. */
  readonly isOrdered: boolean;
  readonly #messages: string;
  readonly #dead: string;

  constructor(init: NatsInboxInit) {
    this.#init = init;
    const { name, limits: { prefix, orderedInboxes } } = init;
    this.isOrdered = orderedInboxes.has(name);
    this.#messages = `${prefix}_messages_${name}`;
    this.#dead = `${prefix}_dead_${name}`;
  }

  async open(): Promise<void> {
    const { limits: { partitions } } = this.#init;
    const order = this.isOrdered ? `ordered, ${partitions} partitions` : "unordered";
    // A full stream rejects messages, but drops its oldest dead letters: a consumer that could not
    // store a dead letter would never acknowledge its message.
    await this.#openStream(this.#messages, {
      kind: "messages",
      description: `Inbox: ${order}`,
      discard: "new",
    });
    await this.#openStream(this.#dead, {
      kind: "dead",
      description: "Dead letters",
      discard: "old",
    });
  }

  /** Stores a message, unless the stream already contains it. */
  async store({ key, lane, json }: Outgoing): Promise<void> {
    const token = formatBase64url((await digest(`${key} ${json}`)).subarray(0, 16));
    await this.#publish(this.#subject("messages", await this.#partitionOf(lane), token), json);
  }

  /**
   * Creates the consumers, which all processes share. An ordered inbox has one consumer per
   * partition.
   */
  async openConsumers(): Promise<readonly NatsConsumer[]> {
    const { jetstream } = this.#init;
    const names = this.#consumerNames();
    for (const [partition, name] of names.entries()) await this.#openConsumer(name, partition);
    return await Promise.all(names.map((name) => jetstream.consumers.get(this.#messages, name)));
  }

  /** Rejects if the server or the inbox cannot be reached. */
  async probe(): Promise<void> {
    const [name = ""] = this.#consumerNames();
    await this.#init.manager.consumers.info(this.#messages, name);
  }

  /**
   * Stores a dead letter, unless the stream already contains a dead letter for the same stored
   * message.
   */
  async storeDeadLetter(message: NatsMessage, letter: StoredDeadLetter): Promise<void> {
    const { json, ...description } = letter;
    const { partition, key } = readSubject(message.subject);
    const subject = this.#subject("dead", partition, `${key}-${message.seq}`);
    await this.#publish(subject, `${JSON.stringify(description)}\n${json}`);
  }

  /** Returns the dead letters that are stored at the time of the call, the oldest first. */
  async *deadLetters(limit: number): AsyncGenerator<StoredDeadLetter, void, undefined> {
    for await (const stored of this.#storedDead(limit)) yield readDeadLetter(stored);
  }

  /**
   * Stores the messages of dead letters again and deletes the dead letters. A redriven message that
   * fails again is not redriven by the same call. Returns the number of redriven dead letters.
   */
  async redrive(limit: number): Promise<number> {
    let count = 0;
    for await (const stored of this.#storedDead(limit)) {
      const { partition, key } = readSubject(stored.subject);
      // A dead letter that was redriven but not deleted is not stored again.
      const subject = this.#subject("messages", partition, `${key}-${stored.seq}`);
      await this.#publish(subject, readDeadLetter(stored).json);
      await this.#init.manager.streams.deleteMessage(this.#dead, stored.seq, false);
      count++;
    }
    return count;
  }

  /** Deletes messages that are acknowledged and older than `deduplicationMs`. */
  async deleteAcknowledged(): Promise<void> {
    const { manager, limits: { deduplicationMs } } = this.#init;
    // Determine the end before reading the consumers' states: messages that are stored in the
    // meantime have higher sequence numbers.
    let end = await this.#firstWithin(deduplicationMs);
    for (const name of this.#consumerNames()) {
      const info = await manager.consumers.info(this.#messages, name);
      const isDone = info.num_pending === 0 && info.num_ack_pending === 0;
      if (!isDone) end = Math.min(end, info.ack_floor.stream_seq + 1);
    }
    if (end > 1) await manager.streams.purge(this.#messages, { seq: end });
  }

  async #openStream(
    name: string,
    { kind, description, discard }: {
      readonly kind: Kind;
      readonly description: string;
      readonly discard: "new" | "old";
    },
  ): Promise<void> {
    const { manager: { streams }, limits } = this.#init;
    const settings = {
      discard,
      max_age: toNanos(limits.retentionMs),
      max_msgs: limits.maxStoredMessages,
      max_bytes: limits.maxStoredBytes ?? -1,
      num_replicas: limits.replicas,
    };
    const existing = await unless(STREAM_NOT_FOUND, streams.info(name));
    if (existing === undefined) {
      const { prefix } = limits;
      const subjects = [`${prefix}.${kind}.${this.#init.name}.>`];
      const fixed = { retention: "limits", storage: "file" } as const;
      await streams.add({ name, description, subjects, ...fixed, ...settings });
    } else if (existing.config.description !== description) {
      throw new TypeError(
        `"orderedInboxes" and "partitions" must agree with stream "${name}", ` +
          `which is described as ${formatValue(existing.config.description)}`,
      );
    } else {
      await streams.update(name, settings);
    }
  }

  async #openConsumer(name: string, partition: number): Promise<void> {
    const { manager: { consumers }, limits } = this.#init;
    const ack_wait = toNanos(limits.takeoverMs);
    if (await unless(CONSUMER_NOT_FOUND, consumers.info(this.#messages, name)) !== undefined) {
      await consumers.update(this.#messages, name, { ack_wait });
      return;
    }
    await consumers.add(this.#messages, {
      durable_name: name,
      filter_subject: this.#subject("messages", this.isOrdered ? partition : "*", "*"),
      ack_policy: "explicit",
      deliver_policy: "all",
      replay_policy: "instant",
      ack_wait,
      max_ack_pending: this.isOrdered ? 1 : MAX_UNACKNOWLEDGED,
      max_waiting: MAX_WAITING,
    });
  }

  #consumerNames(): readonly string[] {
    if (!this.isOrdered) return ["all"];
    const { partitions } = this.#init.limits;
    return Array.from({ length: partitions }, (_, partition) => `partition_${partition}`);
  }

  #subject(kind: Kind, partition: number | string, token: string): string {
    const { name, limits: { prefix } } = this.#init;
    return `${prefix}.${kind}.${name}.${partition}.${token}`;
  }

  async #partitionOf(lane: string | undefined): Promise<number> {
    if (lane === undefined) return 0;
    const [high = 0, low = 0] = await digest(lane);
    return (high * 256 + low) % this.#init.limits.partitions;
  }

  /** Stores a message, unless a message with the same subject is already stored. */
  async #publish(subject: string, text: string): Promise<void> {
    try {
      await this.#init.jetstream.publish(subject, text, { expect: { lastSubjectSequence: 0 } });
    } catch (error) {
      const code = readCode(error);
      if (code === STREAM_FULL) throw this.#full(error);
      if (code !== WRONG_LAST_SEQUENCE) throw error;
    }
  }

  #full(cause: unknown): CommError {
    const { name, limits: { maxStoredMessages, maxStoredBytes } } = this.#init;
    const bytes = maxStoredBytes === undefined ? "" : `, ${maxStoredBytes} bytes`;
    return new CommError({
      code: "capacity_exceeded",
      details: {
        capacity: maxStoredMessages,
        ...(maxStoredBytes === undefined ? {} : { maxQueuedBytes: maxStoredBytes }),
      },
      message:
        `Cannot queue message: inbox "${name}" is full (capacity ${maxStoredMessages}${bytes})`,
      cause,
    });
  }

  async *#storedDead(limit: number): AsyncGenerator<NatsStoredMessage, void, undefined> {
    const { manager: { streams } } = this.#init;
    // Dead letters that are added during the iteration have higher sequence numbers.
    const { state: { last_seq } } = await streams.info(this.#dead);
    for (let [count, seq] = [0, 1]; count < limit && seq <= last_seq; count++) {
      const query = { seq, next_by_subj: ">" };
      const stored = await unless(MESSAGE_NOT_FOUND, streams.getMessage(this.#dead, query));
      if (stored === undefined || stored === null || stored.seq > last_seq) return;
      yield stored;
      seq = stored.seq + 1;
    }
  }

  /**
   * Returns the sequence number of the first message that is at most as old as the given age. The
   * server dates messages with its own clock, so if the clock of this process is ahead, the clock
   * of the server is used. Otherwise, messages would be deleted too early.
   */
  async #firstWithin(ageMs: number): Promise<number> {
    const nowMs = Date.now();
    const found = await this.#findSince(nowMs - ageMs);
    const serverMs = Date.parse(found.created);
    const { delivered } = serverMs < nowMs ? await this.#findSince(serverMs - ageMs) : found;
    return delivered.stream_seq + 1;
  }

  /** Creates and deletes a consumer that starts with the first message since the given time. */
  async #findSince(timeMs: number): Promise<NatsConsumerInfo> {
    const { manager: { consumers } } = this.#init;
    const info = await consumers.add(this.#messages, {
      ack_policy: "none",
      deliver_policy: "by_start_time",
      opt_start_time: new Date(timeMs).toISOString(),
      replay_policy: "instant",
      inactive_threshold: toNanos(SEARCH_EXPIRES_MS),
    });
    await consumers.delete(this.#messages, info.name);
    return info;
  }
}

/** Second part of a subject: the kind of stored message. */
type Kind = "messages" | "dead";

/** Reads the partition and the digest of sender, id and content from a subject. */
function readSubject(subject: string): { readonly partition: string; readonly key: string } {
  const [, , , partition = "", token = ""] = subject.split(".");
  return { partition, key: token.slice(0, KEY_LENGTH) };
}

function readDeadLetter({ data }: NatsStoredMessage): StoredDeadLetter {
  const text = new TextDecoder().decode(data);
  const end = text.indexOf("\n");
  const { reason, attempts } = readDescription(text.slice(0, Math.max(end, 0)));
  return {
    json: text.slice(end + 1),
    reason: typeof reason === "string" ? reason : "",
    attempts: typeof attempts === "number" ? attempts : 0,
  };
}

/**
 * Reads the first line of a stored dead letter. If the line is damaged, its members are absent: a
 * damaged dead letter must not prevent the other dead letters from being read.
 */
function readDescription(line: string): { readonly reason?: unknown; readonly attempts?: unknown } {
  try {
    const description: unknown = JSON.parse(line);
    return Object(description);
  } catch {
    // The text comes from the server, which other programs can write to.
    return {};
  }
}

/** Waits for a promise, and returns `undefined` if the promise rejects with the given code. */
async function unless<T>(code: number, call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (readCode(error) === code) return undefined;
    throw error;
  }
}

/** Returns the code of a JetStream API error. */
function readCode(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, "code") : undefined;
}

function toNanos(ms: number): number {
  return Math.ceil(ms) * 1_000_000;
}

async function digest(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
