/**
 * Reproducible results for one third-party subject.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import type { Implementation, Report } from "../../conformance/kit/report.ts";
import { Profile, profileOf } from "../../conformance/kit/profile.ts";
import { fitsId } from "../../conformance/kit/select_cases.ts";
import { type CaseResult, isFailingVerdict, Verdict } from "../../conformance/kit/verdict.ts";
import type { Agreement, UnstableCase } from "./gate.ts";
import { toStableLine } from "./stable_line.ts";
import type { ThirdPartySubject } from "./subject.ts";

/** A case that the subject fails. */
export interface FailingCase {
  /** Id of the case. */
  readonly id: string;
  /** Transport, for cases that run over several transports. */
  readonly transport?: string;
  /** Requirement level. */
  readonly level: CaseLevel;
  /** Basis of the requirement: a specification, or a decision made by this project. */
  readonly basis: string;
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
  /** Cases whose results differ between two runs. */
  readonly unstable: number;
}

/** Results for one subject. */
export interface SubjectResult {
  /** Name of the subject. */
  readonly name: string;
  /** Version of the package. */
  readonly version: string;
  /** Name and version that the running program reports. */
  readonly says: string;
  /** Requirement set that selected the cases. */
  readonly set: string;
  /** Digest of the set. Absent for results from before sets had digests. */
  readonly digest?: string;
  /** Errata of the set that were applied. */
  readonly errata: readonly string[];
  /** Version of the kit. */
  readonly kit: string;
  /** Date of the runs, as `YYYY-MM-DD`. */
  readonly date: string;
  /** Number of runs that agree on the results. */
  readonly runs: number;
  /** Number of passed cases. */
  readonly passed: number;
  /** Case counts by area, sorted by area. */
  readonly areas: Readonly<Record<string, AreaCounts>>;
  /** Failing cases, sorted by id. */
  readonly red: readonly FailingCase[];
  /** Cases whose results differ between the runs, sorted by id. They count as no failures. */
  readonly unstable: readonly UnstableCase[];
  /** Cases with the verdict `n/a` or `untestable`, by reason. */
  readonly leftOut: readonly LeftOut[];
}

/** Set that the rows from before the gate carry: all cases of that day, judged in one run. */
export const UNVERSIONED_SET = "draft of 2026-11-23";

/**
 * Extracts the reproducible results from two runs.
 *
 * @param report Report of the first run.
 * @param agreement Results on which the two runs agree, and the other cases.
 */
export function toSubjectResult(
  subject: ThirdPartySubject,
  report: Report,
  { agreed, unstable }: Agreement,
): SubjectResult {
  return {
    name: subject.name,
    version: subject.version,
    says: [...new Set(report.subjects.map(describe))].join(", "),
    ...setOf(report),
    kit: report.kit,
    date: report.startedAt.slice(0, 10),
    runs: 2,
    passed: agreed.filter(({ verdict }) => verdict === Verdict.Pass).length,
    areas: countAreas([
      ...agreed.map((each) => [each.id, outcomeOf(each)] as const),
      ...unstable.map(({ id }) => [id, "unstable"] as const),
    ]),
    red: agreed.filter(({ verdict }) => isFailingVerdict(verdict))
      .map(toFailingCase)
      .toSorted(byPlace),
    unstable: unstable.toSorted(byPlace),
    leftOut: countLeftOut(agreed),
  };
}

/** Returns the requirement set of a run. */
function setOf(
  { requirements = [], errata = [] }: Report,
): Pick<SubjectResult, "set" | "digest" | "errata"> {
  const [set] = requirements;
  return {
    set: set?.name ?? UNVERSIONED_SET,
    ...(set && { digest: set.digest }),
    errata: errata.map(({ id }) => id),
  };
}

/**
 * Returns a message for each pattern in the notes that matches a selected case, but no failing or
 * unstable case.
 *
 * @param ids Ids of the selected cases.
 */
export function findStaleNotes(
  { name, notes = [] }: ThirdPartySubject,
  { red, unstable }: SubjectResult,
  ids: ReadonlySet<string>,
): readonly string[] {
  const selected = [...ids];
  const known = [...red, ...unstable];
  return notes.flatMap(({ cases }) => cases)
    .filter((pattern) => selected.some((id) => fitsId(pattern, id)))
    .filter((pattern) => !known.some(({ id }) => fitsId(pattern, id)))
    .map((pattern) => `Cannot apply the note on ${pattern} for ${name}: no matching case fails`);
}

/** Returns true if a case tests a decision of this project, whose failure is a difference. */
export function isDifference(failing: Pick<FailingCase, "id" | "basis">): boolean {
  return profileOf(failing) === Profile.Parley;
}

function describe({ name, version }: Implementation): string {
  return `${name} ${version}`;
}

function toFailingCase(result: CaseResult): FailingCase {
  const { id, transport, level, verdict, expected, got, note } = result;
  return {
    id,
    ...(transport === undefined ? {} : { transport }),
    level,
    basis: basisOf(result),
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
  unstable: 0,
};

function countAreas(
  outcomes: readonly (readonly [id: string, outcome: keyof AreaCounts])[],
): Readonly<Record<string, AreaCounts>> {
  const areas = new Map<string, AreaCounts>();
  for (const [id, outcome] of outcomes) {
    const area = id.split("/").slice(0, 2).join("/");
    const counts = areas.get(area) ?? NO_CASES;
    areas.set(area, { ...counts, [outcome]: counts[outcome] + 1 });
  }
  return Object.fromEntries([...areas].toSorted(([a], [b]) => a < b ? -1 : 1));
}

/** Returns the basis of a result. A result without a basis is not a failure. */
function basisOf({ basis = "decision" }: CaseResult): string {
  return basis;
}

function outcomeOf(result: CaseResult): keyof AreaCounts {
  const { id, verdict, level } = result;
  if (verdict === Verdict.Pass) return "passed";
  if (verdict === Verdict.NotApplicable) return "notApplicable";
  if (verdict === Verdict.Untestable) return "untestable";
  if (isDifference({ id, basis: basisOf(result) })) return "differences";
  return level === CaseLevel.Must ? "must" : "should";
}

function byPlace(
  a: Pick<FailingCase, "id" | "transport">,
  b: Pick<FailingCase, "id" | "transport">,
): number {
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
