/**
 * Canonical JSON (RFC 8785, JCS).
 *
 * @module
 */

import { assertDepth, copyValue, DEFAULT_MAX_DEPTH } from "../shared/json.ts";
import { writeJson } from "./write_json.ts";

/** Limits of {@linkcode canonicalize}. */
export interface CanonicalizeOptions {
  /** How many objects and arrays may nest, 1 to 1000; the default is 128. */
  readonly maxDepth?: number;
}

/**
 * Writes a value as canonical JSON: no white space, members sorted by UTF-16 code units, numbers and strings as
 * ECMAScript writes them. Sign or hash the UTF-8 bytes of the result.
 *
 * Members are own, enumerable and named by strings; each is read once.
 *
 * @param value a JSON value; `unknown` since it is checked anyway
 * @param options limits
 * @throws {CommError} `serialization_failed` for what JSON has no form for (`undefined`, functions, symbols, BigInt,
 *   `NaN`, infinities, array holes, class instances such as `Date` and `Map`), `invalid_unicode` for a lone surrogate,
 *   `too_deep` beyond `maxDepth`, which is how cycles end
 * @throws {RangeError} when `maxDepth` is out of range
 * @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2
 *
 * @example Canonical JSON of an object
 * ```ts
 * import { canonicalize } from "@parley/comm/canonical-json";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(canonicalize({ peach: "🍑", "10": -0, "9": 1e-7 }), '{"10":0,"9":1e-7,"peach":"🍑"}');
 * ```
 */
export function canonicalize(value: unknown, options: CanonicalizeOptions = {}): string {
  const { maxDepth = DEFAULT_MAX_DEPTH } = options;
  assertDepth(maxDepth);
  const copier = {
    maxDepth,
    frozen: false,
    allowsLoneSurrogates: true,
    path: [],
    isDisordered: false,
  };
  const copy = copyValue(value, 0, copier);
  const text = writeJson(copy, copier.isDisordered);
  // A lone surrogate is written as such an escape, and nearly nothing else is. To search the text once is a good deal
  // quicker than to ask every string on the way.
  if (text.includes("\\ud")) copyValue(copy, 0, { ...copier, allowsLoneSurrogates: false });
  return text;
}
