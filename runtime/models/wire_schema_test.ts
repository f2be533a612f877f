import { assertEquals, assertStringIncludes } from "@std/assert";
import { scriptedModel } from "../testing/scripted_model.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import type { ToolDefinition } from "../shared/model.ts";
import { QUESTION, WEATHER } from "./testdata/ask.ts";
import { bodyOf } from "./testdata/chat.ts";
import { toWireSchema } from "./wire_schema.ts";
import { WireTools } from "./wire_tools.ts";

const TEXT = { type: "string" };
const NUMBER = { type: "number" };

function sentFor(inputSchema: Record<string, unknown>) {
  const { definitions } = new WireTools([{ name: "t", inputSchema }], "openai");
  return definitions[0];
}

/** Definitions `D0` to `D39`, each of which refers `width` times to the next one. */
function widening(width: number): Record<string, unknown> {
  const definitions = Array.from({ length: 40 }, (_, level) => [`D${level}`, {
    properties: { [`p${level}`]: { anyOf: [TEXT, NUMBER] } },
    anyOf: Array.from({ length: width }, () => ({ $ref: `#/$defs/D${(level + 1) % 40}` })),
  }]);
  return Object.fromEntries(definitions);
}

Deno.test("toWireSchema() reads each branch of a schema once", () => {
  const circle = {
    type: "object",
    $ref: "#/$defs/A",
    $defs: {
      A: {
        properties: { a: TEXT },
        required: ["a"],
        anyOf: Array.from({ length: 40 }, () => ({ $ref: "#/$defs/A" })),
      },
    },
  };
  const { schema, isCut } = toWireSchema(circle) ?? {};
  assertEquals([schema?.properties, schema?.required, isCut], [{ a: TEXT }, ["a"], false]);
  const wide = toWireSchema({ $ref: "#/$defs/D0", $defs: JSON.parse(JSON.stringify(widening(8))) });
  assertEquals(Object.keys(wide?.schema.properties ?? {}).length, 40);
});

Deno.test("the description of a tool states that branches are missing from its schema", () => {
  const branches = (count: number) => ({
    anyOf: Array.from({ length: count }, (_, number) => ({ properties: { [`p${number}`]: TEXT } })),
  });
  const conditions =
    "The input must match further conditions, which are checked when the tool is called.";
  // The schema itself is one branch.
  assertEquals(sentFor(branches(999))?.description, conditions);
  assertEquals(
    sentFor(branches(1000))?.description,
    `${conditions}\n\nThe input may have further properties, which this schema does not list.`,
  );
  const chain = Array.from({ length: 20_000 }, (_, number) => [`D${number}`, {
    allOf: [{ $ref: `#/$defs/D${number + 1}` }],
  }]);
  const long = sentFor({ allOf: [{ $ref: "#/$defs/D0" }], $defs: Object.fromEntries(chain) });
  assertStringIncludes(long?.description ?? "", "further properties");
});

Deno.test("an agent with a tool of a server that multiplies branches calls its model", async () => {
  const names: string[] = [];
  const model = scriptedModel([({ tools }) => {
    names.push(...new WireTools(tools, "openai").definitions.map(({ name }) => name));
    return { text: "done" };
  }]);
  await using agent = new ToolLoopAgent({ name: "a", model });
  await agent.registry.registerMcp({
    listTools: () =>
      Promise.resolve([{
        name: "wide",
        inputSchema: { type: "object", $ref: "#/$defs/D0", $defs: widening(8) },
      }]),
    callTool: () => Promise.resolve({ content: [] }),
  });
  await agent.run("go");
  assertEquals(names, ["wide"]);
});

Deno.test("toWireSchema() reads the branches behind several references", () => {
  const sent = sentFor({
    anyOf: [{ $ref: "#/$defs/A" }, { $ref: "#/$defs/B", properties: { c: NUMBER } }],
    $defs: {
      A: { $ref: "#/$defs/B" },
      B: { properties: { b: TEXT, c: TEXT }, required: ["b"] },
    },
  });
  assertEquals(sent?.inputSchema.properties, { b: TEXT, c: { anyOf: [TEXT, NUMBER] } });
  assertEquals(sent?.inputSchema.required, ["b"]);
});

