/**
 * Fixtures that a server lacks, by the number of cases that they make testable.
 *
 * @module
 */

import type { CaseRun } from "./verdict.ts";

/** Fixtures that a server lacks. */
export interface MissingFixtures {
  /**
   * Names of the fixtures, such as `tool:test_simple_text`. Several fixtures are listed together if
   * each of them alone makes no case testable.
   */
  readonly fixtures: readonly string[];
  /** Number of cases that the fixtures make testable, together with all fixtures listed before. */
  readonly cases: number;
}

/**
 * Lists the fixtures that untestable cases need, so that the next fixtures in the list always make
 * the most cases testable. The sum of `cases` is the number of untestable cases that lack fixtures.
 *
 * A case that needs several fixtures counts only when the list contains all of them.
 *
 * @param results The results of a run.
 */
export function listMissingFixtures(results: readonly CaseRun[]): readonly MissingFixtures[] {
  let left = results.flatMap(({ missingFixtures }) =>
    missingFixtures === undefined ? [] : [missingFixtures]
  );
  const found: MissingFixtures[] = [];
  while (left.length > 0) {
    const fixtures = findBest(left);
    const rest = left.map((each) => each.filter((name) => !fixtures.includes(name)))
      .filter((each) => each.length > 0);
    found.push({ fixtures, cases: left.length - rest.length });
    left = rest;
  }
  return found;
}

/** Returns the fixtures with the highest number of cases for each fixture. */
function findBest(left: readonly (readonly string[])[]): readonly string[] {
  const choices = new Map(left.map((each) => [each.toSorted().join("\n"), each.toSorted()]));
  const gains = [...choices.values()].map((fixtures) => {
    const cases = left.filter((each) => each.every((name) => fixtures.includes(name))).length;
    return { fixtures, gain: cases / fixtures.length };
  });
  const [first, ...others] = gains;
  const best = others.reduce((one, other) => other.gain > (one?.gain ?? 0) ? other : one, first);
  return best?.fixtures ?? [];
}
