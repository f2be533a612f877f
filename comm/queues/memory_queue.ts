/**
 * An in-memory message queue.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";
import { capacityExceeded, CommError } from "../shared/error.ts";
import { quote } from "@parley/internal/format-value";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { assertCount, assertShare } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { Quota } from "@parley/internal/quota";
import { AcknowledgedKeys } from "./acknowledged_keys.ts";
import { deliver, isUnverified, retryDelayOf } from "./delivery.ts";
import { tooManyInboxes } from "./inboxes.ts";
import {
  advance,
  append,
  type Consumer,
  createInbox,
  type Inbox,
  type Lane,
  laneFor,
  type Stored,
  takeNext,
} from "./memory_inbox.ts";
import { MemoryDeadLetters } from "./memory_dead_letters.ts";
import { MessageSet } from "./message_set.ts";
import type { MessageQueue } from "./message_queue.ts";
import { partyOf } from "../shared/party.ts";
import { QUEUE_RULES, type QueueOptions, type QueueSettings, senderOf } from "./queue_options.ts";
import type { Outgoing } from "./send_batches.ts";
import {
  type ConsumeCall,
  type QueueStore,
  type StoredDeadLetter,
  StoredQueue,
  transactionsUnsupported,
  untilAborted,
} from "./stored_queue.ts";

/** Options for {@linkcode memoryQueue}. */
export interface MemoryQueueOptions extends QueueOptions {
  /**
   * Maximum number of stored messages, without dead letters. The queue also tracks the sender and
   * id of up to `maxMessages` acknowledged messages, to avoid storing these messages again.
   *
   * @default {10_000}
   */
  readonly maxMessages?: number;
  /**
   * Maximum total size of the stored messages, in bytes. Each UTF-16 code unit of a message counts
   * as one byte.
   *
   * @default {67_108_864}
   */
  readonly maxBytes?: number;
  /**
   * Maximum share of `maxMessages`, of `maxBytes`, of the tracked ids of acknowledged messages and
   * of the handlers of a consumer per sender, greater than 0 and at most 1. Every sender may use at
   * least one handler. All did:web senders with the same domain count as one sender, and so do all
   * senders of another method whose keys must be fetched. Set a smaller share if the queue stores
   * messages from unknown senders. The queue does not verify the sender that a message names.
   *
   * @default {1}
   */
  readonly maxSharePerSender?: number;
  /**
   * Maximum number of dead letters. If a limit of the dead letters is reached, the oldest dead
   * letter is dropped and reported to `onError`. The limits apply separately to messages that
   * `verified` has rejected, because any agent can forge messages in the name of a sender.
   *
   * @default {10_000}
   */
  readonly maxDeadLetters?: number;
  /**
   * Maximum total size of the dead letters, in bytes, counted as for `maxBytes`.
   *
   * @default {33_554_432}
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
   * Maximum number of inboxes. If `inboxOf` returns too many names, `send` rejects with
   * `capacity_exceeded`.
   *
   * @default {1000}
   */
  readonly maxInboxes?: number;
}

const readOptions = optionsReader<MemoryQueueOptions>("options")({
  ...QUEUE_RULES,
  maxMessages: withDefault(10_000, assertCount),
  maxBytes: withDefault(67_108_864, assertCount),
  maxSharePerSender: withDefault(1, assertShare),
  maxDeadLetters: withDefault(10_000, assertCount),
  maxDeadLetterBytes: withDefault(33_554_432, assertCount),
  maxDeadLetterShare: withDefault(0.1, assertShare),
  maxInboxes: withDefault(1000, assertCount),
});

