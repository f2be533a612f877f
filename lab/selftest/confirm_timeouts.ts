/**
 * Failures by a timeout, which a busy machine can cause.
 *
 * @module
 */

import { Verdict } from "../../conformance/kit/verdict.ts";
import type { Failure } from "./negative_rows.ts";

/**
 * Runs the failed cases again if each of them timed out, and returns the failures that remain. If a
 * case failed otherwise, that failure proves the fault, so nothing is run again.
 *
 * @param failures The cases that failed.
 * @param runAgain Runs cases with longer timeouts and returns the failures.
 */
export async function confirmTimeouts(
  failures: readonly Failure[],
  runAgain: (ids: readonly string[]) => Promise<readonly Failure[]>,
): Promise<readonly Failure[]> {
  const isProved = failures.some(({ verdict }) => verdict !== Verdict.Hang);
  if (failures.length === 0 || isProved) return failures;
  return await runAgain(failures.map(({ id }) => id));
}
