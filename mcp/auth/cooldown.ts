/**
 * Pauses after failures of another server.
 *
 * @module
 */

/** Delay after the first failure, and the maximum delay, in milliseconds. */
const MIN_MS = 1000;
const MAX_MS = 60_000;

/**
 * Pauses requests to a server that does not respond as expected. After each pause, the next failure
 * starts a pause of twice the length, from 1 to 60 seconds.
 */
export class Cooldown {
  readonly #maxFailures: number;
  #failures = 0;
  #pause: { readonly error: unknown; readonly since: number; readonly ms: number } | undefined;

  /**
   * Creates a cooldown without a pause.
   *
   * @param maxFailures Number of consecutive failures that start the first pause.
   */
  constructor(maxFailures: number = 1) {
    this.#maxFailures = maxFailures;
  }

  /** Whether the last request has failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** Throws the last error during a pause. */
  assertOver(): void {
    if (this.#isPaused()) throw this.#pause?.error;
  }

  /** Records a successful request, which ends the pause. */
  succeed(): void {
    this.#failures = 0;
    this.#pause = undefined;
  }

  /** Records a failed request. Requests that have started before the pause do not extend it. */
  fail(error: unknown): void {
    if (this.#isPaused() || ++this.#failures < this.#maxFailures) return;
    const ms = Math.min((this.#pause?.ms ?? MIN_MS / 2) * 2, MAX_MS);
    this.#pause = { error, since: Date.now(), ms };
  }

  #isPaused(): boolean {
    return this.#pause !== undefined && isWithin(this.#pause.since, this.#pause.ms);
  }
}

/**
 * Returns `true` if less than the given time has passed. If the clock was set back, returns
 * `false`, so that nothing lasts longer than intended.
 */
export function isWithin(since: number, ms: number): boolean {
  const elapsed = Date.now() - since;
  return elapsed >= 0 && elapsed < ms;
}
