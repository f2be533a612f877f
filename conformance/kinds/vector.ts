/**
 * Cases of kind `vector`: one stateless operation with inputs and expected results.
 *
 * @module
 */

import type { VectorCase } from "../kit/case.ts";
import { type CaseRun, Verdict } from "../kit/verdict.ts";
import type { DriverSession } from "./driver_session.ts";
import { CaseEnd } from "./case_end.ts";

/**
 * Calls the operation once per row, and reports all rows that do not match.
 *
 * @throws {CaseEnd} If the result for a row does not match. After a timeout or a crash, later rows
 * are not run.
 */
export async function runVector({ op, rows }: VectorCase, session: DriverSession): Promise<void> {
  const failures: RowFailure[] = [];
  for (const [index, { name, input, expect }] of rows.entries()) {
    session.captures.clear();
    try {
      await session.finish(session.start(op, { args: input }), { expect });
    } catch (error) {
      if (!(error instanceof CaseEnd) || name === "") throw error;
      failures.push({ name, place: `row ${index + 1} of ${rows.length}`, run: error.run });
      if (error.run.verdict !== Verdict.Fail) break;
    }
  }
  const [first] = failures;
  if (first !== undefined) throw new CaseEnd(summarize(first, failures));
}

/** A row that does not match. */
interface RowFailure {
  readonly name: string;
  /** Position of the row in the case. */
  readonly place: string;
  readonly run: CaseRun;
}

/**
 * Returns the result of the row that timed out or crashed. If no row timed out or crashed, returns
 * the result of the first failed row.
 */
function summarize(first: RowFailure, all: readonly RowFailure[]): CaseRun {
  const failed = all.filter(({ run }) => run.verdict !== Verdict.Untestable);
  const { name, place, run } = failed.find((each) => each.run.verdict !== Verdict.Fail) ?? first;
  const notes = [
    `${place}, "${name}"`,
    ...(run.note === undefined ? [] : [run.note]),
    ...(failed.length < 2 ? [] : [`${failed.length} rows failed: ${list(failed)}`]),
  ];
  const failedRows = failed.map((each) => each.name);
  return { ...run, note: notes.join("; "), ...(failedRows.length === 0 ? {} : { failedRows }) };
}

function list(failures: readonly RowFailure[]): string {
  return failures.map(({ name }) => `"${name}"`).join(", ");
}
