/**
 * Reproducible results for one third-party subject.
 *
 * @module
 */

import { type Case, CaseLevel } from "../../conformance/kit/case.ts";
import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import { pluralize } from "../../conformance/kit/pluralize.ts";
import type { Implementation, Report } from "../../conformance/kit/report.ts";
import { fitsId } from "../../conformance/kit/select_cases.ts";
import { type CaseResult, isFailingVerdict, Verdict } from "../../conformance/kit/verdict.ts";
import { NO_SESSION } from "../../conformance/runner/server_executor.ts";
import type { ThirdPartySubject } from "./subject.ts";
import { excerpt } from "../../conformance/kit/escape_text.ts";

/** A case that the subject fails. */
export interface FailingCase {
  /** Id of the case. */
  readonly id: string;
  /** Transport, for cases that run over several transports. */
  readonly transport?: string;
  /** Requirement level. */
  readonly level: CaseLevel;
  /** Basis of the requirement: a specification, or a decision made by this project. */
  readonly basis: Case["basis"];
  /** `fail`, `crash`, `hang` or `noise`. */
  readonly verdict: Verdict;
  /** Expected value, in one line. */
  readonly expected: string;
  /** Actual value, in one line. */
  readonly got: string;
}

/** Number of cases that are `n/a` or `untestable` for the same reason. */
export interface LeftOut {
  /** `n/a` or `untestable`. */
  readonly verdict: Verdict;
  /** Reason for the verdict. */
  readonly reason: string;
  /** Number of cases. */
  readonly count: number;
}

/**
 * Case counts for one area, such as `mcp/tools`, by outcome; their sum is the number of cases in
 * the area.
 */
export interface AreaCounts {
  /** Passed cases. */
  readonly passed: number;
  /** Failing MUST cases that test a protocol specification. */
  readonly must: number;
  /** Failing cases with a lower level that test a protocol specification. */
  readonly should: number;
  /** Failing cases, of any level, that test a requirement of this project only. */
  readonly differences: number;
  /** Cases with the verdict `n/a`. */
  readonly notApplicable: number;
  /** Cases with the verdict `untestable`. */
  readonly untestable: number;
}

/** Results for one subject. */
export interface SubjectResult {
  /** Name of the subject. */
  readonly name: string;
  /** Version of the package. */
  readonly version: string;
  /** Name and version that the running program reports. */
  readonly says: string;
  /** Version of the kit. */
  readonly kit: string;
  /** Date of the run, as `YYYY-MM-DD`. */
  readonly date: string;
  /** Number of passed cases. */
  readonly passed: number;
  /** Case counts by area, sorted by area. */
  readonly areas: Readonly<Record<string, AreaCounts>>;
  /** Failing cases, sorted by id. */
  readonly red: readonly FailingCase[];
  /** Cases with the verdict `n/a` or `untestable`, by reason. */
  readonly leftOut: readonly LeftOut[];
}

const MAX_LINE = 160;

/** Patterns of values that differ between runs, with their replacements. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<uuid>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>"],
  [/\b(127\.0\.0\.1|localhost):\d+/g, "$1:<port>"],
  [/\b\d+(?:\.\d+)? ms\b/g, "<n> ms"],
  [/(?:file:\/\/)?\/[^\s"':]*\/(?=(?:conformance|lab|node_modules|npm)\/)/g, ""],
];

/**
 * Extracts the reproducible results from the report of a run.
 *
 * @param cases The selected cases, keyed by id.
 * @throws {KitError} With code `kit_fault` if a case revealed a fault in the kit, with code
 * `subject_start` if cases were not run or no case passed. Such a run must not be published,
 * because it proves nothing about the subject.
 */
export function toSubjectResult(
  subject: ThirdPartySubject,
  report: Report,
  cases: ReadonlyMap<string, Pick<Case, "basis">>,
): SubjectResult {
  assertPublishable(subject, report);
  const { results } = report;
  const basisOf = (id: string): FailingCase["basis"] => cases.get(id)?.basis ?? "unknown";
  return {
    name: subject.name,
    version: subject.version,
    says: [...new Set(report.subjects.map(describe))].join(", "),
    kit: report.kit,
    date: report.startedAt.slice(0, 10),
    passed: results.filter(({ verdict }) => verdict === Verdict.Pass).length,
    areas: countAreas(results, basisOf),
    red: results.filter(({ verdict }) => isFailingVerdict(verdict))
      .map((each) => toFailingCase(each, basisOf(each.id)))
      .toSorted(byPlace),
    leftOut: countLeftOut(results),
  };
}

