/** Limits of a run that also apply to the sub-agents that its tools start. */

import { assertEquals, assertRejects } from "@std/assert";
import { MemoryJournal, recordSteps } from "../journal.ts";
import {
  type AgentStopCondition,
  customStop,
  type LoopContext,
  maxTotalTokens,
} from "../loop/stop_conditions.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel } from "../shared/model.ts";
import { costOf } from "../shared/prices.ts";
import type { TokenUsage } from "../shared/usage.ts";
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

Deno.test("a limit on tokens ends the sub-agents of a run", async () => {
  let calls = 0;
  const agent = boss([maxTotalTokens(1000)], () => calls++);
  const { iterations, stopReason, totalUsage } = await agent.run("go");
  assertEquals([stopReason, calls, totalUsage.totalTokens], ["max_total_tokens", 10, 1002]);
  assertEquals(iterations[0]?.toolResults[0]?.isError, true);
  await agent.terminate();
});

Deno.test("a custom condition is checked in sub-agents only if it includes them", async () => {
  const runsOf = async (includesSubAgents: boolean): Promise<number> => {
    const seen: number[] = [];
    const check = customStop("check", ({ totalUsage }) => {
      seen.push(totalUsage.totalTokens);
      return totalUsage.totalTokens >= 500;
    }, { includesSubAgents });
    const agent = boss([check, maxTotalTokens(2000)]);
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

Deno.test("a limit on the cost of several models ends the sub-agents of a run", async () => {
  // A call of the model `inner` costs 10, and a call of the model `work` costs 90.
  const prices = {
    scripted: { input: 0, output: 0 },
    inner: { input: 0, output: 1_000_000 },
    work: { input: 1_000_000, output: 0 },
  };
  let calls = 0;
  const isExpensive = ({ usageByModel = {} }: LoopContext) => costOf(usageByModel, prices) > 200;
  const budget = customStop("budget", isExpensive, { includesSubAgents: true });
  const agent = boss([budget, maxTotalTokens(2000)], () => calls++);
  const { stopConditionName, usageByModel } = await agent.run("go");
  assertEquals([stopConditionName, calls], ["budget", 4]);
  assertEquals(usageByModel, {
    scripted: usage(1),
    inner: { inputTokens: 90, outputTokens: 10, totalTokens: 100 },
    work: { inputTokens: 270, outputTokens: 30, totalTokens: 300 },
  });
  await agent.terminate();
});

/** Usage of calls of a scripted model. */
function usage(calls: number): TokenUsage {
  return { inputTokens: calls, outputTokens: calls, totalTokens: 2 * calls };
}

/** A model that calls a tool in the first response, and then responds with text. */
function callerOnce(toolName: string, modelId: string): LanguageModel {
  return scriptedModel([{ calls: [{ toolName, input: { task: "x" } }] }, { text: "x" }], modelId);
}

/** A condition that never ends a run, and adds the contexts that it receives to an array. */
function recorder(contexts: LoopContext[]): AgentStopCondition {
  const check = (context: LoopContext): boolean => {
    const { iterations = [], messages = [] } = context;
    contexts.push({ ...context, iterations: [...iterations], messages: [...messages] });
    return false;
  };
  return { name: "record", includesSubAgents: true, check };
}

Deno.test("a condition that is checked in a sub-agent receives all members of the context", async () => {
  const contexts: LoopContext[] = [];
  const big = callerOnce("expert", "big");
  const small = callerOnce("work", "small");
  await using agent = new ToolLoopAgent({
    name: "boss",
    model: big,
    tools: [asTool({ name: "expert", description: "Works", model: small }), work],
    stopConditions: [recorder(contexts)],
  });
  await agent.run("go");
  const seen = contexts.map(({ elapsedMs, iterations, messages, ...context }) => ({
    ...context,
    isTimed: typeof elapsedMs === "number",
    calls: iterations?.map(({ toolCalls }) => toolCalls[0]?.toolName),
    roles: messages?.map(({ role }) => role),
  }));
  assertEquals(seen.slice(0, 2), [
    {
      iteration: 0,
      totalUsage: usage(2),
      usageByModel: { big: usage(1), small: usage(1) },
      lastFinishReason: "tool-calls",
      lastToolCallCount: 1,
      totalToolCalls: 1,
      isTimed: true,
      calls: ["work"],
      roles: ["user", "assistant", "tool"],
    },
    {
      iteration: 1,
      totalUsage: usage(3),
      usageByModel: { big: usage(1), small: usage(2) },
      lastFinishReason: "stop",
      lastToolCallCount: 0,
      totalToolCalls: 1,
      isTimed: true,
      calls: ["work", undefined],
      roles: ["user", "assistant", "tool", "assistant"],
    },
  ]);
});

Deno.test("the conditions of a caller are checked by priority", async () => {
  const contexts: LoopContext[] = [];
  await using agent = boss([recorder(contexts), maxTotalTokens(150)]);
  const { stopReason } = await agent.run("go");
  assertEquals([stopReason, contexts.length], ["max_total_tokens", 0]);
});

Deno.test("conditions of all callers receive the models that a plan and a response report", async () => {
  const ofBoss: LoopContext[] = [];
  const ofOuter: LoopContext[] = [];
  const advised = callerOnce("work", "small");
  const inner = asTool({
    name: "inner",
    description: "Works",
    model: {
      ...advised,
      generate: async (request) => ({
        ...await advised.generate(request),
        modelId: "small-2026",
        otherUsage: { advisor: usage(5) },
      }),
    },
  });
  const outer = asTool({
    name: "outer",
    description: "Delegates",
    model: callerOnce("inner", "medium"),
    prepareIteration: ({ iteration }) =>
      iteration === 0 ? { usage: usage(7), usageModelId: "summarizer" } : undefined,
    stopConditions: [recorder(ofOuter)],
  });
  await using agent = new ToolLoopAgent({
    name: "boss",
    model: callerOnce("outer", "big"),
    tools: [inner, outer, work],
    stopConditions: [recorder(ofBoss)],
  });
  const { totalUsage, usageByModel } = await agent.run("go");
  const first = {
    medium: usage(1),
    summarizer: usage(7),
    "small-2026": usage(1),
    advisor: usage(5),
  };
  const last = {
    medium: usage(2),
    summarizer: usage(7),
    "small-2026": usage(2),
    advisor: usage(10),
  };
  assertEquals([ofOuter[0]?.usageByModel, ofOuter[0]?.totalUsage], [first, usage(14)]);
  assertEquals(ofBoss[0]?.usageByModel, { ...first, big: usage(1) });
  assertEquals(ofBoss[0]?.totalUsage, usage(15));
  // Each agent checks the condition after two iterations, and the outermost agent last.
  assertEquals([ofOuter.length, ofBoss.length], [4, 6]);
  assertEquals(ofOuter[3]?.usageByModel, last);
  // The last check of the outermost condition in a sub-agent, after the inner sub-agent has ended.
  assertEquals(ofBoss[3]?.usageByModel, { ...last, big: usage(1) });
  assertEquals(ofBoss[5]?.usageByModel, { ...last, big: usage(2) });
  assertEquals([usageByModel, totalUsage], [{ ...last, big: usage(2) }, usage(23)]);
});

Deno.test("the usage by model of recorded sub-agents counts in a resumed run", async () => {
  const run = async (journal: MemoryJournal, stopConditions: readonly AgentStopCondition[]) => {
    await using agent = new ToolLoopAgent({
      name: "boss",
      model: callerOnce("expert", "big"),
      tools: [
        asTool({ name: "expert", description: "Works", model: callerOnce("work", "small") }),
        work,
      ],
      stopConditions,
    });
    return await agent.run("go", { runId: "r", stepRunner: recordSteps(journal) });
  };
  const crash = customStop("crash", () => {
    throw new Error("crash");
  });
  const journal = new MemoryJournal();
  await assertRejects(() => run(journal, [crash]), AgentError, "crash");
  const text = journal.toText();
  // Earlier versions did not record the usage of each model.
  const old = text.replace(/,"usageByModel":\{.*?\}\}/, "");
  const rows = [
    [text, { big: usage(2), small: usage(3) }],
    [old, { big: usage(2), unknown: usage(2), small: usage(1) }],
  ] as const;
  for (const [stored, expected] of rows) {
    const contexts: LoopContext[] = [];
    await run(MemoryJournal.fromText(stored), [recorder(contexts)]);
    // The recorded sub-agent has called its model twice, and the second sub-agent once.
    assertEquals(contexts[1]?.usageByModel, expected);
    assertEquals(contexts[1]?.totalUsage, usage(5));
  }
});
