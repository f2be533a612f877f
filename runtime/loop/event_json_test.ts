import { assert, assertEquals } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import type { FilePart } from "../shared/model.ts";
import { scriptedModel, type ScriptedTurn } from "../testing/scripted_model.ts";
import { ToolOutput } from "../tools/tool.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { readEventJson, toEventJson } from "./event_json.ts";
import type { LoopEvent, LoopEventBody } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

const ORIGIN = { runId: "r", path: ["agent"], at: 5 };
const SECRET = "A".repeat(4_000);
const FILE: FilePart = {
  type: "file",
  mediaType: "image/png",
  filename: "a.png",
  data: { type: "data", data: SECRET },
};

/** Returns the JSON form of the events of a run. */
async function eventsOf(turns: readonly ScriptedTurn[], config: Partial<ToolLoopConfig> = {}) {
  const events: LoopEvent[] = [];
  await runToolLoop({
    model: scriptedModel(turns, "m"),
    registry: new ToolRegistry([{
      name: "look",
      inputSchema: {},
      execute: () => new ToolOutput({ type: "content", value: [FILE] }),
    }]),
    onEvent: (event) => events.push(event),
    now: () => 5,
    runId: "r",
    ...config,
  }, "go").catch(() => {});
  return events.map(toEventJson);
}

function jsonOf(body: LoopEventBody) {
  return toEventJson({ ...ORIGIN, ...body });
}

Deno.test("toEventJson() includes each message of a run once", async () => {
  const events = await eventsOf([
    { text: "first marker", calls: [{ toolName: "look" }] },
    { text: "second marker" },
  ]);
  const whole = events.filter(({ type }) => !type.endsWith("_delta"));
  const count = (text: string) => JSON.stringify(whole).split(text).length - 1;
  assertEquals([count("first marker"), count("call_0_0"), count(SECRET)], [1, 3, 0]);
  // The final text is also part of `run_finished`.
  assertEquals(count("second marker"), 2);
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  assertEquals(events.find(({ type }) => type === "iteration_finished"), {
    ...ORIGIN,
    type: "iteration_finished",
    iteration: 0,
    toolCalls: 1,
    usage,
  });
  assertEquals(events.at(-1), {
    ...ORIGIN,
    type: "run_finished",
    stopReason: "model_stop",
    finalText: "second marker",
    iterations: 2,
    totalUsage: { inputTokens: 2, outputTokens: 2, totalTokens: 4 },
    usageByModel: { m: { inputTokens: 2, outputTokens: 2, totalTokens: 4 } },
  });
});

Deno.test("toEventJson() replaces the content of a file with its size", async () => {
  const events = await eventsOf([{ calls: [{ toolName: "look" }] }, { content: [FILE] }]);
  const file = { type: "file", mediaType: "image/png", filename: "a.png", size: 3_000 };
  const finished = events.find(({ type }) => type === "tool_finished");
  assert(typeof finished?.toolResult === "object");
  assertEquals(JSON.parse(JSON.stringify(finished.toolResult)).output, {
    type: "content",
    value: [file],
  });
  const message = events.findLast(({ type }) => type === "model_finished")?.message;
  assertEquals(message, { role: "assistant", content: [file] });
  const sizes = ([
    { type: "data", data: new Uint8Array(7) },
    { type: "data", data: "AQID" },
    { type: "data", data: "AQ==" },
    // The data of a server need not be base64.
    { type: "data", data: `${"=".repeat(200_000)}AAA` },
    { type: "url", url: new URL("https://example.com/a.png") },
  ] as const).map((data) =>
    jsonOf({
      type: "model_finished",
      iteration: 0,
      message: { role: "assistant", content: [{ ...FILE, data }] },
      finishReason: "stop",
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    }).message
  ).map((message) => JSON.parse(JSON.stringify(message)).content[0]);
  assertEquals(sizes.map(({ size, url }) => size ?? url), [
    7,
    3,
    1,
    150_002,
    "https://example.com/a.png",
  ]);
});

Deno.test("toEventJson() describes errors by name, message and code", async () => {
  const failed = (await eventsOf([{ error: new Error("gone") }])).at(-1);
  assertEquals(failed, {
    ...ORIGIN,
    type: "run_failed",
    error: {
      name: "AgentError",
      message: "Cannot get a response from the model: gone",
      code: "model_error",
    },
  });
  const errors: readonly unknown[] = [new TypeError("bad"), "text", AgentError.core("broken")];
  assertEquals(errors.map((error) => jsonOf({ type: "run_failed", error }).error), [
    { name: "TypeError", message: "bad" },
    { name: "Error", message: "text" },
    { name: "AgentError", message: AgentError.core("broken").message, code: "core" },
  ]);
});

Deno.test("toEventJson() lists the pending approvals", async () => {
  const last = (await eventsOf([{ calls: [{ toolName: "look" }] }], {
    approvalHandler: () => ({ decision: "defer" }),
  })).at(-1);
  assert(Array.isArray(last?.approvals));
  const { toolCall, reason, path } = JSON.parse(JSON.stringify(last.approvals[0]));
  assertEquals([toolCall.toolName, reason, path], ["look", "approval", ["agent"]]);
});

Deno.test("toEventJson() converts values that JSON cannot represent, and never throws", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = [deep];
  const cyclic: Record<string, unknown> = {};
  cyclic.one = cyclic;
  cyclic.other = [cyclic];
  const inputs: readonly unknown[] = [
    1n,
    NaN,
    Symbol("s"),
    deep,
    { a: undefined, b: 2n },
    cyclic,
  ];
  const converted = inputs.map((input) =>
    jsonOf({
      type: "tool_started",
      iteration: 0,
      toolCall: { type: "tool-call", toolCallId: "c", toolName: "look", input },
    })
  );
  const [big, nan, symbol, , members, cycle] = converted.map(({ toolCall }) =>
    JSON.parse(JSON.stringify(toolCall)).input
  );
  assertEquals([big, nan, symbol, members], ["1", "NaN", "Symbol(s)", { b: "2" }]);
  assertEquals(cycle, { one: "(nested too deeply)", other: ["(nested too deeply)"] });
  assert(JSON.stringify(converted[3]).includes("(nested too deeply)"));
});

Deno.test("readEventJson() reads what toEventJson() returns", async () => {
  const events = await eventsOf([{ calls: [{ toolName: "look" }] }, { text: "done" }]);
  for (const event of events) {
    assertEquals(readEventJson(JSON.parse(JSON.stringify(event))), event);
  }
});

Deno.test("readEventJson() accepts unknown types and members, and describes errors", () => {
  const later = { ...ORIGIN, type: "new_type", extra: { a: [1] } };
  assertEquals(readEventJson(later), later);
  const earlier = { ...ORIGIN, type: "model_delta", delta: { type: "text-delta", delta: "a" } };
  assertEquals(readEventJson(earlier), earlier);
  const wrong: readonly [value: unknown, error: string][] = [
    [null, "not a JSON object"],
    [[], "not a JSON object"],
    [{ ...later, type: 1 }, '"type" must be a string, got 1'],
    [{ ...later, runId: undefined }, '"runId" must be a string, got undefined'],
    [{ ...later, path: "agent" }, '"path" must be an array of strings'],
    [{ ...later, path: [1] }, '"path" must be an array of strings'],
    [{ ...later, at: "5" }, '"at" must be a number, got "5"'],
  ];
  for (const [value, error] of wrong) assertEquals(readEventJson(value), error);
});
