/**
 * An in-memory message queue.
 *
 * @module
 */

import { MAX_TIMER_MS } from "@parley/internal/timers";
import { capacityExceeded } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { assertCount } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { deliver, retryDelayOf } from "./delivery.ts";
import type { MessageQueue } from "./message_queue.ts";
import { QUEUE_RULES, type QueueOptions, type QueueSettings } from "./queue_options.ts";
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
   * Maximum number of stored messages, including dead letters. The queue also tracks the sender and
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
}

const readOptions = optionsReader<MemoryQueueOptions>("options")({
  ...QUEUE_RULES,
  maxMessages: withDefault(10_000, assertCount),
  maxBytes: withDefault(67_108_864, assertCount),
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
  & Required<Pick<MemoryQueueOptions, "maxMessages" | "maxBytes">>;

/** A stored message. */
interface Stored {
  readonly key: string;
  readonly json: string;
  readonly lane: Lane;
  attempts: number;
  reason: string;
}

/**
 * A lane of messages that are delivered sequentially. An unordered inbox has one lane for each
 * message.
 */
interface Lane {
  readonly name: string;
  readonly messages: Stored[];
}

interface Consumer extends Omit<ConsumeCall<never>, "transactional"> {
  readonly running: Set<Promise<void>>;
}

interface Inbox {
  readonly lanes: Map<string, Lane>;
  /** Lanes whose first message can be delivered. */
  readonly ready: Lane[];
  readonly consumers: Consumer[];
  readonly dead: Stored[];
}

class MemoryStore implements QueueStore<Inbox, never> {
  readonly settings: MemorySettings;
  readonly #report: (error: unknown) => void;
  readonly #inboxes = new Map<string, Inbox>();
  /** Keys of the stored messages. */
  readonly #stored = new Set<string>();
  /** Keys of acknowledged messages, the oldest first. */
  readonly #acknowledged = new Set<string>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #bytes = 0;

  constructor(options: MemoryQueueOptions) {
    const { onError, ...settings } = readOptions(options);
    this.settings = { ...settings, orderedInboxes: new Set(settings.orderedInboxes) };
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
    if (this.#stored.has(key) || this.#acknowledged.has(key)) return;
    const { maxMessages, maxBytes } = this.settings;
    const isFull = this.#stored.size >= maxMessages || this.#bytes + json.length > maxBytes;
    if (isFull) throw capacityExceeded(maxMessages, maxBytes);
    this.#stored.add(key);
    this.#bytes += json.length;
    const inbox = this.#inbox(name);
    append(inbox, { key, json, lane: laneFor(inbox, lane ?? key), attempts: 0, reason: "" });
    this.#dispatch(inbox);
  }

  open(name: string): Promise<Inbox> {
    return Promise.resolve(this.#inbox(name));
  }

  async consume(
    inbox: Inbox,
    { handler, concurrency, stopped }: ConsumeCall<never>,
  ): Promise<void> {
    const consumer = { handler, concurrency, stopped, running: new Set<Promise<void>>() };
    inbox.consumers.push(consumer);
    this.#dispatch(inbox);
    await untilAborted(stopped);
    inbox.consumers.splice(inbox.consumers.indexOf(consumer), 1);
    await Promise.all(consumer.running);
    this.#dispatch(inbox);
  }

  deadLetters({ dead }: Inbox, limit: number): Promise<readonly StoredDeadLetter[]> {
    return Promise.resolve(dead.slice(0, limit));
  }

  redrive(inbox: Inbox, limit: number): Promise<number> {
    const moved = inbox.dead.splice(0, limit);
    for (const { key, json, lane } of moved) {
      append(inbox, { key, json, lane: laneFor(inbox, lane.name), attempts: 0, reason: "" });
    }
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
    const inbox = { lanes: new Map(), ready: [], consumers: [], dead: [] };
    this.#inboxes.set(name, inbox);
    return inbox;
  }

  /**
   * Delivers ready messages while consumers have capacity. The consumers of an inbox take turns.
   */
  #dispatch(inbox: Inbox): void {
    const { ready, consumers } = inbox;
    while (ready.length > 0) {
      const index = consumers.findIndex(({ running, concurrency, stopped }) =>
        running.size < concurrency && !stopped.aborted
      );
      const [consumer] = index < 0 ? [] : consumers.splice(index, 1);
      const lane = consumer === undefined ? undefined : ready.shift();
      if (consumer === undefined || lane === undefined) return;
      consumers.push(consumer);
      const running = this.#deliver(inbox, lane, consumer).finally(() => {
        consumer.running.delete(running);
        this.#dispatch(inbox);
      });
      consumer.running.add(running);
    }
  }

  async #deliver(inbox: Inbox, lane: Lane, { handler, stopped }: Consumer): Promise<void> {
    const [stored] = lane.messages;
    if (stored === undefined) return;
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
      inbox.dead.push(stored);
      return advance(inbox, lane);
    }
    this.#retryLater(inbox, lane, retryDelayOf(settings, attempt));
  }

  #acknowledge({ key, json }: Stored): void {
    this.#stored.delete(key);
    this.#bytes -= json.length;
    this.#acknowledged.add(key);
    if (this.#acknowledged.size <= this.settings.maxMessages) return;
    for (const oldest of this.#acknowledged) {
      this.#acknowledged.delete(oldest);
      return;
    }
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

function laneFor({ lanes }: Inbox, name: string): Lane {
  const lane = lanes.get(name) ?? { name, messages: [] };
  lanes.set(name, lane);
  return lane;
}

/** Adds a message to the end of its lane, whose messages are delivered sequentially. */
function append({ ready }: Inbox, stored: Stored): void {
  const { lane } = stored;
  lane.messages.push(stored);
  if (lane.messages.length === 1) ready.push(lane);
}

/** Removes the first message from a lane, whose messages are delivered sequentially. */
function advance({ ready, lanes }: Inbox, lane: Lane): void {
  lane.messages.shift();
  if (lane.messages.length > 0) ready.push(lane);
  else lanes.delete(lane.name);
}
