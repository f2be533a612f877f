/**
 * Retry policy for interrupted event streams: a limited number of attempts, with exponential
 * backoff.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server Sending messages}
 * @module
 */

import { sleep } from "@parley/internal/timers";

const GROWTH = 1.5;
const MAX_WAIT_MS = 30_000;

/** Minimum delay that a server can request, in milliseconds. */
const MIN_WAIT_MS = 100;

/**
 * Time after which an open stream is considered successful, even if no data has arrived, in
 * milliseconds.
 */
const LASTING_MS = 30_000;

/** Counts failed attempts since the last success and waits before each attempt. */
export class Reconnect {
  readonly #maxRetries: number;
  readonly #retryMs: number;
  #wanted: number | undefined;
  #tries = 0;
  #openedAt = Infinity;

  /** Creates a policy with a failure count of zero. */
  constructor(
    { maxRetries, retryMs }: { readonly maxRetries: number; readonly retryMs: number },
  ) {
    this.#maxRetries = maxRetries;
    this.#retryMs = retryMs;
  }

  /** Sets the delay that the server requested with the `retry` field. */
  wait(ms: number): void {
    this.#wanted = Math.max(ms, MIN_WAIT_MS);
  }

  /**
   * Records that the event stream is open. A stream that stays open for a long time is considered
   * successful even without data, because a proxy may close idle streams.
   */
  opened(): void {
    this.#openedAt = Date.now();
  }

  /** Resets the number of failed attempts after data has been received. */
  succeeded(): void {
    this.#tries = 0;
  }

  /**
   * Waits for the delay before the next attempt. Returns `false` if no attempts remain. Rejects
   * with the signal's reason when the signal aborts.
   */
  async next(signal: AbortSignal): Promise<boolean> {
    if (Date.now() - this.#openedAt >= LASTING_MS) this.succeeded();
    this.#openedAt = Infinity;
    if (this.#tries >= this.#maxRetries) return false;
    const grown = Math.min(this.#retryMs * GROWTH ** this.#tries, MAX_WAIT_MS);
    this.#tries++;
    await sleep(this.#wanted ?? grown, signal);
    return true;
  }
}
