/**
 * When and how often to go back to an event stream that has ended too early.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server Sending messages}
 * @module
 */

import { sleep } from "../shared/sleep.ts";

const GROWTH = 1.5;
const MAX_WAIT_MS = 30_000;

/** However soon the server wants to be gone back to. */
const MIN_WAIT_MS = 100;

/** How long a stream lasts that was worth going back to, though nothing came in on it. */
const LASTING_MS = 30_000;

/** Counts the tries in vain since something has come in, and waits before each. */
export class Reconnect {
  readonly #maxRetries: number;
  readonly #retryMs: number;
  #wanted: number | undefined;
  #tries = 0;
  #openedAt = Infinity;

  /** Begins with no try. */
  constructor({ maxRetries = 10, retryMs = 1000 }: {
    /** How many tries in a row may be in vain. Default 10. */
    readonly maxRetries?: number;
    /** How long to wait before the first, in milliseconds. Default 1000. */
    readonly retryMs?: number;
  }) {
    this.#maxRetries = maxRetries;
    this.#retryMs = retryMs;
  }

  /** The server has said how long to wait. */
  wait(ms: number): void {
    this.#wanted = Math.max(ms, MIN_WAIT_MS);
  }

  /** The stream is there. Perhaps it only lasts, until some proxy has had enough. */
  opened(): void {
    this.#openedAt = Date.now();
  }

  /** Something has come in. */
  succeeded(): void {
    this.#tries = 0;
  }

  /** Waits for the next try; false when there is none left. Rejects with the signal's reason when it aborts. */
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
