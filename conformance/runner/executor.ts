/**
 * The interface between the scheduler and a connection to the subject.
 *
 * @module
 */

import type { Case, WireStep } from "../kit/case.ts";
import type { KitError } from "../kit/error.ts";
import type { Implementation } from "../kit/report.ts";
import { type CaseRun, Verdict } from "../kit/verdict.ts";

/** Runs cases sequentially over one connection to the subject. */
export interface Executor {
  /** Library, for cases that run through a driver and without a transport. */
  readonly library?: string;
  /** Transport, for cases that run over several transports. */
  readonly transport?: "stdio" | "http";
  /** Implementation under test. */
  readonly implementation: Implementation;
  /** Factor by which timeouts are multiplied. */
  readonly scale: number;
  /**
   * Error that prevented the kit from opening a session with a running subject. Cases that need a
   * session fail.
   */
  readonly openError?: KitError;
  /** Returns true if the executor can run this kind of case. */
  covers(each: Case): boolean;
  /**
   * Returns a result with the verdict `n/a` or `untestable` if a case cannot be run, otherwise
   * `undefined`.
   */
  exclude(each: Case): CaseRun | undefined;
  /** Runs a case. Never rejects. */
  execute(each: Case): Promise<CaseRun>;
  /** Stops the subject. */
  close(): Promise<void>;
}

/** Options common to all executors. */
export interface ExecutorSettings {
  /**
   * Factor by which the caller multiplies all timeouts.
   *
   * @default {1}
   */
  readonly timeoutFactor: number;
  /** Seed for the subject's random choices. */
  readonly seed: number;
  /** Version of the kit. */
  readonly kitVersion: string;
  /** Ends all waits for a subject that the kit did not start as a process. */
  readonly signal?: AbortSignal;
}

/** Creates the result of a case that does not apply to the subject. */
export function notApplicable(note: string): CaseRun {
  return { verdict: Verdict.NotApplicable, note };
}

/** Creates the result of a case whose prerequisites the subject lacks. */
export function untestable(note: string): CaseRun {
  return { verdict: Verdict.Untestable, note };
}

/** Returns the result `n/a` on Windows for a case that sends a POSIX signal. */
export function excludeSignals(each: Case, isWindows: boolean): CaseRun | undefined {
  const sends = (step: WireStep): boolean =>
    "signal" in step || ("steps" in step && step.steps.some(sends));
  return isWindows && each.kind === "exchange" && each.steps.some(sends)
    ? notApplicable("Windows has no signals")
    : undefined;
}

/**
 * Returns a factor for timeouts that adapts to slow machines.
 *
 * @param startMs The subject's startup time, in milliseconds.
 * @param timeoutFactor Additional factor for timeouts, set by the user.
 */
export function calibrate(startMs: number, timeoutFactor: number): number {
  return Math.min(10, Math.max(1, startMs / 500)) * timeoutFactor;
}
