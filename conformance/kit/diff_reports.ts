/**
 * Compares two reports. Only results of cases with equal digests are compared, so the reports can
 * be from different kit versions and requirement sets.
 *
 * @module
 */

import { amendReport, keyOf } from "./amend_report.ts";
import { CaseLevel } from "./case.ts";
import type { ComparedReport, ComparedResult } from "./read_report.ts";
import { KIT_REQUIREMENTS, type ReleasedRequirements } from "./requirements.ts";
import { describeState, Verdict } from "./verdict.ts";

/** A result that differs between two reports. */
export interface Change {
  /** Case id. */
  readonly id: string;
  /** Transport, for cases that run over several transports. */
  readonly transport?: string;
  /** Level in the newer report that contains the case. */
  readonly level: CaseLevel;
  /** Verdict in the older report. */
  readonly before?: Verdict;
  /** Verdict in the newer report. */
  readonly after?: Verdict;
  /** Set if the case tests a decision of this project, and one of the runs has a profile. */
  readonly isDifference?: true;
  /** Reason why the results cannot be compared. */
  readonly reason?: string;
}

/** Kinds of changes. */
export const CHANGE_KINDS = [
  "worse",
  "better",
  "changed",
  "newlyRun",
  "noLongerRun",
  "added",
  "gone",
  "uncounted",
] as const;

/** A value of {@linkcode CHANGE_KINDS}. */
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/** Differences between two reports. */
export interface ReportDiff extends Readonly<Record<ChangeKind, readonly Change[]>> {
  /** Ids of the errata that were applied to the reports, and that the runs had not applied. */
  readonly errata: readonly string[];
  /** Number of MUST cases that passed before and fail now, without decisions of this project. */
  readonly worseMust: number;
}

/** A change and its kind. */
type Found = readonly [kind: ChangeKind, change: Change];

/** Verdicts that show neither that a case passes nor that it fails. */
const UNTESTED: ReadonlySet<Verdict> = new Set([
  Verdict.NotApplicable,
  Verdict.Untestable,
  Verdict.NotRun,
  Verdict.KitFault,
  Verdict.KnownFlaky,
]);

const UNCLEAR = "an erratum lets the case accept further values: run the case again";

/**
 * Compares two reports.
 *
 * @param before The older report.
 * @param after The newer report.
 * @param released Released sets, whose errata are applied to both reports.
 */
export function diffReports(
  before: ComparedReport,
  after: ComparedReport,
  released: ReleasedRequirements = KIT_REQUIREMENTS,
): ReportDiff {
  const [old, now] = [amendReport(before, released), amendReport(after, released)];
  const unclear = new Set([...old.unclear, ...now.unclear]);
  const olds = new Map(old.results.map((result) => [keyOf(result), result]));
  const nows = new Map(now.results.map((result) => [keyOf(result), result]));
  const found = [...new Set([...nows.keys(), ...olds.keys()])].flatMap((key) =>
    compare(olds.get(key), nows.get(key), unclear.has(key))
  );
  const listOf = (kind: ChangeKind): readonly Change[] =>
    found.flatMap(([each, change]) => each === kind ? [change] : []);
  const worse = listOf("worse");
  return {
    worse,
    better: listOf("better"),
    changed: listOf("changed"),
    newlyRun: listOf("newlyRun"),
    noLongerRun: listOf("noLongerRun"),
    added: listOf("added"),
    gone: listOf("gone"),
    uncounted: listOf("uncounted"),
    errata: [...new Set([...old.applied, ...now.applied])],
    worseMust:
      found.filter(([kind, { level, isDifference }]) =>
        kind === "worse" && level === CaseLevel.Must && isDifference !== true
      ).length,
  };
}

function compare(
  old: ComparedResult | undefined,
  now: ComparedResult | undefined,
  isUnclear: boolean,
): readonly Found[] {
  if (old === undefined) return now === undefined ? [] : [["added", toChange(now, { now })]];
  if (now === undefined) return [["gone", toChange(old, { old })]];
  const change = toChange(now, { old, now });
  if (old.rev !== now.rev) {
    return [["changed", {
      ...change,
      reason: `the case has changed from ${old.rev} to ${now.rev}`,
    }]];
  }
  if (isUnclear) return [["changed", { ...change, reason: UNCLEAR }]];
  const [before, after] = [outcomeOf(old), outcomeOf(now)];
  if (before === after) return [];
  const state = describeState(now) ?? describeState(old);
  if (state !== undefined) return [["uncounted", { ...change, reason: state }]];
  if (before === "untested") return [["newlyRun", change]];
  if (after === "untested") return [["noLongerRun", change]];
  return [[after === "passed" ? "better" : "worse", change]];
}

function toChange(
  { id, transport, level }: ComparedResult,
  { old, now }: { readonly old?: ComparedResult; readonly now?: ComparedResult },
): Change {
  return {
    id,
    ...(transport === undefined ? {} : { transport }),
    level,
    ...(old?.isDifference === true || now?.isDifference === true ? { isDifference: true } : {}),
    ...(old === undefined ? {} : { before: old.verdict }),
    ...(now === undefined ? {} : { after: now.verdict }),
  };
}

function outcomeOf({ verdict }: ComparedResult): "passed" | "failed" | "untested" {
  if (UNTESTED.has(verdict)) return "untested";
  return verdict === Verdict.Pass ? "passed" : "failed";
}
