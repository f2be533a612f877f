/**
 * How the inside of a case run ends early.
 *
 * @module
 */

import { type Captures, findMismatch, show } from "../kit/match_value.ts";
import type { Matcher } from "../kit/case.ts";
import { type CaseRun, Verdict } from "../kit/verdict.ts";

/** Thrown to end a case; it carries what came of the case. */
export class CaseEnd extends Error {
  /** What came of the case. */
  readonly run: CaseRun;

  /** Makes the end from what came of the case. */
  constructor(run: CaseRun) {
    super(run.note ?? run.verdict);
    this.run = run;
  }
}

/** Ends the case as failed. */
export function failCase(run: Omit<CaseRun, "verdict">): CaseEnd {
  return new CaseEnd({ verdict: Verdict.Fail, ...run });
}

/** Ends the case without a verdict on the subject, which lacks what the case asks for. */
export function untestableCase(reason: string): CaseEnd {
  return new CaseEnd({ verdict: Verdict.Untestable, note: reason });
}

/** Ends the case, which does not concern the subject. */
export function notApplicableCase(reason: string): CaseEnd {
  return new CaseEnd({ verdict: Verdict.NotApplicable, note: reason });
}

/**
 * Does something that a subject need not be able to do.
 *
 * @param reason why the case does not concern one that cannot; undefined when it has to
 * @param act what fails then
 */
export async function unlessOptional<T>(
  reason: string | undefined,
  act: () => T | Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (reason === undefined || !(error instanceof CaseEnd)) throw error;
    throw error.run.verdict === Verdict.Fail ? notApplicableCase(reason) : error;
  }
}

/**
 * Compares and ends the case at the first difference.
 *
 * @param expected a matcher
 * @param actual the subject's value
 * @param captures what the case remembers
 * @param sent what led to the value, for the report
 */
export function assertMatch(
  expected: Matcher,
  actual: unknown,
  captures: Captures,
  sent: string,
): void {
  const mismatch = findMismatch(expected, actual, captures);
  if (mismatch === undefined) return;
  const { path, expected: wanted, got } = mismatch;
  const place = path === "$" ? "" : ` at ${path}`;
  throw failCase({
    sent,
    expected: wanted + place,
    got: path === "$" ? got : `${got} in ${show(actual)}`,
  });
}

/** The end of a case whose subject does not answer. */
export function hang(sent: string, ms: number): CaseEnd {
  return new CaseEnd({
    verdict: Verdict.Hang,
    sent,
    expected: `a response within ${Math.round(ms)} ms`,
    got: "nothing",
  });
}

/** The end of a case whose subject has died. */
export function crash(sent: string, how: string): CaseEnd {
  return new CaseEnd({
    verdict: Verdict.Crash,
    sent,
    expected: "a response",
    got: `nothing: the process ${how}`,
  });
}

/** Runs the inside of a case and gives what came of it. */
export async function settleCase(run: () => Promise<void>): Promise<CaseRun> {
  try {
    await run();
    return { verdict: Verdict.Pass };
  } catch (error) {
    if (error instanceof CaseEnd) return error.run;
    return {
      verdict: Verdict.KitFault,
      note: error instanceof Error ? error.stack ?? error.message : String(error),
    };
  }
}
