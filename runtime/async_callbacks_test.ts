/**
 * Async functions in place of functions whose result is used immediately. A promise in place of a
 * boolean would count as true, and a rejection that is not handled ends the process.
 */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { asTool, customStop, runToolLoop, ToolLoopAgent, ToolRegistry } from "./mod.ts";
import { scriptedModel } from "./testing.ts";
import { uiMessageChunks } from "./ui/ai_sdk.ts";

const work = { name: "work", inputSchema: { type: "object" }, execute: () => "ok" };

/** An async function that rejects, which JavaScript code can pass in place of any function. */
const rejecting = (() => Promise.reject(new Error("no database"))) as never;

/** An MCP client with two tools. */
function source(calls: unknown[] = []) {
  return {
    listTools: () => Promise.resolve(["read", "wipe"].map((name) => ({ name, inputSchema: {} }))),
    callTool: (_name: string, _args: unknown, options: unknown) => {
      calls.push(options);
      return Promise.resolve({ content: [] });
    },
  };
}

Deno.test("registerMcp() registers no tool if filter does not return a boolean", async () => {
  const registry = new ToolRegistry();
  const filters: readonly (readonly [unknown, string])[] = [
    [
      async (name: string) => await Promise.resolve(name === "read"),
      '"filter()" must be a boolean, got an instance of Promise',
    ],
    [rejecting, '"filter()" must be a boolean, got an instance of Promise'],
    [() => "no", '"filter()" must be a boolean, got "no"'],
    [() => undefined, '"filter()" must be a boolean, got undefined'],
  ];
  for (const [filter, message] of filters) {
    const options = { filter: filter as never };
    await assertRejects(() => registry.registerMcp(source(), options), TypeError, message);
    assertEquals(registry.names(), []);
  }
  const filter = (name: string): boolean => {
    if (name === "wipe") throw new Error("no database");
    return true;
  };
  await assertRejects(() => registry.registerMcp(source(), { filter }), Error, "no database");
  assertEquals(registry.names(), []);
});

Deno.test("registerMcp() registers no tool if trustHints is not a boolean", async () => {
  const registry = new ToolRegistry();
  const values: readonly unknown[] = [null, 1, "true", {}, () => true, Promise.resolve(true)];
  for (const value of values) {
    await assertRejects(
      () => registry.registerMcp(source(), { trustHints: value as boolean }),
      TypeError,
      '"trustHints" must be a boolean',
    );
    assertEquals(registry.names(), []);
  }
});

Deno.test("a tool of an MCP server is not called if meta does not return an object", async () => {
  for (
    const meta of [
      rejecting,
      (() => Promise.resolve({ key: "1" })) as never,
      () => 5 as never,
    ]
  ) {
    const calls: unknown[] = [];
    const registry = new ToolRegistry();
    await registry.registerMcp(source(calls), { meta });
    const model = scriptedModel([{ calls: [{ toolName: "read" }] }, { text: "x" }]);
    const { iterations } = await runToolLoop({ model, registry, onError: () => {} }, "go");
    assertEquals(iterations[0]?.toolResults[0]?.code, "tool_execution_failed");
    assertEquals(calls, []);
  }
});

Deno.test("a stop condition that is an async function fails the run", async () => {
  const model = scriptedModel([{ calls: [{ toolName: "work" }] }, { text: "x" }]);
  const stopConditions = [customStop("late", rejecting)];
  await assertRejects(
    () => runToolLoop({ model, registry: new ToolRegistry([work]), stopConditions }, "go"),
    Error,
    "must return a boolean, got an instance of Promise",
  );
});

Deno.test("a price that is an async function fails the run", async () => {
  const model = scriptedModel([{ text: "x" }]);
  const budget = { maxCost: 1, prices: rejecting };
  await assertRejects(
    () => runToolLoop({ model, registry: new ToolRegistry(), budget }, "go"),
    Error,
    '"the cost of model "scripted"" must be a finite number, got an instance of Promise',
  );
});

Deno.test("an agent tool whose prompt is an async function fails", async () => {
  const expert = asTool({
    name: "expert",
    description: "Helps",
    model: scriptedModel([]),
    prompt: rejecting,
  });
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([
      { calls: [{ toolName: "expert", input: { task: "x" } }] },
      { text: "x" },
    ]),
    tools: [expert],
    onError: () => {},
  });
  const { iterations } = await agent.run("go");
  assertStringIncludes(
    JSON.stringify(iterations[0]?.toolResults[0]?.output),
    "got an instance of Promise",
  );
  await agent.terminate();
});

Deno.test("errorText that is an async function masks the error and is reported", async () => {
  const errors: unknown[] = [];
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([{ calls: [{ toolName: "fail" }] }, { text: "x" }]),
    tools: [{
      name: "fail",
      inputSchema: { type: "object" },
      execute: () => {
        throw new Error("password");
      },
    }],
    onError: () => {},
  });
  const onError = (error: unknown) => void errors.push(String(error));
  const chunks = uiMessageChunks(agent.stream("go"), { errorText: rejecting, onError });
  let text = "";
  for await (const chunk of chunks) text += JSON.stringify(chunk);
  assertStringIncludes(text, "An error occurred");
  assertEquals(text.includes("password"), false);
  assertEquals(errors, ["Error: no database"]);
  await agent.terminate();
});
