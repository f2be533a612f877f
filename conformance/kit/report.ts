/**
 * The result of a run.
 *
 * @module
 */

import type { StaleEntry } from "./baseline.ts";
import { type CaseResult, isFailure, Verdict } from "./verdict.ts";

/** Who is being tested, in the subject's own words. */
export interface Implementation {
  /** Its name. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** The language it is written in. */
  readonly language?: string;
  /** Where it lives. */
  readonly url?: string;
}

/** Everything that a run found out; its JSON has the shape of `schemas/report.schema.json`. */
export interface Report {
  /** Version of this shape. */
  readonly report: 1;
  /** Version of the kit. */
  readonly kit: string;
  /** Who was tested, one entry per way it was reached. */
  readonly subjects: readonly Implementation[];
  /** When the run began, RFC 3339. */
  readonly startedAt: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What came of each case. */
  readonly results: readonly CaseResult[];
  /** Entries of the baseline that no longer hold. */
  readonly stale: readonly StaleEntry[];
  /** Whether the run was ended before it was done. */
  readonly isInterrupted: boolean;
}

/** How many cases came to what. */
export interface Counts {
  /** Passed. */
  readonly passed: number;
  /** Failed, crashed, hung, made noise or were not run, as far as required; in a strict run also required cases that
   * are untestable; and stale baseline entries. */
  readonly failed: number;
  /** Do not concern the subject. */
  readonly notApplicable: number;
  /** Could not be tried, and do not count as failed. */
  readonly untestable: number;
  /** Failures that the baseline lists. */
  readonly known: number;
  /** Failures that the profile does not require to pass. */
  readonly optional: number;
}

/**
 * Counts what a run came to.
 *
 * @param report the report of a run
 *
 * @example Count an empty run
 * ```ts
 * import { countResults } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * const counts = countResults({
 *   report: 1,
 *   kit: "0.1.0",
 *   subjects: [],
 *   startedAt: "2026-01-02T03:04:05.678Z",
 *   ms: 0,
 *   results: [],
 *   stale: [{ id: "comm/x/y", reason: "comm/x/y passes" }],
 *   isInterrupted: false,
 * });
 * assertEquals(counts.failed, 1);
 * ```
 */
export function countResults({ results, stale }: Report): Counts {
  const count = (test: (result: CaseResult) => boolean): number => results.filter(test).length;
  return {
    passed: count(({ verdict }) => verdict === Verdict.Pass),
    failed: count((result) => isFailure(result) && result.isRequired) + stale.length,
    notApplicable: count(({ verdict }) => verdict === Verdict.NotApplicable),
    untestable: count((result) => result.verdict === Verdict.Untestable && !isFailure(result)),
    known: count(({ verdict }) => verdict === Verdict.Known || verdict === Verdict.KnownFlaky),
    optional: count((result) => isFailure(result) && !result.isRequired),
  };
}

/** The line that closes every run: `N passed, N failed, N n/a, N untestable`. */
export function formatCounts(counts: Counts): string {
  const { passed, failed, notApplicable, untestable } = counts;
  return `${passed} passed, ${failed} failed, ${notApplicable} n/a, ${untestable} untestable`;
}

/**
 * The exit code for a report.
 *
 * 0: everything required passes. 1: an unexpected failure or a stale baseline. 3: the kit broke its own rules.
 * 4: nothing ran. 130: interrupted.
 *
 * @param report the report of a run
 *
 * @example A run in which nothing could be tried is not a success
 * ```ts
 * import { exitCode } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * const code = exitCode({
 *   report: 1,
 *   kit: "0.1.0",
 *   subjects: [],
 *   startedAt: "2026-01-02T03:04:05.678Z",
 *   ms: 0,
 *   results: [],
 *   stale: [],
 *   isInterrupted: false,
 * });
 * assertEquals(code, 4);
 * ```
 */
export function exitCode(report: Report): number {
  if (report.isInterrupted) return 130;
  if (report.results.some(({ verdict }) => verdict === Verdict.KitFault)) return 3;
  const { passed, failed, known, optional } = countResults(report);
  if (failed > 0) return 1;
  return passed + known + optional === 0 ? 4 : 0;
}
