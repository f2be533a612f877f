/**
 * What stops work: an `AbortSignal`, or something that is made more cheaply for each piece of work.
 *
 * @module
 */

/** As much of an `AbortSignal` as it takes to stop in time. */
export interface AbortSignalLike {
  /** Why to stop; undefined as long as nobody wants that. */
  readonly reason: unknown;
  /**
   * Stops what is not wanted any more.
   *
   * @throws whatever the reason is
   */
  throwIfAborted(): void;
  /** Calls a listener when it is time to stop. */
  addEventListener(type: "abort", listener: () => void): void;
  /** Calls a listener no more. */
  removeEventListener(type: "abort", listener: () => void): void;
}
