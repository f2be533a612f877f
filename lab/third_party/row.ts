/**
 * Summary of a stored result in one line.
 *
 * @module
 */

import { Verdict } from "../../conformance/kit/verdict.ts";
import { type Cause, countFailures, listCauses, type ReportEntry } from "./report_entry.ts";
import { programOf } from "./subject.ts";

/** Summary of a result. */
export interface Row {
  /** Name of the program. */
  readonly program: string;
  /** Version of the package. */
  readonly version: string;
  /** Transport and protocol version, if there are several configurations of the program. */
  readonly configuration?: string;
  /** Requirement set that selected the cases. */
  readonly set: string;
  /** Digest of the set. Absent for results from before sets had digests. */
  readonly digest?: string;
  /** Errata of the set that were applied. */
  readonly errata: readonly string[];
  /** Version of the kit. */
  readonly kit: string;
  /** Date of the runs, as `YYYY-MM-DD`. */
  readonly date: string;
  /** Number of runs that agree on the result. */
  readonly runs: number;
  /** Failing MUST cases that test a protocol specification. */
  readonly must: number;
  /** Failing cases with a lower level that test a protocol specification. */
  readonly should: number;
  /** Failing cases that test a requirement of this project only. */
  readonly differences: number;
  /** Passed cases. */
  readonly passed: number;
  /** Cases with the verdict `n/a`. */
  readonly na: number;
  /** Cases with the verdict `untestable`. */
  readonly untestable: number;
  /** Cases whose results differ between the runs. */
  readonly unstable: number;
  /** Causes of the failing MUST cases. */
  readonly causes: readonly Cause[];
}

/** Summarizes a result. */
export function toRow(entry: ReportEntry): Row {
  const { subject, result } = entry;
  const { set, digest, errata, kit, date, runs, passed, leftOut, unstable } = result;
  const count = (verdict: Verdict): number =>
    leftOut.filter((each) => each.verdict === verdict)
      .reduce((sum, each) => sum + each.count, 0);
  return {
    program: programOf(subject),
    version: result.version,
    ...(subject.configuration === undefined ? {} : { configuration: subject.configuration }),
    set,
    ...(digest === undefined ? {} : { digest }),
    errata,
    kit,
    date,
    runs,
    ...countFailures(entry),
    passed,
    na: count(Verdict.NotApplicable),
    untestable: count(Verdict.Untestable),
    unstable: unstable.length,
    causes: listCauses(entry),
  };
}
