import { assert, assertEquals, assertThrows } from "@std/assert";
import type { ToolLoopOutput } from "../shared/output.ts";
import { findTranscriptViolation, scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

/** Documented members of `ToolContext`. */
const MEMBERS = [
  "agentDid",
  "agentName",
  "idempotencyKey",
  "iteration",
  "messages",
  "path",
  "report",
  "runId",
  "signal",
  "sleep",
  "stop",
  "toolCallId",
  "toolName",
  "wait",
];

async function play(
  execute: Tool["execute"],
  config: Partial<ToolLoopConfig> = {},
): Promise<ToolLoopOutput> {
  const registry = new ToolRegistry([{ name: "work", inputSchema: { type: "object" }, execute }]);
  const model = scriptedModel([
    { calls: [{ toolName: "work", input: { list: [3, 1, 2] } }] },
    { text: "done" },
  ]);
  const output = await runToolLoop({ model, registry, runId: "r", ...config }, "go");
  assertEquals(findTranscriptViolation(output.messages), undefined);
  return output;
}

/** Returns all property names of an object, except those of `Object.prototype`. */
function namesOf(value: object): string[] {
  const names = new Set<string>();
  for (let level = value; level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const name of Reflect.ownKeys(level)) names.add(String(name));
  }
  names.delete("constructor");
  return [...names].sort();
}

Deno.test("ToolContext has only its documented members", async () => {
  const seen: unknown[] = [];
  await play((_, context) => {
    seen.push(namesOf(context), Object.keys(context).filter((name) => !MEMBERS.includes(name)));
    seen.push(
      Deno.inspect(context).includes("registry"),
      Reflect.ownKeys(context.constructor).sort(),
    );
  }, { agentDid: "did:example:a" });
  assertEquals(seen, [MEMBERS, [], false, ["length", "name", "prototype"].sort()]);
});

Deno.test("ToolContext protects the run from changes by the tool", async () => {
  const output = await play((_, context) => {
    const { messages, path } = context;
    for (const name of [...MEMBERS, "run", "call"]) Reflect.set(context, name, "rubbish");
    for (const list of [messages, path]) {
      Reflect.set(list, "length", 0);
      Reflect.set(list, 0, "rubbish");
    }
    for (const name of MEMBERS) Reflect.deleteProperty(context, name);
  });
  assertEquals(output.messages.map(({ role }) => role), ["user", "assistant", "tool", "assistant"]);
  assertEquals(output.iterations[0]?.toolResults[0]?.toolCallId, "call_0_0");
});

Deno.test("runToolLoop() keeps the original input if a tool changes its input", async () => {
  const output = await play((input) => {
    const { list } = input as { list: number[] };
    return list.sort().splice(0);
  });
  const [iteration] = output.iterations;
  assertEquals(iteration?.toolResults[0]?.output, { type: "json", value: [1, 2, 3] });
  assertEquals(iteration?.toolCalls[0]?.input, { list: [3, 1, 2] });
});

Deno.test("runToolLoop() keeps the original result if a tool changes it later", async () => {
  const list: number[] = [];
  const registry = new ToolRegistry([{
    name: "add",
    inputSchema: { type: "object" },
    execute: () => {
      list.push(list.length);
      return list;
    },
  }]);
  const turn = { calls: [{ toolName: "add" }] };
  const { iterations } = await runToolLoop(
    { model: scriptedModel([turn, turn, {}]), registry },
    "go",
  );
  assertEquals(
    iterations.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)),
    [{ type: "json", value: [0] }, { type: "json", value: [0, 1] }],
  );
});

Deno.test("runToolLoop() ignores changes that handlers make to the call in place", async () => {
  const inputs: unknown[] = [];
  const execute = (input: unknown): void => {
    inputs.push(input);
  };
  const schema = { type: "object", properties: { list: { type: "array", maxItems: 2 } } };
  const registry = new ToolRegistry([{ name: "work", inputSchema: schema, execute }]);
  const input = { list: [3, 1, 2] };
  const model = scriptedModel([{ calls: [{ toolName: "work", input }] }, {}]);
  const { iterations, messages } = await runToolLoop({
    model,
    registry,
    repairToolCall: ({ messages, toolCall: { input } }) => {
      Reflect.set(messages, "length", 0);
      (input as { list: number[] }).list.pop();
      return { input };
    },
    approvalHandler: ({ messages, toolCall: { input } }) => {
      Reflect.set(messages, "length", 0);
      (input as { list: number[] }).list.pop();
      return true;
    },
  }, "go");
  assertEquals([iterations[0]?.toolCalls[0]?.input, messages.length], [input, 4]);
  // The approval handler throws when it tries to change the frozen call, so the call is denied.
  assertEquals([iterations[0]?.toolResults[0]?.code, inputs], ["approval_denied", []]);
});

Deno.test("runToolLoop() creates no random UUID if the run id is not read", async () => {
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, "crypto", { value: {}, configurable: true });
  try {
    const registry = new ToolRegistry([
      { name: "work", inputSchema: { type: "object" }, execute: (_, { toolName }) => toolName },
    ]);
    const model = scriptedModel([{ calls: [{ toolName: "work" }] }, {}]);
    const { iterations } = await runToolLoop({ model, registry }, "go");
    assertEquals(iterations[0]?.toolResults[0]?.output, { type: "text", value: "work" });
  } finally {
    Object.defineProperty(globalThis, "crypto", { value: crypto, configurable: true });
  }
});

Deno.test("ToolContext.report() and stop() work when destructured", async () => {
  const events: LoopEvent[] = [];
  const output = await play((_, { report, stop }) => {
    report("half");
    stop();
  }, { onEvent: (event) => events.push(event) });
  assertEquals(output.stopReason, "tool_stop");
  assertEquals(events.filter(({ type }) => type === "tool_progress").length, 1);
});

Deno.test("ToolContext.report() and stop() have no effect after the tool has returned", async () => {
  const events: string[] = [];
  let kept: ToolContext | undefined;
  const output = await play((_, context) => {
    kept = context;
  }, { onEvent: ({ type }) => events.push(type) });
  kept?.report("late");
  kept?.stop();
  assertEquals([events.at(-1), output.stopReason], ["run_finished", "model_stop"]);
  assert(!events.includes("tool_progress"));
});

Deno.test("ToolContext.report() copies JSON data, and throws on other values", async () => {
  const reported: unknown[] = [];
  const onEvent = (event: LoopEvent): void => {
    if (event.type === "tool_progress") reported.push(event.progress);
  };
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const state = { done: 1, at: new Date(0), next: undefined };
  const errors: string[] = [];
  await play((_, context) => {
    context.report(Object(state));
    state.done = 2;
    for (const value of [1n, cyclic, undefined, () => 1, NaN, new Map()]) {
      const report = (): void => Reflect.apply(context.report, context, [value]);
      errors.push(assertThrows(report, TypeError).message.split(":")[0] ?? "");
    }
  }, { onEvent });
  assertEquals(reported, [{ done: 1, at: "1970-01-01T00:00:00.000Z" }]);
  assertEquals(errors, Array(6).fill('"progress" must be serializable as JSON'));
});
