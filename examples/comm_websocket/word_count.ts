/**
 * The protocol that both programs use to count words.
 *
 * @module
 */

import type { JsonValue } from "@parley/comm";

/** Identifier of the protocol. */
export const WORD_COUNT = "example.word-count.v1";

/** Message type for requests. The payload is the text whose words are counted. */
export const COUNT = "count";

/** Message type for results. The payload is the number of words. */
export const COUNTED = "counted";

/** Returns the number of words in a payload, or `undefined` if the payload is not a string. */
export function countWords(payload: JsonValue): number | undefined {
  if (typeof payload !== "string") return undefined;
  return payload.split(/\s+/).filter((word) => word !== "").length;
}
