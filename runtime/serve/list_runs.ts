/**
 * Pages of runs.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import type { ServedRun, ServedRunPage } from "./contracts.ts";
import { formatPosition, type readServedFilter } from "./read_start.ts";

/** Maximum number of runs that are read for a page, so that a rare status does not take long. */
const MAX_READ = 10_000;

/**
 * Returns a page of runs. A page can be shorter than its limit, and have a next page.
 *
 * @param runs Runs of the session or of the caller, the most recently changed first.
 * @param filter Status, time and limit.
 */
export async function collectPage(
  runs: AsyncIterable<ServedRun>,
  { changedAfter = -Infinity, limit, status }: Pick<
    ReturnType<typeof readServedFilter>,
    "changedAfter" | "limit" | "status"
  >,
): Promise<ServedRunPage> {
  const page: ServedRun[] = [];
  let last: ServedRun | undefined;
  let read = 0;
  for await (const run of runs) {
    if (run.state.updatedAt < changedAfter) return { runs: page };
    if (page.length >= limit || read >= MAX_READ) {
      return { runs: page, ...defined({ next: last && positionOf(last) }) };
    }
    if (status === undefined || run.state.status === status) page.push(run);
    last = run;
    read++;
  }
  return { runs: page };
}

/** Counts the runs of all pages. */
export async function countRuns(
  runs: AsyncIterable<ServedRun>,
  { changedAfter = -Infinity, status }: Pick<
    ReturnType<typeof readServedFilter>,
    "changedAfter" | "status"
  >,
): Promise<number> {
  let total = 0;
  for await (const { state } of runs) {
    if (state.updatedAt < changedAfter) break;
    if (status === undefined || state.status === status) total++;
  }
  return total;
}

function positionOf({ id, state: { updatedAt: changedAt } }: ServedRun): string {
  return formatPosition({ changedAt, id });
}
