import { assertEquals, assertMatch } from "@std/assert";
import type { OpenApiTools } from "../openapi.ts";
import { documentWith, recorder, singleTool, toolsOf } from "../testdata/openapi.ts";

/** Returns the tools for a document with one operation, whose body has a schema. */
function toolsFor(schema: unknown, openapi: string, schemas: object = {}): OpenApiTools {
  const content = { "application/json": { schema } };
  const paths = { "/x": { post: { operationId: "op", requestBody: { content } } } };
  return toolsOf(documentWith(paths, { openapi, components: { schemas } }));
}

/** Returns the input schema of the body. */
function bodySchema(schema: unknown, openapi = "3.1.0", schemas: object = {}): unknown {
  const { tools, skipped } = toolsFor(schema, openapi, schemas);
  assertEquals(skipped, []);
  return propertiesOf({ tools })?.body;
}

function propertiesOf({ tools }: Pick<OpenApiTools, "tools">): Record<string, unknown> | undefined {
  return inputSchemaOf({ tools }).properties as Record<string, unknown> | undefined;
}

function inputSchemaOf({ tools }: Pick<OpenApiTools, "tools">): Readonly<Record<string, unknown>> {
  return tools[0]?.definition.inputSchema ?? {};
}

/** Schemas of version 3.1 and the schemas of the input. */
const SCHEMAS_31: readonly [unknown, unknown][] = [
  [true, {}],
  [undefined, {}],
  [{}, {}],
  [{ type: ["string", "null"], const: null, default: null }, {
    type: ["string", "null"],
    const: null,
    default: null,
  }],
  // `null` for another keyword is the same as absent.
  [{ type: "string", description: null, enum: null, items: null }, { type: "string" }],
  // Keywords that are not in the list.
  [
    {
      type: "object",
      $id: "urn:x",
      $anchor: "a",
      $recursiveAnchor: true,
      $comment: "c",
      xml: {},
      example: 1,
      examples: [1],
      deprecated: true,
      discriminator: { propertyName: "kind" },
      externalDocs: {},
      "x-mcp-header": "Authorization",
    },
    { type: "object" },
  ],
  [{ type: "string", title: 1, format: {}, description: "  " }, { type: "string" }],
  [{ type: "string", required: true }, { type: "string" }],
  // Some providers reject an array without items.
  [{ type: "array" }, { type: "array", items: {} }],
  [{ type: ["null", "array"], items: null }, { type: ["null", "array"], items: {} }],
  [{ type: "array", items: false }, { type: "array", items: false }],
  [{ type: "array", prefixItems: [true] }, { type: "array", prefixItems: [true], items: {} }],
  [{ type: "array", unevaluatedItems: false }, { type: "array", unevaluatedItems: false }],
  [{ pattern: "^[\\w-]+$" }, { pattern: "^[\\w-]+$" }],
  // A value that matches several alternatives is accepted.
  [{ oneOf: [{ type: "string" }, { oneOf: [true] }] }, {
    anyOf: [{ type: "string" }, { anyOf: [true] }],
  }],
  [{ anyOf: [{ minimum: 1 }], oneOf: [{ maximum: 9 }] }, {
    anyOf: [{ minimum: 1 }],
    allOf: [{ anyOf: [{ maximum: 9 }] }],
  }],
  [{ allOf: [{ multipleOf: 2 }], anyOf: [{ minimum: 1 }], oneOf: [{ maximum: 9 }] }, {
    allOf: [{ multipleOf: 2 }, { anyOf: [{ maximum: 9 }] }],
    anyOf: [{ minimum: 1 }],
  }],
  // Without the `u` flag, the pattern is valid.
  [{ type: "string", pattern: "^\\-$" }, { type: "string" }],
  [{ description: "a".repeat(600) }, { description: `${"a".repeat(512)}…` }],
  [
    {
      properties: { a: { type: "string" }, b: { type: "string", readOnly: true } },
      required: ["b"],
    },
    { properties: { a: { type: "string" } } },
  ],
  [
    { allOf: [{ properties: { a: { readOnly: true }, b: {} } }, { required: ["a", "b"] }] },
    { allOf: [{ properties: { b: {} } }, { required: ["b"] }] },
  ],
  [{ exclusiveMinimum: 1, minimum: 0 }, { exclusiveMinimum: 1, minimum: 0 }],
  // In version 3.1, `nullable` is not a keyword.
  [{ type: "string", nullable: true }, { type: "string" }],
  [
    {
      prefixItems: [{ type: "string", example: 1 }],
      items: { example: 1 },
      contains: { example: 1 },
      anyOf: [{ example: 1 }],
      not: { const: 1, example: 1 },
      dependentSchemas: { a: { example: 1 } },
      patternProperties: { "^a": { example: 1 } },
      unevaluatedProperties: false,
    },
    {
      prefixItems: [{ type: "string" }],
      items: {},
      contains: {},
      anyOf: [{}],
      not: { const: 1 },
      dependentSchemas: { a: {} },
      patternProperties: { "^a": {} },
      unevaluatedProperties: false,
    },
  ],
  // Names of members are not keywords.
  [
    { properties: { example: {}, nullable: {}, $ref: { type: "string" } } },
    { properties: { example: {}, nullable: {}, $ref: { type: "string" } } },
  ],
];

