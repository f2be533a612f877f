/**
 * Exceptions that end a case early and carry its result.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { type Captures, findMismatch, show, showText } from "../kit/match_value.ts";
import type { Matcher } from "../kit/case.ts";
import { type CaseRun, type Difference, isFailingVerdict, Verdict } from "../kit/verdict.ts";
import type { Trace } from "../subject/trace.ts";

/** Maximum length of a value in the report, in characters of JSON text. */
const MAX_REPORTED = 4096;

/** Thrown to end a case early with a given result. */
export class CaseEnd extends Error {
  /** The case result. */
  readonly run: CaseRun;

  /** Creates the exception from a case result. */
  constructor(run: CaseRun) {
    super(run.note ?? run.verdict);
    this.run = run;
  }
}

/** Creates the exception that ends the case as failed. */
export function failCase(run: Omit<CaseRun, "verdict">): CaseEnd {
  return new CaseEnd({ verdict: Verdict.Fail, ...run });
}

/**
 * Creates the exception that ends the case as `untestable`: the subject lacks a prerequisite of the
 * case.
 */
export function untestableCase(reason: string): CaseEnd {
  return new CaseEnd({ verdict: Verdict.Untestable, note: reason });
}

/** Creates the exception that ends the case as `n/a`: the case does not apply to the subject. */
export function notApplicableCase(reason: string): CaseEnd {
  return new CaseEnd({ verdict: Verdict.NotApplicable, note: reason });
}

/**
 * Runs a step that tests an optional feature. If the step fails, the case ends as `n/a` instead of
 * `fail`.
 *
 * @param reason Reason for `n/a`. If `undefined`, the feature is required.
 * @param act Function that runs the step.
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
 * Compares a value with a matcher.
 *
 * @param expected The matcher.
 * @param actual Value that the subject returned or sent.
 * @param captures Values captured in the case.
 * @param sent The message that the value responds to, for the report.
 * @throws {CaseEnd} If the value does not match the matcher.
 */
export function assertMatch(
  expected: Matcher,
  actual: unknown,
  captures: Captures,
  sent?: string,
): void {
  const mismatch = findMismatch(expected, actual, captures);
  if (mismatch === undefined) return;
  const { path, expected: wanted, got, matcher, actual: found } = mismatch;
  const place = path === "$" ? "" : ` at ${path}`;
  throw failCase({
    ...(sent === undefined ? {} : { sent }),
    expected: wanted + place,
    got: path === "$" ? got : `${got} in ${show(actual)}`,
    difference: describeDifference(path, matcher, found),
  });
}

/** Describes a difference for the report. Values that are too long for the report are omitted. */
export function describeDifference(at: string, expected: unknown, got: unknown): Difference {
  return {
    at,
    ...(isReportable(expected) ? { expected } : {}),
    ...(isReportable(got) ? { got } : {}),
  };
}

function isReportable(value: unknown): boolean {
  const text = JSON.stringify(value);
  return text !== undefined && text.length <= MAX_REPORTED;
}

/**
 * Runs the steps of a case. Adds the last message that the kit sent to a failure that is not about
 * the response to a specific message.
 */
export async function withLastSent(trace: Trace, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const { lastSent } = trace;
    if (lastSent === undefined || !(error instanceof CaseEnd)) throw error;
    const { run } = error;
    if (run.sent !== undefined || !isFailingVerdict(run.verdict)) throw error;
    throw new CaseEnd({ ...run, sent: showText(lastSent) });
  }
}

/** Creates the exception that ends a case whose subject did not respond in time. */
export function hang(sent: string, ms: number): CaseEnd {
  return new CaseEnd({
    verdict: Verdict.Hang,
    sent,
    expected: `a response within ${Math.round(ms)} ms`,
    got: "no response",
  });
}

/** Creates the exception that ends a case whose subject exited or is unreachable. */
export function crash(sent: string | undefined, reason: string): CaseEnd {
  return new CaseEnd({
    verdict: Verdict.Crash,
    ...(sent === undefined ? {} : { sent }),
    expected: "a response",
    got: `no response: ${reason}`,
  });
}

/**
 * Runs the steps of a case and returns its result. A case whose subject does not start is not run.
 * Unexpected exceptions are reported as kit errors.
 */
export async function settleCase(run: () => Promise<void>): Promise<CaseRun> {
  try {
    await run();
    return { verdict: Verdict.Pass };
  } catch (error) {
    if (error instanceof CaseEnd) return error.run;
    if (error instanceof KitError && error.code === KitErrorCode.SubjectStart) {
      return { verdict: Verdict.NotRun, note: error.message };
    }
    return {
      verdict: Verdict.KitFault,
      note: error instanceof Error ? error.stack ?? error.message : String(error),
    };
  }
}