Deno.test("toWireSchema() keeps the targets of references to removed combinations", () => {
  const rows = [
    [
      {
        anyOf: [
          { properties: { a: TEXT } },
          { properties: { b: { $ref: "#/anyOf/0/properties/a" } } },
        ],
      },
      { a: TEXT, b: { $ref: "#/$defs/anyOf_0/properties/a" } },
      { anyOf_0: { properties: { a: TEXT } } },
    ],
    [
      {
        $defs: { then: NUMBER },
        if: {},
        then: {
          properties: { a: TEXT, b: { items: { $ref: "#/then/properties/a" } } },
        },
      },
      { a: TEXT, b: { items: { $ref: "#/$defs/then_/properties/a" } } },
      {
        then: NUMBER,
        then_: {
          properties: { a: TEXT, b: { items: { $ref: "#/$defs/then_/properties/a" } } },
        },
      },
    ],
    // A reference in a schema that moves.
    [
      {
        properties: { c: { $ref: "#/allOf/1/properties/b" } },
        allOf: [{ properties: { a: TEXT } }, {
          properties: { b: { anyOf: [{ $ref: "#/allOf/0/properties/a" }, NUMBER] } },
        }],
      },
      {
        c: { $ref: "#/$defs/allOf_1/properties/b" },
        a: TEXT,
        b: { anyOf: [{ $ref: "#/$defs/allOf_0/properties/a" }, NUMBER] },
      },
      {
        allOf_1: {
          properties: { b: { anyOf: [{ $ref: "#/$defs/allOf_0/properties/a" }, NUMBER] } },
        },
        allOf_0: { properties: { a: TEXT } },
      },
    ],
  ] as const;
  for (const [schema, properties, definitions] of rows) {
    const { properties: sent, $defs } = sentFor(schema)?.inputSchema ?? {};
    assertEquals([sent, $defs], [properties, definitions]);
  }
});

Deno.test("toWireSchema() removes references without a target, and follows renamed keywords", () => {
  const properties = {
    a: { items: [TEXT], additionalItems: NUMBER },
    first: { $ref: "#/properties/a/items/0" },
    other: { $ref: "#/properties/a/additionalItems" },
    lost: { $ref: "#/properties/b", description: "Lost" },
    web: { $ref: "https://example.org/schema" },
    value: { const: { $ref: "#/lost" } },
    self: { $ref: "#" },
  };
  assertEquals(sentFor({ properties })?.inputSchema.properties, {
    a: { prefixItems: [TEXT], items: NUMBER },
    first: { $ref: "#/properties/a/prefixItems/0" },
    other: { $ref: "#/properties/a/items" },
    lost: { description: "Lost" },
    web: {},
    value: { const: { $ref: "#/lost" } },
    self: { $ref: "#" },
  });
});

Deno.test("no tool is sent whose combinations accept no object", async () => {
  const rows: readonly Record<string, unknown>[] = [
    { const: 1 },
    { enum: ["a", null, []] },
    { not: {} },
    { not: true },
    { anyOf: [TEXT, { type: "null" }] },
    { oneOf: [{ allOf: [{}, NUMBER] }, false] },
    { type: "object", allOf: [{ $ref: "#/$defs/A" }], $defs: { A: { enum: [1] } } },
  ];
  for (const inputSchema of rows) {
    const { warnings } = new WireTools([{ name: "t", inputSchema }], "openai");
    assertEquals(warnings, ['tool "t" not sent: its input schema accepts no object']);
  }
  const accepting: readonly Record<string, unknown>[] = [
    { const: { a: 1 } },
    { type: "object", const: null },
    { enum: ["a", {}] },
    { not: TEXT },
    { anyOf: [TEXT, { properties: {} }] },
    { anyOf: [TEXT, { $ref: "#" }, true] },
  ];
  for (const inputSchema of accepting) assertEquals(sentFor(inputSchema)?.name, "t");
  const tools: ToolDefinition[] = [{ name: "t", inputSchema: { const: 1 } }, WEATHER];
  const body = await bodyOf({ ...QUESTION, tools });
  assertEquals(JSON.parse(JSON.stringify(body.tools)).length, 1);
});
