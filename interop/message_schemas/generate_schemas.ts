/**
 * Generates JSON Schemas in which most keywords have a random value, so that many are invalid.
 *
 * @module
 */

const KEYWORDS = [
  "$ref $anchor $comment $defs definitions title description default deprecated readOnly writeOnly",
  "examples type const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength",
  "minLength pattern items prefixItems additionalItems contains maxContains minContains format",
  "unevaluatedItems uniqueItems maxItems minItems properties patternProperties propertyNames",
  "additionalProperties unevaluatedProperties required dependentRequired dependentSchemas",
  "dependencies maxProperties minProperties allOf anyOf oneOf not if then else contentEncoding",
  "contentMediaType contentSchema $vocabulary",
].join(" ").split(" ");

const VALUES: readonly unknown[] = [
  ["string", "object", "strin", "a"],
  [0, 1, -1, 1.5],
  [true, false, null],
  [[], ["a"], ["a", "a"], [1], ["string", "null"], ["string", "string"]],
  [{}, { a: true }, { a: 1 }, { a: ["b"] }, { a: { type: "string" } }],
].flat();

/** Generates a schema with one or two keywords, whose values can be schemas. */
export function generateSchema(random: () => number, depth = 0): Readonly<Record<string, unknown>> {
  const count = depth > 3 ? 0 : 1 + Math.floor(random() * 2);
  const pick = (items: readonly unknown[]) => items[Math.floor(random() * items.length)];
  const value = (): unknown => {
    const kind = random();
    if (kind < 0.55) return pick(VALUES);
    const schema = generateSchema(random, depth + 1);
    if (kind < 0.65) return [schema];
    return kind < 0.75 ? { member: schema } : schema;
  };
  return Object.fromEntries(Array.from({ length: count }, () => [pick(KEYWORDS), value()]));
}
