/**
 * Cursors of lists.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination Pagination}
 * @module
 */

import type { JsonObject } from "../json.ts";
import { invalidParams } from "./dispatch.ts";

/** The cursor of a list request; undefined asks for the first page. */
export function readCursor({ cursor }: JsonObject): string | undefined {
  if (cursor === undefined || typeof cursor === "string") return cursor;
  throw invalidParams('Invalid params: "cursor" is not a string');
}
