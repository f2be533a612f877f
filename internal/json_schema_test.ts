import { type Schema, type SchemaDraft, Validator } from "@cfworker/json-schema";
import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { formatIssues } from "./schema.ts";
import type { JsonSchema } from "./schema_types.ts";
import { jsonSchemaValidator } from "./json_schema.ts";

const CITY = {
  type: "object",
  properties: {
    city: { type: "string", minLength: 2 },
    days: { type: "array", items: { type: "integer" } },
    unit: { $ref: "#/$defs/unit" },
  },
  required: ["city"],
  additionalProperties: false,
  $defs: { unit: { enum: ["C", "F"] } },
};

const TAGGED = {
  oneOf: [
    { properties: { tag: { const: "a" }, n: { type: "number" } }, required: ["tag", "n"] },
    { properties: { tag: { const: "b" }, s: { type: "string" } }, required: ["tag", "s"] },
  ],
};

async function issuesOf(schema: JsonSchema, value: unknown): Promise<string> {
  return formatIssues(await jsonSchemaValidator().compile(schema)(value));
}

/** Schema, value, and the issues as one line, which is empty if the value is valid. */
const TABLE: readonly [JsonSchema, unknown, string][] = [
  [CITY, { city: "Oslo", days: [1, 2], unit: "C" }, ""],
  [CITY, {}, '/: "city" is required'],
  [CITY, { city: "O" }, "/city: string is too short (1 < 2)"],
  [
    CITY,
    { city: 1, days: [1, "2"] },
    "/city: must be string, got number; /days/1: must be integer, got string",
  ],
  [CITY, { city: "Oslo", unit: "K" }, '/unit: does not match any of ["C","F"]'],
  [
    CITY,
    { city: "Oslo", town: 1 },
    "/town: is not a known property",
  ],
  [CITY, "Oslo", "/: must be object, got string"],
  [CITY, null, "/: must be object, got null"],
  [
    { properties: { "a/b ~é": { type: "null" } } },
    { "a/b ~é": 1 },
    "/a~1b ~0é: must be null, got number",
  ],
  [{ properties: { a: { pattern: "^x+$" } } }, { a: "y" }, "/a: string does not match pattern"],
  [{ properties: { a: { pattern: "^x+$" } } }, { a: 1 }, ""],
  [{ pattern: "^x", allOf: [{ pattern: "y$" }] }, "xy", ""],
  [{ pattern: "^x", allOf: [{ pattern: "y$" }] }, "x", "/: string does not match pattern"],
  [{ pattern: "^y", maxLength: 2 }, "xxx", "/: string is too long (3 > 2)"],
  [{ properties: { "#": { type: "null" } } }, { "#": 1 }, "/#: must be null, got number"],
  [{ exclusiveMinimum: 5 }, 5, "/: must be greater than 5, got 5"],
  [{ exclusiveMaximum: 5 }, 5, "/: 5 is greater than or equal to 5"],
  [{ maxProperties: 1 }, { a: 1, b: 2 }, "/: must have at most 1 properties"],
  [{ minProperties: 1 }, {}, "/: does not have at least 1 properties"],
  // `JSON.parse("1e400")` returns `Infinity`.
  [{ type: "integer" }, Infinity, "/: contains a number that is not finite"],
  [{ properties: { a: { minimum: 1 } } }, { a: NaN }, "/: contains a number that is not finite"],
  // In drafts other than draft-04, `id` is an annotation.
  [
    { properties: { a: { id: "x" }, b: { id: "x", type: "null" } } },
    { b: 1 },
    "/b: must be null, got number",
  ],
  [{ properties: { id: { type: "null" } } }, { id: 1 }, "/id: must be null, got number"],
  [
    { properties: { a: { format: "date" } } },
    { a: "y" },
    '/a: string does not match format "date"',
  ],
  [{ properties: { a: { const: 1 } } }, { a: 2 }, "/a: does not match 1"],
  [{ properties: { a: false } }, { a: 2 }, "/a: is not allowed"],
  [
    { properties: { a: { type: ["string", "null"] } } },
    { a: 2 },
    "/a: must be string or null, got number",
  ],
  [{ type: "array", minItems: 2 }, [1], "/: array has too few items (1 < 2)"],
  [{ type: "array", uniqueItems: true }, [1, 1], "/: duplicate items at indexes 0 and 1"],
  [
    { type: "array", contains: { type: "number" } },
    ["a"],
    "/: array does not contain item matching schema",
  ],
  [{ if: { required: ["a"] }, then: { required: ["b"] } }, { a: 1 }, '/: "b" is required'],
  [{ dependencies: { a: ["b"] } }, { a: 1 }, '/: has "a" but does not have "b"'],
  [{ dependencies: { a: { required: ["c"] } } }, { a: 1 }, '/: "c" is required'],
  [{ dependentRequired: { a: ["b"] } }, { a: 1 }, '/: has "a" but does not have "b"'],
  [{ dependentSchemas: { a: false } }, { a: 1 }, "/: is not allowed"],
  [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, "/ab: string is too long (2 > 1)"],
  [{ not: {} }, 1, '/: matched "not" schema'],
  [{ allOf: [{ type: "string" }] }, 1, "/: must be string, got number"],
  // Only the issues of the alternative with the same tag or type as the value are reported.
  [TAGGED, { tag: "a", n: "no" }, "/n: must be number, got string"],
  [TAGGED, { tag: "c" }, '/tag: does not match "a", or does not match "b"'],
  [TAGGED, {}, "/: must match one of 2 schemas"],
  [
    { properties: { v: { anyOf: [{ type: "string" }, { type: "object", required: ["id"] }] } } },
    { v: {} },
    '/v: "id" is required',
  ],
  [
    { anyOf: [{ type: "string" }, { type: "number" }] },
    true,
    "/: must be string, got boolean, or must be number, got boolean",
  ],
  [
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    3,
    "/: must match exactly one schema, matches 2",
  ],
  [{ anyOf: [false, { additionalProperties: false }] }, { a: 1 }, "/: must match one of 2 schemas"],
  // JSON has no `undefined`, so a property with this value counts as missing.
  [{ required: ["a"] }, { a: undefined }, '/: "a" is required'],
  [{ properties: { a: { type: "string" } } }, { a: undefined }, ""],
  [{ properties: { a: { items: { type: "null" } } } }, { a: [undefined], b: undefined }, ""],
];
for (const [schema, value, issues] of TABLE) {
  Deno.test(`jsonSchemaValidator() reports ${issues || "no issue"} for the value ${Deno.inspect(value)}`, async () => {
    assertEquals(await issuesOf(schema, value), issues);
  });
}

