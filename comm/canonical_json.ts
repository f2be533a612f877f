/**
 * Canonical JSON (RFC 8785, JCS): exactly one serialization for each JSON value, for use in
 * signatures, hashes and comparisons.
 *
 * If a value has no JSON form, {@linkcode canonicalize} throws instead of omitting the value.
 *
 * @example Serialize equal values identically
 * ```ts
 * import { canonicalize } from "@parley/comm/canonical-json";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(canonicalize({ b: 1.0, a: [1e21, "é"] }), '{"a":[1e+21,"é"],"b":1}');
 * ```
 *
 * @module
 */

export { canonicalize, type CanonicalizeOptions } from "./canonical/canonical_json.ts";
