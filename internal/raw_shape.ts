/**
 * Detection of objects that describe the properties of a value, such as `{ city: "string" }`, where
 * a JSON Schema is required. As a JSON Schema, such an object would accept every value.
 *
 * @module
 */

/** Keywords that restrict values, and those that refer to schemas. */
const KEYWORDS: ReadonlySet<string> = new Set([
  "$defs",
  "$dynamicRef",
  "$recursiveRef",
  "$ref",
  "$schema",
  "additionalItems",
  "additionalProperties",
  "allOf",
  "anyOf",
  "const",
  "contains",
  "definitions",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "if",
  "items",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "oneOf",
  "patternProperties",
  "prefixItems",
  "properties",
  "propertyNames",
  "required",
  "then",
  "type",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
]);

/** Keywords that restrict nothing, at least not for objects. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "contentEncoding",
  "contentMediaType",
  "contentSchema",
  "default",
  "deprecated",
  "description",
  "example",
  "examples",
  "format",
  "id",
  "pattern",
  "readOnly",
  "title",
  "writeOnly",
]);

/**
 * Returns the name of a member if an object has no keyword that restricts values, and a member that
 * is neither an annotation nor an extension. Names with `$` or `x-` at the start are extensions.
 */
export function findMemberOfShape(schema: object): string | undefined {
  const names = Object.keys(schema);
  if (names.some((name) => KEYWORDS.has(name))) return undefined;
  return names.find((name) => !ANNOTATIONS.has(name) && !/^(\$|x-)/.test(name));
}