Deno.test("jsonSchemaValidator() applies the dialect that the schema declares", async () => {
  const items = [{ type: "string" }, { type: "number" }];
  const dialects = [
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-04/schema#",
    "https://json-schema.org/draft/2019-09/schema",
  ];
  for (const $schema of dialects) {
    assertEquals(await issuesOf({ $schema, items }, ["a", "b"]), "/1: must be number, got string");
  }
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const expected = "/1: must be number, got string";
  assertEquals(await issuesOf({ $schema, prefixItems: items }, ["a", "b"]), expected);
  assertEquals(await issuesOf({ prefixItems: items }, ["a", "b"]), expected);
});

Deno.test("jsonSchemaValidator() accepts a frozen schema and does not change it", async () => {
  const schema = Object.freeze({
    $defs: Object.freeze({ a: Object.freeze({ type: "string" }) }),
    properties: Object.freeze({ a: Object.freeze({ $ref: "#/$defs/a" }) }),
  });
  const before = JSON.stringify(schema);
  assertEquals(await issuesOf(schema, { a: 1 }), "/a: must be string, got number");
  assertEquals(JSON.stringify(schema), before);
});

const cyclic: Record<string, unknown> = {};
cyclic.not = cyclic;

const BROKEN: readonly [JsonSchema, string][] = [
  [{ type: "strnig" }, '"/type" must be one of "array", "boolean",'],
  [{ properties: { a: { type: ["string", 1] } } }, '"/properties/a/type" must be one of'],
  [{ $ref: "#/nowhere" }, '"/$ref" must be a reference into the same schema, got "#/nowhere"'],
  [{ items: { $ref: "https://example.com/s.json" } }, '"/items/$ref" must be a reference into'],
  [{ $ref: "#/x", x: { pattern: "(" } }, '"#/x/pattern" must be a valid regular expression'],
  [{ dependencies: { a: { pattern: "(" } } }, '"/dependencies/a/pattern" must be a valid regular'],
  [{ dependencies: { a: 1 } }, '"/dependencies/a" must be a schema, got 1'],
  [{ $dynamicRef: "#a" }, '"/$dynamicRef" must be omitted (not supported)'],
  [{ pattern: "(" }, '"/pattern" must be a valid regular expression, got "("'],
  [{ patternProperties: { "(": {} } }, '"/patternProperties" must be a valid regular expression'],
  [{ properties: [] }, '"/properties" must be an object of schemas, got []'],
  [{ properties: { a: 1 } }, '"/properties/a" must be a schema, got 1'],
  [{ anyOf: {} }, '"/anyOf" must be an array of schemas, got {}'],
  [{ required: true }, '"/required" must be an array of property names, got true'],
  [{ enum: "a" }, '"/enum" must be a non-empty array, got "a"'],
  [{ enum: [] }, '"/enum" must be a non-empty array, got []'],
  [{ type: [] }, '"/type" must be one of'],
  [{ dependentRequired: { a: "b" } }, '"/dependentRequired/a" must be an array of property names'],
  [{ required: [1] }, '"/required" must be an array of property names, got [1]'],
  [{ minLength: "abc" }, '"/minLength" must be a non-negative integer, got "abc"'],
  [{ maxItems: null }, '"/maxItems" must be a non-negative integer, got null'],
  [{ minimum: "5" }, '"/minimum" must be a number, got "5"'],
  [{ minimum: 5, exclusiveMinimum: true }, '"/exclusiveMinimum" must be a number, got true'],
  [{ multipleOf: 0 }, '"/multipleOf" must be greater than 0, got 0'],
  [{ pattern: /^a$/ }, '"pattern" must be a JSON value, got [object RegExp]'],
  [{ properties: { a: { type: String } } }, '"type" must be a JSON value, got [object Function]'],
  [{ maximum: Infinity }, '"maximum" must be a JSON value, got [object Number]'],
  [
    { $schema: "https://example.com/dialect" },
    '"/$schema" must be one of "https://json-schema.org/',
  ],
  [{ $schema: 7 }, '"/$schema" must be one of'],
  [{ $id: "a", $defs: { b: { $id: "a" } } }, 'invalid "$id" or "$ref"'],
  [cyclic, "must be serializable as JSON"],
  [[] as never, "JSON Schema must be an object"],
];
for (const [schema, message] of BROKEN) {
  Deno.test(`jsonSchemaValidator() throws for a schema: ${message}`, () => {
    assertThrows(() => jsonSchemaValidator().compile(schema), TypeError, message);
  });
}

