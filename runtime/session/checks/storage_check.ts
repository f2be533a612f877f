/**
 * A check for a storage for sessions.
 *
 * @module
 */

import { assertNonNegative } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { newId } from "../../testing/expect.ts";
import type { SessionStorage } from "../storage.ts";

/** Options for {@linkcode SessionStorageCheck.run}. */
export interface SessionStorageCheckOptions {
  /**
   * Time limit for the check, in milliseconds. A check that exceeds the timeout fails.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
}

/** A check for a storage for sessions. The check does not depend on a test runner. */
export interface SessionStorageCheck {
  /** Asserted behavior, as a sentence. */
  readonly name: string;
  /**
   * Runs the check. Rejects if the storage does not behave as asserted.
   *
   * @param open Opens a storage. The check disposes of the storage. Storages may share a database,
   * because each check uses new session ids.
   * @param options Time limit.
   */
  run(
    open: () => SessionStorage | Promise<SessionStorage>,
    options?: SessionStorageCheckOptions,
  ): Promise<void>;
}

const readCheckOptions = optionsReader<SessionStorageCheckOptions>("options")({
  timeoutMs: withDefault(30_000, assertNonNegative),
});

/** Creates a check that opens a storage, and uses a session id that no other check uses. */
export function storageCheck(
  name: string,
  work: (storage: SessionStorage, key: string) => Promise<void>,
): SessionStorageCheck {
  return {
    name,
    async run(open, options = {}) {
      const { timeoutMs } = readCheckOptions(options);
      const storage = await open();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new Error(`${name}: the check took longer than ${timeoutMs} ms`));
        }, Math.min(timeoutMs, MAX_TIMER_MS));
      });
      try {
        await Promise.race([work(storage, newId("session")), timeout]);
      } finally {
        // Closing a broken storage might never finish.
        await Promise.race([storage[Symbol.asyncDispose](), timeout]);
        clearTimeout(timer);
      }
    },
  };
}
