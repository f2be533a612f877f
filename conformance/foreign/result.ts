/**
 * What came of the cases on one foreign subject, without what differs from run to run.
 *
 * @module
 */

import type { Case, CaseLevel } from "../kit/case.ts";
import { KitError, KitErrorCode } from "../kit/error.ts";
import type { Implementation, Report } from "../kit/report.ts";
import { fitsId } from "../kit/select_cases.ts";
import { type CaseResult, isFailingVerdict, Verdict } from "../kit/verdict.ts";
import type { ForeignSubject } from "./subject.ts";

/** A case that the subject does not pass. */
export interface RedCase {
  /** The case. */
  readonly id: string;
  /** The transport, for cases that run on several. */
  readonly transport?: string;
  /** How binding it is. */
  readonly level: CaseLevel;
  /** What makes it binding: a protocol, or a decision of ours. */
  readonly basis: Case["basis"];
  /** `fail`, `crash`, `hang`, `noise` or `not_run`. */
  readonly verdict: Verdict;
  /** What was expected, in one line. */
  readonly expected: string;
  /** What came, in one line. */
  readonly got: string;
}

/** Cases that could not be asked, for one reason. */
export interface LeftOut {
  /** `n/a` or `untestable`. */
  readonly verdict: Verdict;
  /** Why. */
  readonly reason: string;
  /** How many. */
  readonly count: number;
}

/** What came of one subject. */
export interface ForeignResult {
  /** The subject's name. */
  readonly name: string;
  /** Version of its package. */
  readonly version: string;
  /** What the running program says of itself. */
  readonly says: string;
  /** Version of the kit. */
  readonly kit: string;
  /** The day of the run, `YYYY-MM-DD`. */
  readonly date: string;
  /** How many cases passed. */
  readonly passed: number;
  /** The cases that did not, by id. */
  readonly red: readonly RedCase[];
  /** The cases that could not be asked, by reason. */
  readonly leftOut: readonly LeftOut[];
}

const MAX_LINE = 160;

/** What may differ between two runs that found the same, and what to write in its place. */
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<uuid>"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "<time>"],
  [/\b(127\.0\.0\.1|localhost):\d+/g, "$1:<port>"],
  [/\b\d+(?:\.\d+)? ms\b/g, "<n> ms"],
  [/(?:file:\/\/)?\/[^\s"':]*\/(?=(?:conformance|node_modules|npm)\/)/g, ""],
];

/**
 * Takes what lasts out of the report of a run.
 *
 * @param cases the cases that were run, by their ids
 * @throws {KitError} `kit_fault` when the kit broke its own rules, or nothing was asked
 */
export function toForeignResult(
  subject: ForeignSubject,
  report: Report,
  cases: ReadonlyMap<string, Pick<Case, "basis">>,
): ForeignResult {
  const { results } = report;
  const fault = results.find(({ verdict }) => verdict === Verdict.KitFault);
  if (fault !== undefined || results.length === 0) {
    const what = fault === undefined ? "no case was run" : `${fault.id} is a fault of the kit`;
    throw new KitError(KitErrorCode.KitFault, `Cannot judge ${subject.name}: ${what}`);
  }
  return {
    name: subject.name,
    version: subject.version,
    says: [...new Set(report.subjects.map(describe))].join(", "),
    kit: report.kit,
    date: report.startedAt.slice(0, 10),
    passed: results.filter(({ verdict }) => verdict === Verdict.Pass).length,
    red: results.filter(({ verdict }) => isFailingVerdict(verdict))
      .map((each) => toRedCase(each, cases.get(each.id)?.basis ?? "unknown"))
      .toSorted(byPlace),
    leftOut: countLeftOut(results),
  };
}

/** The remarks that no red case needs, one line each. */
export function findStaleRemarks(
  { name, remarks = [] }: ForeignSubject,
  { red }: ForeignResult,
): readonly string[] {
  return remarks.flatMap(({ cases }) => cases)
    .filter((pattern) => !red.some(({ id }) => fitsId(pattern, id)))
    .map((pattern) => `The remark on ${pattern} for ${name} is stale: no such case is red`);
}

/** One line of text that is the same in every run. */
export function toStableLine(text: string): string {
  const line = VOLATILE.reduce(
    (left, [pattern, place]) => left.replace(pattern, place),
    text.replace(/\s+/g, " ").trim(),
  );
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…`;
}

function describe({ name, version }: Implementation): string {
  return `${name} ${version}`;
}

function toRedCase(result: CaseResult, basis: RedCase["basis"]): RedCase {
  const { id, transport, level, verdict, expected, got, note } = result;
  return {
    id,
    ...(transport === undefined ? {} : { transport }),
    level,
    basis,
    verdict,
    expected: toStableLine(expected ?? "an answer"),
    got: toStableLine(got ?? note ?? verdict),
  };
}

function byPlace(a: RedCase, b: RedCase): number {
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