Deno.test("jsonSchemaValidator() rejects values beyond its limits", async () => {
  const validate = jsonSchemaValidator({ maxNodes: 10, maxUniqueItems: 3 });
  const list = validate.compile({ items: { type: "integer" } });
  assertEquals(await list(Array(9).fill(1)), []);
  assertEquals(await list(Array(10).fill(1)), [{
    path: "",
    message: "is too large: maximum is 10 values",
  }]);
  const unique = validate.compile({ properties: { a: { uniqueItems: true } } });
  assertEquals(await unique({ a: [1, 2, 3] }), []);
  assertEquals(
    formatIssues(await unique({ a: [1, 2, 3, 4] })),
    "/: is too large: maximum is 3 items in an array",
  );
  const pattern = jsonSchemaValidator({ maxPatternLength: 3 });
  assertEquals(await pattern.compile({ pattern: "a" })("aaa"), []);
  assertEquals(
    formatIssues(await pattern.compile({ pattern: "a" })("aaaa")),
    "/: string is too long (4 > 3)",
  );
  assertEquals(
    formatIssues(await pattern.compile({ patternProperties: { a: {} } })({ aaaa: 1 })),
    "/: is too large: maximum is 3 characters in a property name",
  );
  const invalid = [
    { maxNodes: 0 },
    { maxNodes: NaN },
    { maxUniqueItems: -1 },
    { maxPatternLength: 0 },
  ];
  for (const options of invalid) {
    assertThrows(() => jsonSchemaValidator(options), RangeError, "must be a positive integer, got");
  }
});

