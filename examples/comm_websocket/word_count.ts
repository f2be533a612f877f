/**
 * The protocol that both programs speak: count the words of a text.
 *
 * @module
 */

import type { JsonValue } from "@parley/comm";

/** Its identifier. */
export const WORD_COUNT = "example.word-count.v1";

/** A request: the payload is the text. */
export const COUNT = "count";

/** An answer: the payload is the number of words. */
export const COUNTED = "counted";

/** How many words a payload has, or undefined when it is no text. */
export function countWords(payload: JsonValue): number | undefined {
  if (typeof payload !== "string") return undefined;
  return payload.split(/\s+/).filter((word) => word !== "").length;
}
