import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "fast-check";
import { isRecord } from "@parley/internal/json";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { anthropicMessages } from "./anthropic_messages.ts";
import { googleGenerateContent } from "./google_generate_content.ts";
import { openAiChat } from "./openai_chat.ts";
import { openAiResponses } from "./openai_responses.ts";
import { failureOf, QUESTION } from "./testdata/ask.ts";
import { toWireSchema } from "./wire_schema.ts";
import { WireTools } from "./wire_tools.ts";

function definitionOf(inputSchema: Record<string, unknown>, description?: string) {
  const tool = description === undefined ? {} : { description };
  const { definitions, warnings } = new WireTools([{ name: "t", inputSchema, ...tool }], "openai");
  return { ...definitions[0], warnings };
}

Deno.test("WireTools keeps a schema that every API accepts", () => {
  const inputSchema = {
    type: "object",
    properties: { a: { type: ["string", "null"] }, b: { anyOf: [{ const: null }, { enum: [1] }] } },
    required: ["a"],
    additionalProperties: false,
    $defs: { c: { type: "array", items: { $ref: "#/$defs/c" } } },
  };
  const { name, description, inputSchema: sent } = definitionOf(inputSchema, "A tool");
  assertEquals([name, description, sent], ["t", "A tool", inputSchema]);
});

Deno.test("WireTools adds missing keywords, and drops keywords without a valid value", () => {
  const empty = { type: "object", properties: {} };
  const rows = [
    [{}, empty],
    [{ type: "object" }, empty],
    [{ type: ["object", "null"] }, empty],
    [{ type: "object", properties: null, required: null }, empty],
    [{ type: "object", properties: [], items: null }, empty],
    [
      { properties: { a: { type: "any", required: true, description: null, default: null } } },
      { type: "object", properties: { a: { default: null } } },
    ],
    [
      { properties: { a: { items: [{ type: "string" }, {}], additionalItems: false } } },
      {
        type: "object",
        properties: { a: { prefixItems: [{ type: "string" }, {}], items: false } },
      },
    ],
    [
      {
        properties: {
          a: { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false },
        },
      },
      { type: "object", properties: { a: { minimum: 1, exclusiveMinimum: 1, maximum: 3 } } },
    ],
    // Some APIs reject an array without items, and some servers reject `true` as a schema.
    [
      { properties: { a: { type: "array" }, b: { type: ["array", "null"] }, c: true, d: null } },
      {
        type: "object",
        properties: {
          a: { type: "array", items: {} },
          b: { type: ["array", "null"], items: {} },
          c: {},
          d: {},
        },
      },
    ],
    [
      {
        properties: {
          a: { type: "array", items: true },
          b: { type: "array", prefixItems: [true] },
          c: { anyOf: [true, { type: "null" }], additionalProperties: true },
        },
        additionalProperties: false,
      },
      {
        type: "object",
        properties: {
          a: { type: "array", items: {} },
          b: { type: "array", prefixItems: [{}] },
          c: { anyOf: [{}, { type: "null" }], additionalProperties: true },
        },
        additionalProperties: false,
      },
    ],
    // The types of Google's schemas, and repeated names.
    [
      { type: "OBJECT", properties: { a: { type: "STRING" } }, required: ["a", "a", 5] },
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    ],
    [
      { properties: { a: { type: ["string", "String", "NULL"] }, b: { type: [] } } },
      { type: "object", properties: { a: { type: ["string", "null"] }, b: {} } },
    ],
    // Values of the wrong type.
    [
      {
        title: 5,
        properties: {
          a: { enum: [], minLength: "1", pattern: null, description: ["A"], format: {} },
          b: { enum: "x", uniqueItems: "true", readOnly: 1, multipleOf: null, default: null },
          c: { enum: [null, 1], minimum: 0, title: "C", deprecated: false },
        },
      },
      {
        type: "object",
        properties: {
          a: {},
          b: { default: null },
          c: { enum: [null, 1], minimum: 0, title: "C", deprecated: false },
        },
      },
    ],
  ] as const;
  for (const [inputSchema, expected] of rows) {
    const { inputSchema: sent, description } = definitionOf(inputSchema);
    assertEquals([sent, description], [expected, undefined]);
  }
});

