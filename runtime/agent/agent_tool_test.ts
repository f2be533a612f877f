import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { runToolLoop } from "../loop/loop.ts";
import { AgentError } from "../shared/error.ts";
import type { ToolResult } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { jsonSchema } from "../shared/typed_schema.ts";
import {
  createGate,
  findTranscriptViolation,
  scriptedModel,
  type ScriptedTurn,
} from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import { type AgentConfig, ToolLoopAgent } from "./agent.ts";
import { type AgentToolConfig, asTool } from "./agent_tool.ts";

const ASK: ScriptedTurn = { calls: [{ toolName: "law", input: { task: "May we?" } }] };
const WORK: ScriptedTurn = { calls: [{ toolName: "work" }] };

function law(turns: readonly ScriptedTurn[], more: Partial<AgentToolConfig> = {}): AgentToolConfig {
  return { name: "law", description: "Asks a lawyer", model: scriptedModel(turns), ...more };
}

function boss(
  tools: readonly Tool<never>[],
  turns: readonly ScriptedTurn[],
  config: Partial<AgentConfig> = {},
): ToolLoopAgent {
  const agent = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel(turns),
    onError: () => {},
    graceMs: 0,
    ...config,
  });
  for (const tool of tools) agent.registry.register(tool as Tool);
  return agent;
}

function firstResult({ iterations }: ToolLoopOutput): ToolResult | undefined {
  return iterations[0]?.toolResults[0];
}

Deno.test("asTool() runs a sub-agent with the task and returns its final text", async () => {
  const model = scriptedModel([{ text: "Yes" }]);
  const agent = boss([asTool(law([], { model }))], [ASK, { text: "We may" }]);
  const output = await agent.run("May we?");
  assertEquals(firstResult(output)?.output, { type: "text", value: "Yes" });
  assertEquals(model.requests[0]?.messages, [
    { role: "user", content: [{ type: "text", text: "May we?" }] },
  ]);
  assertEquals(Object.keys(output.usageByAgent ?? {}), ["boss", "boss/law"]);
  assertEquals(output.totalUsage.totalTokens, 6);
  await agent.terminate();
});

Deno.test("asTool() grants the sub-agent all other tools of the caller by default", async () => {
  const model = scriptedModel([{ text: "Yes" }]);
  const work: Tool = { name: "work", inputSchema: { type: "object" }, execute: () => "done" };
  const agent = boss([asTool(law([], { model })), work], [ASK, { text: "We may" }]);
  await agent.run("May we?");
  assertEquals(model.requests[0]?.tools.map(({ name }) => name), ["work"]);
  await agent.terminate();
});

Deno.test("asTool() offers a schema with the string task, and rejects input without a task", async () => {
  const model = scriptedModel([]);
  const wrong: ScriptedTurn = { calls: [{ toolName: "law", input: { question: "May we?" } }] };
  const asking = scriptedModel([wrong, { text: "sorry" }]);
  const agent = boss([asTool(law([], { model }))], [], { model: asking });
  const output = await agent.run("May we?");
  assertEquals([firstResult(output)?.code, model.requests.length], ["invalid_input", 0]);
  const [definition] = asking.requests[0]?.tools ?? [];
  assertEquals([definition?.name, definition?.description], ["law", "Asks a lawyer"]);
  assertEquals(definition?.inputSchema, {
    type: "object",
    properties: {
      task: {
        type: "string",
        description: "The task, with all the information that is needed for it",
      },
    },
    required: ["task"],
    additionalProperties: false,
  });
});

Deno.test("asTool() converts input with its own schema to JSON text, or with the prompt option", async () => {
  const inputSchema = jsonSchema<{ article: number }>({
    type: "object",
    properties: { article: { type: "number" } },
    required: ["article"],
  });
  const ask: ScriptedTurn = { calls: [{ toolName: "law", input: { article: 7 } }] };
  const asJson = scriptedModel([{ text: "ok" }]);
  const prompted = scriptedModel([{ text: "ok" }]);
  const common = { name: "law", description: "Asks a lawyer", inputSchema };
  const tools = [
    asTool({ ...common, model: asJson }),
    asTool({
      ...common,
      model: prompted,
      prompt: ({ article }) => [{ type: "text", text: `Article ${article + 1}` }],
    }),
  ];
  for (const tool of tools) await boss([tool], [ASK, ask, { text: "done" }].slice(1)).run("go");
  assertEquals([asJson, prompted].map(({ requests }) => requests[0]?.messages[0]?.content), [
    [{ type: "text", text: '{"article":7}' }],
    [{ type: "text", text: "Article 8" }],
  ]);
});

