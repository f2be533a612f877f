/**
 * Canonical JSON (RFC 8785, JCS): one text for each JSON value, so that it can be signed, hashed or compared.
 *
 * {@linkcode canonicalize} never writes invalid JSON: whatever the format cannot represent is refused, not dropped.
 *
 * @example Two spellings, one text
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
