/**
 * A consumer of an inbox on NATS JetStream.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { deliver, type DeliveryOutcome, retryDelayOf } from "./delivery.ts";
import type { NatsInbox } from "./nats_inbox.ts";
import type { NatsLimits } from "./nats_options.ts";
import type { NatsMessage, NatsMessages } from "./nats_types.ts";
import type { ConsumeCall } from "./stored_queue.ts";

/** Options for {@linkcode NatsInboxConsumer}. */
export interface NatsInboxConsumerInit extends ConsumeCall<never> {
  readonly inbox: NatsInbox;
  readonly limits: NatsLimits;
  readonly report: (error: unknown) => void;
}

/**
 * Number of times that the consumer extends a message's acknowledgment timeout within `takeoverMs`.
 */
const EXTENSIONS = 4;

/** Maximum time between deletions of acknowledged messages, in milliseconds. */
const MAX_DELETION_INTERVAL_MS = 60_000;

/** A consumer of an inbox. */
export class NatsInboxConsumer {
  readonly #init: NatsInboxConsumerInit;
  /** Messages that the server has delivered, each with a controller that aborts its handler. */
  readonly #held = new Map<NatsMessage, AbortController>();
  readonly #running = new Set<Promise<void>>();

  constructor(init: NatsInboxConsumerInit) {
    this.#init = init;
  }

  /** Delivers messages until the consumer is stopped. Rejects if the connection is closed. */
  async run(): Promise<void> {
    const { stopped } = this.#init;
    const sources: NatsMessages[] = [];
    const stop = (): void => sources.forEach((source) => source.stop());
    stopped.addEventListener("abort", stop, { once: true });
    const ended = new AbortController();
    let maintaining: Promise<void> | undefined;
    try {
      await this.#open(sources);
      maintaining = this.#maintain(ended.signal);
      if (stopped.aborted) stop();
      const consuming = sources.map((source) => this.#consume(source).finally(stop));
      for (const result of await Promise.allSettled(consuming)) {
        if (result.status === "rejected") throw result.reason;
      }
    } finally {
      stop();
      stopped.removeEventListener("abort", stop);
      ended.abort();
      await maintaining;
    }
  }

  /**
   * Starts to pull messages. Each message source requests its next message after the previous
   * message has been handled, so a process holds no messages that another process could handle. An
   * unordered inbox has one message source for each concurrent handler, and an ordered inbox has
   * one for each partition.
   */
  async #open(sources: NatsMessages[]): Promise<void> {
    const { inbox, concurrency } = this.#init;
    for (const consumer of await inbox.openConsumers()) {
      const count = inbox.isOrdered ? 1 : concurrency;
      for (let index = 0; index < count; index++) {
        sources.push(await consumer.consume({ max_messages: 1 }));
      }
    }
  }

  async #consume(source: NatsMessages): Promise<void> {
    const { concurrency, stopped } = this.#init;
    for await (const message of source) {
      const lost = new AbortController();
      this.#held.set(message, lost);
      while (this.#running.size >= concurrency) await Promise.race(this.#running);
      const running = this.#handle(message, lost.signal).finally(() => {
        this.#held.delete(message);
        this.#running.delete(running);
      });
      this.#running.add(running);
      await running;
    }
    if (!stopped.aborted) throw new Error("the connection to NATS is closed");
  }

  /** Handles one message. The returned promise never rejects. */
  async #handle(message: NatsMessage, lost: AbortSignal): Promise<void> {
    const { handler, limits: settings, stopped, report } = this.#init;
    if (stopped.aborted) return message.nak();
    const attempt = message.info.deliveryCount;
    const json = new TextDecoder().decode(message.data);
    try {
      const stored = readText(message.data);
      const outcome = await deliver(stored, { handler, settings, attempt, stopped, lost });
      // An error after the consumer is stopped is a consequence of stopping.
      if (outcome.type !== "acknowledged" && !stopped.aborted) report(outcome.error);
      await this.#settle(message, json, outcome, lost);
    } catch (error) {
      // The server delivers the message again when its acknowledgment timeout expires.
      report(error);
    }
  }

  async #settle(
    message: NatsMessage,
    json: string,
    outcome: DeliveryOutcome,
    lost: AbortSignal,
  ): Promise<void> {
    const { inbox, limits, stopped } = this.#init;
    const attempts = message.info.deliveryCount;
    if (outcome.type === "failed") {
      // Another process might already be handling a message that this consumer no longer holds.
      if (lost.aborted) return;
      return message.nak(stopped.aborted ? 0 : Math.ceil(retryDelayOf(limits, attempts)));
    }
    if (outcome.type === "rejected") {
      await inbox.storeDeadLetter(message, { json, reason: outcome.reason, attempts });
    }
    await message.ackAck();
  }

  /**
   * Extends the acknowledgment timeouts of the held messages, and deletes acknowledged messages,
   * until the signal aborts. Aborts the handlers if the server does not respond for `takeoverMs`,
   * because the server might deliver the messages again.
   */
  async #maintain(ended: AbortSignal): Promise<void> {
    const { inbox, limits: { takeoverMs, deduplicationMs }, report } = this.#init;
    let [contactMs, deletedMs] = [performance.now(), performance.now()];
    while (await waitFor(takeoverMs / EXTENSIONS, ended)) {
      for (const message of this.#held.keys()) message.working();
      const startMs = performance.now();
      try {
        await abortable(inbox.probe(), ended);
        contactMs = startMs;
        if (startMs - deletedMs < Math.min(deduplicationMs, MAX_DELETION_INTERVAL_MS)) continue;
        deletedMs = startMs;
        await abortable(inbox.deleteAcknowledged(), ended);
      } catch (error) {
        if (!ended.aborted) report(error);
      }
      if (performance.now() - contactMs < takeoverMs) continue;
      const reason = new Error("NATS does not respond and might deliver the message again");
      for (const lost of this.#held.values()) lost.abort(reason);
    }
  }
}

const STRICT_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decodes the bytes of a message. Returns the bytes unchanged if they are not valid UTF-8. */
function readText(data: Uint8Array): string | Uint8Array {
  try {
    return STRICT_DECODER.decode(data);
  } catch {
    // Other programs can write to the stream. `deliver` rejects the message.
    return data;
  }
}

/**
 * Waits for the given time, limited to the longest delay of a timer. Returns `false` as soon as the
 * signal aborts.
 */
function waitFor(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
  });
}
