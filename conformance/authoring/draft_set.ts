/**
 * The draft set: the digests of all cases. A test compares them with the cases, so that no case
 * changes unnoticed.
 *
 * @module
 */

import type { Suite } from "../kit/load_cases.ts";
import { caseDigest } from "../runner/case_digest.ts";

/** Digests of cases, keyed by case id. */
export type CaseDigests = Readonly<Record<string, string>>;

/** Returns the digests of all cases, sorted by case id. */
export function digestCases(suite: Suite): CaseDigests {
  const cases = [...suite.values()].toSorted((a, b) => a.id < b.id ? -1 : 1);
  return Object.fromEntries(cases.map((each) => [each.id, caseDigest(each)]));
}

/** Formats a set with one line for each case. */
export function formatDigests(digests: CaseDigests): string {
  return `${JSON.stringify(digests, null, 2)}\n`;
}

/** Describes each case that differs from a set. */
export function compareDigests(set: CaseDigests, digests: CaseDigests): readonly string[] {
  const ids = [...new Set([...Object.keys(set), ...Object.keys(digests)])].sort();
  return ids.flatMap((id) => {
    if (set[id] === digests[id]) return [];
    if (set[id] === undefined) return [`${id} is new`];
    return [`${id} ${digests[id] === undefined ? "is removed" : "has changed"}`];
  });
}
