/**
 * Requests that were aborted and whose response has not arrived.
 *
 * @module
 */

/** Tracks the aborted requests that a server may still be processing. */
export class UnansweredRequests {
  readonly #requests = new Set<Promise<void>>();

  /** Whether the server has responded to all aborted requests. */
  get isEmpty(): boolean {
    return this.#requests.size === 0;
  }

  /** Adds an aborted request until `answered` resolves. */
  readonly onUnanswered = (answered: Promise<void>): void => {
    if (this.#requests.has(answered)) return;
    this.#requests.add(answered);
    answered.then(() => this.#requests.delete(answered));
  };
}
