/**
 * Run reports.
 *
 * @module
 */

import type { StaleEntry } from "./baseline.ts";
import { type CaseResult, isFailure, Verdict } from "./verdict.ts";

/** Implementation under test, as reported by the subject. */
export interface Implementation {
  /** Name. */
  readonly name: string;
  /** Version. */
  readonly version: string;
  /** Programming language. */
  readonly language?: string;
  /** URL of the project. */
  readonly url?: string;
}

/** Result of a run. `schemas/report.schema.json` describes its JSON form. */
export interface Report {
  /** Version of the report format. */
  readonly report: 2;
  /** Version of the kit. */
  readonly kit: string;
  /** Implementations under test, without duplicates. */
  readonly subjects: readonly Implementation[];
  /**
   * Names of the requirement sets that selected the cases. Absent if the run did not use any
   * requirement sets.
   */
  readonly requirements?: readonly string[];
  /** Start time of the run (RFC 3339). */
  readonly startedAt: string;
  /** Duration, in milliseconds. */
  readonly ms: number;
  /** Results, one per case and transport. */
  readonly results: readonly CaseResult[];
  /** Outdated baseline entries. */
  readonly stale: readonly StaleEntry[];
  /** Whether the run was interrupted. */
  readonly isInterrupted: boolean;
}

/** Case counts, by result. */
export interface Counts {
  /** Number of passed cases. */
  readonly passed: number;
  /**
   * Number of stale baseline entries, plus required cases that failed, crashed, timed out, wrote
   * malformed output or were not run. A strict run also counts required cases that are untestable.
   */
  readonly failed: number;
  /** Number of cases that do not apply to the subject. */
  readonly notApplicable: number;
  /** Number of untestable cases that do not count as failed. */
  readonly untestable: number;
  /** Number of failures that the baseline accepts. */
  readonly known: number;
  /** Number of failures in cases that are not required. */
  readonly optional: number;
  /** Number of controls that failed and were run again once, over each transport. */
  readonly retriedControls: number;
}

/**
 * Returns the case counts of a run, by result.
 *
 * @param report The report of a run.
 *
 * @example Count an empty run
 * ```ts
 * import { countResults } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * const counts = countResults({
 *   report: 2,
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
    retriedControls: listRetriedControls(results).length,
  };
}

/** A control that failed and was run again. */
export interface RetriedControl {
  /** Id of the control. */
  readonly id: string;
  /** Transport, for cases that run over several transports. */
  readonly transport?: string;
  /** Whether the control passed when it was run again. */
  readonly passed: boolean;
}

/** Lists the controls that failed and were run again, once per transport. */
export function listRetriedControls(
  results: readonly CaseResult[],
): readonly RetriedControl[] {
  const retried = results.flatMap(({ retriedControl: id, failedControl, transport }) =>
    id === undefined
      ? []
      : [{ id, ...(transport === undefined ? {} : { transport }), passed: failedControl !== id }]
  );
  return [...new Map(retried.map((each) => [`${each.id} ${each.transport}`, each])).values()];
}

/** Formats the last line of each run: `N passed, N failed, N n/a, N untestable`. */
export function formatCounts(counts: Counts): string {
  const { passed, failed, notApplicable, untestable } = counts;
  return `${passed} passed, ${failed} failed, ${notApplicable} n/a, ${untestable} untestable`;
}

/**
 * Returns the exit code of a run.
 *
 * 0: all required cases pass. 1: unexpected failures or stale baseline entries. 3: error in the kit
 * itself. 4: no case was run. 130: interrupted.
 *
 * @param report The report of a run.
 *
 * @example A run without any tested case is not a success
 * ```ts
 * import { exitCode } from "@parley/conformance";
 * import { assertEquals } from "@std/assert";
 *
 * const code = exitCode({
 *   report: 2,
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