Deno.test("WireTools folds combinations at the top level, and describes them", () => {
  const byId = { properties: { id: { type: "string" } }, required: ["id"] };
  const byName = { properties: { name: { type: "string" }, id: { type: "integer" } } };
  const { inputSchema, description } = definitionOf({
    type: "object",
    properties: { all: { type: "boolean" } },
    required: ["all"],
    anyOf: [byId, byName],
  }, "A tool");
  assertEquals(inputSchema, {
    type: "object",
    properties: {
      all: { type: "boolean" },
      id: { anyOf: [{ type: "string" }, { type: "integer" }] },
      name: { type: "string" },
    },
    required: ["all"],
  });
  assertEquals(
    description,
    `A tool\n\nThe input must also match this JSON Schema: ${
      JSON.stringify({ anyOf: [byId, byName] })
    }`,
  );
  const rows = [
    [{ oneOf: [byId, { ...byId, properties: { id: { type: "string" }, b: {} } }] }, ["id"]],
    [{ allOf: [byId, { if: byName, then: { properties: { c: {} }, required: ["c"] } }] }, ["id"]],
    [{ allOf: [{ anyOf: [byId] }] }, ["id"]],
    [{ not: byId }, undefined],
    [{ enum: [{ a: 1 }] }, undefined],
  ] as const;
  for (const [schema, required] of rows) {
    const { inputSchema } = definitionOf(schema);
    assertEquals(inputSchema?.required, required);
    for (const keyword of ["anyOf", "oneOf", "allOf", "if", "then", "not", "enum"]) {
      assert(!(keyword in (inputSchema ?? {})), keyword);
    }
  }
  const long = definitionOf({ anyOf: Array.from({ length: 100 }, () => byId) });
  assertEquals(
    long.description,
    "The input must match further conditions, which are checked when the tool is called.",
  );
});

