/**
 * Subjects with their results, and functions that count and group them for the reports.
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import type { Erratum } from "../../conformance/kit/errata.ts";
import { pluralize } from "../../conformance/kit/pluralize.ts";
import { fitsId } from "../../conformance/kit/select_cases.ts";
import { type FailingCase, isDifference, type SubjectResult } from "./result.ts";
import { programOf, type ThirdPartySubject } from "./subject.ts";

/** A subject with its results. */
export interface ReportEntry {
  /** The subject. */
  readonly subject: ThirdPartySubject;
  /** The results. */
  readonly result: SubjectResult;
  /** Whether the results were measured with other cases than those of today's set. */
  readonly isOlder: boolean;
  /**
   * Failing cases whose requirement is disputed or corrected, with the erratum. They count as no
   * failures, and `result.red` does not contain them.
   */
  readonly disputed: readonly DisputedCase[];
}

/** A failing case with an erratum that was published before or after its run. */
export interface DisputedCase extends FailingCase {
  readonly erratum: Pick<Erratum, "id" | "reason" | "issue">;
}

/**
 * Applies errata to stored results, without a new run. A case with a lower level keeps failing at
 * that level. Every other erratum makes the failing case a disputed one.
 */
export function applyErrata(
  result: SubjectResult,
  errata: ReadonlyMap<string, Erratum>,
): Pick<ReportEntry, "result" | "disputed"> {
  const isLevel = (failing: FailingCase): boolean => errata.get(failing.id)?.effect === "level";
  const red = result.red.filter((each) => !errata.has(each.id) || isLevel(each))
    .map((each) => ({ ...each, level: errata.get(each.id)?.level ?? each.level }));
  const disputed = result.red.flatMap((each) => {
    const erratum = errata.get(each.id);
    if (erratum === undefined || isLevel(each)) return [];
    const { id, reason, issue } = erratum;
    return [{ ...each, erratum: { id, reason, issue } }];
  });
  return { result: { ...result, red }, disputed };
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

/** The reason why cases fail: an entry of the notes, or a single case without a note. */
export interface Cause {
  /** Text of the note, or the id of the case. */
  readonly title: string;
  /** Ids of the failing cases, without duplicates. */
  readonly cases: readonly string[];
  /** URL of the issue in which the cause was reported. */
  readonly issue?: string;
}

/** Failing cases with the same note. */
export interface NotedCases {
  /** The note. Absent for failing cases without a note. */
  readonly note?: { readonly text: string; readonly issue?: string };
  /** The failing cases. */
  readonly cases: readonly FailingCase[];
}

/** Counts for the headline of a report. */
export interface Headline {
  /** Number of programs. A program can have several configurations. */
  readonly programs: number;
  /** Number of programs that fail a MUST. */
  readonly failing: number;
  /** Number of different causes of the failing MUST cases. */
  readonly causes: number;
  /** Number of programs with results whose cases have changed since. */
  readonly older: number;
  /** Number of programs with results of a single run. */
  readonly once: number;
}

const KINDS = [
  "Message stacks",
  "Agent loops",
  "Model adapters",
  "MCP servers",
  "MCP clients",
] as const;

/** Counts the failing cases. */
export function countFailures({ result: { red } }: ReportEntry): FailureCounts {
  const differences = red.filter(isDifference).length;
  const must = red.filter(isFailingMust).length;
  return { must, should: red.length - must - differences, differences };
}

/** Returns true if a case that every implementation must pass fails. */
export function isFailingMust(failing: FailingCase): boolean {
  return !isDifference(failing) && failing.level === CaseLevel.Must;
}

/** Counts programs that fail a MUST, and the causes. Configurations are not counted. */
export function countPrograms(entries: readonly ReportEntry[]): Headline {
  const failing = entries.filter(({ result }) => result.red.some(isFailingMust));
  const causes = failing.flatMap((entry) =>
    groupByNote(entry).flatMap(({ note, cases }) => {
      const must = cases.filter(isFailingMust);
      if (must.length === 0) return [];
      return note === undefined
        ? must.map(({ id }) => `${programOf(entry.subject)} ${id}`)
        : [note.text];
    })
  );
  const countOf = (some: readonly ReportEntry[]): number =>
    countDistinct(some.map(({ subject }) => programOf(subject)));
  return {
    programs: countOf(entries),
    failing: countOf(failing),
    causes: countDistinct(causes),
    older: countOf(entries.filter(({ isOlder }) => isOlder)),
    once: countOf(entries.filter(({ result }) => result.runs === 1)),
  };
}

/** Returns the causes of an entry's failing MUST cases. */
export function listCauses(entry: ReportEntry): readonly Cause[] {
  return groupByNote(entry).flatMap(({ note, cases }): readonly Cause[] => {
    const ids = [...new Set(cases.filter(isFailingMust).map(({ id }) => id))];
    if (note === undefined) return ids.map((id) => ({ title: id, cases: [id] }));
    const { text, issue } = note;
    if (ids.length === 0) return [];
    return [{ title: text, cases: ids, ...(issue === undefined ? {} : { issue }) }];
  });
}

/** Describes how many programs have older results. Empty if there are none. */
export function describeOlder({ older, once }: Headline): string {
  if (older === 0) return "";
  const runs = once === 0 ? "" : `, and ${once} of them were run only once`;
  return `The results of ${
    pluralize(older, "program")
  } are older: their cases have changed since${runs}.`;
}

/**
 * Groups the failing cases by the first note that explains them. Failing cases without a note come
 * last.
 */
export function groupByNote(
  { subject: { notes = [] }, result: { red } }: ReportEntry,
): readonly NotedCases[] {
  const noteOf = ({ id }: FailingCase): number => {
    const found = notes.findIndex(({ cases }) => cases.some((each) => fitsId(each, id)));
    return found === -1 ? notes.length : found;
  };
  const casesOf = (index: number): readonly FailingCase[] =>
    red.filter((each) => noteOf(each) === index);
  return [
    ...notes.map((note, index) => ({ note, cases: casesOf(index) })),
    { cases: casesOf(notes.length) },
  ].filter(({ cases }) => cases.length > 0);
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

/** Groups the subjects by program, in the order of their first configuration. */
export function groupByProgram(
  entries: readonly ReportEntry[],
): ReadonlyMap<string, readonly ReportEntry[]> {
  const programs = new Map<string, ReportEntry[]>();
  for (const entry of entries) {
    const name = programOf(entry.subject);
    programs.set(name, [...programs.get(name) ?? [], entry]);
  }
  return programs;
}

function kindOf({ library, access }: ThirdPartySubject): typeof KINDS[number] {
  if (library === "comm") return "Message stacks";
  if (library === "runtime") return "Agent loops";
  if (library === "model") return "Model adapters";
  return access.kind === "stdio" || access.kind === "http" ? "MCP servers" : "MCP clients";
}

function countDistinct(texts: readonly string[]): number {
  return new Set(texts).size;
}
