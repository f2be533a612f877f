/**
 * Case verdicts.
 *
 * @module
 */

import type { CaseLevel } from "./case.ts";
import type { ErratumEffect } from "./errata.ts";
import type { Profile, UncountedState } from "./profile.ts";

/** Case verdicts. */
export const Verdict = {
  /** The subject meets the requirement. */
  Pass: "pass",
  /** The subject does not meet the requirement. */
  Fail: "fail",
  /**
   * The case does not apply to the subject: undeclared capability, different protocol version, or
   * different transport.
   */
  NotApplicable: "n/a",
  /** No evidence: the subject lacks an operation or fixture, or the case's control did not pass. */
  Untestable: "untestable",
  /** The subject exited. */
  Crash: "crash",
  /** The subject did not respond in time. */
  Hang: "hang",
  /** The subject wrote malformed output. */
  Noise: "noise",
  /** The case was not run, because the run ended first. */
  NotRun: "not_run",
  /** Error in the kit itself. */
  KitFault: "kit_fault",
  /** A failure that the baseline lists. */
  Known: "known",
  /** A failure or pass of a case that the baseline lists as flaky. */
  KnownFlaky: "known_flaky",
} as const;

/** A value of {@linkcode Verdict}. */
export type Verdict = (typeof Verdict)[keyof typeof Verdict];

/** Verdicts that count as failures if the case is required. */
const FAILING_VERDICTS: ReadonlySet<Verdict> = new Set([
  Verdict.Fail,
  Verdict.Crash,
  Verdict.Hang,
  Verdict.Noise,
  Verdict.KitFault,
]);

/** The first difference between the subject's value and the expectation, as JSON values. */
export interface Difference {
  /** Path in the subject's value, such as `$` or `$.messages[0].role`. */
  readonly at: string;
  /**
   * Expectation at the path, in the matcher language. Omitted if the JSON text is longer than 4096
   * characters.
   */
  readonly expected?: unknown;
  /**
   * Value at the path. Omitted if there is no value at the path, or if the JSON text is longer than
   * 4096 characters.
   */
  readonly got?: unknown;
}

/** Result of executing a case, before its control and the baseline are applied. */
export interface CaseRun {
  /** Verdict. */
  readonly verdict: Verdict;
  /** The last input that the kit sent before the failure. */
  readonly sent?: string;
  /** Expected result. */
  readonly expected?: string;
  /** Actual result. */
  readonly got?: string;
  /** The difference that `expected` and `got` describe, if the case compared two values. */
  readonly difference?: Difference;
  /** Id of the control that did not pass, if the case is `untestable` for this reason. */
  readonly failedControl?: string;
  /** Id of the control that failed and was run again once, whether or not the second run passed. */
  readonly retriedControl?: string;
  /**
   * Names of the fixtures that the server lacks, such as `tool:test_simple_text`, if the case is
   * `untestable` for this reason.
   */
  readonly missingFixtures?: readonly string[];
  /** Additional information, such as the reason for `n/a`. */
  readonly note?: string;
  /** Names of all rows that do not match, in order, if the case is a vector with several rows. */
  readonly failedRows?: readonly string[];
  /** Ids of the cases during which a rule was violated, if the case is an invariant. */
  readonly provokedBy?: readonly string[];
  /**
   * Excerpt from what the subject wrote to standard error during the case, for failures only: the
   * first lines, the last lines, and the lines in between that name an error.
   */
  readonly stderr?: string;
  /** Messages exchanged with the subject, in order, for failures only. */
  readonly trace?: readonly string[];
}

/** An erratum that applies to a case. */
export interface AppliedErratum {
  /** Id, such as `mcp-2026-07-28.1-e3`. */
  readonly id: string;
  /** Effect. */
  readonly effect: ErratumEffect;
  /** Reason, in one sentence. */
  readonly reason: string;
}

/** The result of one case over one transport. */
export interface CaseResult extends CaseRun {
  /** Case id. */
  readonly id: string;
  /** Title of the case. */
  readonly title: string;
  /** Hash that changes when the meaning of the case changes. */
  readonly rev: string;
  /** Transport, for cases that run over several transports. */
  readonly transport?: string;
  /** Level of the requirement. */
  readonly level: CaseLevel;
  /** Basis of the requirement, such as `contract:anthropic`. */
  readonly basis?: string;
  /** Profile of the case. */
  readonly profile?: Profile;
  /**
   * Set if the case tests a decision of this project and the run has a profile: a failure is a
   * difference from Parley, and is never required.
   */
  readonly isDifference?: true;
  /** State of the case if its result does not count. */
  readonly state?: UncountedState;
  /** Erratum that applies to the case. */
  readonly erratum?: AppliedErratum;
  /** Whether a failure of the case fails the run. */
  readonly isRequired: boolean;
  /** Set in a strict run if a required case is untestable: the run does not succeed. */
  readonly countsAsFailure?: true;
  /** Duration, in milliseconds. */
  readonly ms: number;
}

/** Returns true for verdicts that count as failures. */
export function isFailingVerdict(verdict: Verdict): boolean {
  return FAILING_VERDICTS.has(verdict);
}

/**
 * Returns true if a result is a failure, whether or not the case is required, or if a required case
 * is untestable in a strict run.
 */
export function isFailure({ verdict, countsAsFailure }: CaseResult): boolean {
  return isFailingVerdict(verdict) || countsAsFailure === true;
}

/**
 * Describes why the result of a case does not count, such as `disputed (mcp-2026-07-28.1-e3):
 * REASON`. Returns `undefined` if the result counts.
 */
export function describeState(
  { state, erratum }: Pick<CaseResult, "state" | "erratum">,
): string | undefined {
  if (state === undefined || erratum === undefined) return state;
  return `${state} (${erratum.id}): ${erratum.reason}`;
}

/** Returns the verdict for readers. A case that is not required does not fail, but is not met. */
export function describeVerdict({ verdict, isRequired }: CaseResult): string {
  return verdict === Verdict.Fail && !isRequired ? "not met" : verdict.replaceAll("_", " ");
}

/** Describes a failure in one line, for baselines and reports. */
export function describeFailure({ verdict, got, note, expected }: CaseResult): string {
  const facts = [got, note, got === undefined && note === undefined ? expected : undefined];
  return [verdict, ...facts.filter((fact) => fact !== undefined)].join(": ");
}
