/**
 * Delivery of the updates of one request to its `onUpdate` callback.
 *
 * @module
 */

import { Fifo } from "@parley/internal/fifo";
import { quote } from "@parley/internal/format-value";
import { CommError } from "../shared/error.ts";
import type { ItemQuota } from "../shared/item_quota.ts";
import type { JsonValue } from "../shared/json.ts";
import { ownerOf } from "../shared/party.ts";
import { settlesWithin } from "../transport/message_codec.ts";

/** Options for {@linkcode UpdateDelivery}. */
export interface UpdateDeliveryInit {
  /** DID of the recipient of the request, which sends the updates. */
  readonly recipient: string;
  /** Receives the payload of each update. If omitted, updates are discarded. */
  readonly onUpdate: ((payload: JsonValue) => void | Promise<void>) | undefined;
  /** Capacity for the waiting updates of all requests. */
  readonly waiting: ItemQuota;
  /** Number of updates that `waiting` can contain. */
  readonly capacity: number;
  /** Called with errors that `onUpdate` throws, and with updates that are dropped. */
  readonly report: (error: unknown) => void;
}

interface WaitingUpdate {
  readonly payload: JsonValue;
  readonly release: () => void;
}

/** Calls `onUpdate` with one update at a time, in order. Further updates wait. */
export class UpdateDelivery {
  readonly #init: UpdateDeliveryInit;
  readonly #queue = new Fifo<WaitingUpdate>();
  /** Settles when the running call and those for the waiting updates have returned. */
  #delivering: Promise<void> | undefined;
  readonly #stopped = Promise.withResolvers<void>();
  #isStopped = false;

  constructor(init: UpdateDeliveryInit) {
    this.#init = init;
  }

  /**
   * Delivers an update, or adds it to the waiting updates. If there is no capacity, the update is
   * dropped and reported.
   *
   * @param bytes Size of the update. Called only if the update must wait.
   */
  push(payload: JsonValue, bytes: () => number): void {
    const { onUpdate, report, waiting, recipient } = this.#init;
    if (onUpdate === undefined || this.#isStopped) return;
    if (this.#delivering === undefined) {
      this.#start(payload);
      return;
    }
    const release = waiting.take(ownerOf(recipient), bytes());
    if (typeof release === "function") this.#queue.push({ payload, release });
    else report(updateDropped(this.#init, "too many updates are waiting"));
  }

  /** Whether all updates have been delivered. */
  get isIdle(): boolean {
    return this.#delivering === undefined;
  }

  /**
   * Waits until all updates have been delivered. After the timeout, the waiting updates are dropped
   * and reported.
   */
  async finish(timeoutMs: number): Promise<void> {
    const { report } = this.#init;
    if (this.#delivering === undefined) return;
    const ended = Promise.race([this.#delivering, this.#stopped.promise]);
    if (await settlesWithin(ended, timeoutMs)) return;
    const reason = `"onUpdate" did not return within ${timeoutMs} ms after the response`;
    report(updateDropped(this.#init, reason));
    this.stop();
  }

  /** Discards the waiting updates, because the request has ended. */
  stop(): void {
    this.#isStopped = true;
    this.#stopped.resolve();
    for (const { release } of this.#queue.clear()) release();
  }

  #start(payload: JsonValue): void {
    const called = this.#call(payload);
    if (called === undefined) return;
    this.#delivering = this.#deliver(called).finally(() => this.#delivering = undefined);
  }

  /** Waits for a running call, then delivers the waiting updates. Never rejects. */
  async #deliver(running: Promise<void>): Promise<void> {
    await running;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      next.release();
      await this.#call(next.payload);
    }
  }

  /** Calls `onUpdate`. Returns a promise that never rejects if the call continues. */
  #call(payload: JsonValue): Promise<void> | undefined {
    const { onUpdate, report } = this.#init;
    try {
      const returned: unknown = onUpdate?.(payload);
      return isThenable(returned) ? Promise.resolve(returned).then(() => {}, report) : undefined;
    } catch (error) {
      report(error);
      return undefined;
    }
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}

function updateDropped({ recipient, capacity }: UpdateDeliveryInit, reason: string): CommError {
  return new CommError({
    code: "capacity_exceeded",
    details: { capacity },
    message: `Cannot deliver update from ${quote(recipient)}: ${reason}`,
  });
}
