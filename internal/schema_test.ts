import { assert, assertEquals, assertThrows } from "@std/assert";
import {
  formatIssues,
  toInputCheck,
  toInputJsonSchema,
  toJsonSchema,
  toSchemaCheck,
} from "./schema.ts";
import type { JsonSchema, StandardSchema } from "./schema_types.ts";

/** A validator that must not be called. */
const NO_VALIDATOR = {
  compile(): never {
    throw new Error("called");
  },
};

function standard(
  validate: StandardSchema["~standard"]["validate"],
  convert: (target: string) => Record<string, unknown> = () => ({ type: "object" }),
): StandardSchema {
  const side = ({ target }: { readonly target: string }) => convert(target);
  return {
    "~standard": {
      version: 1,
      vendor: "test",
      validate,
      jsonSchema: { input: side, output: side },
    },
  };
}

/** A thenable from another realm or library, which is not a `Promise`. */
function thenable<Value>(value: Value): PromiseLike<Value> {
  return { then: (resolve, reject) => Promise.resolve(value).then(resolve, reject) };
}

Deno.test("toSchemaCheck() returns the value of a Standard Schema", () => {
  const upper = standard((value) => ({ value: String(value).toUpperCase() }));
  assertEquals(toSchemaCheck(upper, NO_VALIDATOR)("a"), { ok: true, value: "A" });
});

Deno.test("toSchemaCheck() converts the paths of a Standard Schema to JSON Pointers", async () => {
  const issues = [{ message: "bad", path: ["a/b", { key: 0 }, "~"] }];
  const check = toSchemaCheck(standard(() => Promise.resolve({ issues })), NO_VALIDATOR);
  assertEquals(await check("a"), { ok: false, issues: [{ path: "/a~1b/0/~0", message: "bad" }] });
});

Deno.test("toSchemaCheck() awaits thenables of any class", async () => {
  const rejecting = standard(() => thenable({ issues: [{ message: "bad" }] }));
  assertEquals(await toSchemaCheck(rejecting, NO_VALIDATOR)({}), {
    ok: false,
    issues: [{ path: "", message: "bad" }],
  });
  const accepting = standard(() => thenable({ value: 1 }));
  assertEquals(await toSchemaCheck(accepting, NO_VALIDATOR)({}), { ok: true, value: 1 });
  const validator = { compile: () => () => thenable([{ path: "/a", message: "bad" }]) };
  assertEquals(await toSchemaCheck({}, validator)({}), {
    ok: false,
    issues: [{ path: "/a", message: "bad" }],
  });
});

const FAILING: readonly [string, StandardSchema][] = [
  [
    "throws",
    standard(() => {
      throw new Error("x");
    }),
  ],
  ["rejects", standard(() => Promise.reject(new Error("x")))],
  ["returns neither a value nor issues", standard(() => ({}) as never)],
  ["returns null", standard(() => null as never)],
  ["returns undefined", standard(() => undefined as never)],
  ["returns true", standard(() => true as never)],
  ["resolves to true", standard(() => Promise.resolve(true) as never)],
  ["returns null as its issues", standard(() => ({ value: 1, issues: null }) as never)],
  ["returns false as its issues", standard(() => ({ value: 1, issues: false }) as never)],
];
for (const [fault, schema] of FAILING) {
  Deno.test(`toSchemaCheck() rejects every value if the schema ${fault}`, async () => {
    const result = await toSchemaCheck(schema, NO_VALIDATOR)({});
    assert(!result.ok);
    assert(formatIssues(result.issues).startsWith("/: cannot be checked: the schema failed: "));
  });
}

Deno.test("toSchemaCheck() rejects every value if a custom validator throws", async () => {
  const error = new Error("no such keyword");
  const validator = {
    compile: () => () => {
      throw error;
    },
  };
  assertEquals(await toSchemaCheck({}, validator)({}), {
    ok: false,
    issues: [{ path: "", message: "cannot be checked: the schema failed: no such keyword" }],
    error,
  });
});

Deno.test("toSchemaCheck() rejects every value if a custom validator rejects or returns no array", async () => {
  const results: readonly unknown[] = [undefined, null, true, false, 0, "", {}, { length: 0 }];
  const validators: readonly (() => unknown)[] = [
    () => Promise.reject(new Error("no such keyword")),
    ...results.flatMap((result) => [() => result, () => Promise.resolve(result)]),
  ];
  for (const validate of validators) {
    const validator = { compile: () => validate as () => readonly [] };
    const result = await toSchemaCheck({}, validator)({});
    assert(!result.ok);
    assert(formatIssues(result.issues).startsWith("/: cannot be checked: the schema failed: "));
  }
});

Deno.test("toJsonSchema() requests draft 2020-12, then draft-07", () => {
  const seventh = standard((value) => ({ value }), (target) => {
    if (target !== "draft-07") throw new Error("unknown target");
    return { target };
  });
  assertEquals(toJsonSchema(seventh), { target: "draft-07" });
  assertEquals(toJsonSchema(seventh, "output"), { target: "draft-07" });
  const mute = standard((value) => ({ value }), () => {
    throw new Error("not representable");
  });
  assertThrows(() => toJsonSchema(mute), TypeError, "not representable");
  const old = { "~standard": { version: 1, vendor: "old", validate: () => ({ value: 1 }) } };
  assertThrows(() => toJsonSchema(old as never), TypeError, 'Cannot convert a "old" schema');
});

