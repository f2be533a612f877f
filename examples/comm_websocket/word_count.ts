/**
 * The protocol of both programs: counting the words of a text.
 *
 * @module
 */

import type { JsonValue } from "@parley/comm";

/** Identifier of the protocol. */
export const WORD_COUNT = "example.word-count.v1";

/** Message type of a request, whose payload is the text. */
export const COUNT = "count";

/** Message type of a result, whose payload is the number of words. */
export const COUNTED = "counted";

/** Returns the number of words of a payload, or `undefined` if the payload is not a string. */
export function countWords(payload: JsonValue): number | undefined {
  if (typeof payload !== "string") return undefined;
  return payload.split(/\s+/).filter((word) => word !== "").length;
}