/** Schemas of version 3.0 and the schemas of the input. */
const SCHEMAS_30: readonly [unknown, unknown][] = [
  [{ type: "string", nullable: true }, { type: ["string", "null"] }],
  [{ type: "string", nullable: true, enum: ["a"] }, {
    type: ["string", "null"],
    enum: ["a", null],
  }],
  [{ nullable: true, enum: ["a"] }, { enum: ["a"] }],
  [{ type: "string", nullable: false }, { type: "string" }],
  [{ minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
  [{ minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
  [{ maximum: 9, exclusiveMaximum: true }, { exclusiveMaximum: 9 }],
  [{ exclusiveMaximum: true }, {}],
];

Deno.test("schemas become JSON Schema 2020-12", () => {
  for (const [schema, expected] of SCHEMAS_31) {
    assertEquals(bodySchema(schema), expected, JSON.stringify(schema));
  }
  for (const [schema, expected] of SCHEMAS_30) {
    assertEquals(bodySchema(schema, "3.0.3"), expected, JSON.stringify(schema));
  }
});

Deno.test("an input schema contains only the definitions that it refers to", () => {
  const schemas = {
    Pet: { type: "object", properties: { owner: { $ref: "#/components/schemas/Owner" } } },
    Owner: { type: "object" },
    Other: { type: "object" },
  };
  const tools = toolsFor({ $ref: "#/components/schemas/Pet" }, "3.1.0", schemas);
  assertEquals(inputSchemaOf(tools), {
    type: "object",
    properties: { body: { $ref: "#/$defs/Pet" } },
    additionalProperties: false,
    $defs: {
      Pet: { type: "object", properties: { owner: { $ref: "#/$defs/Owner" } } },
      Owner: { type: "object" },
    },
  });
});

Deno.test("recursive schemas stay recursive, and values are checked with them", async () => {
  const schemas = {
    Node: {
      type: "object",
      properties: { child: { $ref: "#/components/schemas/Node" }, id: { type: "string" } },
      required: ["id"],
    },
  };
  const tools = toolsFor({ $ref: "#/components/schemas/Node" }, "3.0.0", schemas);
  assertEquals(inputSchemaOf(tools).$defs, {
    Node: {
      type: "object",
      properties: { child: { $ref: "#/$defs/Node" }, id: { type: "string" } },
      required: ["id"],
    },
  });
  const result = await tools.callTool("op", { body: { id: "1", child: { id: 2 } } });
  assertEquals(result.isError, true);
});

Deno.test("an input that matches several alternatives of oneOf is sent", async () => {
  const member = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } });
  const schema = { oneOf: [member("script"), member("job")] };
  const { fetch, requests } = recorder();
  const content = { "application/json": { schema } };
  const tools = singleTool({ method: "patch", operation: { requestBody: { content } } }, { fetch });
  await tools.callTool("op", { body: { name: "x" } });
  assertEquals(requests.map(({ body }) => body), ['{"name":"x"}']);
});

Deno.test("the siblings of a reference apply in version 3.1 and not in version 3.0", () => {
  const schema = { $ref: "#/components/schemas/A", description: "text" };
  const schemas = { A: { type: "string" } };
  assertEquals(bodySchema(schema, "3.1.0", schemas), {
    $ref: "#/$defs/A",
    description: "text",
  });
  assertEquals(bodySchema(schema, "3.0.3", schemas), { $ref: "#/$defs/A" });
});

Deno.test("definitions with the same last name are distinct", () => {
  const schemas = { A: { properties: { x: { type: "string" } } }, x: { type: "number" } };
  const schema = {
    prefixItems: [
      { $ref: "#/components/schemas/A/properties/x" },
      { $ref: "#/components/schemas/x" },
      { $ref: "#/components/schemas/x" },
    ],
  };
  const tools = toolsFor(schema, "3.1.0", schemas);
  assertEquals(propertiesOf(tools)?.body, {
    prefixItems: [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/x_2" }, { $ref: "#/$defs/x_2" }],
  });
  assertEquals(inputSchemaOf(tools).$defs, { x: { type: "string" }, x_2: { type: "number" } });
});

Deno.test("a reference to a read-only schema is not an input", () => {
  const schemas = { Id: { type: "string", readOnly: true } };
  const schema = {
    properties: { id: { $ref: "#/components/schemas/Id" }, name: {} },
    required: ["id", "name"],
  };
  assertEquals(bodySchema(schema, "3.1.0", schemas), {
    properties: { name: {} },
    required: ["name"],
  });
});

Deno.test("references are decoded as JSON Pointers", () => {
  const schemas = { "a/b~c d": { type: "string" }, "100%": { type: "number" } };
  const schema = {
    prefixItems: [
      { $ref: "#/components/schemas/a~1b~0c%20d" },
      { $ref: "#/components/schemas/100%" },
    ],
  };
  const tools = toolsFor(schema, "3.1.0", schemas);
  assertEquals(Object.values(Object(inputSchemaOf(tools).$defs)), [
    { type: "string" },
    { type: "number" },
  ]);
});

/** Schemas of an operation that is skipped, and the reason. */
const SKIPPED: readonly [unknown, RegExp][] = [
  [{ $ref: "https://evil.example/schema.json" }, /is not a JSON Pointer into the document/],
  [{ $ref: "other.json#/A" }, /is not a JSON Pointer/],
  [{ $ref: "#anchor" }, /is not a JSON Pointer/],
  [{ $ref: "#/components/schemas/Missing" }, /has no target/],
  [{ $ref: "#/components/schemas/__proto__" }, /has no target/],
  [{ type: "file" }, /the input schema is not valid: /],
  [{ type: "number", minimum: "1" }, /the input schema is not valid: /],
  [{ exclusiveMinimum: true }, /the input schema is not valid: /],
  [{ enum: [] }, /the input schema is not valid: /],
  [{ allOf: "x" }, /the input schema is not valid: /],
  [{ properties: 1 }, /the input schema is not valid: /],
  [{ items: [{}] }, /a schema must be an object, got an array/],
  [{ default: 1n }, /which is not JSON/],
  ["text", /a schema must be an object, got "text"/],
];

Deno.test("an operation with an invalid or external schema is skipped", () => {
  for (const [schema, reason] of SKIPPED) {
    const { tools, skipped } = toolsFor(schema, "3.1.0");
    assertEquals(tools, []);
    assertEquals(skipped[0]?.operation, "POST /x");
    assertMatch(skipped[0]?.reason ?? "", reason);
  }
});

Deno.test("an input schema that is too large is skipped", () => {
  const operation = (length: number): object => ({
    parameters: [{ name: "a", in: "query", schema: { const: "x".repeat(length) } }],
  });
  // {"type":"object","properties":{"a":{"const":"…"}},"additionalProperties":false}
  const least = 78;
  const offered = singleTool({ operation: operation(22) }, { maxSchemaChars: least + 22 });
  assertEquals(offered.tools.length, 1);
  const { tools, skipped } = singleTool(
    { operation: operation(23) },
    { maxSchemaChars: least + 22 },
  );
  assertEquals(tools, []);
  assertEquals(
    skipped[0]?.reason,
    'the input schema has more than 100 characters ("maxSchemaChars")',
  );
});

/** Returns data with aliases, of which each level contains the next one ten times. */
function bomb(levels: number, wrap: (items: unknown[]) => unknown): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = wrap(Array(10).fill(value));
  return value;
}

/** Many members that are not inputs. */
const READ_ONLY = Object.fromEntries(
  Array.from({ length: 10_000 }, (_, index) => [`a${index}`, { readOnly: true }]),
);

Deno.test("an exponentially large schema with aliases ends early", () => {
  const schemas = [
    bomb(30, (anyOf) => ({ anyOf })),
    bomb(30, (allOf) => ({ allOf })),
    bomb(30, (items) => ({ properties: Object.fromEntries(items.entries()) })),
    { default: bomb(30, (items) => items) },
    bomb(4, (anyOf) => ({ anyOf, title: "a".repeat(10_000) })),
    bomb(4, (anyOf) => ({ anyOf, required: Array(10_000).fill("a") })),
    bomb(4, (allOf) => ({ allOf, properties: READ_ONLY })),
    bomb(4, (anyOf) => ({ anyOf, default: { ["a".repeat(10_000)]: 1 } })),
  ];
  for (const schema of schemas) {
    const { skipped } = toolsFor(schema, "3.1.0");
    assertMatch(skipped[0]?.reason ?? "", /more than 32768 characters/);
  }
});

Deno.test("cyclic objects and deeply nested schemas are skipped", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.items = cyclic;
  let deep: unknown = {};
  for (let level = 0; level < 100_000; level++) deep = { items: deep };
  for (const schema of [cyclic, deep]) {
    const { skipped } = toolsFor(schema, "3.1.0");
    assertEquals(skipped[0]?.reason, "a schema has more than 100 levels of nesting");
  }
});

Deno.test("an operation is skipped if a schema consists only of references to itself", () => {
  const schemas = {
    A: { $ref: "#/components/schemas/B" },
    B: { $ref: "#/components/schemas/A" },
    C: { allOf: [{ $ref: "#/components/schemas/C" }] },
  };
  const skipped = (name: string) =>
    toolsFor({ items: { $ref: `#/components/schemas/${name}` } }, "3.1.0", schemas).skipped;
  assertEquals(skipped("A"), [{ operation: "POST /x", reason: "references form a cycle" }]);
  assertEquals(skipped("C").length, 1);
});
