/**
 * Run reports.
 *
 * @module
 */

import type { StaleEntry } from "./baseline.ts";
import type { Profile } from "./profile.ts";
import type { AppliedErratum, CaseResult } from "./verdict.ts";

/** Implementation under test, as reported by the subject. */
export interface Implementation {
  /** Name. */
  readonly name: string;
  /** Version. */
  readonly version: string;
  /** Programming language. */
  readonly language?: string;
  /** URL of the project. */
  readonly url?: string;
}

/** A requirement set that selected cases of a run. */
export interface ReportedSet {
  /** Exact name, such as `mcp-2026-07-28.1` or `comm.draft`. */
  readonly name: string;
  /** Digest of the set. */
  readonly digest: string;
  /** Number of cases in the set. */
  readonly cases: number;
}

/** An erratum that applies to a case of a run. */
export interface ReportedErratum extends AppliedErratum {
  /** Id of the case. */
  readonly case: string;
  /** URL of the document that contradicts the case. */
  readonly source: string;
  /** URL of the issue in which the case is disputed. */
  readonly issue: string;
}

/** Result of a run. `schemas/report.schema.json` describes its JSON form. */
export interface Report {
  /** Version of the report format. */
  readonly report: 2;
  /** Version of the kit. */
  readonly kit: string;
  /** Implementations under test, without duplicates. */
  readonly subjects: readonly Implementation[];
  /**
   * Requirement sets that selected the cases. Absent if the run did not use any requirement sets.
   */
  readonly requirements?: readonly ReportedSet[];
  /** Errata that apply to the selected cases. Absent if there is none. */
  readonly errata?: readonly ReportedErratum[];
  /** Profile that selected the cases. Absent if the run has no profile. */
  readonly profile?: Profile | "all";
  /** Start time of the run (RFC 3339). */
  readonly startedAt: string;
  /** Duration, in milliseconds. */
  readonly ms: number;
  /** Results, one per case and transport. */
  readonly results: readonly CaseResult[];
  /** Outdated baseline entries. */
  readonly stale: readonly StaleEntry[];
  /** Whether the run was interrupted. */
  readonly isInterrupted: boolean;
}
