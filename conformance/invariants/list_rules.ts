/**
 * Rules on the pages of a list.
 *
 * @module
 */

import { isObject } from "../kit/json.ts";
import { show } from "../kit/match_value.ts";
import { paramsOf, type Seen } from "./dialogue.ts";

const MODERN = "2026-07-28";

/** Member of the result that contains the items of each list. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
]);

/** The pages of a list that have been read so far. */
interface Pages {
  readonly cursors: Set<unknown>;
  readonly cacheScope: unknown;
}

/** Finds violations of the rules on the pages of one conversation. */
export class ListRules {
  /** Pages, keyed by the cursor of the next page. */
  readonly #next: Map<string, Pages> = new Map();

  /**
   * Finds a cursor that repeats an earlier one of the same list, and pages with different cache
   * scopes. Returns `undefined` for other messages.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
   */
  find({ message, asked, version }: Seen): readonly string[] | undefined {
    const { result } = message;
    if (asked === undefined || !LISTS.has(asked.method) || !isObject(result)) return undefined;
    const { cursor } = paramsOf(asked.message);
    const earlier = typeof cursor === "string" ? this.#next.get(keyOf(asked.method, cursor)) : null;
    // The kit invents cursors, too.
    if (earlier === undefined) return undefined;
    const { nextCursor, cacheScope } = result;
    const cursors = earlier?.cursors ?? new Set();
    const isRepeated = nextCursor !== undefined &&
      (nextCursor === cursor || cursors.has(nextCursor));
    const isOther = version === MODERN && earlier !== null && earlier.cacheScope !== cacheScope;
    if (typeof nextCursor === "string" && !isRepeated) {
      this.#next.set(keyOf(asked.method, nextCursor), {
        cursors: new Set([...cursors, nextCursor]),
        cacheScope,
      });
    }
    return [
      ...(isRepeated ? [`a page of "${asked.method}" repeats the cursor ${show(nextCursor)}`] : []),
      ...(isOther
        ? [
          `pages of "${asked.method}" have the cache scopes ${show(earlier.cacheScope)} and ` +
          show(cacheScope),
        ]
        : []),
    ];
  }
}

function keyOf(method: string, cursor: string): string {
  return `${method} ${cursor}`;
}
