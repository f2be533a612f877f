/**
 * Groups of results.
 *
 * @module
 */

import type { CaseResult } from "../kit/verdict.ts";

/** Groups results by a key. Groups and results keep their order. */
export function groupResults(
  results: readonly CaseResult[],
  keyOf: (result: CaseResult) => string,
): ReadonlyMap<string, readonly CaseResult[]> {
  const groups = new Map<string, CaseResult[]>();
  for (const result of results) {
    const key = keyOf(result);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [result]);
    else group.push(result);
  }
  return groups;
}

/** Returns the area of a case: its id without the last part. */
export function areaOf(id: string): string {
  return id.split("/").slice(0, -1).join("/");
}
