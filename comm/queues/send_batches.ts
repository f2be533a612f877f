/**
 * Batches of messages that are stored together.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { capacityExceeded } from "../shared/error.ts";
import type { StoredQueueSettings } from "./queue_options.ts";

/** A message to store. */
export interface Outgoing {
  /** Messages with equal keys are duplicates and are not stored in the same batch. */
  readonly key: string;
  /**
   * Messages with the same `lane` are stored in different batches, because a batch does not
   * preserve their order.
   */
  readonly lane: string | undefined;
  readonly json: string;
}

type SendLimits = Pick<StoredQueueSettings, "maxPendingMessages" | "maxPendingBytes">;

/** Stores a batch in an inbox. */
type Store = (inbox: string, batch: readonly Outgoing[]) => Promise<void>;

interface Pending extends Outgoing {
  readonly signal: AbortSignal | undefined;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Maximum number of messages that one statement stores. */
const MAX_BATCH = 100;

/**
 * Stores messages in batches: the messages sent while one batch is being stored form the next
 * batch. One statement per message would take several times as much processor time, in the client
 * and in the database. The batches of an inbox are stored sequentially, in the order of the calls.
 */
export class SendBatches {
  readonly #limits: SendLimits;
  readonly #store: Store;
  readonly #pending = new Map<string, Pending[]>();
  readonly #storing = new Set<Promise<void>>();
  #count = 0;
  #bytes = 0;

  constructor(limits: SendLimits, store: Store) {
    this.#limits = limits;
    this.#store = store;
  }

  /** Stores a message. Resolves when the message is stored. */
  async send(
    inbox: string,
    outgoing: Outgoing,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { maxPendingMessages, maxPendingBytes } = this.#limits;
    const bytes = outgoing.json.length;
    const fits = this.#count < maxPendingMessages && this.#bytes + bytes <= maxPendingBytes;
    // A message that exceeds the limit is still stored if no other message is pending.
    if (!fits && this.#count > 0) throw capacityExceeded(maxPendingMessages, maxPendingBytes);
    this.#count++;
    this.#bytes += bytes;
    const stored = new Promise<void>((resolve, reject) => {
      this.#add(inbox, { ...outgoing, signal, resolve, reject });
    }).finally(() => {
      this.#count--;
      this.#bytes -= bytes;
    });
    await abortable(stored, signal);
  }

  /** Waits until all pending messages are stored or have failed. */
  async settle(): Promise<void> {
    await Promise.all(this.#storing);
  }

  #add(inbox: string, pending: Pending): void {
    const list = this.#pending.get(inbox);
    if (list !== undefined) {
      list.push(pending);
      return;
    }
    const started = [pending];
    this.#pending.set(inbox, started);
    const storing = this.#storeAll(inbox, started).finally(() => this.#storing.delete(storing));
    this.#storing.add(storing);
  }

  /**
   * Stores the pending messages for an inbox until none are left. The returned promise never
   * rejects.
   */
  async #storeAll(inbox: string, pending: Pending[]): Promise<void> {
    // Messages that are sent in the same turn of the event loop are stored together.
    await Promise.resolve();
    while (pending.length > 0) {
      const batch = takeBatch(pending);
      try {
        if (batch.length > 0) await this.#store(inbox, batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#pending.delete(inbox);
  }
}

/**
 * Removes the messages of the next batch from the list of pending messages. Aborted messages are
 * not stored.
 */
function takeBatch(pending: Pending[]): Pending[] {
  const batch: Pending[] = [];
  const used = new Set<string>();
  const later: Pending[] = [];
  for (const each of pending.splice(0)) {
    const { key, lane, signal, resolve } = each;
    if (signal?.aborted === true) {
      resolve();
    } else if (batch.length === MAX_BATCH || used.has(`key ${key}`) || used.has(`lane ${lane}`)) {
      later.push(each);
    } else {
      batch.push(each);
      used.add(`key ${key}`);
      if (lane !== undefined) used.add(`lane ${lane}`);
    }
  }
  pending.push(...later);
  return batch;
}
