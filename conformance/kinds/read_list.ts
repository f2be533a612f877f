/**
 * Reads all pages of a list of an MCP server.
 *
 * @module
 */

import type { ListCall } from "../kit/case.ts";
import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { failCase } from "./case_end.ts";

/** Maximum number of pages read for one list. */
const MAX_PAGES = 100;

/** A request for a page, and the result of its response. */
export interface Page {
  /** The request, for the report. */
  readonly sent: string;
  /** The `result` of the response. */
  readonly result: unknown;
}

/**
 * Reads all pages of a list. The keys of the items and the cursors must be unique.
 *
 * @param call The list to read.
 * @param readPage Requests the page with the given cursor, or the first page.
 * @throws {CaseEnd} If a page is invalid, or if the list has too many pages.
 */
export async function readList(
  { method, items, key }: ListCall,
  readPage: (cursor: string | undefined) => Promise<Page>,
): Promise<void> {
  const cursors = new Set<unknown>();
  const keys = new Set<unknown>();
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { sent, result } = await readPage(cursor);
    const found = isObject(result) ? result[items] : undefined;
    if (!Array.isArray(found)) {
      throw failCase({ sent, expected: `an array named "${items}"`, got: show(result) });
    }
    for (const item of found) addOnce(keys, isObject(item) ? item[key] : undefined, key, sent);
    const next = isObject(result) ? result.nextCursor : undefined;
    if (next === undefined) return;
    addOnce(cursors, next, "nextCursor", sent);
    cursor = String(next);
  }
  throw failCase({ expected: `at most ${MAX_PAGES} pages from "${method}"`, got: "another page" });
}

function addOnce(seen: Set<unknown>, value: unknown, name: string, sent: string): void {
  if (typeof value !== "string" || seen.has(value)) {
    const expected = `a new value of "${name}"`;
    throw failCase({ sent, expected, got: show(value) });
  }
  seen.add(value);
}
