/**
 * Lists of the gateway's own server, from all pages.
 *
 * @module
 */

import type { MethodHandler } from "../server/dispatch.ts";
import type { MethodContext } from "../server/request_context.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";

/** Returns the items that the gateway's own server lists, from all pages. */
export async function allPages(
  next: MethodHandler,
  list: string,
  context: MethodContext,
): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  let cursor: unknown;
  do {
    const page = await next(cursor === undefined ? {} : { cursor }, context);
    const items: unknown = page[list];
    if (Array.isArray(items)) all.push(...items.filter(isRecord));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}