Deno.test("jsonSchemaValidator() validates values with long enumerations and lists", async () => {
  const many = Array.from({ length: 150_000 }, (_, index) => `${index}`);
  assertEquals(await issuesOf({ items: { enum: many } }, many), "");
  assertEquals(
    await issuesOf({ uniqueItems: true }, many),
    "/: is too large: maximum is 1000 items in an array",
  );
  assertEquals(await issuesOf({ items: { type: "null" } }, many), "/0: must be null, got string");
  const host = `http://${"a".repeat(100)}!`;
  assertEquals(
    await issuesOf({ items: { format: "url" } }, [host, "no"]),
    '/1: string does not match format "uri"',
  );
});

const ITEMS_50_000 = Array.from({ length: 50_000 }, (_, index) => ({ k: index % 50 }));
const NAMES_1000 = Array.from({ length: 1000 }, (_, index) => `n${index}`);
const OBJECT_1000 = Object.fromEntries(NAMES_1000.map((name) => [name, 1]));

/** Schemas that contain another schema twice, so that a recursive schema takes exponential time. */
const TWICE: readonly ((e: JsonSchema) => JsonSchema)[] = [
  (e) => ({ anyOf: [{ properties: { a: e } }, { properties: { a: e } }] }),
  (e) => ({ oneOf: [{ properties: { a: e } }, { properties: { a: e } }] }),
  (e) => ({ allOf: [{ properties: { a: e } }, { properties: { a: e } }] }),
  (e) => ({ not: { properties: { a: e } }, properties: { a: e } }),
  (e) => ({ if: { properties: { a: e } }, then: { properties: { a: e } } }),
  (e) => ({ if: { not: { properties: { a: e } } }, else: { properties: { a: e } } }),
  (e) => ({ dependentSchemas: { a: { properties: { a: e } } }, properties: { a: e } }),
  (e) => ({ dependencies: { a: { properties: { a: e } } }, properties: { a: e } }),
  (e) => ({
    additionalProperties: e,
    patternProperties: { b: {} },
    allOf: [{ properties: { a: e } }],
  }),
  (e) => ({ patternProperties: { a: e }, properties: { a: e } }),
  (e) => ({ unevaluatedProperties: e, not: { properties: { a: e } } }),
];

const COSTLY: readonly [JsonSchema, unknown][] = [
  ...TWICE.map((twice): [JsonSchema, unknown] => {
    let value: unknown = {};
    for (let depth = 0; depth < 40; depth++) value = { a: value };
    return [{ $ref: "#/$defs/e", $defs: { e: twice({ $ref: "#/$defs/e" }) } }, value];
  }),
  [
    {
      items: {
        oneOf: NAMES_1000.slice(0, 50).map((_, k) => ({ properties: { k: { const: k } } })),
      },
    },
    ITEMS_50_000,
  ],
  [{ items: { enum: NAMES_1000.map((name) => ({ name })) } }, Array(9000).fill({ name: "n999" })],
  [
    { items: { allOf: Array(10).fill({ not: { const: { ...OBJECT_1000, n999: 2 } } }) } },
    Array(190).fill(OBJECT_1000),
  ],
  [{ items: { anyOf: [{ required: NAMES_1000 }, {}] } }, ITEMS_50_000],
  [{ items: { properties: schemas() } }, ITEMS_50_000],
  [{ items: { anyOf: [{ dependentRequired: { k: NAMES_1000 } }, {}] } }, ITEMS_50_000],
  [
    { allOf: Array(100).fill({ uniqueItems: true }) },
    Array.from({ length: 1000 }, (_, index) => ({ ...[0, 1, 2], index })),
  ],
  [
    { patternProperties: Object.fromEntries(NAMES_1000.map((name) => [name, true])) },
    Object.fromEntries(NAMES_1000.concat("x").map((name) => [name, 1])),
  ],
  [{ propertyNames: { anyOf: NAMES_1000.map((name) => ({ const: name })) } }, OBJECT_1000],
  [{ contains: { enum: NAMES_1000.map((name) => ({ name })) } }, ITEMS_50_000],
  [{ items: { multipleOf: 0.01 } }, Array(50_000).fill(1e300)],
  [{ items: { not: { pattern: "a+b" } } }, Array(100).fill("a".repeat(5000))],
  [{ items: { format: "uri" } }, Array(100).fill(`a:${"a".repeat(200_000)}`)],
  [{ items: { anyOf: [{ maxLength: 1 }, {}] } }, Array(1000).fill("a".repeat(100_000))],
];

