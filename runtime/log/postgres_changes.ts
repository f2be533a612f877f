/**
 * Waits for changes of sessions in a PostgreSQL database.
 *
 * @module
 */

import { listenTo } from "@parley/internal/sql-client";
import type { UnknownRecord } from "@parley/internal/json";
import { sleep } from "@parley/internal/timers";
import { reconnectDelay } from "../shared/database_errors.ts";
import type { SqlClient } from "../shared/sql_client.ts";
import { ChangeSignal } from "./change_signal.ts";
import { hasChanged, type RunHead } from "./run_log.ts";
import { fromStorable } from "./stored_text.ts";

/** Options for {@linkcode PostgresChanges}. */
export interface PostgresChangesOptions {
  /** Client that receives notifications, or `undefined` if the readers only look for changes. */
  readonly listener: SqlClient | undefined;
  readonly channel: string;
  /** Interval at which the readers look for changes without notifications, in milliseconds. */
  readonly pollIntervalMs: number;
  /** Returns the rows of sessions. */
  readonly load: (keys: readonly string[]) => Promise<readonly UnknownRecord[]>;
  /** Reads a row. Throws if the row is damaged. */
  readonly read: (row: UnknownRecord) => RunHead;
  /** Called with errors that do not reject a promise. */
  readonly onError: (error: unknown) => void;
}

/** A reader that waits until a state changes. */
interface Wait {
  readonly seen: RunHead;
  /** Error of the look that ended the wait. */
  error?: unknown;
}

/**
 * Interval at which the readers look for changes while notifications are received, in milliseconds.
 * No notification is sent when a lease expires.
 */
const LISTEN_INTERVAL_MS = 1000;

/** Maximum time that a reader waits before it reads the state again, in milliseconds. */
const MAX_WAIT_MS = 10_000;

/** Wakes the readers of this process. One statement looks for the changes of all sessions. */
export class PostgresChanges {
  readonly #options: PostgresChangesOptions;
  readonly #signal = new ChangeSignal();
  readonly #waits = new Set<Wait>();
  /** Waits that have started since the last look. */
  readonly #started = new Set<Wait>();
  readonly #closed = new AbortController();
  /** Timer of the next look for the changes of all waits. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLooking = false;
  #isLookingAtAll = false;
  #mustLook = false;
  #isSubscribed = false;
  #isListening = false;
  /** Ends the subscription. */
  #stop: (() => Promise<void>) | undefined;

  constructor(options: PostgresChangesOptions) {
    this.#options = options;
  }

  /** Resolves when a state may have changed, or when the signal is aborted. */
  async wait(seen: RunHead, signal: AbortSignal): Promise<void> {
    if (!this.#isSubscribed) void this.#subscribe();
    this.#isSubscribed = true;
    const wait: Wait = { seen };
    this.#waits.add(wait);
    this.#started.add(wait);
    const ending = this.#signal.wait(seen.key, signal, MAX_WAIT_MS);
    // The state may have changed before the wait started.
    void this.#lookAtStarted();
    this.#timer ??= setTimeout(() => void this.#lookAtAll(), this.#intervalMs);
    await ending;
    this.#waits.delete(wait);
    this.#started.delete(wait);
    if (this.#waits.size === 0) this.#stopTimer();
    if ("error" in wait) throw wait.error;
  }

  /** Wakes the readers of a session that this process has changed. */
  notify(key: string): void {
    // A notification of the database would otherwise wake the readers again.
    if (!this.#isListening) this.#signal.notify(key);
  }

  /** Ends all waits and the subscription, or the subscription that is about to start. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#stopTimer();
    this.#signal.notifyAll();
    await this.#stop?.();
  }

  get #intervalMs(): number {
    return this.#isListening ? LISTEN_INTERVAL_MS : this.#options.pollIntervalMs;
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Looks for the changes of the waits that have started. Never rejects. */
  async #lookAtStarted(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    // One statement reads the states of waits that start at the same time.
    await null;
    while (this.#started.size > 0) {
      const waits = [...this.#started];
      this.#started.clear();
      await this.#look(waits);
    }
    this.#isLooking = false;
  }

  /**
   * Looks for the changes of all waits, and again after the interval. Calls during a look have one
   * further look. Never rejects.
   */
  async #lookAtAll(): Promise<void> {
    this.#stopTimer();
    this.#mustLook = true;
    if (this.#isLookingAtAll) return;
    this.#isLookingAtAll = true;
    while (this.#mustLook) {
      this.#mustLook = false;
      await this.#look([...this.#waits]);
    }
    this.#isLookingAtAll = false;
    if (this.#waits.size === 0 || this.#closed.signal.aborted) return;
    this.#timer ??= setTimeout(() => void this.#lookAtAll(), this.#intervalMs);
  }

  async #look(waits: readonly Wait[]): Promise<void> {
    if (waits.length === 0) return;
    try {
      const keys = [...new Set(waits.map(({ seen }) => seen.key))];
      const loaded = await this.#options.load(keys);
      const rows = new Map(loaded.map((row) => [fromStorable(String(row.key)), row]));
      for (const wait of waits) this.#compare(wait, rows.get(wait.seen.key));
    } catch (error) {
      for (const wait of waits) this.#end(wait, { error });
    }
  }

  #compare(wait: Wait, row: UnknownRecord | undefined): void {
    const { seen } = wait;
    try {
      const now = row && this.#options.read(row);
      if (hasChanged(seen, now) || seen.isLeased !== (now?.isLeased ?? false)) this.#end(wait);
    } catch (error) {
      this.#end(wait, { error });
    }
  }

  #end(wait: Wait, failure: { readonly error?: unknown } = {}): void {
    Object.assign(wait, failure);
    this.#signal.notify(wait.seen.key);
  }

  /** Receives notifications until the storage is closed, and tries again if an attempt fails. */
  async #subscribe(): Promise<void> {
    const { channel, listener, onError } = this.#options;
    if (listener === undefined) return;
    const { signal } = this.#closed;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const stop = await listenTo(listener, {
          channel,
          onPayload: (payload) => this.#receive(payload),
          onListen: () => this.#setListening(true),
          onLoss: (error) => {
            this.#setListening(false);
            onError(error);
          },
        });
        if (signal.aborted) await stop();
        else this.#stop = stop;
        return;
      } catch (error) {
        if (!signal.aborted) onError(error);
        await sleep(reconnectDelay(attempt), signal).catch(() => {});
      }
    }
  }

  #setListening(isListening: boolean): void {
    this.#isListening = isListening;
    // Notifications may have been lost.
    void this.#lookAtAll();
  }

  #receive(payload: string): void {
    if (payload === "") void this.#lookAtAll();
    else this.#signal.notify(fromStorable(payload));
  }
}
