/**
 * Tests for tools, and for MCP servers that provide tools, that try to stop an agent or to fill its
 * memory.
 */

import { assert, assertEquals } from "@std/assert";
import {
  jsonSchemaValidator,
  runToolLoop,
  type Tool,
  ToolError,
  type ToolLoopConfig,
  ToolOutput,
  ToolRegistry,
  type ToolResult,
} from "../mod.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { scriptedModel } from "../testing.ts";

/** Calls the "work" tool with the given input. Returns the result of the call. */
async function call(
  registry: ToolRegistry,
  input: unknown = {},
  options: Partial<ToolLoopConfig> = {},
): Promise<ToolResult> {
  const model = scriptedModel([{ calls: [{ toolName: "work", input }] }, { text: "done" }]);
  const output = await runToolLoop({ model, registry, onError: () => {}, ...options }, "go");
  const [result] = output.iterations[0]?.toolResults ?? [];
  assert(result);
  return result;
}

function registryOf(execute: Tool["execute"], inputSchema: Tool["inputSchema"] = {}): ToolRegistry {
  return new ToolRegistry([{ name: "work", inputSchema, execute }]);
}

/** Schema whose evaluation takes 2^30 steps. */
function doubling(): Record<string, unknown> {
  const $defs: Record<string, unknown> = { d0: { type: "object" } };
  for (let level = 1; level <= 30; level++) {
    const $ref = `#/$defs/d${level - 1}`;
    $defs[`d${level}`] = { allOf: [{ $ref }, { $ref }] };
  }
  return { type: "object", $defs, $ref: "#/$defs/d30" };
}

const BOMBS: Readonly<Record<string, Record<string, unknown>>> = {
  "whose evaluation takes 2^30 steps": doubling(),
  "with a pattern that takes exponential time": {
    type: "object",
    properties: { a: { pattern: "^(a+)+$" } },
  },
  "with a pattern for property names that takes exponential time": {
    type: "object",
    propertyNames: { pattern: "^(\\w+\\s?)*$" },
  },
};
for (const [name, inputSchema] of Object.entries(BOMBS)) {
  Deno.test(`an MCP server cannot stop the agent with a schema ${name}`, async () => {
    const registry = new ToolRegistry();
    const received: unknown[] = [];
    await registry.registerMcp({
      listTools: () => Promise.resolve([{ name: "work", inputSchema }]),
      callTool: (_name, args) => {
        received.push(args);
        return Promise.resolve({ content: [{ type: "text", text: "ok" }] });
      },
    });
    const input = { a: `${"a".repeat(41)}!`, [`${"a".repeat(41)}!`]: 1 };
    assertEquals((await call(registry, input)).output, { type: "text", value: "ok" });
    assertEquals(received, [input]);
  });
}

Deno.test("an input validation that never settles ends at the timeout of the tool", async () => {
  const schema = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: () => new Promise<never>(() => {}),
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({}) },
    },
  };
  const result = await call(registryOf(() => "done", schema), {}, { toolTimeoutMs: 20 });
  assertEquals(result.code, "invalid_input");
  assertEquals(
    result.output.type === "error-text" && result.output.value,
    'Invalid input for tool "work": the validation timed out after 20 ms. Correct the input and call the tool again.',
  );
});

Deno.test("a tool that never settles ends at its timeout", async () => {
  const registry = registryOf(() => new Promise(() => {}));
  assertEquals((await call(registry, {}, { toolTimeoutMs: 20 })).code, "tool_timeout");
});

const HUGE = 200 * 1024 * 1024;

/**
 * Tool behaviors, keyed by description. The loop must limit the result of each behavior to
 * 1,000,200 characters.
 */
const LARGE: Readonly<Record<string, Tool["execute"]>> = {
  "returns 200 MB of text": () => "x".repeat(HUGE),
  "returns 20 MB of JSON data": () => ({ list: Array(2_000_000).fill("12345678") }),
  "returns 100,000 parts": () =>
    new ToolOutput({
      type: "content",
      value: Array(100_000).fill({ type: "text", text: "0123456789ab" }),
    }),
  "returns 1,000,000 parts without text": () =>
    new ToolOutput({ type: "content", value: Array(1_000_000).fill({ type: "text", text: "" }) }),
  "returns a file with a long name": () =>
    new ToolOutput({
      type: "content",
      value: [{
        type: "file",
        mediaType: "image/png",
        filename: "x".repeat(HUGE),
        data: { type: "data", data: "" },
      }],
    }),
  "returns a long reason for a denial": () =>
    new ToolOutput({ type: "execution-denied", reason: "x".repeat(HUGE) }),
  "returns a file of 200 MB": () =>
    new ToolOutput({
      type: "content",
      value: [{
        type: "file",
        mediaType: "image/png",
        data: { type: "data", data: "x".repeat(HUGE) },
      }],
    }),
  "returns a long error text": () =>
    new ToolOutput({ type: "error-text", value: "x".repeat(HUGE) }),
  "throws an error with a long message": () => {
    throw new Error("x".repeat(HUGE));
  },
  "throws a ToolError with a large value": () => {
    throw new ToolError({ list: Array(200_000).fill("12345678") });
  },
};
for (const [name, execute] of Object.entries(LARGE)) {
  Deno.test(`the transcript stays small if a tool ${name}`, async () => {
    const { output } = await call(registryOf(execute));
    const text = JSON.stringify(output);
    assert(text.length < 4_000_000, `${text.length}`);
    assert(/Truncated|Omitted|…/.test(text.slice(-300)), text.slice(-300));
  });
}

