/** Limits of a run that also apply to the sub-agents that its tools start. */

import { assertEquals } from "@std/assert";
import { MemoryJournal, recordSteps } from "../journal.ts";
import {
  type AgentStopCondition,
  customStop,
  maxCost,
  maxDuration,
  maxToolCalls,
  maxTotalTokens,
} from "../loop/stop_conditions.ts";
import type { LanguageModel } from "../shared/model.ts";
import { scriptedModel } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";
import { asTool } from "./agent_tool.ts";
import { ToolLoopAgent } from "./agent.ts";

/** A model that calls a tool in every response, and uses 100 tokens for it. */
function caller(toolName: string, onCall: () => void = () => {}): LanguageModel {
  return {
    modelId: toolName,
    generate: () => {
      onCall();
      return Promise.resolve({
        message: {
          role: "assistant",
          content: [{ type: "tool-call", toolCallId: "", toolName, input: { task: "x" } }],
        },
        finishReason: "tool-calls",
        usage: { inputTokens: 90, outputTokens: 10, totalTokens: 100 },
      });
    },
  };
}

const work: Tool = { name: "work", inputSchema: { type: "object" }, execute: () => "ok" };

/** Creates an agent whose tools run sub-agents, nested in each other. */
function boss(
  stopConditions: readonly AgentStopCondition[],
  onCall: () => void = () => {},
): ToolLoopAgent {
  const inner = asTool({
    name: "inner",
    description: "Works",
    model: caller("work", onCall),
    maxIterations: 1000,
  });
  const outer = asTool({
    name: "outer",
    description: "Delegates",
    model: caller("inner", onCall),
    maxIterations: 1000,
  });
  return new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([{ calls: [{ toolName: "outer", input: { task: "x" } }] }, { text: "x" }]),
    tools: [inner, outer, work],
    stopConditions,
  });
}

Deno.test("a limit on tokens or cost ends the sub-agents of a run", async () => {
  const limits = [
    [maxTotalTokens(1000), "max_total_tokens"],
    [maxCost(10, ({ totalTokens }) => totalTokens / 100), "budget_exceeded"],
  ] as const;
  for (const [limit, reason] of limits) {
    let calls = 0;
    const agent = boss([limit], () => calls++);
    const { iterations, stopReason, totalUsage } = await agent.run("go");
    assertEquals([stopReason, calls, totalUsage.totalTokens], [reason, 10, 1002]);
    assertEquals(iterations[0]?.toolResults[0]?.isError, true);
    await agent.terminate();
  }
});

Deno.test("limits on tokens, cost and time include sub-agents, and other conditions do not", () => {
  const conditions = [maxTotalTokens(1), maxCost(1, () => 0), maxDuration(1), maxToolCalls(1)];
  assertEquals(conditions.map((each) => each.includesSubAgents === true), [
    true,
    true,
    true,
    false,
  ]);
});

Deno.test("a custom condition is checked in sub-agents only if it includes them", async () => {
  const runsOf = async (includesSubAgents: boolean): Promise<number> => {
    const seen: number[] = [];
    const check = customStop("check", ({ totalUsage }) => {
      seen.push(totalUsage.totalTokens);
      return totalUsage.totalTokens >= 500;
    });
    const agent = boss([{ ...check, includesSubAgents }, maxTotalTokens(2000)]);
    await agent.run("go");
    await agent.terminate();
    return seen.length;
  };
  assertEquals([await runsOf(false), await runsOf(true)], [0, 6]);
});

Deno.test("the usage of recorded sub-agents counts toward the limit of a resumed run", async () => {
  const journal = new MemoryJournal();
  const run = async (more: readonly AgentStopCondition[]) => {
    let calls = 0;
    const second = caller("inner", () => calls++);
    const agent = new ToolLoopAgent({
      name: "boss",
      model: scriptedModel([
        { calls: [{ toolName: "inner", input: { task: "x" } }] },
        { calls: [{ toolName: "again", input: { task: "x" } }] },
      ]),
      tools: [
        asTool({ name: "inner", description: "Works", model: caller("work"), maxIterations: 4 }),
        asTool({ name: "again", description: "Delegates", model: second, maxIterations: 50 }),
        work,
      ],
      stopConditions: more,
    });
    const options = { runId: "r", stepRunner: recordSteps(journal) };
    const { stopReason } = await agent.run("go", options).catch(({ code }) => ({
      stopReason: code,
    }));
    await agent.terminate();
    return [stopReason, calls];
  };
  const crash = customStop("crash", () => {
    throw new Error("crash");
  });
  assertEquals(await run([crash]), ["core", 0]);
  // The recorded sub-agent has used 400 tokens.
  const [stopReason, calls] = await run([maxTotalTokens(600)]);
  assertEquals([stopReason, Number(calls) <= 2], ["max_total_tokens", true]);
});
