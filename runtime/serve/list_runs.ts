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

/** Number of runs in the first read of a list: most readers need only the newest run. */
const FIRST_READ = 10;
/** Maximum number of runs in one read. */
const MAX_ONE_READ = 1000;

/**
 * Yields the items of a list that is read in parts, each of which is larger than the one before.
 *
 * @param read Reads at most `limit` items after an item, or from the beginning.
 */
export async function* readInParts<Item, Position>(
  read: (limit: number, after: Item | Position | undefined) => Promise<readonly Item[]>,
  from: Position | undefined,
): AsyncGenerator<Item, void> {
  let after: Item | Position | undefined = from;
  for (let limit = FIRST_READ;; limit = Math.min(10 * limit, MAX_ONE_READ)) {
    const items = await read(limit, after);
    yield* items;
    after = items.at(-1);
    if (after === undefined || items.length < limit) return;
  }
}

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
