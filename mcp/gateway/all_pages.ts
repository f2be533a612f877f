/**
 * Lists of the gateway's own server, from all pages.
 *
 * @module
 */

import type { MethodHandler } from "../server/dispatch.ts";
import type { MethodContext } from "../server/request_context.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";

/** Options for {@linkcode allPages}. */
export interface AllPagesOptions {
  /** Member of the result that contains the items. */
  readonly list: string;
  /** Maximum number of items, and of pages, because pages can be empty. */
  readonly maxItems: number;
  /** Called if items beyond `maxItems` are left out. */
  readonly onError: (error: unknown) => void;
}

/**
 * Returns the items that the gateway's own server lists, from all pages. The resource templates of
 * the server can list any number of resources, so the number is limited.
 */
export async function allPages(
  next: MethodHandler,
  context: MethodContext,
  { list, maxItems, onError }: AllPagesOptions,
): Promise<readonly JsonObject[]> {
  const all: JsonObject[] = [];
  let cursor: unknown;
  let pages = 0;
  do {
    context.signal.throwIfAborted();
    const page = await next(cursor === undefined ? {} : { cursor }, context);
    const items: unknown = page[list];
    if (Array.isArray(items)) all.push(...items.filter(isRecord));
    cursor = page.nextCursor;
    pages++;
    if (
      all.length > maxItems || (Math.max(all.length, pages) >= maxItems && cursor !== undefined)
    ) {
      const reason = `"maxItems" is ${maxItems}`;
      const text = `Cannot list all ${list} of the gateway's own server: ${reason}`;
      onError(new RangeError(text));
      return all.slice(0, maxItems);
    }
  } while (cursor !== undefined);
  return all;
}
