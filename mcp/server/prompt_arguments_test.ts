/** Tests of prompts whose arguments are described by a schema. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { z } from "zod";
import { createMemoryTransport, McpClient } from "../client.ts";
import { McpServer, servePipe, type StandardSchema } from "../server.ts";
import { McpError } from "../shared/error.ts";

async function connect(server: McpServer): Promise<McpClient> {
  const client = new McpClient({
    transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
  });
  await client.connect();
  return client;
}

Deno.test("argumentsSchema determines the list of arguments and the values", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerPrompt(
    {
      name: "plan",
      argumentsSchema: z.object({
        day: z.enum(["mon", "tue"]).describe("Day of the week"),
        hours: z.coerce.number().int().default(8).meta({ title: "Hours" }),
        note: z.string().trim().optional(),
      }),
    },
    ({ day, hours, note }) => `${day}: ${hours + 1} ${note?.toUpperCase() ?? "-"}`,
    {
      complete: { day: (typed) => ["mon", "tue"].filter((each) => each.startsWith(typed)) },
    },
  );
  await using client = await connect(server);
  assertEquals(await client.listPrompts(), [{
    name: "plan",
    arguments: [
      { name: "day", description: "Day of the week", required: true },
      { name: "hours", title: "Hours", required: false },
      { name: "note", required: false },
    ],
  }]);
  const text = async (args: Readonly<Record<string, string>>) =>
    (await client.getPrompt("plan", args)).messages[0]?.content;
  assertEquals(await text({ day: "mon" }), { type: "text", text: "mon: 9 -" });
  const given = { day: "tue", hours: "2", note: " x " };
  assertEquals(await text(given), { type: "text", text: "tue: 3 X" });
  const ref = { type: "ref/prompt", name: "plan" } as const;
  const { values } = await client.complete({ ref, argument: { name: "day", value: "t" } });
  assertEquals(values, ["tue"]);
});

Deno.test("arguments that do not match the schema are error -32602", async () => {
  const server = new McpServer({ name: "s", version: "1", onError: () => {} });
  let calls = 0;
  server.registerPrompt({
    name: "plan",
    argumentsSchema: z.object({ day: z.string().min(2), count: z.coerce.number().optional() }),
  }, () => `${++calls}`);
  await using client = await connect(server);
  for (
    const [args, reason] of [
      [{}, 'Missing required argument: "day"'],
      [{ day: "m" }, "/day: "],
      [{ day: "mon", count: "many" }, "/count: "],
    ] as const
  ) {
    const error = await assertRejects(() => client.getPrompt("plan", args), McpError, reason);
    assertEquals(error.rpcCode, -32602);
  }
  assertEquals(calls, 0);
});

/** A schema whose validation function is given. */
function schemaOf(validate: StandardSchema["~standard"]["validate"]): StandardSchema {
  const json = { type: "object", properties: { x: {} } };
  const jsonSchema = { input: () => json, output: () => json };
  return { "~standard": { version: 1, vendor: "test", validate, jsonSchema } };
}

Deno.test("a schema can be asynchronous, and a schema that throws is an internal error", async () => {
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push(String(error));
  const server = new McpServer({ name: "s", version: "1", onError });
  server.registerPrompt({
    name: "later",
    argumentsSchema: schemaOf((value) => Promise.resolve({ value: { got: value } })),
  }, (args) => JSON.stringify(args));
  server.registerPrompt({
    name: "broken",
    argumentsSchema: schemaOf(() => {
      throw new Error("no database");
    }),
  }, () => "");
  await using client = await connect(server);
  const { messages } = await client.getPrompt("later", { x: "1" });
  assertEquals(messages[0]?.content, { type: "text", text: '{"got":{"x":"1"}}' });
  const error = await assertRejects(() => client.getPrompt("broken"), McpError);
  assertEquals([error.rpcCode, error.message.includes("no database")], [-32603, false]);
  assertEquals(errors.length, 1);
});

Deno.test("registerPrompt() rejects a schema that describes no arguments", () => {
  const server = new McpServer({ name: "s", version: "1" });
  const register = (prompt: object) =>
    server.registerPrompt({ name: "p", ...prompt } as never, () => "");
  for (
    const [prompt, message] of [
      [{}, '"prompt.arguments" must be an array of arguments'],
      [{ arguments: [], argumentsSchema: z.object({}) }, "got both"],
      [{ argumentsSchema: z.string() }, '"argumentsSchema.type" must be "object", got "string"'],
      [
        { argumentsSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
        '"argumentsSchema" must be a schema with "properties", got one with "anyOf"',
      ],
      [{ argumentsSchema: { type: "object" } }, "must be a Standard Schema, got a JSON Schema"],
      [{ argumentsSchema: { day: z.string() } }, "wrap it, for example in z.object(…)"],
      [{ argsSchema: z.object({}) }, 'did you mean "argumentsSchema"?'],
    ] as const
  ) assertThrows(() => register(prompt), TypeError, message);
  assertThrows(
    () =>
      server.registerPrompt({ name: "p", argumentsSchema: z.object({ a: z.string() }) }, () => "", {
        complete: { b: () => [] },
      }),
    TypeError,
    '"complete.b" must belong to a registered argument ("a")',
  );
});

Deno.test("updatePrompt() replaces a list of arguments by a schema", async () => {
  const server = new McpServer({ name: "s", version: "1" });
  server.registerPrompt({ name: "p", arguments: [{ name: "n" }] }, ({ n }) => `${n}`);
  const argumentsSchema = z.object({ n: z.coerce.number() });
  server.updatePrompt("p", { name: "p", argumentsSchema }, ({ n }) => `${n * 2}`);
  await using client = await connect(server);
  const { messages } = await client.getPrompt("p", { n: "21" });
  assertEquals(messages[0]?.content, { type: "text", text: "42" });
  const [prompt] = await client.listPrompts();
  assertEquals(prompt?.arguments, [{ name: "n", required: true }]);
});
