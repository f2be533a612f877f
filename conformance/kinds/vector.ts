/**
 * Cases of kind `vector`: one stateless operation with inputs and expected results.
 *
 * @module
 */

import type { VectorCase } from "../kit/case.ts";
import type { DriverSession } from "./driver_session.ts";
import { CaseEnd } from "./case_end.ts";

/**
 * Calls the operation once per row.
 *
 * @throws {CaseEnd} If the result for a row does not match; later rows are not run.
 */
export async function runVector({ op, rows }: VectorCase, session: DriverSession): Promise<void> {
  for (const { name, input, expect } of rows) {
    session.captures.clear();
    try {
      await session.finish(session.start(op, { args: input }), { expect });
    } catch (error) {
      if (!(error instanceof CaseEnd) || name === "") throw error;
      const { note } = error.run;
      throw new CaseEnd({
        ...error.run,
        note: `row "${name}"${note === undefined ? "" : `: ${note}`}`,
      });
    }
  }
}
