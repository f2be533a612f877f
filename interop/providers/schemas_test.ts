import { McpServer } from "@parley/mcp/server";
import {
  defineTool,
  type Infer,
  requireValue,
  resultsOf,
  runToolLoop,
  streamToolLoop,
  type Tool,
  ToolLoopAgent,
  ToolRegistry,
} from "@parley/runtime";
import { scriptedModel } from "@parley/runtime/testing";
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
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

/** Fails to compile unless the two types are the same. */
function assertSame<A, B>(
  _same: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false,
): void {}

interface Greeting {
  name: string;
  times: number;
}

const zodGreeting = z.object({ name: z.string(), times: z.number().default(1) });
const valibotGreeting = toStandardJsonSchema(
  v.object({ name: v.string(), times: v.optional(v.number(), 1) }),
);
const arktypeGreeting = type({ name: "string", times: "number = 1" });

Deno.test("each tool in the configuration of an agent receives input of the type of the tool's schema", async () => {
  const describe = ({ name, times }: Greeting): string => `${name} ${times}`;
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([
      {
        calls: ["zod", "valibot", "arktype", "registered"].map((toolName) => ({
          toolName,
          input: { name: "Ada" },
        })),
      },
      { text: "done" },
    ]),
    tools: [
      {
        name: "zod",
        inputSchema: zodGreeting,
        execute: (
          input,
        ) => (assertSame<typeof input, Infer<typeof zodGreeting>>(true), describe(input)),
      },
      {
        name: "valibot",
        inputSchema: valibotGreeting,
        execute: ({ name, times }) => describe({ name, times }),
      },
      {
        name: "arktype",
        inputSchema: arktypeGreeting,
        execute: (input, { toolName }) => describe({ ...input, name: `${toolName} ${input.name}` }),
      },
    ],
  });
  agent.registry.register({
    name: "registered",
    inputSchema: zodGreeting,
    execute: ({ name, times }) => name.repeat(times),
  });
  await agent.initialize();
  const output = await agent.run("go");
  assertEquals(
    output.iterations[0]?.toolResults.map((result) => result.output),
    ["Ada 1", "Ada 1", "arktype Ada 1", "Ada"].map((value) => ({ type: "text" as const, value })),
  );
  await agent.terminate();
});

Deno.test("defineTool() infers the input from a schema and the output from execute", () => {
  const zod = defineTool({
    name: "zod",
    inputSchema: zodGreeting,
    execute: ({ times }) => ({ double: times * 2 }),
  });
  assertSame<typeof zod, Tool<Greeting, { double: number }>>(true);
  const valibot = defineTool({
    name: "valibot",
    inputSchema: valibotGreeting,
    execute: ({ times }) => Promise.resolve(times),
  });
  assertSame<typeof valibot, Tool<Greeting, number>>(true);
  const arktype = defineTool({
    name: "arktype",
    inputSchema: arktypeGreeting,
    execute: ({ name }) => name,
  });
  assertSame<typeof arktype, Tool<Greeting, string>>(true);
  const read = () => resultsOf({} as never, zod).map(({ output }) => output);
  assertSame<ReturnType<typeof read>, { double: number }[]>(true);
});

Deno.test("the type of a tool rejects a wrong input, an unknown member and an object of schemas", () => {
  const wrong = (): void => {
    const registry = new ToolRegistry();
    registry.register({
      name: "wrong input",
      inputSchema: zodGreeting,
      // @ts-expect-error: `times` is a number
      execute: ({ times }: { times: string }) => times,
    });
    registry.register({
      name: "unknown member",
      inputSchema: zodGreeting,
      // @ts-expect-error: the schema has no member `age`
      execute: ({ age }) => age,
    });
    // @ts-expect-error: the schemas have to be wrapped in z.object()
    registry.register({ name: "a", inputSchema: { name: z.string() }, execute: () => 1 });
    // @ts-expect-error: the schemas have to be wrapped in v.object()
    defineTool({ name: "a", inputSchema: { name: v.string() }, execute: () => 1 });
    new ToolLoopAgent({
      name: "a",
      model: scriptedModel([]),
      // @ts-expect-error: the schemas have to be wrapped in type()
      tools: [{ name: "a", inputSchema: { name: type("string") }, execute: () => 1 }],
    });
    const tool = { name: "a", description: "", inputSchema: { name: z.string() } };
    // @ts-expect-error: the schemas have to be wrapped in z.object()
    new McpServer({ name: "s", version: "1" }).registerTool(tool, () => 1);
  };
  assertThrows(wrong, TypeError, "wrong input");
});

Deno.test("the value of a run has the type that a schema of zod, valibot or arktype describes", async () => {
  const answer = { calls: [{ toolName: "final_answer", input: { city: "Oslo" } }] };
  const model = scriptedModel([answer, answer, answer]);
  const registry = new ToolRegistry();
  const outputs = {
    zod: z.object({ city: z.string(), days: z.number().default(1) }),
    valibot: toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number(), 1) })),
    arktype: type({ city: "string", days: "number = 1" }),
  };
  const values: readonly { readonly city: string; readonly days: number }[] = [
    requireValue(await runToolLoop({ model, registry, output: outputs.zod }, "go")),
    requireValue(await runToolLoop({ model, registry, output: outputs.valibot }, "go")),
    requireValue(await runToolLoop({ model, registry, output: outputs.arktype }, "go")),
  ];
  assertEquals(values, Array(3).fill({ city: "Oslo", days: 1 }));
  const stream = streamToolLoop({ model, registry, output: outputs.arktype }, "go");
  await stream.return();
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([answer]),
    output: outputs.arktype,
  });
  await agent.initialize();
  assertEquals(requireValue(await agent.run("go")).days + 1, 2);
  await agent.terminate();
  const output = { city: z.string() };
  // @ts-expect-error An object of schemas is not a schema.
  const rejected = (): Promise<unknown> => runToolLoop({ model, registry, output }, "go");
  await assertRejects(rejected, TypeError, "wrap it");
});
