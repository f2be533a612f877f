import { assertEquals } from "@std/assert";
import { runToolLoop } from "../loop/loop.ts";
import { scriptedModel } from "../testing.ts";
import { jsonSchema } from "../shared/typed_schema.ts";
import { ToolRegistry } from "./registry.ts";
import { resultsOf } from "./results_of.ts";
import { defineTool, ToolError, ToolOutput } from "./tool.ts";

const size = defineTool({
  name: "size",
  inputSchema: jsonSchema<{ text: string }>({ type: "object", required: ["text"] }),
  execute: ({ text }) => {
    if (text === "") throw new ToolError("empty");
    return { text, size: text.length };
  },
});
const other = defineTool({ name: "other", inputSchema: {}, execute: () => "other" });

function sizeOf(text: string): { toolName: string; input: { text: string } } {
  return { toolName: "size", input: { text } };
}

Deno.test("resultsOf() returns the results of one tool in call order, without failed calls", async () => {
  const model = scriptedModel([
    { calls: [sizeOf("a"), { toolName: "other" }, sizeOf("")] },
    { calls: [{ toolName: "size", input: {} }, sizeOf("denied"), sizeOf("abc")] },
    { text: "done" },
  ]);
  const output = await runToolLoop({
    model,
    registry: new ToolRegistry([size, other]),
    approvalHandler: ({ toolCall }) => JSON.stringify(toolCall.input) !== '{"text":"denied"}',
  }, "go");
  const results = resultsOf(output, size);
  assertEquals(results.map(({ iteration, output }) => [iteration, output.text, output.size]), [
    [0, "a", 1],
    [1, "abc", 3],
  ]);
  const ids = output.iterations.flatMap(({ toolCalls }) =>
    toolCalls.map((call) => call.toolCallId)
  );
  assertEquals(results.map(({ toolCallId }) => toolCallId), [ids[0], ids[5]]);
  assertEquals(resultsOf(output, other).map(({ output }) => output), ["other"]);
  assertEquals(resultsOf(output, { ...other, name: "unused" }), []);
});

Deno.test("resultsOf() leaves out a truncated result", async () => {
  const model = scriptedModel([{ calls: [sizeOf("a"), sizeOf("a".repeat(40))] }, {}]);
  const registry = new ToolRegistry([size]);
  const output = await runToolLoop({ model, registry, maxToolOutputChars: 30 }, "go");
  assertEquals(output.iterations[0]?.toolResults.map(({ isTruncated }) => isTruncated), [
    undefined,
    true,
  ]);
  assertEquals(resultsOf(output, size).map(({ output }) => output.size), [1]);
});

/** Values that a tool returns, and the outputs that `resultsOf()` returns for them. */
const RETURNED: readonly [unknown, unknown][] = [
  ["text", "text"],
  [undefined, ""],
  [null, null],
  [[1, { a: false }], [1, { a: false }]],
  [new Date(0), "1970-01-01T00:00:00.000Z"],
  [new ToolOutput({ type: "content", value: [{ type: "text", text: "x" }] }), [
    { type: "text", text: "x" },
  ]],
];
for (const [value, expected] of RETURNED) {
  Deno.test(`resultsOf() returns ${JSON.stringify(expected)} for a tool that returns ${value}`, async () => {
    const tool = defineTool({ name: "t", inputSchema: {}, execute: () => value });
    const model = scriptedModel([{ calls: [{ toolName: "t" }] }, {}]);
    const output = await runToolLoop({ model, registry: new ToolRegistry([tool]) }, "go");
    assertEquals(resultsOf(output, tool).map(({ output }) => output), [expected]);
  });
}
