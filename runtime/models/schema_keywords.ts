/**
 * Kinds of JSON Schema keywords.
 *
 * @module
 */

/** Keywords whose value is an object of schemas. */
export const MAPS: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
]);

/** Keywords whose value is a list of schemas. */
export const LISTS: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

/** Keywords whose value is a schema. */
export const SCHEMAS: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

/** Keywords that APIs reject at the top level. */
export const COMBINATIONS = [
  "allOf",
  "anyOf",
  "const",
  "dependentSchemas",
  "else",
  "enum",
  "if",
  "not",
  "oneOf",
  "then",
] as const;
