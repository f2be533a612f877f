import { assertEquals, assertRejects } from "@std/assert";
import { createSubAgent } from "../agent/sub_agent.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool } from "../tools/tool.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";

/** Creates a registry with a visible tool and a hidden tool, and the list of executed tools. */
function createTools(): { registry: ToolRegistry; executed: string[] } {
  const executed: string[] = [];
  const tool = (name: string): Tool => ({
    name,
    inputSchema: { type: "object", required: ["q"] },
    execute: () => executed.push(name),
  });
  const registry = new ToolRegistry([tool("shown")]);
  registry.register(tool("secret"), { hidden: true });
  return { registry, executed };
}

const CALL = { calls: [{ toolName: "secret", input: { q: 1 } }] };

Deno.test("a call to a hidden tool has the same result and events as a call to an unknown tool", async () => {
  const played: unknown[] = [];
  for (const isRegistered of [true, false]) {
    const { registry, executed } = createTools();
    if (!isRegistered) registry.unregister("secret");
    const asked: string[] = [];
    const events: LoopEvent[] = [];
    const model = scriptedModel([
      { calls: [{ toolName: "secret", input: {} }, { toolName: "secret", input: { q: 1 } }] },
      { text: "sorry" },
    ]);
    const output = await runToolLoop({
      model,
      registry,
      approvalHandler: ({ toolCall }) => asked.push(toolCall.toolName) > 0,
      repairToolCall: ({ toolCall }) => void asked.push(toolCall.toolName),
      onEvent: (event) => events.push(event),
      runId: "r",
    }, "go");
    assertEquals([executed, asked], [[], []]);
    assertEquals(model.requests.map(({ tools }) => tools.map(({ name }) => name)), [
      ["shown"],
      ["shown"],
    ]);
    played.push([output.messages, events.map(({ type }) => type)]);
    assertEquals(output.iterations[0]?.toolResults.map(({ code, output }) => [code, output]), [
      ["tool_not_found", {
        type: "error-text",
        value: 'Tool "secret" is not available. Available tools: shown',
      }],
      ["tool_not_found", {
        type: "error-text",
        value: 'Tool "secret" is not available. Available tools: shown',
      }],
    ]);
  }
  assertEquals(played[0], played[1]);
});

Deno.test('a call to a hidden tool fails the run if `onUnknownTool` is "throw"', async () => {
  const { registry } = createTools();
  const run = () =>
    runToolLoop({ model: scriptedModel([CALL]), registry, onUnknownTool: "throw" }, "go");
  const { details } = await assertRejects(run, AgentError);
  assertEquals(details, { toolName: "secret", available: ["shown"] });
});

Deno.test("a sub-agent sees and calls a tool that is hidden from its parent", async () => {
  const { registry, executed } = createTools();
  const parent = new ToolLoopAgent({ name: "boss", model: scriptedModel([]), registry });
  for (const allowedTools of [["secret"], ["shown", "secret"], undefined]) {
    const model = scriptedModel([CALL, { text: "done" }]);
    const config = { name: "expert", model, ...(allowedTools ? { allowedTools } : {}) };
    const child = createSubAgent(parent, config);
    await child.initialize();
    await child.run("go");
    assertEquals(
      model.requests[0]?.tools.map(({ name }) => name),
      allowedTools ?? ["shown", "secret"],
    );
    await child.terminate();
  }
  assertEquals(executed, ["secret", "secret", "secret"]);
});
