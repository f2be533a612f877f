/**
 * Reports of messages that are dropped.
 *
 * @module
 */

import { createRepeatFilter } from "@parley/internal/repeat-filter";

/**
 * Returns a function that reports errors, each distinct message once and at most 20 per minute,
 * because any agent can cause them.
 *
 * @param report Receives the errors. Must not throw.
 */
export function createDropReporter(report: (error: unknown) => void): (error: Error) => void {
  const filter = createRepeatFilter();
  return (error) => {
    if (filter(error.message) !== "dropped") report(error);
  };
}
