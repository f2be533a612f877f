/**
 * Limits how often values are sent.
 *
 * @module
 */

/** Sends values with a limited rate. */
export interface RateLimit<Value> {
  /**
   * Sends a value, at once or when the interval has expired. Only the newest of the values that
   * wait is kept.
   */
  push(value: Value): void;
  /** Sends the value that waits. Values that are pushed later are ignored. */
  end(): void;
}

/**
 * Returns an object that sends at most one value per interval, so that a fast sender cannot fill
 * the memory of a slow receiver.
 *
 * @param intervalMs Minimum time between two values, in milliseconds.
 * @param send Sends a value.
 * @param onError Receives the errors of `send`.
 */
export function limitRate<Value>(
  intervalMs: number,
  send: (value: Value) => void,
  onError: (error: unknown) => void,
): RateLimit<Value> {
  let waiting: { readonly value: Value } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;
  const flush = (): void => {
    const next = waiting;
    waiting = undefined;
    timer = undefined;
    if (next === undefined) return;
    if (!hasEnded) timer = setTimeout(flush, intervalMs);
    try {
      send(next.value);
    } catch (error) {
      onError(error);
    }
  };
  return {
    push(value) {
      if (hasEnded) return;
      waiting = { value };
      if (timer === undefined) flush();
    },
    end() {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      flush();
    },
  };
}
