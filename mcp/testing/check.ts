/**
 * Checks that implementations of an interface must pass.
 *
 * @module
 */

import { runCheck } from "@parley/internal/run-check";
import { sortMembers } from "../shared/sort_members.ts";

/** Options for {@linkcode Check.run}. */
export interface CheckOptions {
  /**
   * Time limit for the check, in milliseconds. A check that exceeds the limit fails.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
}

/** A check of an implementation, independent of any test runner. */
export interface Check<T> {
  /** Asserted behavior, as a sentence. */
  readonly name: string;
  /**
   * Runs the check. Rejects if the implementation does not behave as the check asserts.
   *
   * @param open Creates the object to check. All objects may use the same database, because each
   * check uses new ids. A check that needs two objects calls `open` twice; both objects must then
   * share their data.
   * @param options Time limit for the check.
   * @throws {RangeError} If `timeoutMs` is not a positive number.
   * @throws {Error} If the implementation does not behave as the check asserts, or the time limit
   * is exceeded.
   */
  run(open: () => T | Promise<T>, options?: CheckOptions): Promise<void>;
}

/** Creates a check. */
export function check<T>(
  name: string,
  body: (open: () => T | Promise<T>) => Promise<void>,
): Check<T> {
  return {
    name,
    run: (open, options = {}) =>
      runCheck({
        name,
        options,
        // The body opens the objects that it needs, and closes them.
        open: () => open,
        check: body,
        close: () => Promise.resolve(),
      }),
  };
}

/**
 * Asserts that two values are equal as JSON. The order of object members is ignored.
 *
 * @throws {Error} If the values differ.
 */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [actual, expected].map((value) => JSON.stringify(sortMembers(value)));
  if (found !== wanted) throw new Error(`${what} must be ${wanted}, got ${found}`);
}

/** A list of received values, which can be awaited. */
export interface Inbox<T> {
  /** Values received so far. */
  readonly received: readonly T[];
  /** Adds a value. */
  readonly push: (value: T) => void;
  /** Waits until `isWanted` returns `true` for a received value. */
  readonly waitFor: (isWanted: (value: T) => boolean) => Promise<void>;
}

/** Creates an empty inbox. */
export function createInbox<T>(): Inbox<T> {
  const received: T[] = [];
  let wake = (): void => {};
  return {
    received,
    push: (value) => {
      received.push(value);
      wake();
    },
    waitFor: async (isWanted) => {
      while (!received.some(isWanted)) await new Promise<void>((resolve) => wake = resolve);
    },
  };
}

/**
 * Calls a function until it returns something other than `undefined`. Waits one millisecond between
 * calls.
 */
export async function retry<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const value = await attempt();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
