/**
 * The draft set: the digests of all cases. A test compares them with the cases, so that no case
 * changes unnoticed.
 *
 * @module
 */

import type { Suite } from "../kit/load_cases.ts";
import type { SetCase } from "../kit/requirement_set.ts";
import { FORMAT, toSetCase } from "../runner/case_digest.ts";

/** The file of the draft set. */
export interface DraftSet {
  /** Version of the rules by which the kit runs the cases. */
  readonly format: number;
  /** All cases, sorted by id. */
  readonly cases: readonly SetCase[];
}

/** Creates the draft set of a suite. */
export function createDraft(suite: Suite): DraftSet {
  return { format: FORMAT, cases: sortCases([...suite.values()].map(toSetCase)) };
}

/** Formats a set: one line for each case, so that changes of different cases seldom conflict. */
export function formatSet(set: { readonly cases: readonly SetCase[] }): string {
  const { cases, ...members } = set;
  const head = Object.entries(members).map(([name, value]) =>
    `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`
  );
  const lines = cases.map(({ id, level, digest }) =>
    `    { "id": ${JSON.stringify(id)}, "level": "${level}", "digest": "${digest}" }`
  );
  return `{\n${head.join("")}  "cases": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/** Describes each case that differs from the cases of a set. */
export function compareCases(
  before: readonly SetCase[],
  after: readonly SetCase[],
): readonly string[] {
  const old = new Map(before.map((each) => [each.id, each]));
  const now = new Map(after.map((each) => [each.id, each]));
  return [...new Set([...old.keys(), ...now.keys()])].sort().flatMap((id) => {
    const [one, other] = [old.get(id), now.get(id)];
    if (one === undefined) return [`${id} is new`];
    if (other === undefined) return [`${id} is removed`];
    return one.digest === other.digest ? [] : [`${id} has changed${describeLevels(one, other)}`];
  });
}

/** Sorts cases by the UTF-16 code units of their ids. */
export function sortCases(cases: readonly SetCase[]): readonly SetCase[] {
  return cases.toSorted((one, other) => one.id < other.id ? -1 : 1);
}

function describeLevels(one: SetCase, other: SetCase): string {
  return one.level === other.level ? "" : ` from ${one.level} to ${other.level}`;
}
