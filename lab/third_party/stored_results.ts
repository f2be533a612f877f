/**
 * The stored results of third-party implementations.
 *
 * @module
 */

import { readText } from "../../conformance/platform/fs.ts";
import type { ReportEntry } from "./report_entry.ts";
import type { SubjectResult } from "./result.ts";
import { THIRD_PARTY_SUBJECTS } from "./subjects.ts";

/** File that contains the results. */
export const RESULTS: URL = new URL("results.json", import.meta.url);

/** File that lists the failing cases for `parley-kit explain`. */
export const KNOWN_FAILURES: URL = new URL(
  "../../conformance/known_failures.json",
  import.meta.url,
);

/** Reads the stored results. */
export async function readResults(): Promise<readonly SubjectResult[]> {
  return JSON.parse(await readText(RESULTS) ?? "[]");
}

/**
 * Combines results with their subjects, in the order of the subjects. Results of removed subjects
 * are omitted.
 */
export function toEntries(results: readonly SubjectResult[]): readonly ReportEntry[] {
  const byName = new Map(results.map((result) => [result.name, result]));
  return THIRD_PARTY_SUBJECTS.flatMap((subject) => {
    const result = byName.get(subject.name);
    return result === undefined ? [] : [{ subject, result }];
  });
}

/**
 * Formats the list of failing cases: ids of cases, keyed by the name and version of an
 * implementation.
 */
export function formatKnownFailures(results: readonly SubjectResult[]): string {
  const lists = results.filter(({ red }) => red.length > 0).map(({ name, version, red }) =>
    [`${name} ${version}`, [...new Set(red.map(({ id }) => id))]] as const
  );
  return `${JSON.stringify(Object.fromEntries(lists), null, 2)}\n`;
}