/** Returns a schema for each of 1000 properties. */
function schemas(): JsonSchema {
  return Object.fromEntries(NAMES_1000.map((name) => [name, {}]));
}

for (const [schema, value] of COSTLY) {
  const text = JSON.stringify(schema);
  Deno.test(`jsonSchemaValidator() rejects a value that takes too many steps for ${text.slice(0, 80)}`, async () => {
    const issues = await issuesOf(schema, value);
    assertEquals(
      issues.replace(/"\/.*"/, "..."),
      "/: takes too long to validate: more than 1000000 steps, at ...",
    );
  });
}

Deno.test("jsonSchemaValidator() names the schema at which the steps ran out", async () => {
  const validator = jsonSchemaValidator({ maxSteps: 100 });
  const check = validator.compile({
    properties: { "a/b": { items: { anyOf: [{ type: "string" }, { minimum: 1 }] } } },
  });
  assertEquals(await check({ "a/b": Array(10).fill(1) }), []);
  const [issue] = await check({ "a/b": Array(50).fill(1) });
  assertEquals(issue?.path, "");
  assertMatch(issue?.message ?? "", /^takes too long .* 100 steps, at "\/properties\/a~1b\/items/);
  assertThrows(
    () => jsonSchemaValidator({ maxSteps: 0 }),
    RangeError,
    '"maxSteps" must be',
  );
});

Deno.test("jsonSchemaValidator() reports the first issue if finding all takes too many steps", async () => {
  const check = jsonSchemaValidator({ maxSteps: 500 }).compile({
    items: { anyOf: Array(50).fill({ type: "string" }) },
  });
  assertEquals((await check(Array(100).fill(1)))[0]?.path, "/0");
});

Deno.test("jsonSchemaValidator() validates recursive alternatives in bounded time", async () => {
  const operators = ["and", "or", "not"].map((op) => ({
    properties: { op: { const: op }, args: { items: { $ref: "#/$defs/e" } } },
    required: ["op"],
  }));
  const schema = { $ref: "#/$defs/e", $defs: { e: { oneOf: operators } } };
  const nest = (leaf: unknown): unknown => {
    let value = leaf;
    for (let depth = 0; depth < 40; depth++) value = { op: "and", args: [value] };
    return value;
  };
  assertEquals(await issuesOf(schema, nest({ op: "not" })), "");
  const issues = await jsonSchemaValidator().compile(schema)(nest({ op: "xor" }));
  assertEquals(issues.length > 0, true);
});

Deno.test("jsonSchemaValidator() limits the number of issues", async () => {
  const issues = await jsonSchemaValidator().compile({ items: { type: "null" } })(
    Array(500).fill(1),
  );
  assertEquals(issues.length, 16);
});

Deno.test("jsonSchemaValidator() measures deep and cyclic values without recursion", () => {
  let deep: unknown = 0;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  const circle: unknown[] = [];
  circle.push(circle, circle);
  const check = jsonSchemaValidator().compile({ items: { type: "array" } });
  assertEquals(check(deep), []);
  assertEquals(check(circle), [{ path: "", message: "is too large: maximum is 200000 values" }]);
});

Deno.test("jsonSchemaValidator() rejects a value that exceeds the call stack", async () => {
  let deep: unknown = 0;
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  assertEquals(await issuesOf({ items: { $ref: "#" } }, deep), "/: has too many levels of nesting");
  const unknown = Object.fromEntries(Array.from({ length: 150_000 }, (_, index) => [index, 1]));
  assertEquals(
    await issuesOf({ properties: { a: { additionalProperties: false } } }, { a: unknown }),
    "/a/0: is not a known property",
  );
});

Deno.test("jsonSchemaValidator() truncates the paths and messages of issues", async () => {
  const name = "x".repeat(100_000);
  const [issue] = await jsonSchemaValidator().compile({ additionalProperties: { const: name } })({
    [name]: 1,
  });
  assertEquals([issue?.path.length, issue?.message.length], [1001, 1001]);
});

Deno.test("jsonSchemaValidator() validates with the schema as it was when it was compiled", async () => {
  const schema = { type: "string" };
  const check = jsonSchemaValidator().compile(schema);
  schema.type = "number";
  assertEquals(await check("a"), []);
});

const LEAVES = [
  { type: "string" },
  { type: "number", minimum: 1 },
  { const: 1 },
  { const: { a: 1 } },
  { enum: ["a", 1] },
  { enum: [["a"], { a: ["a"] }, null] },
  { multipleOf: 0.1 },
  { uniqueItems: true },
  { maxProperties: 1 },
  { dependentRequired: { a: ["b"] } },
  { required: ["a"] },
  { dependencies: { a: ["b"] } },
  { maxLength: 1 },
  { pattern: "^a" },
  { minItems: 1 },
  {},
  true,
  false,
];

/** Generates schemas that combine the leaf schemas with every kind of applicator keyword. */
const SCHEMA = fc.letrec<{ schema: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).chain((schemas) =>
      fc.constantFrom("allOf", "anyOf", "oneOf").map((keyword) => ({ [keyword]: schemas }))
    ),
    tie("schema").chain((schema) =>
      fc.constantFrom(
        { not: schema },
        { items: schema },
        { contains: schema },
        { prefixItems: [schema], unevaluatedItems: false },
        { prefixItems: [schema], items: { type: "null" } },
        { items: [schema], additionalItems: { type: "string" } },
        { $ref: "#/$defs/leaf", unevaluatedItems: schema },
        { dependencies: { a: schema }, unevaluatedProperties: false },
        { anyOf: [{ required: ["a"], properties: { a: schema } }, { properties: { b: schema } }] },
        { patternProperties: { "b$": schema }, additionalProperties: { type: "number" } },
        { propertyNames: schema },
        { additionalProperties: schema },
        { unevaluatedProperties: schema },
        { properties: { a: schema, b: { type: "null" } } },
        { patternProperties: { "^a": schema } },
        { dependentSchemas: { a: schema } },
        { if: { required: ["a"] }, then: schema, else: { $ref: "#/$defs/leaf" } },
      )
    ),
  ),
})).schema;

