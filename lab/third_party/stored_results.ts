/**
 * The stored results of third-party implementations.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import { strongestErrata } from "../../conformance/kit/errata.ts";
import { findSets, KIT_REQUIREMENTS } from "../../conformance/kit/requirements.ts";
import { readText } from "../../conformance/platform/fs.ts";
import { describeSet } from "../../conformance/runner/plan.ts";
import { loadSuite } from "../../conformance/suite.ts";
import { type HistoryPoint, readHistory } from "./history.ts";
import { applyErrata, groupByProgram, type ReportEntry } from "./report_entry.ts";
import type { SubjectResult } from "./result.ts";
import { setFamilyOf } from "./subject.ts";
import { THIRD_PARTY_SUBJECTS } from "./subjects.ts";

/** File that contains the results. */
export const RESULTS: URL = new URL("results.json", import.meta.url);

/** File that lists the failing cases for `parley-kit explain`. */
export const KNOWN_FAILURES: URL = new URL(
  "../../conformance/known_failures.json",
  import.meta.url,
);

/**
 * Formats the results: one line for each area, failing case and reason, so that a difference
 * between two versions of the file shows what changed.
 */
export function formatResults(results: readonly SubjectResult[]): string {
  return `[\n${results.map(formatResult).join(",\n")}\n]\n`;
}

function formatResult(result: SubjectResult): string {
  const members = Object.entries(result).map(([name, value]) =>
    `    ${JSON.stringify(name)}: ${formatMember(value)}`
  );
  return `  {\n${members.join(",\n")}\n  }`;
}

function formatMember(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isArray = Array.isArray(value);
  const lines = Object.entries(value).map(([name, item]) =>
    `      ${isArray ? "" : `${JSON.stringify(name)}: `}${JSON.stringify(item)}`
  );
  const [open, close] = isArray ? "[]" : "{}";
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(",\n")}\n    ${close}`;
}

/** Reads the stored results. */
export async function readResults(): Promise<readonly SubjectResult[]> {
  return JSON.parse(await readText(RESULTS) ?? "[]");
}

/** Sorts results in the order of the subjects. Results of removed subjects are omitted. */
export function sortResults(results: readonly SubjectResult[]): readonly SubjectResult[] {
  const byName = new Map(results.map((result) => [result.name, result]));
  return THIRD_PARTY_SUBJECTS.flatMap(({ name }) => byName.get(name) ?? []);
}

/**
 * Combines results with their subjects, in the order of the subjects, and applies today's errata.
 * Results of removed subjects are omitted.
 */
export function toEntries(results: readonly SubjectResult[]): readonly ReportEntry[] {
  const byName = new Map(results.map((result) => [result.name, result]));
  const suite = loadSuite();
  const current = new Set(
    findSets([...new Set(THIRD_PARTY_SUBJECTS.map(setFamilyOf))])
      .map((set) => describeSet(set, suite)).map(keyOf),
  );
  const errata = strongestErrata(KIT_REQUIREMENTS.errata);
  return THIRD_PARTY_SUBJECTS.flatMap((subject) => {
    const stored = byName.get(subject.name);
    if (stored === undefined) return [];
    const { set, digest = "" } = stored;
    // Older results also contain what is only permitted.
    const red = stored.red.filter(({ level }) => level !== CaseLevel.May);
    const isOlder = !current.has(keyOf({ name: set, digest }));
    return [{ subject, isOlder, ...applyErrata({ ...stored, red }, errata) }];
  });
}

function keyOf({ name, digest }: { readonly name: string; readonly digest: string }): string {
  return `${name} ${digest}`;
}

/** Reads the histories of the programs, keyed by program. */
export async function readHistories(
  entries: readonly ReportEntry[],
): Promise<ReadonlyMap<string, readonly HistoryPoint[]>> {
  const programs = [...groupByProgram(entries).keys()];
  return new Map(
    await Promise.all(
      programs.map(async (program) => [program, await readHistory(program)] as const),
    ),
  );
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
