/**
 * Runs the kit's cases on one third-party implementation.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import { KitError } from "../../conformance/kit/error.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import type { Report } from "../../conformance/kit/report.ts";
import { run } from "../../conformance/runner/run.ts";
import { type SubjectResult, toSubjectResult } from "./result.ts";
import { type ThirdPartySubject, toSubject } from "./subject.ts";

/** Options for {@linkcode testSubject}. */
export interface TestOptions {
  /** Cases to select from. */
  readonly suite: Suite;
  /** Interrupts the run when aborted. */
  readonly signal: AbortSignal;
  /**
   * Factor by which all timeouts are multiplied, because interpreters and virtual machines can take
   * seconds to start.
   *
   * @default {4}
   */
  readonly timeoutFactor?: number;
}

/** A run that can be published. */
export interface TestedSubject {
  readonly report: Report;
  readonly result: SubjectResult;
}

/**
 * Runs the cases for the subject's library.
 *
 * @returns The results, or `undefined` if the run was interrupted.
 * @throws {KitError} If the run proves nothing about the subject, see {@linkcode toSubjectResult},
 * or if the subject does not start. The message names the subject.
 */
export async function testSubject(
  subject: ThirdPartySubject,
  { suite, signal, timeoutFactor = 4 }: TestOptions,
): Promise<TestedSubject | undefined> {
  const { name, library, revision } = subject;
  try {
    const report = await run({
      subject: toSubject(subject),
      suite,
      select: { libraries: [library], level: CaseLevel.May },
      signal,
      timeoutFactor,
      ...(revision === undefined ? {} : { revision }),
    });
    if (report.isInterrupted) return undefined;
    return { report, result: toSubjectResult(subject, report, suite) };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof KitError) || error.message.includes(`"${name}"`)) throw error;
    throw new KitError(error.code, `Cannot store the results of "${name}": ${error.message}`);
  }
}
