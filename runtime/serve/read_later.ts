/**
 * Reads the events of a run that is found when the reading starts.
 *
 * @module
 */

import type { LiveEvent } from "../log/live_run.ts";
import type { RunReadOptions } from "../log/log_options.ts";

/**
 * Returns the events of a run. Each loop has its own position, and can be left while it waits.
 *
 * @param options Options of the reader.
 * @param find Returns the run, or `undefined` if its events cannot be read. The signal of the
 * options is aborted when the loop is left.
 */
export function readLater(
  { signal, ...options }: RunReadOptions,
  find: (options: RunReadOptions) => Promise<AsyncIterable<LiveEvent> | undefined>,
): AsyncIterable<LiveEvent> {
  return {
    [Symbol.asyncIterator]: () => {
      const left = new AbortController();
      const leave = (): void => left.abort();
      const events = (async function* (): AsyncGenerator<LiveEvent, void> {
        if (signal?.aborted) return;
        signal?.addEventListener("abort", leave);
        try {
          const run = await find({ ...options, signal: left.signal });
          if (run !== undefined) yield* run;
        } finally {
          signal?.removeEventListener("abort", leave);
        }
      })();
      return {
        next: () => events.next(),
        return: () => {
          leave();
          return events.return();
        },
      };
    },
  };
}
