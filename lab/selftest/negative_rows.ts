/**
 * Negative rows: rows of vector cases that expect the library to reject the input. A negative row
 * proves that a library performs a check only if the row fails when that check is removed. If two
 * checks reject the same input, an implementation that lacks one of them still passes the row.
 *
 * @module
 */

import type { ExpectedOutcome } from "../../conformance/kit/case.ts";
import { isObject } from "../../conformance/kit/json.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { type CaseResult, Verdict } from "../../conformance/kit/verdict.ts";
import type { MemberMutant } from "./workspace.ts";

/**
 * Formats the name of a row: `case-id#row name`, or the case id if the vector has a single input.
 */
export function formatRow(caseId: string, row: string): string {
  return row === "" ? caseId : `${caseId}#${row}`;
}

/** Returns the id of the case that contains a row. */
export function toCaseId(row: string): string {
  return row.split("#", 1)[0] ?? "";
}

/** A failed case. */
export type Failure = Pick<CaseResult, "id" | "verdict" | "failedRows">;

/** Returns the names of the rows that failed, without cases that crashed or timed out. */
export function listFailedRows(failures: readonly Failure[]): readonly string[] {
  return failures.filter(({ verdict }) => verdict === Verdict.Fail)
    .flatMap(({ id, failedRows = [""] }) => failedRows.map((row) => formatRow(id, row)));
}

/** Returns the names of all negative rows. */
export function listNegativeRows(suite: Suite): readonly string[] {
  return [...suite.values()].flatMap((each) =>
    each.kind !== "vector"
      ? []
      : each.rows.filter(({ expect }) => isNegative(expect)).map(({ name }) =>
        formatRow(each.id, name)
      )
  );
}

function isNegative(expect: ExpectedOutcome): boolean {
  return "ok" in expect ? expect.error === undefined && hasRejection(expect.ok) : true;
}

/**
 * Returns true if a matcher contains the member `error`, or the member `valid` with the value
 * `false`.
 */
function hasRejection(matcher: unknown): boolean {
  if (Array.isArray(matcher)) return matcher.some(hasRejection);
  if (!isObject(matcher)) return false;
  return Object.entries(matcher).some(([name, value]) => {
    if (name === "error") return !(isObject(value) && "$absent" in value);
    return (name === "valid" && value === false) || hasRejection(value);
  });
}

/**
 * Finds errors in the lists of rows: rows that do not exist, rows that are neither listed for a
 * mutant nor exempt, and exemptions that are not needed.
 */
export function findRowProblems(
  mutants: readonly MemberMutant[],
  exempt: readonly string[],
  suite: Suite,
): readonly string[] {
  const negative = new Set(listNegativeRows(suite));
  const listed = new Set(mutants.flatMap(({ rows }) => rows));
  return [
    ...mutants.flatMap(({ id, rows }) =>
      rows.filter((row) => !negative.has(row))
        .map((row) => `mutant ${id} lists ${row}, which is not a negative row`)
    ),
    ...exempt.filter((row) => !negative.has(row))
      .map((row) => `${row} is exempt, but is not a negative row`),
    ...exempt.filter((row) => listed.has(row))
      .map((row) => `${row} is exempt, but is also listed for a mutant`),
    ...[...negative].filter((row) => !listed.has(row) && !exempt.includes(row))
      .map((row) => `no mutant removes the check that ${row} tests`),
  ];
}
