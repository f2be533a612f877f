/**
 * The consumers of a queue in an SQLite database.
 *
 * @module
 */

import { quote } from "@parley/internal/format-value";
import { Quota } from "@parley/internal/quota";
import { sleep } from "@parley/internal/timers";
import { CommError, receiveFailed } from "../shared/error.ts";
import { toCommError } from "../shared/error_text.ts";
import { deliver, type DeliveryOutcome, isUnverified, reasonOf, retryDelayOf } from "./delivery.ts";
import type { SqliteTransaction } from "./sqlite_database.ts";
import type { DeadMessage, HeldMessage, SqliteMessages } from "./sqlite_messages.ts";
import type { SqliteSettings } from "./sqlite_options.ts";
import type { SqliteTurns } from "./sqlite_turns.ts";
import { type ConsumeCall, untilAborted } from "./stored_queue.ts";

/** Options for {@linkcode SqliteConsumers}. */
export interface SqliteConsumersInit {
  readonly messages: SqliteMessages;
  readonly settings: SqliteSettings;
  readonly turns: SqliteTurns;
  readonly report: (error: unknown) => void;
}

interface Consumer extends Omit<ConsumeCall<SqliteTransaction>, "transactional" | "concurrency"> {
  readonly inbox: string;
  readonly running: Set<Promise<void>>;
  /** The handlers that are running. */
  readonly handlers: Quota;
}

/** A message that a consumer has claimed. */
interface Claim {
  readonly consumer: Consumer;
  readonly message: HeldMessage;
}

/** A message whose lease is extended. */
interface Held {
  readonly message: HeldMessage;
  /** Aborts when another consumer can receive the message. */
  readonly lost: AbortController;
}

/** Part of a lease after which the lease is extended. */
const RENEWALS_PER_LEASE = 3;

/** All consumers of a queue in this process. */
export class SqliteConsumers {
  readonly #messages: SqliteMessages;
  readonly #settings: SqliteSettings;
  readonly #turns: SqliteTurns;
  readonly #report: (error: unknown) => void;
  /** Identifies the messages that this process holds. */
  readonly #owner: string = crypto.randomUUID();
  readonly #consumers: Consumer[] = [];
  /** The party that has received the last turn, by inbox. */
  readonly #lastParty = new Map<string, string>();
  readonly #held = new Set<Held>();
  #isClaiming = false;
  /** Resolves when the messages of the last claim are being delivered. */
  #claimed: Promise<void> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dataVersion: unknown;
  #nextDueMs = Infinity;
  #renewedMs = 0;

  constructor({ messages, settings, turns, report }: SqliteConsumersInit) {
    this.#messages = messages;
    this.#settings = settings;
    this.#turns = turns;
    this.#report = report;
  }

  /** Delivers messages until the consumer is stopped and its handlers have ended. */
  async consume(
    inbox: string,
    { handler, concurrency, stopped }: ConsumeCall<SqliteTransaction>,
  ): Promise<void> {
    const handlers = new Quota(concurrency, this.#settings.maxSharePerSender);
    const consumer = { inbox, handler, stopped, running: new Set<Promise<void>>(), handlers };
    this.#consumers.push(consumer);
    this.claim();
    await untilAborted(stopped);
    this.#consumers.splice(this.#consumers.indexOf(consumer), 1);
    if (!this.#consumers.some((each) => each.inbox === inbox)) this.#lastParty.delete(inbox);
    await this.#claimed;
    await Promise.all(consumer.running);
    if (this.#consumers.length === 0 && this.#held.size === 0) clearTimeout(this.#timer);
    else this.claim();
  }

  /** Claims messages at the end of this turn of the event loop, and delivers them. */
  claim(): void {
    if (this.#isClaiming || this.#consumers.length === 0) return;
    this.#isClaiming = true;
    // A handler that has blocked the event loop must not lose its message to this process.
    this.#renew();
    const claims: Claim[] = [];
    const claiming = this.#turns.runLast(() => {
      this.#isClaiming = false;
      this.#claimAll(claims);
    });
    this.#claimed = claiming.then(() => {
      for (const claim of claims) this.#start(claim);
    }, (error: unknown) => {
      this.#isClaiming = false;
      // The timer claims again.
      this.#dataVersion = undefined;
      for (const { consumer, message } of claims) consumer.handlers.take(-1, message.party);
      this.#reportFailure(error);
    }).finally(() => this.#arm());
  }

  /** Claims messages for the consumers, which take turns, while they have capacity. */
  #claimAll(claims: Claim[]): void {
    const nowMs = Date.now();
    const inboxes = new Set(this.#consumers.map(({ inbox }) => inbox));
    for (const inbox of inboxes) this.#messages.readyDue(inbox, nowMs);
    let waiting: readonly Consumer[] = this.#consumers;
    while (waiting.length > 0) {
      waiting = waiting.filter((consumer) => {
        const message = this.#claimNext(consumer, nowMs);
        if (message !== undefined) claims.push({ consumer, message });
        return message !== undefined;
      });
    }
    const dues = [...inboxes].map((inbox) => this.#messages.nextDue(inbox));
    this.#nextDueMs = Math.min(...dues);
  }

  #claimNext({ inbox, stopped, handlers }: Consumer, nowMs: number): HeldMessage | undefined {
    if (stopped.aborted || !handlers.has(1, undefined)) return undefined;
    const last = this.#lastParty.get(inbox) ?? "";
    let after = last;
    let isWrapped = last === "";
    for (;;) {
      const message = this.#messages.next(inbox, after);
      if (message === undefined && isWrapped) return undefined;
      if (message === undefined) {
        // Parties take turns in the order of their names.
        [after, isWrapped] = ["", true];
      } else if (handlers.has(1, message.party)) {
        handlers.take(1, message.party);
        this.#lastParty.set(inbox, message.party);
        return this.#messages.hold(message, this.#owner, nowMs + this.#settings.leaseMs);
      } else {
        after = message.party;
      }
    }
  }

  #start(claim: Claim): void {
    const { running } = claim.consumer;
    const delivering = this.#deliver(claim).finally(() => running.delete(delivering));
    running.add(delivering);
  }