Deno.test("maxToolOutputChars limits the text of a tool result", async () => {
  const { output } = await call(registryOf(() => "0123456789"), {}, { maxToolOutputChars: 4 });
  assertEquals(output, { type: "text", value: "0123… [Truncated: 4 of 10 characters]" });
});

Deno.test("tool input from the model cannot stop the agent during validation", async () => {
  const list = { type: "array", uniqueItems: true };
  const registry = new ToolRegistry([{
    name: "work",
    inputSchema: { type: "object", properties: { list, text: { pattern: "\\s+$" } } },
    execute: () => "done",
  }], { validator: jsonSchemaValidator() });
  const inputs = [
    { list: Array.from({ length: 100_000 }, (_, index) => index) },
    { text: `${" ".repeat(1_000_000)}x` },
  ];
  for (const input of inputs) assertEquals((await call(registry, input)).code, "invalid_input");
});

const MESSAGES: readonly [unknown, string][] = [
  [42, "42"],
  [["a is missing", "b is missing"], "a is missing,b is missing"],
  [Symbol("s"), "Symbol(s)"],
  [{ detail: "no" }, "[object Object]"],
  [null, "Error"],
];
for (const [message, value] of MESSAGES) {
  Deno.test(`a tool cannot stop the agent with an error whose message is ${Deno.inspect(message)}`, async () => {
    const fail = (): never => {
      throw Object.assign(new Error(), { message });
    };
    const execute = { synchronous: fail, asynchronous: () => Promise.resolve().then(fail) };
    for (const each of Object.values(execute)) {
      const result = await call(registryOf(each), {}, {
        stepRunner: recordSteps(new MemoryJournal()),
      });
      assertEquals([result.code, result.output], [
        "tool_execution_failed",
        { type: "error-text", value },
      ]);
    }
  });
}

const FILE = { type: "file", mediaType: "image/png" };

/** Invalid values that a tool without type checks could return. */
const INVALID: readonly unknown[] = [
  { type: "text", value: 42 },
  { type: "text" },
  { type: "json" },
  { type: "json", value: 1n },
  { type: "json", value: new Map([["a", 1]]) },
  { type: "execution-denied", reason: 5 },
  { type: "content", value: "text" },
  { type: "content", value: [null] },
  { type: "content", value: [{ type: "text" }] },
  { type: "content", value: [FILE] },
  { type: "content", value: [{ ...FILE, data: { data: "AA" } }] },
  { type: "content", value: [{ ...FILE, data: { type: "url", url: "https://a.example/" } }] },
];
for (const output of INVALID) {
  Deno.test(`a tool cannot stop the agent with the ToolOutput ${Deno.inspect(output)}`, async () => {
    const registry = registryOf(() => new ToolOutput(output as ToolResult["output"]));
    const results = [
      await call(registry),
      await call(registry, {}, { stepRunner: recordSteps(new MemoryJournal()) }),
    ];
    for (const { code } of results) assertEquals(code, "not_serializable");
  });
}

Deno.test("a tool cannot stop the agent with a ToolError whose content is not JSON", async () => {
  const contents: readonly [unknown, ToolResult["output"]][] = [
    [undefined, { type: "error-text", value: "ToolError" }],
    [{ a: NaN }, { type: "error-text", value: '{"a":null}' }],
    [{ at: new Date(0) }, { type: "error-json", value: { at: "1970-01-01T00:00:00.000Z" } }],
  ];
  for (const [content, output] of contents) {
    const registry = registryOf(() => {
      throw new ToolError(content as string);
    });
    const result = await call(registry, {}, { stepRunner: recordSteps(new MemoryJournal()) });
    assertEquals([result.code, result.output], ["tool_execution_failed", output]);
  }
});
