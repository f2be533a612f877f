import { assertEquals } from "@std/assert";
import { jsonSchemaValidator } from "./json_schema.ts";

const DRAFT = "https://json-schema.org/draft/2019-09/schema";

/** Returns true if a value is valid. */
function accepts(schema: Record<string, unknown>, value: unknown): boolean {
  const issues = jsonSchemaValidator().compile({ $schema: DRAFT, ...schema })(value);
  return Array.isArray(issues) && issues.length === 0;
}

/** A schema for strings and objects that contains a schema for integers or is contained in one. */
function nested(outer: object, inner: object): Record<string, unknown> {
  const myobject = {
    $id: "myobject.json",
    ...inner,
    anyOf: [
      { type: "string" },
      { type: "object", additionalProperties: { $recursiveRef: "#" } },
    ],
  };
  return {
    $id: "https://schemas.example/schema.json",
    ...outer,
    $defs: { myobject },
    anyOf: [{ type: "integer" }, { $ref: "#/$defs/myobject" }],
  };
}

const ANCHOR = { $recursiveAnchor: true };

Deno.test("$recursiveRef without $recursiveAnchor is the same as $ref", () => {
  const schema = { properties: { foo: { $recursiveRef: "#" } }, additionalProperties: false };
  assertEquals(accepts(schema, { foo: { foo: false } }), true);
  assertEquals(accepts(schema, { foo: { bar: false } }), false);
});

Deno.test("$recursiveRef refers to the outermost resource if both have $recursiveAnchor", () => {
  const values = [1, "hi", { foo: "hi" }, { foo: { bar: "hi" } }, { foo: 1 }, { foo: true }];
  const cases = [
    [ANCHOR, ANCHOR, [true, true, true, true, true, false]],
    [{}, ANCHOR, [true, true, true, true, false, false]],
    [ANCHOR, {}, [true, true, true, true, false, false]],
    [ANCHOR, { $recursiveAnchor: false }, [true, true, true, true, false, false]],
    [{}, {}, [true, true, true, true, false, false]],
  ] as const;
  for (const [outer, inner, expected] of cases) {
    assertEquals(values.map((value) => accepts(nested(outer, inner), value)), [...expected]);
  }
});

Deno.test("$recursiveRef stays in a resource without $recursiveAnchor", () => {
  const inner = {
    $id: "inner.json",
    anyOf: [
      { type: "integer" },
      { type: "object", additionalProperties: { $recursiveRef: "#" } },
    ],
  };
  const schema = {
    $id: "https://schemas.example/outer.json",
    ...ANCHOR,
    anyOf: [{ type: "boolean" }, { type: "object", additionalProperties: inner }],
  };
  const values = [true, { foo: 1 }, { foo: { bar: 1 } }, { foo: { bar: true } }, { foo: true }];
  assertEquals(values.map((value) => accepts(schema, value)), [true, true, true, false, false]);
});

Deno.test("$recursiveRef applies a resource that only a reference to a part of it has entered", () => {
  const schema = {
    $id: "https://schemas.example/parts.json",
    $ref: "tree.json#/$defs/branch",
    $defs: {
      tree: {
        $id: "tree.json",
        ...ANCHOR,
        required: ["name"],
        $defs: { branch: { properties: { child: { $recursiveRef: "#" } } } },
        $ref: "#/$defs/branch",
      },
    },
  };
  assertEquals(accepts(schema, { child: { name: "a" } }), true);
  assertEquals(accepts(schema, { child: {} }), false);
  assertEquals(accepts(schema, { child: { name: "a", child: {} } }), false);
});

Deno.test("a schema can contain a member with the name of a stored location", () => {
  const schema = { properties: { a: { __absolute_uri__: "#%", type: "string" } } };
  assertEquals(accepts(schema, { a: "x" }), true);
  assertEquals(accepts(schema, { a: 1 }), false);
});