  /** Delivers a message. The returned promise never rejects. */
  async #deliver({ consumer, message }: Claim): Promise<void> {
    const { handler, stopped, handlers } = consumer;
    const held = { message, lost: new AbortController() };
    this.#held.add(held);
    const settings = this.#settings;
    const { json, attempts: attempt } = message;
    const lost = held.lost.signal;
    const outcome = await deliver(json, { handler, settings, attempt, stopped, lost });
    handlers.take(-1, message.party);
    // An error that a handler throws after its consumer is stopped is a consequence of stopping.
    if (outcome.type !== "acknowledged" && !stopped.aborted) this.#report(outcome.error);
    this.claim();
    await this.#record(held, outcome, stopped);
    this.#held.delete(held);
  }

  /** Records an outcome. While that fails, tries again until the lease has ended. */
  async #record(held: Held, outcome: DeliveryOutcome, stopped: AbortSignal): Promise<void> {
    const { leaseMs, pollIntervalMs } = this.#settings;
    const lost = held.lost.signal;
    for (const endMs = Date.now() + leaseMs; !lost.aborted;) {
      try {
        const dropped = await this.#turns.run(() => this.#settle(held.message, outcome, stopped));
        for (const letter of dropped) this.#report(this.#dropped(letter));
        return;
      } catch (error) {
        this.#reportFailure(error);
        if (Date.now() >= endMs) return;
        await sleep(pollIntervalMs, lost).catch(() => {});
      }
    }
  }

  /** Returns the dead letters that were deleted. */
  #settle(
    message: HeldMessage,
    outcome: DeliveryOutcome,
    stopped: AbortSignal,
  ): readonly DeadMessage[] {
    const nowMs = Date.now();
    if (outcome.type === "rejected") {
      const { reason, error } = outcome;
      return this.#messages.bury(message, { reason, isUnverified: isUnverified(error) });
    }
    if (outcome.type === "acknowledged") {
      this.#messages.acknowledge(message, nowMs);
    } else {
      const delayMs = stopped.aborted ? 0 : retryDelayOf(this.#settings, message.attempts);
      this.#messages.retry(message, nowMs + delayMs, nowMs);
    }
    return [];
  }

  /** Sets the timer that checks the database for messages and leases. */
  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#consumers.length === 0 && this.#held.size === 0) return;
    const { leaseMs, pollIntervalMs } = this.#settings;
    const delayMs = Math.max(this.#nextDueMs - Date.now(), 0);
    const maxMs = Math.min(pollIntervalMs, leaseMs / RENEWALS_PER_LEASE);
    this.#timer = setTimeout(() => this.#poll(), Math.min(delayMs, maxMs));
  }

  #poll(): void {
    try {
      const version = this.#messages.dataVersion();
      if (version !== this.#dataVersion || Date.now() >= this.#nextDueMs) this.claim();
      this.#dataVersion = version;
    } catch (error) {
      this.#reportFailure(error);
    }
    this.#renew();
    if (!this.#isClaiming) this.#arm();
  }

  /** Extends the leases of the held messages, and aborts the handlers of lost messages. */
  #renew(): void {
    const { leaseMs } = this.#settings;
    const nowMs = Date.now();
    if (this.#held.size === 0 || nowMs - this.#renewedMs < leaseMs / RENEWALS_PER_LEASE) return;
    this.#renewedMs = nowMs;
    const all = [...this.#held];
    this.#turns.run(() =>
      all.filter(({ message }) => !this.#messages.renew(message, nowMs + leaseMs))
    )
      .then((lost) => {
        for (const held of lost) this.#lose(held);
      }, (error: unknown) => this.#reportFailure(error));
  }

  /** Aborts the handler of a message, unless the message was acknowledged in the meantime. */
  #lose(held: Held): void {
    const reason = "Cannot keep message: the queue delivers the message to another consumer";
    if (this.#held.has(held)) held.lost.abort(new Error(reason));
  }

  #reportFailure(cause: unknown): void {
    this.#report(toCommError(cause, () => receiveFailed(reasonOf(cause), { cause })));
  }

  #dropped({ key, reason }: DeadMessage): CommError {
    const { maxDeadLetters: capacity, maxDeadLetterBytes: maxQueuedBytes } = this.#settings;
    return new CommError({
      code: "capacity_exceeded",
      details: { capacity, maxQueuedBytes },
      message: `Cannot keep dead letter ${quote(key)} (${reason}): limit of dead letters reached`,
    });
  }
}
