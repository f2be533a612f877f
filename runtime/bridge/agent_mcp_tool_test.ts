import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { agentMcpTool, type AgentMcpToolOptions, type McpToolContext } from "../bridge.ts";
import { type ServedRunContext, type ServedSessions, serveRuns, serveSessions } from "../serve.ts";
import { memoryRuns, openRuns } from "../runs.ts";
import { memoryStorage } from "../session.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";

const CALL: ScriptedTurn = { calls: [{ toolName: "work" }] };
const OPTIONS: AgentMcpToolOptions = { name: "ask", description: "Answers questions" };
const OUTPUT = { type: "object", required: ["n"] } as const;

interface Setup {
  readonly execute?: Tool["execute"];
  readonly defers?: boolean;
  readonly hasOutput?: boolean;
  /** The runs for which an agent was created. */
  readonly made?: ServedRunContext[];
}

function createAgent(turns: readonly ScriptedTurn[], setup: Setup): ToolLoopAgent {
  const { defers = false, execute = () => "ok", hasOutput = false } = setup;
  return new ToolLoopAgent({
    name: "oracle",
    model: scriptedModel(turns),
    tools: [{ name: "work", inputSchema: { type: "object" }, execute }],
    approvalHandler: () => ({ decision: defers ? "defer" : "approve" }),
    modelRetries: 0,
    graceMs: 0,
    ...hasOutput && { output: OUTPUT },
  });
}

/** Serves an agent that replays the scripted turns in each run. */
function serve(turns: readonly ScriptedTurn[], setup: Setup = {}): ServedSessions {
  return serveSessions({
    storage: memoryStorage(),
    make: (run) => {
      setup.made?.push(run);
      return createAgent(turns, setup);
    },
    flushMs: 0,
    drainMs: 0,
    onError: () => {},
  });
}

function contextOf(signal = new AbortController().signal) {
  const messages: string[] = [];
  const context: McpToolContext = {
    signal,
    progress: (done, { message } = {}) => {
      messages.push(`${done} ${message}`);
      return Promise.reject(new Error("the client has disconnected"));
    },
  };
  return { context, messages };
}

Deno.test("agentMcpTool() starts a run for each call and reports progress without input", async () => {
  const made: ServedRunContext[] = [];
  await using served = serve([CALL, { text: "42" }], { made });
  const [definition, handler] = agentMcpTool(served, OPTIONS);
  assertEquals([definition.name, definition.description], ["ask", "Answers questions"]);
  const { context, messages } = contextOf();
  const answer = { content: [{ type: "text", text: "42" }] };
  assertEquals<unknown>(await handler({ task: "6 * 7?" }, context), answer);
  assertEquals(messages, [
    "1 Calling model scripted",
    "2 Calling tool work",
    "3 Calling model scripted",
  ]);
  const principal = { subject: "ann", scopes: ["ask"] };
  assertEquals<unknown>(await handler({ task: "6 * 7?" }, { ...context, principal }), answer);
  assertEquals(made.map(({ caller }) => caller), [undefined, principal]);
  assertEquals(await served.list(principal), { runs: [] });
});

Deno.test("agentMcpTool() runs an agent whose runs are durable", async () => {
  const make = () => createAgent([CALL, { text: "42" }], {});
  await using runs = openRuns(memoryRuns(), { a: { version: "1", make } }, { storeEvents: true });
  const working = runs.work();
  const [, handler] = agentMcpTool(serveRuns(runs, { agent: "a" }), OPTIONS);
  const { context, messages } = contextOf();
  const { content } = await handler({ task: "6 * 7?" }, context);
  assertEquals([content[0].text, messages.length], ["42", 3]);
  await runs.close();
  await working;
});

