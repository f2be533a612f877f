/**
 * Runs the kit's cases twice on one third-party implementation.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import { excerpt } from "../../conformance/kit/escape_text.ts";
import { KitError } from "../../conformance/kit/error.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import type { Report } from "../../conformance/kit/report.ts";
import type { Selection } from "../../conformance/kit/select_cases.ts";
import { inspect, run } from "../../conformance/runner/run.ts";
import { compareRuns, findDoubts, RunWatch } from "./gate.ts";
import { findRegistryProblem } from "./registry.ts";
import { type SubjectResult, toSubjectResult } from "./result.ts";
import { setFamilyOf, type ThirdPartySubject, toSubject } from "./subject.ts";

/** Options for {@linkcode testSubject}. */
export interface TestOptions {
  /** Cases to select from. */
  readonly suite: Suite;
  /** Interrupts the runs when aborted. */
  readonly signal: AbortSignal;
  /**
   * Factor by which all timeouts are multiplied, because interpreters and virtual machines can take
   * seconds to start.
   *
   * @default {4}
   */
  readonly timeoutFactor?: number;
  /**
   * Time allowed for the first start, which can install packages.
   *
   * @default {300_000}
   */
  readonly startMs?: number;
  /**
   * Time allowed for each run.
   *
   * @default {3_600_000}
   */
  readonly runMs?: number;
  /** URL of the npm registry, for the explanation of a failed start. */
  readonly registry?: string;
}

/** Result of the runs of a subject. */
export type Outcome =
  /** Both runs are plausible. */
  | {
    readonly kind: "tested";
    readonly result: SubjectResult;
    /** Ids of the cases that were selected. */
    readonly ids: ReadonlySet<string>;
  }
  /** Nothing can be published, for these reasons. */
  | { readonly kind: "refused"; readonly reasons: readonly string[] }
  | { readonly kind: "interrupted" };

/**
 * Starts the subject once, which installs its packages, and then runs its cases twice. The second
 * run is omitted if the first run proves nothing.
 */
export async function testSubject(
  subject: ThirdPartySubject,
  options: TestOptions,
): Promise<Outcome> {
  const { signal } = options;
  try {
    const problem = await startOnce(subject, options);
    if (problem !== undefined) return { kind: "refused", reasons: [problem] };
    const reports: Report[] = [];
    for (const name of ["first", "second"]) {
      const { report, doubts } = await runOnce(subject, options);
      if (signal.aborted) return { kind: "interrupted" };
      if (report === undefined || doubts.length > 0) {
        return { kind: "refused", reasons: doubts.map((doubt) => `${name} run: ${doubt}`) };
      }
      reports.push(report);
    }
    const [first, second] = reports;
    if (first === undefined || second === undefined) {
      return { kind: "refused", reasons: ["no run"] };
    }
    const agreement = compareRuns(first.results, second.results);
    const ids = new Set(first.results.map(({ id }) => id));
    return { kind: "tested", result: toSubjectResult(subject, first, agreement), ids };
  } catch (error) {
    if (signal.aborted) return { kind: "interrupted" };
    throw error;
  }
}

/** Returns the cases that a subject is tested with. What is only permitted is not tested. */
function selectionFor(subject: ThirdPartySubject): Selection {
  return { requirements: [setFamilyOf(subject)], level: CaseLevel.Should };
}

/** Starts a subject and stops it again. Returns the reason why the subject did not start. */
async function startOnce(
  subject: ThirdPartySubject,
  { suite, signal, startMs = 300_000, registry }: TestOptions,
): Promise<string | undefined> {
  const limit = AbortSignal.timeout(startMs);
  const { revision } = subject;
  const began = performance.now();
  try {
    await inspect({
      subject: toSubject(subject),
      suite,
      select: selectionFor(subject),
      signal: AbortSignal.any([signal, limit]),
      // Only the limit above ends the start.
      timeoutFactor: startMs / 1000,
      ...(revision === undefined ? {} : { revision }),
    });
    return undefined;
  } catch (error) {
    if (signal.aborted || !(limit.aborted || error instanceof KitError)) throw error;
    const seconds = Math.round((performance.now() - began) / 1000);
    const reason = error instanceof KitError && !limit.aborted
      ? toLine(error.message)
      : `no response within ${seconds} seconds`;
    const cause = await findRegistryProblem(subject, {
      signal,
      ...(registry === undefined ? {} : { registry }),
    });
    return `the first start failed: ${
      [reason, ...(cause === undefined ? [] : [cause])].join("; ")
    }`;
  }
}

/** Report of a run, and the reasons why the run proves nothing about the subject. */
interface JudgedRun {
  readonly report?: Report;
  readonly doubts: readonly string[];
}

/** Runs the cases once. The run is stopped as soon as its results cannot be published. */
async function runOnce(
  subject: ThirdPartySubject,
  { suite, signal, timeoutFactor = 4, runMs = 3_600_000 }: TestOptions,
): Promise<JudgedRun> {
  const limit = AbortSignal.timeout(runMs);
  const stop = new AbortController();
  const watch = new RunWatch();
  const tooLong = `not finished within ${runMs / 1000} seconds`;
  const { revision } = subject;
  try {
    const report = await run({
      subject: toSubject(subject),
      suite,
      select: selectionFor(subject),
      signal: AbortSignal.any([signal, limit, stop.signal]),
      timeoutFactor,
      onResult: (result) => {
        if (!stop.signal.aborted && watch.add(result)) stop.abort();
      },
      ...(revision === undefined ? {} : { revision }),
    });
    if (limit.aborted) return { doubts: [tooLong] };
    if (stop.signal.aborted) return { doubts: describeStop(watch) };
    return { report, doubts: report.isInterrupted ? ["interrupted"] : findDoubts(report.results) };
  } catch (error) {
    if (limit.aborted) return { doubts: [tooLong] };
    if (!(error instanceof KitError)) throw error;
    return { doubts: [toLine(error.message)] };
  }
}

function describeStop({ results }: RunWatch): readonly string[] {
  return [...findDoubts(results), `stopped after ${results.length} results`];
}

function toLine(text: string): string {
  return excerpt(text.replace(/\s+/g, " ").trim(), 500);
}
