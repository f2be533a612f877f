/**
 * Canonical JSON (RFC 8785, JCS): a unique serialization of each JSON value, for signatures, hashes
 * and comparisons.
 *
 * Use {@linkcode canonicalize}. It throws if a value has no JSON form, instead of omitting the
 * value.
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
