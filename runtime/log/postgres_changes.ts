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
  readonly #closed = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLooking = false;
  /** Whether a wait has started since the last look. */
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
    const ending = this.#signal.wait(seen.key, signal, MAX_WAIT_MS);
    // The state may have changed before the wait started.
    this.#lookSoon();
    await ending;
    this.#waits.delete(wait);
    if (this.#waits.size === 0) clearTimeout(this.#timer);
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
    clearTimeout(this.#timer);
    this.#signal.notifyAll();
    await this.#stop?.();
  }

  #lookSoon(): void {
    this.#mustLook = true;
    if (!this.#isLooking) this.#lookAfter(0);
  }

  #lookAfter(delayMs: number): void {
    clearTimeout(this.#timer);
    if (this.#waits.size === 0 || this.#closed.signal.aborted) return;
    this.#timer = setTimeout(() => void this.#look(), delayMs);
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#mustLook = false;
    const waits = [...this.#waits];
    try {
      const keys = [...new Set(waits.map(({ seen }) => seen.key))];
      const loaded = await this.#options.load(keys);
      const rows = new Map(loaded.map((row) => [fromStorable(String(row.key)), row]));
      for (const wait of waits) this.#compare(wait, rows.get(wait.seen.key));
    } catch (error) {
      for (const wait of waits) this.#end(wait, { error });
    }
    this.#isLooking = false;
    const { pollIntervalMs } = this.#options;
    this.#lookAfter(
      this.#mustLook ? 0 : this.#isListening ? LISTEN_INTERVAL_MS : pollIntervalMs,
    );
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
    this.#lookSoon();
  }

  #receive(payload: string): void {
    if (payload === "") this.#lookSoon();
    else this.#signal.notify(fromStorable(payload));
  }
}
