/**
 * Subjects with their results, and functions that count and group them for the reports.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import { isDifference, type SubjectResult } from "./result.ts";
import type { ThirdPartySubject } from "./subject.ts";

/** A subject with its results. */
export interface ReportEntry {
  /** The subject. */
  readonly subject: ThirdPartySubject;
  /** The results. */
  readonly result: SubjectResult;
}

/** Counts of failing cases. */
export interface FailureCounts {
  /** Failing MUST cases that test a protocol specification. */
  readonly must: number;
  /** Failing cases with a lower level that test a protocol specification. */
  readonly should: number;
  /** Failing cases, of any level, that test a requirement of this project only. */
  readonly differences: number;
}

const KINDS = ["Message stacks", "Agent loops", "MCP servers", "MCP clients"] as const;

/** Counts the failing cases. */
export function countFailures({ result: { red } }: ReportEntry): FailureCounts {
  const differences = red.filter(isDifference).length;
  const must = red.filter((each) => !isDifference(each) && each.level === CaseLevel.Must).length;
  return { must, should: red.length - must - differences, differences };
}

/** Groups the subjects by kind. Kinds without subjects are omitted. */
export function groupByKind(
  entries: readonly ReportEntry[],
): readonly (readonly [kind: string, entries: readonly ReportEntry[]])[] {
  return KINDS.map((kind) =>
    [kind, entries.filter(({ subject }) => kindOf(subject) === kind)] as const
  )
    .filter(([, own]) => own.length > 0);
}

function kindOf({ library, access }: ThirdPartySubject): typeof KINDS[number] {
  if (library === "comm") return "Message stacks";
  if (library === "runtime") return "Agent loops";
  return access.kind === "stdio" || access.kind === "http" ? "MCP servers" : "MCP clients";
}
