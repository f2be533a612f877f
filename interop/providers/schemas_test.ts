import { defineTool, runToolLoop, type Tool, ToolRegistry } from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";

/** The same schema in each library, in a tool whose input type is inferred from the schema. */
const TOOLS: Readonly<Record<string, Tool>> = {
  zod: defineTool({
    name: "greet",
    inputSchema: z.object({ name: z.string().min(2), times: z.number().int().default(1) }),
    execute: ({ name, times }) => `Hello ${name}`.repeat(times),
  }),
  valibot: defineTool({
    name: "greet",
    inputSchema: toStandardJsonSchema(
      v.object({
        name: v.pipe(v.string(), v.minLength(2)),
        times: v.optional(v.pipe(v.number(), v.integer()), 1),
      }),
    ),
    execute: ({ name, times }) => `Hello ${name}`.repeat(times),
  }),
  arktype: defineTool({
    name: "greet",
    inputSchema: type({ name: "string >= 2", times: "number.integer = 1" }),
    execute: ({ name, times }) => `Hello ${name}`.repeat(times),
  }),
};

for (const [library, tool] of Object.entries(TOOLS)) {
  Deno.test(`a ${library} schema describes, validates, types and adds defaults to the input of a tool`, async () => {
    const registry = new ToolRegistry([tool]);
    const [definition] = registry.definitions();
    assertEquals(definition?.inputSchema.type, "object");
    assertEquals(definition?.inputSchema.required, ["name"]);
    const calls = [{ name: "Ada" }, { name: "A" }, { name: "Ada", times: "2" }]
      .map((input) => ({ toolName: "greet", input }));
    const model = scriptedModel([{ calls }, { text: "done" }]);
    const output = await runToolLoop({ model, registry }, "go");
    const [good, short, wrong] = output.iterations[0]?.toolResults ?? [];
    assertEquals(good?.output, { type: "text", value: "Hello Ada" });
    assertEquals([short?.code, wrong?.code], ["invalid_input", "invalid_input"]);
    assertStringIncludes(JSON.stringify(short?.output), "/name: ");
    assertStringIncludes(JSON.stringify(wrong?.output), "/times: ");
  });
}

Deno.test("a tool receives the value that an asynchronous Zod schema has transformed", async () => {
  const schema = z.object({ id: z.string().refine((id) => Promise.resolve(id !== "x"), "taken") })
    .transform(({ id }) => id.toUpperCase());
  const tool = defineTool({
    name: "make",
    inputSchema: schema,
    execute: (id) => id,
  });
  const calls = ["a", "x"].map((id) => ({ toolName: "make", input: { id } }));
  const model = scriptedModel([{ calls }, {}]);
  const output = await runToolLoop({ model, registry: new ToolRegistry([tool]) }, "go");
  assertEquals(
    output.iterations[0]?.toolResults.map(({ output: { type, ...rest } }) => [type, rest]),
    [
      ["text", { value: "A" }],
      ["error-text", {
        value:
          'Invalid input for tool "make": /id: taken. Correct the input and call the tool again.',
      }],
    ],
  );
});
