import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { agentMcpTool, type AgentMcpToolOptions, type McpToolContext } from "../bridge.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";

const CALL: ScriptedTurn = { calls: [{ toolName: "work" }] };

/**
 * Returns the options for a tool whose agent replays the scripted turns, and the agents that the
 * tool has created.
 */
function setUp(turns: readonly ScriptedTurn[], execute: Tool["execute"] = () => "ok") {
  const agents: ToolLoopAgent[] = [];
  const options: AgentMcpToolOptions = {
    name: "ask",
    description: "Answers questions",
    make: () => {
      const agent = new ToolLoopAgent({
        name: "oracle",
        model: scriptedModel(turns),
        tools: [{ name: "work", inputSchema: { type: "object" }, execute }],
        modelRetries: 0,
        graceMs: 0,
      });
      agents.push(agent);
      return agent;
    },
  };
  return { options, agents };
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

Deno.test("agentMcpTool() runs a new agent for each call and reports progress without input", async () => {
  const { options, agents } = setUp([CALL, { text: "42" }]);
  const [definition, handler] = agentMcpTool(options);
  assertEquals([definition.name, definition.description], ["ask", "Answers questions"]);
  const { context, messages } = contextOf();
  const answer = { content: [{ type: "text", text: "42" }] };
  assertEquals<unknown>(await handler({ task: "6 * 7?" }, context), answer);
  assertEquals(messages, [
    "1 Calling model scripted",
    "2 Calling tool work",
    "3 Calling model scripted",
  ]);
  assertEquals<unknown>(await handler({ task: "6 * 7?" }, context), answer);
  assertEquals(agents.map(({ isTerminated }) => isTerminated), [true, true]);
});

Deno.test("agentMcpTool() returns structured content if it has an output schema", async () => {
  const turn = { calls: [{ toolName: "final_answer", input: { n: 42 } }] };
  const { options } = setUp([turn]);
  const outputSchema = { type: "object", required: ["n"] };
  const [definition, handler] = agentMcpTool({ ...options, outputSchema });
  assertEquals(definition.outputSchema, outputSchema);
  const { content, structuredContent } = await handler({ task: "6 * 7?" }, contextOf().context);
  assertEquals([content[0].text, structuredContent], ['{"n":42}', { n: 42 }]);
});

Deno.test("agentMcpTool() returns an error that names the stop reason if the run has no final answer", async () => {
  const { options } = setUp([{ text: "" }]);
  const [, handler] = agentMcpTool(options);
  const { content, isError } = await handler({ task: "?" }, contextOf().context);
  const text = 'Agent "ask" ended without a final answer: stop reason "model_stop"';
  assertEquals([content[0].text, isError], [text, true]);
});

Deno.test("agentMcpTool() aborts the run if the client cancels the call", async () => {
  const gate = createGate();
  const { options, agents } = setUp([CALL], () => gate.wait());
  const [, handler] = agentMcpTool(options);
  const controller = new AbortController();
  const calling = handler({ task: "?" }, contextOf(controller.signal).context);
  await gate.reached;
  controller.abort();
  assertEquals((await calling).isError, true);
  assertEquals(agents[0]?.isTerminated, true);
  gate.release();
});

Deno.test("agentMcpTool() terminates the agent if the run fails", async () => {
  const { options, agents } = setUp([{ error: new Error("down") }]);
  const [, handler] = agentMcpTool(options);
  await assertRejects(() => handler({ task: "?" }, contextOf().context), Error, "down");
  assertEquals(agents[0]?.isTerminated, true);
});

Deno.test("agentMcpTool() sends one progress notification at a time, and keeps only the newest", async () => {
  const calls = Array.from({ length: 100 }, () => ({ toolName: "work" }));
  const turns = [...Array.from({ length: 5 }, () => ({ calls })), { text: "42" }];
  const { options } = setUp(turns);
  const [, handler] = agentMcpTool(options);
  let inFlight = 0;
  const progress = () => {
    inFlight++;
    return new Promise<void>(() => {});
  };
  const { signal } = new AbortController();
  const { content } = await handler({ task: "?" }, { signal, progress });
  assertEquals([content[0].text, inFlight], ["42", 1]);
});

Deno.test("agentMcpTool() rejects if the agent is not ready when the client cancels, or in time", async () => {
  const { options } = setUp([]);
  const make = () => new Promise<never>(() => {});
  const [, handler] = agentMcpTool({ ...options, make });
  const controller = new AbortController();
  const calling = handler({ task: "?" }, contextOf(controller.signal).context);
  controller.abort(new Error("cancelled"));
  await assertRejects(() => calling, Error, "cancelled");
  const [, hurried] = agentMcpTool({ ...options, make, agentTimeoutMs: 1 });
  await assertRejects(() => hurried({ task: "?" }, contextOf().context), DOMException, "1 ms");
});

Deno.test("agentMcpTool() returns an error if the text is not a final answer", async () => {
  const { options } = setUp([{ text: "half of", finishReason: "length" }]);
  const { content, isError } = await agentMcpTool(options)[1]({ task: "?" }, contextOf().context);
  const text = 'Agent "ask" ended without a final answer: stop reason "output_truncated"';
  assertEquals([content[0].text, isError], [text, true]);
});

Deno.test("agentMcpTool() throws if an option is invalid", () => {
  const { options } = setUp([]);
  assertThrows(() => agentMcpTool({ ...options, name: "" }), TypeError, '"name"');
  assertThrows(() => agentMcpTool({ ...options, description: "" }), TypeError, '"description"');
  const none: unknown = undefined;
  const make = none as AgentMcpToolOptions["make"];
  assertThrows(() => agentMcpTool({ ...options, make }), TypeError, '"make"');
});
