/**
 * The interface between the scheduler and an access path of a subject.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import type { Implementation } from "../kit/report.ts";
import { type CaseRun, Verdict } from "../kit/verdict.ts";

/** An access path of a subject. Runs cases sequentially. */
export interface Executor {
  /** Transport, if cases run on several transports. */
  readonly transport?: "stdio" | "http";
  /** Implementation under test. */
  readonly implementation: Implementation;
  /** Factor for timeouts. */
  readonly scale: number;
  /** Returns true if the executor can run this kind of case. */
  covers(each: Case): boolean;
  /** Returns the reason why a case cannot be run: `n/a` or `untestable`. */
  exclude(each: Case): CaseRun | undefined;
  /** Runs a case. Never rejects. */
  execute(each: Case): Promise<CaseRun>;
  /** Stops the subject. */
  close(): Promise<void>;
}

/** Options of all executors. */
export interface ExecutorSettings {
  /**
   * Factor for timeouts.
   *
   * @default {1}
   */
  readonly timeoutFactor: number;
  /** Seed for random choices of the subject. */
  readonly seed: number;
  /** Version of the kit. */
  readonly kitVersion: string;
}

/** Creates the result of a case that does not apply to the subject. */
export function notApplicable(note: string): CaseRun {
  return { verdict: Verdict.NotApplicable, note };
}

/** Creates the result of a case whose prerequisites the subject lacks. */
export function untestable(note: string): CaseRun {
  return { verdict: Verdict.Untestable, note };
}

/**
 * Returns a factor for timeouts that adapts to slow machines.
 *
 * @param startMs Startup time of the subject, in milliseconds.
 * @param timeoutFactor Additional factor of the caller.
 */
export function calibrate(startMs: number, timeoutFactor: number): number {
  return Math.min(10, Math.max(1, startMs / 500)) * timeoutFactor;
}
