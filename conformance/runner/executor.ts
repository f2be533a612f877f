/**
 * What the scheduler needs of a way to reach a subject.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import type { Implementation } from "../kit/report.ts";
import { type CaseRun, Verdict } from "../kit/verdict.ts";

/** One way to reach a subject, ready to carry out cases one after another. */
export interface Executor {
  /** The transport, when cases run on several. */
  readonly transport?: "stdio" | "http";
  /** Who is being tested. */
  readonly implementation: Implementation;
  /** By how much times are stretched. */
  readonly scale: number;
  /** Whether a case is of a kind that this way can carry out. */
  covers(each: Case): boolean;
  /** Why the subject cannot be asked at all: not applicable or untestable. */
  exclude(each: Case): CaseRun | undefined;
  /** Carries out one case; never throws. */
  execute(each: Case): Promise<CaseRun>;
  /** Ends the subject. */
  close(): Promise<void>;
}

/** How every way to reach a subject is told about time and the kit. */
export interface ExecutorSettings {
  /** Stretches every time-out; default 1. */
  readonly timeoutFactor: number;
  /** A number for whatever a subject draws at random. */
  readonly seed: number;
  /** Version of the kit. */
  readonly kitVersion: string;
}

/** A case that does not concern the subject. */
export function notApplicable(note: string): CaseRun {
  return { verdict: Verdict.NotApplicable, note };
}

/** A case that the subject gives no means to try. */
export function untestable(note: string): CaseRun {
  return { verdict: Verdict.Untestable, note };
}

/**
 * Stretches times for a slow machine, by how long the subject took to start.
 *
 * @param startMs how long it took, in milliseconds
 * @param timeoutFactor what the caller asks for on top
 */
export function calibrate(startMs: number, timeoutFactor: number): number {
  return Math.min(10, Math.max(1, startMs / 500)) * timeoutFactor;
}
