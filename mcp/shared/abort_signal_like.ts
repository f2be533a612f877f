/**
 * The subset of `AbortSignal` that this package uses, so that an object that is cheaper to create can replace the
 * `AbortSignal` of each request.
 *
 * @module
 */

/** The subset of `AbortSignal` that cancelable operations use. */
export interface AbortSignalLike {
  /** Abort reason, or `undefined` while the signal is not aborted. */
  readonly reason: unknown;
  /**
   * Throws the abort reason if the signal is aborted.
   *
   * @throws The signal's reason if the signal is aborted.
   */
  throwIfAborted(): void;
  /** Adds a listener for the abort event. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Removes a listener. */
  removeEventListener(type: "abort", listener: () => void): void;
}