/** Throws if failing cases of a run can have a cause other than a fault of the subject. */
function assertPublishable({ name }: ThirdPartySubject, { results }: Report): void {
  const refuse = (code: KitErrorCode, reason: string): KitError =>
    new KitError(code, `Cannot store the results of "${name}": ${reason}`);
  const fault = results.find(({ verdict }) => verdict === Verdict.KitFault);
  if (fault !== undefined) {
    throw refuse(KitErrorCode.KitFault, `${fault.id} revealed a fault in the kit`);
  }
  const notRun = results.filter(({ verdict, note = "" }) =>
    verdict === Verdict.NotRun || note.startsWith(NO_SESSION)
  );
  if (notRun.length > 0) {
    const reason = toStableLine(notRun[0]?.note ?? "unknown reason");
    throw refuse(
      KitErrorCode.SubjectStart,
      `${pluralize(notRun.length, "case")} of ${results.length} could not be run: ${reason}`,
    );
  }
  if (!results.some(({ verdict }) => verdict === Verdict.Pass)) {
    throw refuse(KitErrorCode.SubjectStart, "no case passed");
  }
}

/** Returns a message for each pattern in the notes that matches no failing case. */
export function findStaleNotes(
  { name, notes = [] }: ThirdPartySubject,
  { red }: SubjectResult,
): readonly string[] {
  return notes.flatMap(({ cases }) => cases)
    .filter((pattern) => !red.some(({ id }) => fitsId(pattern, id)))
    .map((pattern) => `Cannot apply the note on ${pattern} for ${name}: no matching case fails`);
}

/** Joins text into one line and replaces values that differ between runs with placeholders. */
export function toStableLine(text: string): string {
  const line = VOLATILE.reduce(
    (left, [pattern, place]) => left.replace(pattern, place),
    text.replace(/\s+/g, " ").trim(),
  );
  return excerpt(line, MAX_LINE);
}

/**
 * Returns true if a case tests a requirement of this project only: a decision, or any requirement
 * of agent loops, for which no common specification exists.
 */
export function isDifference({ id, basis }: Pick<FailingCase, "id" | "basis">): boolean {
  return basis === "decision" || id.startsWith("runtime/");
}

function describe({ name, version }: Implementation): string {
  return `${name} ${version}`;
}

function toFailingCase(result: CaseResult, basis: FailingCase["basis"]): FailingCase {
  const { id, transport, level, verdict, expected, got, note } = result;
  return {
    id,
    ...(transport === undefined ? {} : { transport }),
    level,
    basis,
    verdict,
    expected: toStableLine(expected ?? "a response"),
    got: toStableLine(got ?? note ?? verdict),
  };
}

const NO_CASES: AreaCounts = {
  passed: 0,
  must: 0,
  should: 0,
  differences: 0,
  notApplicable: 0,
  untestable: 0,
};

function countAreas(
  results: readonly CaseResult[],
  basisOf: (id: string) => FailingCase["basis"],
): Readonly<Record<string, AreaCounts>> {
  const areas = new Map<string, AreaCounts>();
  for (const result of results) {
    // The ids of recorded cases have more than one part after the area.
    const area = result.id.split("/").slice(0, 2).join("/");
    const counts = areas.get(area) ?? NO_CASES;
    const outcome = outcomeOf(result, basisOf(result.id));
    areas.set(area, { ...counts, [outcome]: counts[outcome] + 1 });
  }
  return Object.fromEntries([...areas].toSorted(([a], [b]) => a < b ? -1 : 1));
}

function outcomeOf(
  { id, verdict, level }: CaseResult,
  basis: FailingCase["basis"],
): keyof AreaCounts {
  if (verdict === Verdict.Pass) return "passed";
  if (verdict === Verdict.NotApplicable) return "notApplicable";
  if (verdict === Verdict.Untestable) return "untestable";
  if (isDifference({ id, basis })) return "differences";
  return level === CaseLevel.Must ? "must" : "should";
}

function byPlace(a: FailingCase, b: FailingCase): number {
  const [left, right] = [a, b].map(({ id, transport = "" }) => `${id} ${transport}`);
  return (left ?? "") < (right ?? "") ? -1 : 1;
}

function countLeftOut(results: readonly CaseResult[]): readonly LeftOut[] {
  const found = new Map<string, LeftOut>();
  for (const { verdict, note = "" } of results) {
    if (verdict !== Verdict.NotApplicable && verdict !== Verdict.Untestable) continue;
    const reason = toStableLine(note);
    const key = `${verdict}: ${reason}`;
    found.set(key, { verdict, reason, count: (found.get(key)?.count ?? 0) + 1 });
  }
  return [...found].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, each]) => each);
}
