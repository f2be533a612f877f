/**
 * Results of the self-test's mutants, controls and null subjects.
 *
 * @module
 */

/** Result of one mutant, control or null subject. */
export type Outcome =
  | { readonly killed: boolean }
  | { readonly spared: boolean }
  | { readonly passes: number };

/**
 * A result that a busy machine can have caused: a mutant that survived, or a control that failed a
 * case.
 */
export interface Doubt<Place> {
  /** Tests the subject again, which must happen while no other subject is running. */
  readonly retry: (place: Place) => Promise<Outcome>;
}

/** Counts of a self-test. */
export interface Counts {
  /** Number of mutants, and number of mutants that failed at least one case. */
  readonly mutants: { readonly all: number; readonly killed: number };
  /** Number of controls, and number of controls that failed no case. */
  readonly controls: { readonly all: number; readonly spared: number };
  /** Number of cases that null subjects passed. */
  readonly nullPasses: number;
  /** Number of mutants and controls that were tested again. */
  readonly retried: number;
}

/** Tests the subjects in doubt again, one after another, and counts the results. */
export async function countOutcomes<Place>(
  results: readonly (Outcome | Doubt<Place>)[],
  place: Place,
): Promise<Counts> {
  const outcomes: Outcome[] = [];
  let retried = 0;
  for (const result of results) {
    if ("retry" in result) retried++;
    outcomes.push("retry" in result ? await result.retry(place) : result);
  }
  const killed = outcomes.flatMap((each) => "killed" in each ? [each.killed] : []);
  const spared = outcomes.flatMap((each) => "spared" in each ? [each.spared] : []);
  const passes = outcomes.flatMap((each) => "passes" in each ? [each.passes] : []);
  return {
    mutants: { all: killed.length, killed: killed.filter(Boolean).length },
    controls: { all: spared.length, spared: spared.filter(Boolean).length },
    nullPasses: passes.reduce((sum, count) => sum + count, 0),
    retried,
  };
}
