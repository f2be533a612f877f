/**
 * What can come of a case.
 *
 * @module
 */

import type { CaseLevel } from "./case.ts";

/** What came of a case. */
export const Verdict = {
  /** The subject does what the case asks. */
  Pass: "pass",
  /** It does not. */
  Fail: "fail",
  /** The case does not concern this subject: a capability it does not declare, another revision or transport. */
  NotApplicable: "n/a",
  /** The subject lacks an operation or fixture, or the control failed: nothing can be said. */
  Untestable: "untestable",
  /** The subject died. */
  Crash: "crash",
  /** The subject did not answer in time. */
  Hang: "hang",
  /** The subject wrote what the protocol does not allow. */
  Noise: "noise",
  /** Not reached: the run ended before. */
  NotRun: "not_run",
  /** The kit broke its own rules. */
  KitFault: "kit_fault",
  /** A failure that the baseline lists. */
  Known: "known",
  /** A failure or pass of a case that the baseline calls flaky. */
  KnownFlaky: "known_flaky",
} as const;

/** A value of {@linkcode Verdict}. */
export type Verdict = (typeof Verdict)[keyof typeof Verdict];

/** Verdicts that say the subject is wrong, or that nothing was learned where something should have been. */
const RED: ReadonlySet<Verdict> = new Set([
  Verdict.Fail,
  Verdict.Crash,
  Verdict.Hang,
  Verdict.Noise,
  Verdict.NotRun,
  Verdict.KitFault,
]);

/** What carrying out a case found, before baseline and control are looked at. */
export interface CaseRun {
  /** What came of it. */
  readonly verdict: Verdict;
  /** What the kit sent or did last. */
  readonly sent?: string;
  /** What should have come of it. */
  readonly expected?: string;
  /** What came. */
  readonly got?: string;
  /** Anything else worth a line. */
  readonly note?: string;
  /** The end of what the subject wrote to standard error, when it failed. */
  readonly stderr?: string;
  /** What went over the wire, oldest first; only of cases that failed. */
  readonly trace?: readonly string[];
}

/** The result of one case on one transport. */
export interface CaseResult extends CaseRun {
  /** The case. */
  readonly id: string;
  /** A mark that changes when the case asks for something else. */
  readonly rev: string;
  /** The transport, for cases that run on several. */
  readonly transport?: string;
  /** How binding the case is. */
  readonly level: CaseLevel;
  /** Whether a failure makes the run fail: the profile decides by the level. */
  readonly isRequired: boolean;
  /** Set in a strict run if the case is required and untestable: it counts as a failure. */
  readonly countsAsFailure?: true;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** Whether a verdict is red. */
export function isFailingVerdict(verdict: Verdict): boolean {
  return RED.has(verdict);
}

/** Returns true if a result is a failure, required or not: a failing verdict, or one that a strict run does not accept. */
export function isFailure({ verdict, countsAsFailure }: CaseResult): boolean {
  return isFailingVerdict(verdict) || countsAsFailure === true;
}

/** What went wrong, in one line: what baselines compare and reports print. */
export function describeFailure({ verdict, got, note, expected }: CaseResult): string {
  const facts = [got, note, got === undefined && note === undefined ? expected : undefined];
  return [verdict, ...facts.filter((fact) => fact !== undefined)].join(": ");
}
