/**
 * A request that is waiting for its response.
 *
 * @module
 */

import { quote } from "@parley/internal/format-value";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { timedOut } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { type readErrorPayload, requestFailed } from "./peer_error.ts";
import { SeenUpdates } from "./seen_updates.ts";
import { UpdateDelivery, type UpdateDeliveryInit } from "./update_delivery.ts";

/** Options for {@linkcode PendingRequest}. */
export interface PendingRequestInit extends UpdateDeliveryInit {
  /** Maximum time without a reply, in milliseconds. */
  readonly timeoutMs: number;
  /** Maximum duration of the request, in milliseconds. */
  readonly maxTotalMs: number;
  /** Maximum time that the response waits for the delivery of the updates, in milliseconds. */
  readonly updateTimeoutMs: number;
}

/** A request that is waiting for its response. */
export class PendingRequest {
  readonly recipient: string;
  /** Settles when the request has ended, after all updates have been delivered. */
  readonly response: Promise<JsonValue>;
  /** Whether a `cancel` message must be sent to the recipient when the request ends. */
  needsCancel = true;
  /** Whether the request has ended or has received its response. */
  isFinished = false;
  readonly #init: PendingRequestInit;
  readonly #settle: PromiseWithResolvers<JsonValue> = Promise.withResolvers();
  readonly #ended = new AbortController();
  readonly #updates: UpdateDelivery;
  readonly #seen = new SeenUpdates();
  readonly #totalTimer: ReturnType<typeof setTimeout>;
  #silenceTimer: ReturnType<typeof setTimeout>;

  constructor(init: PendingRequestInit) {
    this.#init = init;
    this.recipient = init.recipient;
    this.response = this.#settle.promise;
    this.#updates = new UpdateDelivery(init);
    this.#totalTimer = this.#failAfter(init.maxTotalMs);
    this.#silenceTimer = this.#failAfter(init.timeoutMs);
  }

  /** Aborts when the request ends. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Ends the request with its response, after the updates have been delivered. */
  resolve(payload: JsonValue): void {
    this.#finish(() => this.#settle.resolve(payload));
  }

  /** Ends the request with an error of the recipient, after the updates have been delivered. */
  reject(failure: ReturnType<typeof readErrorPayload>): void {
    this.#finish(() => this.#settle.reject(requestFailed(this.recipient, failure)));
  }

  /** Ends the request because the peer is closed, unless it has received its response. */
  abandon(error: unknown): void {
    if (this.isFinished) return;
    this.needsCancel = false;
    this.fail(error);
  }

  /** Ends a request that has received its response without waiting for the updates. */
  hurry(): void {
    if (this.isFinished) this.#updates.stop();
  }

  /** Ends the request immediately. Updates that wait are discarded. */
  fail(error: unknown): void {
    this.isFinished = true;
    this.#stopTimers();
    this.#updates.stop();
    this.#settle.reject(error);
    this.#ended.abort(error);
  }

  /** Delivers a verified update. Returns `false` if the update is a repetition. */
  update(id: string, payload: JsonValue, bytes: () => number): boolean {
    if (!this.#seen.add(id)) return false;
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = this.#failAfter(this.#init.timeoutMs);
    this.#updates.push(payload, bytes);
    return true;
  }

  async #finish(settle: () => void): Promise<void> {
    this.needsCancel = false;
    this.isFinished = true;
    this.#stopTimers();
    if (!this.#updates.isIdle) await this.#updates.finish(this.#init.updateTimeoutMs);
    settle();
    this.#ended.abort();
  }

  #failAfter(ms: number): ReturnType<typeof setTimeout> {
    const fail = (): void =>
      this.fail(timedOut(`complete request to ${quote(this.recipient)}`, ms));
    return setTimeout(fail, Math.min(ms, MAX_TIMER_MS));
  }

  #stopTimers(): void {
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#silenceTimer);
  }
}
