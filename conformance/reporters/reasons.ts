/**
 * Reasons why cases were not tested, for all formats for readers.
 *
 * @module
 */

import { pluralize } from "../kit/pluralize.ts";
import { type CaseRun, Verdict } from "../kit/verdict.ts";
import { groupResults } from "./group_results.ts";

/** A name, and the number of results with this name. */
export type NameCount = readonly [name: string, count: number];

/** Results that have the same verdict and the same kind of reason. */
export interface ReasonGroup<Result extends CaseRun> {
  /** Reason, in which an ellipsis replaces a name that differs between the results. */
  readonly reason: string;
  /** Names in the reason, with the number of results, if the results have different names. */
  readonly names: readonly NameCount[];
  readonly results: readonly Result[];
}

/** Verdicts that are shown once per reason, because many cases share a reason. */
const GROUPED_BY_REASON: ReadonlySet<Verdict> = new Set([
  Verdict.NotApplicable,
  Verdict.Untestable,
  Verdict.NotRun,
]);

/** Reason of the cases that lack fixtures. */
const NO_FIXTURES = "the server lacks fixtures";
/** Maximum number of names in a line. */
const MAX_NAMES = 8;

/** Returns true for results that are shown once per reason. */
export function isGrouped({ verdict }: CaseRun): boolean {
  return GROUPED_BY_REASON.has(verdict);
}

/**
 * Groups results by the kind of reason. Reasons that differ only in quoted names form one group,
 * except controls, and all cases that lack fixtures form one group.
 */
export function groupReasons<Result extends CaseRun>(
  results: readonly Result[],
): readonly ReasonGroup<Result>[] {
  const groups = groupResults(results, (each) => `${each.verdict} ${kindOf(each)}`);
  return [...groups.values()].map((group) => {
    const [first] = group;
    if (first?.missingFixtures !== undefined) {
      return { reason: NO_FIXTURES, names: [], results: group };
    }
    const named = groupResults(group, ({ note = "" }) => namesIn(note));
    if (first === undefined || named.size < 2) {
      return { reason: first?.note ?? "no reason given", names: [], results: group };
    }
    const names = [...named].map(([name, { length }]) => [name, length] as const)
      .sort(([, one], [, other]) => other - one);
    return { reason: kindOf(first), names, results: group };
  });
}

/** Formats names with their counts, such as `tools 12, prompts 3, and 2 others`. */
export function formatNames(names: readonly NameCount[]): string {
  const shown = names.slice(0, MAX_NAMES).map(([name, count]) => `${name} ${count}`);
  const left = names.length - shown.length;
  return [...shown, ...(left === 0 ? [] : [`and ${pluralize(left, "other")}`])].join(", ");
}

function kindOf({ note = "", failedControl, missingFixtures }: CaseRun): string {
  if (missingFixtures !== undefined) return NO_FIXTURES;
  return failedControl === undefined ? note.replace(/"[^"]*"/g, '"…"') : note;
}

function namesIn(note: string): string {
  return [...note.matchAll(/"([^"]*)"/g)].map(([, name]) => name).join(", ");
}