/**
 * Creates an in-memory queue, for tests and for programs that run in one process. The queue's
 * messages are lost when the process exits.
 *
 * @param options Inboxes and limits.
 * @throws {TypeError} If `inboxOf` or `onError` is not a function, if `orderedInboxes` contains an
 *   invalid name, or an option is unknown.
 * @throws {RangeError} If a limit is not positive, or if a limit on a count is not an integer.
 *
 * @example Deliver a message again after a failure
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { memoryQueue } from "@parley/comm/queues";
 * import { assertEquals } from "@std/assert";
 *
 * await using queue = memoryQueue({
 *   inboxOf: () => "office",
 *   retryDelayMs: 1,
 *   onError: () => {},
 * });
 * await queue.send(
 *   new AgentCommMessage({
 *     sender: "did:web:ann.example",
 *     recipient: "did:web:bob.example",
 *     protocol: "agent.task.v1",
 *     messageType: "task_assign",
 *     payload: "file the report",
 *   }),
 * );
 * const attempts: number[] = [];
 * const stopping = new AbortController();
 * await queue.consume("office", ({ attempt }) => {
 *   attempts.push(attempt);
 *   if (attempt === 1) throw new Error("the disk is full");
 *   stopping.abort();
 * }, { signal: stopping.signal });
 * assertEquals(attempts, [1, 2]);
 * ```
 */
export function memoryQueue(options: MemoryQueueOptions): MessageQueue {
  return new StoredQueue(new MemoryStore(options));
}

type MemorySettings =
  & QueueSettings
  & Required<Omit<MemoryQueueOptions, keyof QueueOptions>>;

