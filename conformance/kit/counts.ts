/**
 * Case counts of a run, from which all reports and the exit code are derived.
 *
 * @module
 */

import { CaseLevel } from "./case.ts";
import { pluralize } from "./pluralize.ts";
import { Profile } from "./profile.ts";
import type { Report } from "./report.ts";
import { type CaseResult, isFailingVerdict, Verdict } from "./verdict.ts";

/** Number of cases for each outcome. Each case is counted once. */
export interface Tally {
  /** Cases that passed. */
  readonly passed: number;
  /** Cases that failed, crashed, timed out or wrote malformed output. */
  readonly failed: number;
  /** Failures that the baseline accepts. */
  readonly known: number;
  /** Cases that were not run, because the run ended first. */
  readonly notRun: number;
  /** Cases that do not apply to the subject. */
  readonly notApplicable: number;
  /** Untestable cases. */
  readonly untestable: number;
  /** Cases that revealed an error in the kit itself. */
  readonly kitFaults: number;
}

/** Case counts of a run. Each case is counted in one of the first five groups. */
export interface Counts {
  /** MUST cases. */
  readonly must: Tally;
  /** SHOULD cases. */
  readonly should: Tally;
  /** Decisions of this project, if the run has a profile. They are never required. */
  readonly differences: Tally;
  /** Cases that are never required, such as MAY and INFO cases. */
  readonly optional: Tally;
  /** Proposed and disputed cases, whose results do not count. */
  readonly uncounted: Tally;
  /** Cases that must pass: MUST cases, and in a strict run SHOULD cases. */
  readonly required: Tally;
  /** All cases. */
  readonly all: Tally;
  /** Number of outdated baseline entries. */
  readonly stale: number;
  /** Number of controls that failed and were run again once, over each transport. */
  readonly retriedControls: number;
}

/** Groups of cases that are counted separately. */
export type CaseGroup = "must" | "should" | "differences" | "optional" | "uncounted";

/** Formats the outcome `failed` of a group of cases. */
export type FailureWord = (group: CaseGroup) => string;

/**
 * Returns the case counts of a run.
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
 * assertEquals([counts.required.failed, counts.stale], [0, 1]);
 * ```
 */
export function countResults({ results, stale }: Report): Counts {
  const inGroup = (group: CaseGroup): Tally =>
    tally(results.filter((result) => groupOf(result) === group));
  return {
    must: inGroup("must"),
    should: inGroup("should"),
    differences: inGroup("differences"),
    optional: inGroup("optional"),
    uncounted: inGroup("uncounted"),
    required: tally(results.filter(({ isRequired }) => isRequired)),
    all: tally(results),
    stale: stale.length,
    retriedControls: listRetriedControls(results).length,
  };
}

/**
 * Returns the group in which a result is counted. A MUST case that is not required counts as
 * optional.
 */
export function groupOf({ level, state, isRequired, isDifference }: CaseResult): CaseGroup {
  if (state !== undefined) return "uncounted";
  if (isDifference === true) return "differences";
  if (level === CaseLevel.Must && isRequired) return "must";
  return level === CaseLevel.Should ? "should" : "optional";
}

/** Returns the outcome under which a result is counted. */
export function outcomeOf({ verdict }: CaseResult): keyof Tally {
  if (verdict === Verdict.KitFault) return "kitFaults";
  if (isFailingVerdict(verdict)) return "failed";
  if (verdict === Verdict.Pass) return "passed";
  if (verdict === Verdict.NotRun) return "notRun";
  if (verdict === Verdict.NotApplicable) return "notApplicable";
  return verdict === Verdict.Untestable ? "untestable" : "known";
}

