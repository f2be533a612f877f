import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { resultsOf } from "../tools/results_of.ts";
import { defineTool, type Tool } from "../tools/tool.ts";
import type { PartialLoopOutput } from "./output.ts";
import type { JsonSchema, StandardSchema } from "./schema.ts";
import { type Infer, jsonSchema, type Schema } from "./typed_schema.ts";

/** Resolves to `true` if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;

interface City {
  readonly name: string;
}

function json(): Record<string, unknown> {
  return { type: "object" };
}

/** A schema that converts text to a number. */
const size: StandardSchema<{ size: string }, { size: number }> = {
  "~standard": {
    version: 1,
    vendor: "by hand",
    validate: () => ({ value: { size: 1 } }),
    jsonSchema: { input: json, output: json },
  },
};
const city = jsonSchema<City>({ type: "object" });
const plain = { type: "object", properties: { name: { type: "string" } } };

Deno.test("jsonSchema() returns the given object", () => {
  assertStrictEquals<unknown>(jsonSchema(plain), plain);
});

Deno.test("Infer is the type after validation, or unknown without a type", () => {
  const same: [
    Same<Infer<typeof size>, { size: number }>,
    Same<Infer<typeof city>, City>,
    Same<Infer<typeof plain>, unknown>,
    Same<Infer<JsonSchema>, unknown>,
    Same<Infer<Schema>, unknown>,
    Same<Infer<Schema<City>>, City>,
  ] = [true, true, true, true, true, true];
  // Typed schemas and plain JSON Schemas are both assignable to the `Schema` type.
  const schemas: readonly Schema[] = [size, city, plain, {} as Record<string, unknown>];
  assertEquals([same.length, schemas.length], [6, 4]);
});

Deno.test("defineTool() infers the input from the schema and the output from execute", () => {
  const typed = defineTool({
    name: "a",
    inputSchema: city,
    execute: ({ name }, { toolName }) => Promise.resolve({ name, toolName }),
  });
  const converted = defineTool({ name: "b", inputSchema: size, execute: (input) => input.size });
  const untyped = defineTool({ name: "c", inputSchema: plain, execute: (input) => [input] });
  const declared = defineTool({
    name: "d",
    inputSchema: { type: "object" },
    execute: ({ name }: City) => name,
  });
  const same: [
    Same<typeof typed, Tool<City, { name: string; toolName: string }>>,
    Same<typeof converted, Tool<{ size: number }, number>>,
    Same<typeof untyped, Tool<unknown, unknown[]>>,
    Same<typeof declared, Tool<unknown, string>>,
  ] = [true, true, true, true];
  const read = (output: PartialLoopOutput) => resultsOf(output, typed)[0]?.output;
  const isRead: Same<ReturnType<typeof read>, { name: string; toolName: string } | undefined> =
    true;
  const tools: readonly Tool[] = [typed, converted, untyped, declared];
  assertEquals([same.length, isRead, tools.length], [4, true, 4]);
});

Deno.test("register() and the tools of an agent infer the input of each tool from its own schema", () => {
  const registry = new ToolRegistry();
  registry.register({
    name: "a",
    inputSchema: city,
    execute: (input) => {
      const isCity: Same<typeof input, City> = true;
      return isCity;
    },
  });
  const agent = new ToolLoopAgent({
    name: "agent",
    model: scriptedModel([]),
    registry,
    tools: [
      { name: "b", inputSchema: city, execute: ({ name }) => name.length },
      {
        name: "c",
        inputSchema: size,
        execute: (input) => {
          const isSize: Same<typeof input, { size: number }> = true;
          return isSize;
        },
      },
      {
        name: "d",
        inputSchema: plain,
        execute: (input) => {
          const isUnknown: Same<typeof input, unknown> = true;
          return isUnknown;
        },
      },
      defineTool({ name: "e", inputSchema: city, execute: ({ name }) => name }),
    ],
  });
  // An agent with typed tools is assignable to `ToolLoopAgent`.
  const agents: readonly ToolLoopAgent[] = [agent];
  assertEquals(agents[0]?.registry.names(), ["a", "b", "c", "d", "e"]);
});

Deno.test("types reject invalid input, an unknown member, invalid output and an object of schemas", () => {
  const registry = new ToolRegistry();
  const model = scriptedModel([]);
  const execute = (): number => 1;
  registry.register({
    name: "a",
    inputSchema: city,
    // @ts-expect-error: `name` is a string
    execute: ({ name }: { name: number }) => name,
  });
  registry.register({
    name: "b",
    inputSchema: city,
    // @ts-expect-error: the type has no member `size`
    execute: (input) => input.size,
  });
  new ToolLoopAgent({
    name: "agent",
    model,
    registry,
    tools: [{
      name: "c",
      inputSchema: city,
      // @ts-expect-error: the type has no member `size`
      execute: (input) => input.size,
    }],
  });
  // @ts-expect-error: `execute` returns a number
  const wrong: Tool<City, string> = defineTool({ name: "d", inputSchema: city, execute });
  assertEquals(wrong.name, "d");

  const shape = { size };
  // @ts-expect-error: the schemas have to be wrapped in an object schema
  assertThrows(() => registry.register({ name: "e", inputSchema: shape, execute }), TypeError);
  // @ts-expect-error: the schemas have to be wrapped in an object schema
  const tool = defineTool({ name: "e", inputSchema: { size }, execute });
  assertThrows(() => registry.register(tool), TypeError, "wrap it, for example in z.object(…)");
  const raw = { name: "e", inputSchema: shape, execute };
  // @ts-expect-error: the schemas have to be wrapped in an object schema
  assertThrows(() => new ToolLoopAgent({ name: "agent", model, tools: [raw] }), TypeError);
});