Deno.test("WireTools follows a reference at the top level", () => {
  const { inputSchema } = definitionOf({
    $ref: "#/$defs/Input",
    $defs: { Input: { type: "object", properties: { a: { $ref: "#/$defs/A" } } }, A: {} },
  });
  assertEquals(inputSchema, {
    type: "object",
    properties: { a: { $ref: "#/$defs/A" } },
    $defs: { Input: { type: "object", properties: { a: { $ref: "#/$defs/A" } } }, A: {} },
  });
  const endless = definitionOf({ $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/A" } } });
  assertEquals(endless.inputSchema?.type, "object");
  const unknown = definitionOf({ $ref: "https://example.org/schema" });
  assertEquals(unknown.inputSchema, { type: "object", properties: {} });
});

Deno.test("WireTools converts property names, and restores them in the input", () => {
  const inputSchema = {
    type: "object",
    properties: {
      "StartTime<": { type: "string", description: "From" },
      "a b": { type: "object", properties: { "é": {} }, required: ["é"] },
      list: { type: "array", items: { $ref: "#/properties/a%20b" } },
    },
    required: ["StartTime<", "list"],
  };
  const tools = new WireTools([{ name: "t", inputSchema }], "openai");
  const { properties, required } = tools.definitions[0]?.inputSchema ?? {};
  assert(isRecord(properties) && Array.isArray(required));
  const [start = "", space = "", list = ""] = Object.keys(properties);
  for (const name of [start, space, list]) assertMatch(name, /^[A-Za-z0-9_.-]{1,64}$/);
  assertEquals(required, [start, "list"]);
  assertEquals(properties[start], { type: "string", description: '"StartTime<": From' });
  assertEquals(properties[list], { type: "array", items: { $ref: `#/properties/${space}` } });
  const inner = isRecord(properties[space]) ? Object.keys(properties[space].properties ?? {}) : [];
  const [accent = ""] = inner;
  const input = { [start]: "now", list: [{ [accent]: 1 }], [space]: { [accent]: 2 }, other: 3 };
  assertEquals(tools.inputOf("t", input), {
    "StartTime<": "now",
    list: [{ "é": 1 }],
    "a b": { "é": 2 },
    other: 3,
  });
  assertEquals(tools.inputOf("unknown", input), input);
});

Deno.test("WireTools leaves out a tool that accepts no object, with a warning", () => {
  for (const inputSchema of [{ type: "string" }, { type: ["array"] }, { default: () => {} }]) {
    const tools = new WireTools(
      [{ name: "bad", inputSchema }, { name: "good", inputSchema: {} }],
      "openai",
    );
    assertEquals(tools.definitions.map(({ name }) => name), ["good"]);
    assertEquals(tools.warnings, ['tool "bad" not sent: its input schema accepts no object']);
  }
});

Deno.test("toWireSchema() returns a schema that every API accepts for any schema", () => {
  const value = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(true, false, null, [], "text", 1),
      fc.dictionary(
        fc.constantFrom(
          "type",
          "properties",
          "required",
          "items",
          "anyOf",
          "allOf",
          "$ref",
          "$defs",
          "if",
          "not",
          "a b",
          "__proto__",
        ),
        fc.oneof(
          tie("schema"),
          fc.array(tie("schema"), { maxLength: 3 }),
          fc.constantFrom("object", "string", "#/properties/a%20b", "#/$defs/%", "#/%41"),
        ),
        { maxKeys: 4 },
      ),
    ),
  })).schema;
  fc.assert(
    fc.property(value, (schema) => {
      if (!isRecord(schema)) return;
      const { definitions } = new WireTools([{ name: "t", inputSchema: schema }], "openai");
      for (const { inputSchema } of definitions) {
        assertEquals([inputSchema.type, isRecord(inputSchema.properties)], ["object", true]);
        for (const keyword of ["anyOf", "oneOf", "allOf", "not", "enum", "$ref"]) {
          assert(!Object.hasOwn(inputSchema, keyword), keyword);
        }
        const names = Object.keys(inputSchema.properties ?? {});
        for (const name of names) assertMatch(name, /^[A-Za-z0-9_.-]{1,64}$/);
        assertEquals(toWireSchema(inputSchema)?.schema, inputSchema);
      }
    }),
    propertyRuns(300),
  );
});

Deno.test("every model adds the fields of its provider to the definition of a tool", async () => {
  const fields = {
    openai: { strict: true },
    anthropic: { defer_loading: true },
    google: { behavior: "BLOCKING" },
  };
  const registry = new ToolRegistry([{
    name: "t",
    inputSchema: { type: "object" },
    providerOptions: fields,
    execute: () => "",
  }]);
  const bodies: string[] = [];
  const options = {
    model: "m",
    apiKey: "secret-key",
    fetch: (_: string, { body }: RequestInit) => {
      bodies.push(String(body));
      return Promise.resolve(new Response("", { status: 400 }));
    },
  };
  const models = [
    openAiResponses(options),
    openAiChat({ ...options, baseUrl: "https://api.openai.com/v1" }),
    anthropicMessages(options),
    googleGenerateContent(options),
  ];
  for (const model of models) {
    await failureOf(model.generate({ ...QUESTION, tools: registry.definitions() }));
  }
  const [responses, chat, messages, gemini] = bodies.map((body) => JSON.parse(body));
  assertEquals(responses.tools[0].strict, true);
  assertEquals(chat.tools[0].function.strict, true);
  assertEquals(messages.tools[0].defer_loading, true);
  assertEquals(gemini.tools[0].functionDeclarations[0].behavior, "BLOCKING");
  const wrong: unknown = { openai: true };
  const tool = { name: "t", inputSchema: {}, execute: () => "", providerOptions: wrong };
  assertThrows(
    () => new ToolRegistry([JSON.parse("{}"), tool].slice(1)),
    TypeError,
    "providerOptions",
  );
});