Deno.test("asTool() returns an error that names the stop reason if there is no final answer", async () => {
  const endings: [readonly ScriptedTurn[], Partial<AgentToolConfig>, string][] = [
    [[WORK], { maxIterations: 1 }, "max_iterations"],
    [[{ text: "" }], {}, "model_stop"],
  ];
  for (const [turns, more, reason] of endings) {
    const agent = boss([asTool(law(turns, more))], [ASK, { text: "done" }]);
    agent.registry.register({ name: "work", inputSchema: {}, execute: () => "ok" });
    assertEquals(firstResult(await agent.run("go"))?.output, {
      type: "error-text",
      value: `Agent "law" ended without a final answer: stop reason "${reason}"`,
    });
  }
});

Deno.test("asTool() returns an error if the sub-agent or prompt fails, and the run continues", async () => {
  const configs = [
    law([{ error: new Error("no model") }]),
    law([], { allowedTools: ["unknown"] }),
    law([], {
      prompt: () => {
        throw new Error("no prompt");
      },
    }),
  ];
  for (const config of configs) {
    const errors: unknown[] = [];
    const agent = boss([asTool(config)], [ASK, { text: "done" }], {
      onError: (error) => errors.push(error),
    });
    const output = await agent.run("go");
    assertEquals([firstResult(output)?.isError, output.finalText], [true, "done"]);
    assertEquals(errors.map((error) => AgentError.isAgentError(error) && error.code), [
      "tool_execution_failed",
    ]);
  }
});

Deno.test("asTool() runs a sub-agent of whichever agent calls the tool", async () => {
  const paths: string[] = [];
  const shared = asTool(law([{ text: "one" }, { text: "two" }], {
    allowedTools: [],
    onEvent: ({ type, path }) => void (type === "run_started" && paths.push(path.join("/"))),
  }));
  for (const name of ["red", "blue"]) {
    await boss([shared], [ASK, { text: "done" }], { name }).run("go");
  }
  assertEquals(paths, ["red/law", "blue/law"]);
});

Deno.test("asTool() grants tools of the calling agent, and a tool that the agent loses is unknown in the next call", async () => {
  const gate = createGate();
  const turns: ScriptedTurn[] = [() => gate.wait().then(() => WORK), { text: "gone" }];
  const agent = boss([asTool(law(turns, { allowedTools: ["work"] }))], [ASK, { text: "done" }]);
  agent.registry.register({ name: "work", inputSchema: {}, execute: () => "ok" });
  const codes: unknown[] = [];
  const run = agent.run("go", {
    onEvent: (event) => {
      if (event.type === "tool_finished" && event.path.length === 2) {
        codes.push(event.toolResult.code);
      }
    },
  });
  await gate.reached;
  agent.registry.unregister("work");
  gate.release();
  assertEquals(firstResult(await run)?.output, { type: "text", value: "gone" });
  assertEquals(codes, ["tool_not_found"]);
});

Deno.test("asTool() limits the depth of agents that call themselves", async () => {
  let calls = 0;
  const model = scriptedModel(Array.from({ length: 20 }, () => () => {
    calls++;
    return ASK;
  }));
  const recursive = asTool(law([], { model, maxIterations: 1, allowedTools: ["law"] }));
  const output = await boss([recursive], [ASK, { text: "done" }]).run("go");
  assertEquals([calls, output.finalText], [8, "done"]);
});

Deno.test("a tool from asTool() returns an error to the model if runToolLoop() is called without an agent", async () => {
  const registry = new ToolRegistry([asTool(law([])) as Tool]);
  const model = scriptedModel([ASK, { text: "done" }]);
  const output = await runToolLoop({ model, registry, onError: () => {} }, "go");
  assertEquals([firstResult(output)?.isError, output.finalText], [true, "done"]);
});