Deno.test("toInputJsonSchema() adds the type `object` to a schema without a type", () => {
  assertEquals(toInputJsonSchema({}), { type: "object" });
  assertEquals(toInputJsonSchema({ required: ["a"] }), { type: "object", required: ["a"] });
});

Deno.test("toInputJsonSchema() returns a copy that does not change with the schema", () => {
  const properties: Record<string, unknown> = { a: { type: "string" } };
  const copy = toInputJsonSchema({ type: "object", properties });
  properties.b = { type: "number" };
  assertEquals(copy, { type: "object", properties: { a: { type: "string" } } });
});

Deno.test("toJsonSchema() calls the conversion as a method of the schema library's object", () => {
  class Conversion {
    readonly #type = "object";
    input(): Record<string, unknown> {
      return { type: this.#type };
    }
    output = this.input;
  }
  const schema: StandardSchema = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) => ({ value }),
      jsonSchema: new Conversion(),
    },
  };
  assertEquals(toJsonSchema(schema), { type: "object" });
});

Deno.test("toJsonSchema() accepts a converted schema to which the schema library adds a member `~standard`", () => {
  const converted = Object.defineProperty({ type: "object" }, "~standard", { value: {} });
  assertEquals(toJsonSchema(standard((value) => ({ value }), () => converted)), { type: "object" });
});

const NO_INPUT: readonly [string, unknown, string][] = [
  ["an array type", { type: "array" }, '"inputSchema.type" must be "object", got "array"'],
  ["a type list", { type: ["object"] }, '"inputSchema.type" must be "object", got ["object"]'],
  [
    "a Standard Schema for strings",
    standard((value) => ({ value }), () => ({ type: "string" })),
    '"inputSchema.type" must be "object", got "string"',
  ],
  ["a string", "object", 'must be a JSON Schema object or a Standard Schema, got "object"'],
  ["null", null, "must be a JSON Schema object or a Standard Schema, got null"],
  ["an array", [], "must be a JSON Schema object or a Standard Schema, got an array"],
  ["a function", () => {}, "must be a JSON Schema object or a Standard Schema, got a function"],
  [
    "an object that contains Standard Schemas",
    { city: standard((value) => ({ value })) },
    'got an object whose property "city" is a schema; wrap it, for example in z.object(…)',
  ],
  [
    "a JSON Schema with a Standard Schema as a property",
    { type: "object", properties: { city: standard((value) => ({ value })) } },
    '"city" must be a JSON Schema, got a schema of a library',
  ],
  [
    "a JSON Schema with a Zod 3 schema in an array",
    { type: "object", allOf: [{ _def: {}, parse: () => {} }] },
    '"0" must be a JSON Schema, got a schema of a library',
  ],
  ["a Zod 3 schema", { _def: {}, parse: () => {} }, "upgrade the schema library"],
  [
    "an object that contains Zod 3 schemas",
    { city: { _def: {}, parse: () => {} } },
    'got an object whose property "city" is a schema',
  ],
];
for (const [name, schema, message] of NO_INPUT) {
  Deno.test(`toInputJsonSchema() throws for ${name}`, () => {
    assertThrows(() => toInputJsonSchema(schema as JsonSchema), TypeError, message);
  });
}

const NO_OBJECTS = ["rm -rf", ["x"], 5, null, undefined];

Deno.test("toInputCheck() rejects values that are not objects, even if the schema has no type", async () => {
  const validator = { compile: () => () => [] };
  const any = standard((value) => ({ value }), () => ({}));
  for (const schema of [{}, { properties: {} }, any]) {
    const check = toInputCheck(schema, validator);
    for (const value of NO_OBJECTS) assertEquals((await check(value)).ok, false);
    assertEquals((await check({})).ok, true);
  }
});

Deno.test("toInputCheck() validates with the JSON Schema that the model receives", () => {
  const schemas: JsonSchema[] = [];
  toInputCheck({ required: ["a"] }, { compile: (schema) => (schemas.push(schema), () => []) });
  assertEquals(schemas, [{ required: ["a"], type: "object" }]);
});

Deno.test("toSchemaCheck() rejects every value if the schema fails with an unprintable error", async () => {
  const hostile = standard(() => Promise.reject(Object.create(null)));
  assertEquals((await toSchemaCheck(hostile, NO_VALIDATOR)({})).ok, false);
  const loose = { compile: () => () => "" as never };
  assertEquals((await toSchemaCheck({}, loose)({})).ok, false);
});

Deno.test("formatIssues() limits the number and the length of issues", () => {
  const issues = Array.from({ length: 100 }, (_, index) => ({
    path: `/${index}`,
    message: "x".repeat(1000),
  }));
  const text = formatIssues(issues);
  assertEquals(text.split("; ").length, 16);
  assert(text.length < 16 * 320);
  assertEquals(formatIssues([{ path: "", message: "bad" }]), "/: bad");
});

Deno.test("formatIssues() marks a truncated text and does not split a surrogate pair", () => {
  const message = `${"x".repeat(299)}\u{1f600}`;
  assertEquals(formatIssues([{ path: "", message }]), `/: ${"x".repeat(299)}…`);
  assertEquals(formatIssues([{ path: "", message: "x".repeat(301) }]), `/: ${"x".repeat(300)}…`);
});
