/**
 * JSON Schema validation. This module declares the public symbols; `@parley/internal/json-schema`
 * implements them.
 *
 * @module
 */

import * as internal from "@parley/internal/json-schema";
import type { SchemaValidator } from "../shared/schema.ts";

/** Options for {@linkcode jsonSchemaValidator}. */
export interface JsonSchemaValidatorOptions {
  /**
   * Maximum number of values, including nested values, in a validated value. A value with more than
   * `maxNodes` values is invalid.
   *
   * @default {200_000}
   */
  readonly maxNodes?: number;
  /**
   * Maximum number of steps of a validation. A step is the evaluation of a keyword for a value, or
   * work inside a keyword that takes about as long, such as a comparison with a value of an `enum`.
   * A value whose validation takes more than `maxSteps` steps is invalid, and the issue names the
   * part of the schema that was being evaluated. A million steps take about 30 milliseconds.
   *
   * @default {1_000_000}
   */
  readonly maxSteps?: number;
  /**
   * Maximum length of an array if the schema contains `uniqueItems`, which takes quadratic time.
   * Arrays longer than `maxUniqueItems` are invalid.
   *
   * @default {1000}
   */
  readonly maxUniqueItems?: number;
  /**
   * Maximum length of a string that is matched against a `pattern`, in Unicode code points, and of
   * a property name that is matched against `patternProperties`, in UTF-16 code units. Longer
   * strings and names are invalid, because many patterns take quadratic time.
   *
   * @default {10_000}
   */
  readonly maxPatternLength?: number;
}

/**
 * Creates the default JSON Schema validator. The validator supports the drafts 2020-12, 2019-09,
 * draft-07 and draft-04, selected by `$schema` (default: 2020-12), and never fetches references.
 * The validator checks `format` and treats the non-standard format `url` as `uri`. A value that
 * takes too many steps to validate is invalid. The steps of a regular expression (`pattern`) are
 * estimated before it is matched: if a part of it repeats ambiguously, as in `^(a+)+$`, only short
 * strings are matched.
 *
 * @param options Limits.
 * @throws {RangeError} If a limit is less than 1 or is not a number.
 *
 * @example Validate a value
 * ```ts
 * import { jsonSchemaValidator } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const issues = jsonSchemaValidator().compile({ properties: { a: { type: "number" } } });
 * assertEquals(issues({ a: 1 }), []);
 * assertEquals(issues({ a: "1" }), [{ path: "/a", message: "must be number, got string" }]);
 * ```
 */
export function jsonSchemaValidator(options: JsonSchemaValidatorOptions = {}): SchemaValidator {
  return internal.jsonSchemaValidator(options);
}