Deno.test("agentMcpTool() returns structured content if it has an output schema", async () => {
  const turn = { calls: [{ toolName: "final_answer", input: { n: 42 } }] };
  await using served = serve([turn], { hasOutput: true });
  const [definition, handler] = agentMcpTool(served, { ...OPTIONS, outputSchema: OUTPUT });
  assertEquals<unknown>(definition.outputSchema, OUTPUT);
  const { content, structuredContent } = await handler({ task: "6 * 7?" }, contextOf().context);
  assertEquals([content[0].text, structuredContent], ['{"n":42}', { n: 42 }]);
});

Deno.test("agentMcpTool() returns an error that names the stop reason if the run has no final answer", async () => {
  const rows = [[{ text: "" }, "model_stop"], [
    { text: "half of", finishReason: "length" },
    "output_truncated",
  ]] as const;
  for (const [turn, reason] of rows) {
    await using served = serve([turn]);
    const [, handler] = agentMcpTool(served, OPTIONS);
    const { content, isError } = await handler({ task: "?" }, contextOf().context);
    const text = `Agent "ask" ended without a final answer: stop reason "${reason}"`;
    assertEquals([content[0].text, isError], [text, true]);
  }
});

Deno.test("agentMcpTool() returns an error without details if the run fails", async () => {
  await using served = serve([{ error: new Error("password is hunter2") }]);
  const { content, isError } = await agentMcpTool(served, OPTIONS)[1](
    { task: "?" },
    contextOf().context,
  );
  const text = 'Agent "ask" ended without a final answer: stop reason "failed"';
  assertEquals([content[0].text, isError], [text, true]);
});

Deno.test("agentMcpTool() cancels a run that waits for a decision", async () => {
  const executed: string[] = [];
  await using served = serve([CALL], { defers: true, execute: () => executed.push("work") });
  const runs = new Set<string>();
  const start: ServedSessions["start"] = async (caller, start) => {
    const run = await served.start(caller, start);
    runs.add(run.id);
    return run;
  };
  const [, handler] = agentMcpTool({ start }, OPTIONS);
  const { content, isError } = await handler({ task: "?" }, contextOf().context);
  const text = 'Agent "ask" ended without a final answer: tool "work" waits for a decision';
  assertEquals([content[0].text, isError, executed], [text, true, []]);
  const [id = ""] = runs;
  assertEquals((await served.get(undefined, id))?.state.status, "cancelled");
});

Deno.test("agentMcpTool() cancels the run if the client cancels the call", async () => {
  const gate = createGate();
  const signals: AbortSignal[] = [];
  const execute: Tool["execute"] = (_, { signal }) => {
    signals.push(signal);
    return gate.wait();
  };
  await using served = serve([CALL], { execute });
  const [, handler] = agentMcpTool(served, OPTIONS);
  const controller = new AbortController();
  const calling = handler({ task: "?" }, contextOf(controller.signal).context);
  await gate.reached;
  controller.abort(new Error("enough"));
  await assertRejects(() => calling, Error, "enough");
  assertEquals(signals.map(({ aborted }) => aborted), [true]);
  gate.release();
});

Deno.test("agentMcpTool() sends one progress notification at a time, and keeps only the newest", async () => {
  const calls = Array.from({ length: 100 }, () => ({ toolName: "work" }));
  await using served = serve([...Array.from({ length: 5 }, () => ({ calls })), { text: "42" }]);
  const [, handler] = agentMcpTool(served, OPTIONS);
  let inFlight = 0;
  const progress = () => {
    inFlight++;
    return new Promise<void>(() => {});
  };
  const { signal } = new AbortController();
  const { content } = await handler({ task: "?" }, { signal, progress });
  assertEquals([content[0].text, inFlight], ["42", 1]);
});

Deno.test("agentMcpTool() throws if an argument is invalid", async () => {
  await using served = serve([]);
  assertThrows(() => agentMcpTool(served, { ...OPTIONS, name: "" }), TypeError, '"name"');
  const noText = { ...OPTIONS, description: "" };
  assertThrows(() => agentMcpTool(served, noText), TypeError, '"description"');
  assertThrows(() => agentMcpTool(OPTIONS as never, OPTIONS), TypeError, '"served"');
});