Deno.test("asTool() aborts the sub-agent together with the run", async () => {
  const gate = createGate();
  const agent = boss([asTool(law([() => gate.wait().then(() => ({ text: "late" }))]))], [ASK]);
  const controller = new AbortController();
  const run = agent.run("go", { signal: controller.signal });
  await gate.reached;
  controller.abort();
  const output = await run;
  assertEquals(output.stopReason, "aborted");
  assertEquals(findTranscriptViolation(output.messages), undefined);
  gate.release();
  await agent.terminate();
});

Deno.test("asTool() suspends the run at a deferred approval, and the run resumes with the decision", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  let worked = 0;
  const make = (turns: readonly ScriptedTurn[], own: readonly ScriptedTurn[]): ToolLoopAgent => {
    const agent = boss([asTool(law(turns, { allowedTools: ["work"] }))], own, {
      approvalHandler: ({ toolCall }) => toolCall.toolName === "law" || { decision: "defer" },
    });
    agent.registry.register({ name: "work", inputSchema: {}, execute: () => ++worked });
    return agent;
  };
  const first = await make([WORK], [ASK]).run("go", { runId: "r", stepRunner });
  const [approval] = first.pending?.approvals ?? [];
  assertEquals([first.stopReason, approval?.path, worked], [
    "approval_pending",
    ["boss", "law"],
    0,
  ]);
  const decisions = { [approval?.key ?? ""]: { decision: "approve" as const } };
  const second = await make([{ text: "Yes" }], [{ text: "done" }])
    .run("go", { runId: "r", stepRunner, decisions });
  assertEquals([second.finalText, worked], ["done", 1]);
});

Deno.test("asTool() continues the sub-agent with its recorded steps after a crash", async () => {
  const journal = new MemoryJournal();
  const crash = new Error("crash");
  const inner = recordSteps(journal);
  const first = boss([asTool(law([WORK, { text: "lost" }]))], [ASK]);
  first.registry.register({ name: "work", inputSchema: {}, execute: () => "ok" });
  await assertRejects(() =>
    first.run("go", {
      runId: "r",
      stepRunner: {
        run: (key, kind, step) =>
          key.endsWith("law.0/i1/model") ? Promise.reject(crash) : inner.run(key, kind, step),
      },
    }), AgentError);
  let worked = 0;
  const second = boss([asTool(law([{ text: "Yes" }]))], [{ text: "done" }]);
  second.registry.register({ name: "work", inputSchema: {}, execute: () => ++worked });
  const output = await second.run("go", { runId: "r", stepRunner: recordSteps(journal) });
  assertEquals(firstResult(output)?.output, { type: "text", value: "Yes" });
  assertEquals([output.finalText, worked], ["done", 0]);
});

Deno.test("asTool() sends the events of its sub-agent to the listeners of the agent, the run and the stream", async () => {
  const seen: Record<string, string[]> = { agent: [], run: [], stream: [] };
  const note = (name: string) => ({ path }: { path: readonly string[] }): void => {
    if (path.length === 2) seen[name]?.push(path.join("/"));
  };
  const onEvent = note("agent");
  // The agent and the sub-agent share one listener, which must not receive an event twice.
  const tool = asTool(law([{ text: "Yes" }], { onEvent }));
  const agent = boss([tool], [ASK, { text: "done" }], { onEvent });
  for await (const event of agent.stream("go", { onEvent: note("run") })) note("stream")(event);
  assert((seen.stream?.length ?? 0) > 3);
  assertEquals([seen.agent, seen.run], [seen.stream, seen.stream]);
});

Deno.test("asTool() throws if the configuration is invalid", () => {
  assertThrows(() => asTool(law([], { name: "" })), TypeError);
  assertThrows(() => asTool(law([], { description: "" })), TypeError);
  assertThrows(() => asTool(law([], { model: {} as never })), TypeError);
  assertThrows(() => asTool(law([], { prompt: "go" as never })), TypeError);
  assertThrows(() => asTool(law([], { maxIterations: 0 })), RangeError);
});
