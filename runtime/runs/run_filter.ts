/**
 * Reader of the filter for a list of durable runs.
 *
 * @module
 */

import { assertNonEmptyString, assertRecord } from "@parley/internal/assert-argument";
import { defined } from "@parley/internal/json";
import { integerFrom, oneOf } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { RunFilter } from "./contracts.ts";
import { updatedAtOf } from "./list_query.ts";
import { RUN_STATUSES } from "./read_record.ts";
import { assertIdText } from "./run_options.ts";

/** Maximum number of runs on a page. */
export const MAX_PAGE = 1000;

const readFilter = optionsReader<RunFilter>("filter")({
  status: oneOf(...RUN_STATUSES),
  agent: assertNonEmptyString,
  prefix: assertIdText,
  order: withDefault("id", oneOf("id", "updated")),
  after: (name, value) => {
    assertRecord(name, value);
    assertIdText(`${name}.runId`, value.runId);
  },
  limit: integerFrom(1, MAX_PAGE),
});

/**
 * Reads the filter for a list of runs. Of the run in `after`, only the position is read.
 *
 * @throws {TypeError} If a member has the wrong type, or the position in a list with the order
 * `"updated"` contains no time.
 * @throws {RangeError} If `limit` is out of range.
 */
export function readRunFilter(filter: RunFilter): RunFilter {
  const { after, order, ...conditions } = readFilter(filter);
  const position = after && {
    runId: after.runId,
    ...order === "updated" ? { updatedAt: updatedAtOf(after) } : {},
  };
  return defined({ ...conditions, order, after: position });
}
