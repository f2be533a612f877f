import { assertEquals, assertThrows } from "@std/assert";
import { jsonSchemaValidator } from "./json_schema.ts";
import type { JsonSchema } from "./schema_types.ts";

const { compile } = jsonSchemaValidator();

/** Nests a schema in itself. */
function nest(
  depth: number,
  keyword: (inner: JsonSchema, level: number) => JsonSchema,
): JsonSchema {
  let schema: JsonSchema = {};
  for (let level = 0; level < depth; level++) schema = keyword(schema, level);
  return schema;
}

function properties(count: number, name: string): JsonSchema {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, {}]));
}

const TOO_LARGE: Readonly<Record<string, JsonSchema>> = {
  "4,000 nested schemas": nest(4000, (not) => ({ not })),
  "schemas nested in maps": nest(600, (inner) => ({ properties: { a: inner } })),
  "schemas nested below unknown keywords": nest(1500, (x) => ({ x })),
  "a schema nested as deeply as JSON can be": nest(100_000, (items) => ({ items })),
  "a long identifier": { $id: `https://a.example/${"a".repeat(3000)}` },
  "a long identifier of a subschema": { not: { $id: "a".repeat(3000) } },
  "a long identifier in draft-04": {
    $schema: "http://json-schema.org/draft-04/schema#",
    not: { id: "a".repeat(3000) },
  },
  "many subschemas of a schema with an identifier": {
    $id: `https://a.example/${"a".repeat(2000)}`,
    properties: properties(15_000, "p"),
  },
  "long names of properties": { properties: properties(500, "p".repeat(20_000)) },
  "a long name around many subschemas": {
    properties: { ["p".repeat(20_000)]: { properties: properties(1000, "p") } },
  },
  "nested identifiers": nest(40, (not, level) => ({ $id: `https://a.example/${level}`, not })),
};

for (const [name, schema] of Object.entries(TOO_LARGE)) {
  Deno.test(`jsonSchemaValidator() rejects ${name} immediately`, () => {
    const startedAt = performance.now();
    assertThrows(() => compile(schema), TypeError, "JSON Schema");
    assertEquals(performance.now() - startedAt < 3000, true);
  });
}

Deno.test("jsonSchemaValidator() accepts large schemas", async () => {
  assertEquals(await compile({ properties: properties(20_000, "p") })({ p1: 1 }), []);
  assertEquals(await compile(nest(400, (not) => ({ not })))(1), []);
  assertEquals(await compile({ enum: Array(50_000).fill({ a: { b: 1 } }) })({ a: { b: 1 } }), []);
  const parts = Array.from({ length: 20 }, (_, index) => ({ $id: `https://a.example/${index}` }));
  assertEquals(await compile({ $defs: { ...parts }, $ref: "https://a.example/7" })(1), []);
});

Deno.test("jsonSchemaValidator() ignores unknown keywords with the names of inherited members", async () => {
  const unknown = { constructor: 1, toString: "a", valueOf: [1], hasOwnProperty: null };
  assertEquals(await compile({ type: "number", ...unknown })(1), []);
  assertEquals((await compile({ items: { ...unknown, type: "null" } })([1])).length, 1);
  const named = compile({ properties: { constructor: { type: "null" } } });
  assertEquals((await named({ constructor: 1 })).length, 1);
});