const VALUE = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("a", "ab", 0, 1, null, true),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "ab"), tie("value")),
  ),
})).value;

const DRAFTS: readonly (readonly [SchemaDraft, string])[] = [
  ["2020-12", "https://json-schema.org/draft/2020-12/schema"],
  ["2019-09", "https://json-schema.org/draft/2019-09/schema"],
  ["7", "http://json-schema.org/draft-07/schema#"],
  ["4", "http://json-schema.org/draft-04/schema#"],
];

Deno.test("jsonSchemaValidator() returns issues if and only if @cfworker/json-schema rejects the value", () => {
  fc.assert(
    fc.property(SCHEMA, VALUE, fc.constantFrom(...DRAFTS), (schema, value, [draft, $schema]) => {
      const whole = { $schema, allOf: [schema], $defs: { leaf: { type: "array" } } };
      const { valid } = new Validator(structuredClone(whole) as Schema, draft).validate(value);
      const issues = jsonSchemaValidator().compile(whole)(value);
      assertEquals(Array.isArray(issues) && issues.length === 0, valid);
    }),
    propertyRuns(2000),
  );
});

Deno.test("jsonSchemaValidator() escapes invisible characters of a schema in its errors", () => {
  const schema = { properties: { "a\u202e": { type: "\u001b[2J\u200b" } } };
  const { message } = assertThrows(() => jsonSchemaValidator().compile(schema), TypeError);
  assertEquals(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(message), false);
  assertStringIncludes(message, "/properties/a\\u{202e}/type");
});
