import { assertEquals, assertThrows } from "@std/assert";
import { findMemberOfShape } from "./raw_shape.ts";
import { toInputJsonSchema, toJsonSchema } from "./schema.ts";

Deno.test("findMemberOfShape() finds a property in an object without keywords", () => {
  assertEquals(findMemberOfShape({ a: "number" }), "a");
  assertEquals(findMemberOfShape({ title: "string", city: { type: "string" } }), "city");
  assertEquals(findMemberOfShape({ description: "Where", format: "date", city: 1 }), "city");
});

Deno.test("findMemberOfShape() finds nothing in a JSON Schema", () => {
  const schemas = [
    {},
    { title: "Anything" },
    { type: "object", cost: 1 },
    { $ref: "#/$defs/a", $defs: { a: {} } },
    { "x-order": ["a"], $comment: "none" },
    { required: ["a"] },
  ];
  for (const schema of schemas) assertEquals(findMemberOfShape(schema), undefined);
});

Deno.test("a schema that only lists properties is rejected with the form of a JSON Schema", () => {
  const message =
    '"inputSchema" must be a JSON Schema object or a Standard Schema, got an object ' +
    'without the keywords of a JSON Schema; to describe the property "a", write ' +
    '{ type: "object", properties: { "a": { type: … } }, required: ["a"] }';
  assertThrows(() => toInputJsonSchema({ a: "number" }), TypeError, message);
  assertThrows(() => toJsonSchema({ a: { type: "string" } }), TypeError, '"a"');
});
