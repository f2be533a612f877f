/**
 * Results of the self-test's mutants, controls and null subjects.
 *
 * @module
 */

/** Result of one mutant, control or null subject. */
export type Outcome =
  | { readonly killed: boolean }
  | { readonly spared: boolean }
  /**
   * Runs a control again, which must happen while no other subject is running. Resolves to `true`
   * if no case failed.
   */
  | { readonly retry: () => Promise<boolean> }
  | { readonly passes: number };

/** Control counts. */
export interface ControlCounts {
  /** Number of controls. */
  readonly all: number;
  /** Number of controls that failed no case. */
  readonly spared: number;
  /**
   * Number of controls that were run again because a case had failed while other subjects were
   * running.
   */
  readonly retried: number;
}

/** Runs the failed controls again, one after another, and counts the controls. */
export async function countControls(outcomes: readonly Outcome[]): Promise<ControlCounts> {
  const spared = outcomes.flatMap((each) => "spared" in each ? [each.spared] : []);
  const retries = outcomes.flatMap((each) => "retry" in each ? [each.retry] : []);
  for (const retry of retries) spared.push(await retry());
  return { all: spared.length, spared: spared.filter(Boolean).length, retried: retries.length };
}