function tally(results: readonly CaseResult[]): Tally {
  const count = (outcome: keyof Tally): number =>
    results.filter((result) => outcomeOf(result) === outcome).length;
  return {
    passed: count("passed"),
    failed: count("failed"),
    known: count("known"),
    notRun: count("notRun"),
    notApplicable: count("notApplicable"),
    untestable: count("untestable"),
    kitFaults: count("kitFaults"),
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

/**
 * Formats the counts and the requirement sets of a run, for example `MUST 210 passed, 2 failed;
 * SHOULD 30 passed, 1 failed; not run 0; n/a 214; untestable 40 (mcp-2026-07-28.1, digest
 * 3f2a91c0)`.
 *
 * @param report The report of a run.
 * @param wordOf Returns the word for failed cases. If omitted, the word is `failed`.
 */
export function formatLastLine(report: Report, wordOf?: FailureWord): string {
  return `${formatCounts(countResults(report), wordOf).join("; ")}${formatSets(report)}`;
}

/**
 * Formats the parts of the last line. The parts `optional`, `not counted`, `known`, `kit
 * faults` and `stale` are present only if they are not 0.
 */
export function formatCounts(
  counts: Counts,
  wordOf: FailureWord = () => "failed",
): readonly string[] {
  const { optional, differences, uncounted, all } = counts;
  const part = (name: string, group: CaseGroup): string =>
    `${name} ${counts[group].passed} passed, ${counts[group].failed} ${wordOf(group)}`;
  const unlessZero = (name: string, count: number): readonly string[] =>
    count === 0 ? [] : [`${name} ${count}`];
  return [
    part("MUST", "must"),
    part("SHOULD", "should"),
    ...(optional.passed + optional.failed === 0 ? [] : [part("optional", "optional")]),
    ...(differences.passed + differences.failed === 0
      ? []
      : [`decisions ${differences.passed} as Parley, ${differences.failed} different`]),
    ...unlessZero("not counted", uncounted.passed + uncounted.failed),
    ...unlessZero("known", all.known),
    ...unlessZero("kit faults", all.kitFaults),
    ...unlessZero("stale", counts.stale),
    `not run ${all.notRun}`,
    `n/a ${all.notApplicable}`,
    `untestable ${all.untestable}`,
  ];
}

/**
 * Formats the result of a run with the profile `core` or `all`, such as `core 31 of 33 MUST, 6 of 7
 * SHOULD`. Returns `undefined` for other runs.
 */
export function formatHeadline(report: Report): string | undefined {
  if (report.profile === undefined || report.profile === Profile.Parley) return undefined;
  const { must, should } = countResults(report);
  const part = ({ passed, failed }: Tally, level: CaseLevel): string =>
    `${passed} of ${passed + failed} ${level}`;
  return `core ${part(must, CaseLevel.Must)}, ${part(should, CaseLevel.Should)}`;
}

function formatSets({ requirements = [], errata = [] }: Report): string {
  const facts = [
    ...requirements.map(({ name, digest }) => `${name}, digest ${digest.slice(0, 8)}`),
    ...(errata.length === 0 ? [] : [describeErrata(errata.length)]),
  ];
  return facts.length === 0 ? "" : ` (${facts.join(", ")})`;
}

/** Formats the number of errata. */
export function describeErrata(count: number): string {
  return count === 1 ? "1 erratum" : `${count} errata`;
}

/**
 * Returns the word for failed cases in formats for readers who do not know the levels: `failed` for
 * required cases, otherwise `not met`.
 */
export function failureWord(report: Report): FailureWord {
  const isStrict = requiresShould(report);
  return (group) => group === "must" || (group === "should" && isStrict) ? "failed" : "not met";
}

/** Returns true if SHOULD cases are required, as in a strict run. */
export function requiresShould({ results }: Report): boolean {
  return results.some(({ level, isRequired }) => level === CaseLevel.Should && isRequired);
}

/** Returns the number of required cases that are untestable in a strict run, which fail the run. */
export function countLacking({ results }: Report): number {
  return results.filter(({ countsAsFailure }) => countsAsFailure === true).length;
}

/**
 * Returns the reason why a run proves nothing about some required cases: it ended first. Returns
 * `undefined` if all required cases were run.
 */
export function describeIncomplete(report: Report): string | undefined {
  const { notRun } = countResults(report).required;
  if (notRun === 0 && !report.isInterrupted) return undefined;
  const count = `${pluralize(notRun, "required case")} not run`;
  return report.isInterrupted ? `the run was interrupted: ${count}` : count;
}

/**
 * Returns the exit code of a run.
 *
 * 0: all required cases pass, except those that do not apply, are untestable or are known failures.
 * 1: unexpected failures, stale baseline entries, required cases that were not run, or in a strict
 * run, required cases that are untestable. 3: error in the kit itself. 4: no case was tested. 130:
 * interrupted.
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
  const { required, all, uncounted, stale } = countResults(report);
  if (report.isInterrupted) return 130;
  if (all.kitFaults > 0) return 3;
  if (required.failed + required.notRun + countLacking(report) + stale > 0) return 1;
  const tested = (tally: Tally): number => tally.passed + tally.failed + tally.known;
  return tested(all) === tested(uncounted) ? 4 : 0;
}
