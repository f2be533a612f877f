/**
 * Counts and texts for the results of random mutants.
 *
 * @module
 */

import type { PlaceCounts } from "./drawn_mutant.ts";
import type { RandomReport, RandomResult } from "./random_mutants.ts";

/** Counts of results. */
export interface RandomCounts {
  /** Number of drawn mutants. */
  readonly drawn: number;
  /** Number of mutants that failed a case. */
  readonly killed: number;
  /** Number of mutants that survived, and whose class is excluded. */
  readonly excluded: number;
  /** Number of other mutants that survived and are known survivors. */
  readonly known: number;
  /** Number of mutants that failed a case although their class is excluded or they are known. */
  readonly contradicted: number;
  /** Number of places at which a mutant is possible. */
  readonly places: PlaceCounts;
}

/** Counts the results of some members. */
export function countRandom(
  { results, places }: RandomReport,
  members: readonly string[],
): RandomCounts {
  const own = results.filter(({ member }) => members.includes(member));
  const count = (test: (result: RandomResult) => boolean): number => own.filter(test).length;
  const sum = (name: keyof PlaceCounts): number =>
    members.reduce((total, member) => total + (places[member]?.[name] ?? 0), 0);
  return {
    drawn: own.length,
    killed: count(({ verdict }) => verdict === "killed"),
    excluded: count(({ verdict, excluded }) => verdict === "survived" && excluded !== undefined),
    known: count(({ verdict, excluded, known }) =>
      verdict === "survived" && excluded === undefined && known !== undefined
    ),
    contradicted: count(isContradicted),
    places: { all: sum("all"), outside: sum("outside"), inClasses: sum("inClasses") },
  };
}

/** Returns true if a list says that no case detects the mutant, but a case has detected it. */
export function isContradicted({ verdict, excluded, known }: RandomResult): boolean {
  return verdict === "killed" && (excluded !== undefined || known !== undefined);
}

/**
 * Formats the counts as one line. The score contains the known survivors, but not the mutants of
 * excluded classes that survived.
 */
export function formatCounts(name: string, counts: RandomCounts): string {
  const { drawn, killed, excluded, known, contradicted, places } = counts;
  return [
    `${name}: ${killed} of ${drawn - excluded} killed${percent(killed, drawn - excluded)}`,
    `${excluded} excluded by class survived`,
    `${known} known survivors`,
    `${contradicted} killed although listed`,
    `of ${places.all} places ${places.outside} are in files outside` +
    `${percent(places.outside, places.all)} and ${places.inClasses} in excluded classes` +
    percent(places.inClasses, places.all),
  ].join(", ");
}

function percent(part: number, all: number): string {
  return all === 0 ? "" : ` (${((part / all) * 100).toFixed(1)} %)`;
}

/** Formats a result as one line, followed by the change if the result needs attention. */
export function formatResult(result: RandomResult): string {
  const { id, file, line, operator, verdict, by, before, after } = result;
  const reason = result.excluded ?? result.known;
  const word = isContradicted(result) ? "KILLED ALTHOUGH LISTED" : verdict;
  const head = `${id} ${word} ${file}:${line} ${operator}` +
    (by === undefined ? "" : ` (${by})`) + (reason === undefined ? "" : `: ${reason}`);
  if (!needsAttention(result)) return head;
  const sign = (mark: string, text: string): string => text.replaceAll(/^/gm, `  ${mark} `);
  return `${head}\n${sign("-", before)}\n${sign("+", after)}`;
}

/** Returns true if a mutant survived without a reason, or if a list is wrong about it. */
export function needsAttention(result: RandomResult): boolean {
  const isListed = result.excluded !== undefined || result.known !== undefined;
  return isContradicted(result) || (result.verdict === "survived" && !isListed);
}
