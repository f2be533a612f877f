/**
 * Canonical JSON (RFC 8785, JCS).
 *
 * @module
 */

import { assertDepth, assertDepthOptions, DEFAULT_MAX_DEPTH } from "../shared/json.ts";
import { writeCanonical } from "./write_json.ts";

/** Options for {@linkcode canonicalize}. */
export interface CanonicalizeOptions {
  /**
   * Maximum nesting depth of objects and arrays, from 1 to 1000.
   *
   * @default {128}
   */
  readonly maxDepth?: number;
}

/**
 * Serializes a value as canonical JSON (RFC 8785): without whitespace, with members sorted by
 * UTF-16 code units, and with numbers and strings written as in ECMAScript. Sign or hash the UTF-8
 * bytes of the result.
 *
 * Only own enumerable members with string names are serialized. Each member is read once.
 *
 * @param value The value to serialize, which is validated at runtime.
 * @param options Limit on the nesting depth.
 * @throws {CommError} With code "serialization_failed" if a value has no JSON form: `undefined`,
 *   functions, symbols, BigInt, `NaN`, infinities, array holes, and class instances such as `Date`
 *   and `Map`.
 * @throws {CommError} With code "invalid_unicode" if a string has a lone surrogate.
 * @throws {CommError} With code "too_deep" if the nesting depth exceeds `maxDepth`, as it does for
 *   a cyclic object.
 * @throws {RangeError} If `maxDepth` is not an integer from 1 to 1000.
 * @throws {TypeError} If an option is unknown.
 * @see https://www.rfc-editor.org/rfc/rfc8785#section-3.2
 *
 * @example Serialize an object
 * ```ts
 * import { canonicalize } from "@parley/comm/canonical-json";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(canonicalize({ peach: "🍑", "10": -0, "9": 1e-7 }), '{"10":0,"9":1e-7,"peach":"🍑"}');
 * ```
 */
export function canonicalize(value: unknown, options?: CanonicalizeOptions): string {
  if (options === undefined) return writeCanonical(value, DEFAULT_MAX_DEPTH);
  assertDepthOptions(options);
  const { maxDepth = DEFAULT_MAX_DEPTH } = options;
  assertDepth(maxDepth);
  return writeCanonical(value, maxDepth);
}