class MemoryStore implements QueueStore<Inbox, never> {
  readonly settings: MemorySettings;
  readonly #report: (error: unknown) => void;
  readonly #inboxes = new Map<string, Inbox>();
  /** The stored messages that are not dead letters. */
  readonly #stored = new MessageSet();
  readonly #count: Quota;
  readonly #bytes: Quota;
  readonly #dead: MemoryDeadLetters<Stored>;
  readonly #acknowledged: AcknowledgedKeys;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(options: MemoryQueueOptions) {
    const { onError, ...settings } = readOptions(options);
    const { maxMessages, maxBytes, maxSharePerSender } = settings;
    this.settings = { ...settings, orderedInboxes: new Set(settings.orderedInboxes) };
    this.#count = new Quota(maxMessages, maxSharePerSender);
    this.#bytes = new Quota(maxBytes, maxSharePerSender);
    this.#acknowledged = new AcknowledgedKeys(maxMessages, maxSharePerSender);
    this.#dead = new MemoryDeadLetters(settings);
    this.#report = createErrorReporter("memoryQueue", onError);
  }

  assertTransaction(): void {
    throw transactionsUnsupported("tx", "in memory");
  }

  assertTransactional(): void {
    throw transactionsUnsupported("transactional", "in memory");
  }

  // deno-lint-ignore require-await -- errors become rejections
  async send(name: string, { key, lane, json }: Outgoing): Promise<void> {
    const message = { key, json };
    if (this.#stored.has(message) || this.#dead.has(message)) return;
    if (this.#acknowledged.has(key)) return;
    const inbox = this.#inbox(name);
    if (!this.#store(inbox, { key, json, lane })) {
      const { maxMessages, maxBytes } = this.settings;
      throw capacityExceeded(maxMessages, maxBytes);
    }
    this.#dispatch(inbox);
  }

  // deno-lint-ignore require-await -- errors become rejections
  async open(name: string): Promise<Inbox> {
    return this.#inbox(name);
  }

  async consume(
    inbox: Inbox,
    { handler, concurrency, stopped }: ConsumeCall<never>,
  ): Promise<void> {
    const handlers = new Quota(concurrency, this.settings.maxSharePerSender);
    const consumer = { handler, stopped, running: new Set<Promise<void>>(), handlers };
    inbox.consumers.push(consumer);
    this.#dispatch(inbox);
    await untilAborted(stopped);
    inbox.consumers.splice(inbox.consumers.indexOf(consumer), 1);
    await Promise.all(consumer.running);
    this.#dispatch(inbox);
  }

  deadLetters({ name }: Inbox, limit: number): Promise<readonly StoredDeadLetter[]> {
    return Promise.resolve(this.#dead.list(name, limit));
  }

  /** Moves dead letters while the queue has capacity for their messages. */
  redrive(inbox: Inbox, limit: number): Promise<number> {
    const letters = this.#dead.list(inbox.name, limit);
    const isStored = ({ key, json, lane }: Stored): boolean =>
      this.#store(inbox, { key, json, lane: lane.name });
    const moved = letters.filter((letter) => isStored(letter));
    for (const letter of moved) this.#dead.delete(letter);
    this.#dispatch(inbox);
    return Promise.resolve(moved.length);
  }

  close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    return Promise.resolve();
  }

  #inbox(name: string): Inbox {
    const existing = this.#inboxes.get(name);
    if (existing !== undefined) return existing;
    const { maxInboxes } = this.settings;
    if (this.#inboxes.size >= maxInboxes) throw tooManyInboxes(name, maxInboxes);
    const inbox = createInbox(name);
    this.#inboxes.set(name, inbox);
    return inbox;
  }

  /** Adds a message to its lane. Returns `false` if the queue has no capacity for the message. */
  #store(
    inbox: Inbox,
    { key, json, lane }: Outgoing,
  ): boolean {
    const party = partyOf(senderOf(key));
    if (!this.#count.has(1, party) || !this.#bytes.has(json.length, party)) return false;
    this.#stored.add({ key, json });
    this.#count.take(1, party);
    this.#bytes.take(json.length, party);
    const state = { attempts: 0, reason: "", isUnverified: false };
    const ownLane = laneFor(inbox, lane, party);
    append(inbox, { key, party, inbox: inbox.name, json, lane: ownLane, ...state });
    return true;
  }

  /** Releases the capacity that a message uses. */
  #release({ key, party, json }: Stored): void {
    this.#stored.delete({ key, json });
    this.#count.take(-1, party);
    this.#bytes.take(-json.length, party);
  }

  /** Delivers ready messages while consumers have capacity. */
  #dispatch(inbox: Inbox): void {
    for (let next = takeNext(inbox); next !== undefined; next = takeNext(inbox)) {
      const { consumer, lane } = next;
      consumer.handlers.take(1, lane.party);
      const running = this.#deliver(inbox, lane, consumer).finally(() => {
        consumer.handlers.take(-1, lane.party);
        consumer.running.delete(running);
        this.#dispatch(inbox);
      });
      consumer.running.add(running);
    }
  }

  async #deliver(inbox: Inbox, lane: Lane, { handler, stopped }: Consumer): Promise<void> {
    const stored = lane.messages.first;
    if (stored === undefined) return;
    // A handler is not called while its consumer is being chosen. Otherwise, a handler that sends a
    // message to its own inbox would call the next handler.
    await Promise.resolve();
    const { settings } = this;
    const attempt = ++stored.attempts;
    const outcome = await deliver(stored.json, { handler, settings, attempt, stopped });
    if (outcome.type === "acknowledged") {
      this.#acknowledge(stored);
      return advance(inbox, lane);
    }
    // An error that a handler throws after its consumer is stopped is a consequence of stopping.
    if (!stopped.aborted) this.#report(outcome.error);
    if (outcome.type === "rejected") {
      stored.reason = outcome.reason;
      stored.isUnverified = isUnverified(outcome.error);
      this.#bury(stored);
      return advance(inbox, lane);
    }
    this.#retryLater(inbox, lane, retryDelayOf(settings, attempt));
  }

  /** Makes a message a dead letter. Reports the dead letters that are dropped. */
  #bury(stored: Stored): void {
    this.#release(stored);
    for (const letter of this.#dead.add(stored)) this.#report(this.#dropped(letter));
  }

  #dropped({ key, reason }: Stored): CommError {
    const { maxDeadLetters: capacity, maxDeadLetterBytes: maxQueuedBytes } = this.settings;
    return new CommError({
      code: "capacity_exceeded",
      details: { capacity, maxQueuedBytes },
      message: `Cannot keep dead letter ${quote(key)} (${reason}): limit of dead letters reached`,
    });
  }

  #acknowledge(stored: Stored): void {
    const { key, party } = stored;
    this.#release(stored);
    this.#acknowledged.add(key, party);
  }

  #retryLater(inbox: Inbox, lane: Lane, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      inbox.ready.push(lane);
      this.#dispatch(inbox);
    }, Math.min(delayMs, MAX_TIMER_MS));
    this.#timers.add(timer);
  }
}
