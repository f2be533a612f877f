import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { asTool } from "../agent/agent_tool.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import type { LanguageModel, ModelResponse } from "../shared/model.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "../shared/usage.ts";
import { compactHistory } from "../context.ts";

function usage(inputTokens: number): TokenUsage {
  return { inputTokens, outputTokens: 1, totalTokens: inputTokens + 1 };
}

/** A model that returns responses in order. */
function modelOf(modelId: string, ...responses: readonly Partial<ModelResponse>[]): LanguageModel {
  let index = 0;
  return {
    modelId,
    generate: () =>
      Promise.resolve({
        message: { role: "assistant", content: [{ type: "text", text: "done" }] },
        finishReason: "stop",
        ...responses[index++],
      }),
  };
}

function call(toolName: string): Pick<ModelResponse, "message" | "finishReason"> {
  const part = { type: "tool-call", toolCallId: "c", toolName, input: { task: "go" } } as const;
  return { message: { role: "assistant", content: [part] }, finishReason: "tool-calls" };
}

function sumOf(usages: Readonly<Record<string, TokenUsage>>): TokenUsage {
  return Object.values(usages).reduce(addUsage, NO_USAGE);
}

Deno.test("usageByModel contains the reported and the called models, and sums to totalUsage", async () => {
  const other = modelOf("other", { usage: usage(30) });
  await using agent = new ToolLoopAgent({
    name: "a",
    model: modelOf(
      "m",
      {
        ...call("look"),
        usage: usage(10),
        modelId: "m-2026",
        otherUsage: { advisor: usage(5) },
      },
      { ...call("look"), usage: usage(20) },
    ),
    tools: [{ name: "look", inputSchema: {}, execute: () => "seen" }],
    prepareIteration: ({ iteration }) => iteration === 2 ? { model: other } : undefined,
  });
  const { totalUsage, usageByModel } = await agent.run("go");
  assertEquals(usageByModel, {
    "m-2026": usage(10),
    advisor: usage(5),
    m: usage(20),
    other: usage(30),
  });
  assertEquals(totalUsage, sumOf(usageByModel));
});

Deno.test("usageByModel contains the models of sub-agents, also after a replay", async () => {
  const journal = new MemoryJournal();
  let calls = 0;
  for (let run = 0; run < 2; run++) {
    const expert = asTool({
      name: "expert",
      description: "An expert",
      allowedTools: [],
      model: {
        modelId: "small",
        generate: (request) => {
          calls++;
          return modelOf("small", { usage: usage(7), modelId: "small-2026" }).generate(request);
        },
      },
    });
    await using agent = new ToolLoopAgent({
      name: "boss",
      model: modelOf("big", { ...call("expert"), usage: usage(10) }, { usage: usage(20) }),
      tools: [expert],
    });
    const options = { runId: "r", stepRunner: recordSteps(journal) };
    const { totalUsage, usageByAgent, usageByModel } = await agent.run("go", options);
    assertEquals(usageByModel, {
      big: addUsage(usage(10), usage(20)),
      "small-2026": usage(7),
    });
    assertEquals(totalUsage, sumOf(usageByModel));
    assertEquals(totalUsage, sumOf(usageByAgent ?? {}));
  }
  assertEquals(calls, 1);
});

Deno.test("a recorded step without usageByModel counts for an unknown model", async () => {
  const journal = new MemoryJournal();
  const start = () =>
    new ToolLoopAgent({
      name: "boss",
      model: modelOf("big", { ...call("expert"), usage: usage(10) }, { usage: usage(20) }),
      tools: [asTool({
        name: "expert",
        description: "An expert",
        allowedTools: [],
        model: modelOf("small", { usage: usage(7) }),
      })],
    });
  await using first = start();
  await first.run("go", { runId: "r", stepRunner: recordSteps(journal) });
  const old = journal.toText().split("\n").map((line) => {
    if (line === "") return line;
    const entry = JSON.parse(line);
    if (entry.value?.usageByModel !== undefined) delete entry.value.usageByModel;
    return JSON.stringify(entry);
  }).join("\n");
  await using second = start();
  const stepRunner = recordSteps(MemoryJournal.fromText(old));
  const { usageByModel } = await second.run("go", { runId: "r", stepRunner });
  assertEquals(usageByModel.unknown, usage(7));
});

Deno.test("usageByModel contains the model that writes a summary", async () => {
  await using agent = new ToolLoopAgent({
    name: "a",
    model: modelOf("m", { usage: usage(10) }),
    prepareIteration: compactHistory({
      model: modelOf("summarizer", {
        message: { role: "assistant", content: [{ type: "text", text: "Short" }] },
        usage: usage(4),
      }),
      maxInputTokens: 100,
      keepTurns: 1,
    }),
  });
  const { usageByModel } = await agent.run("now", {
    messages: [
      { role: "user", content: "long ".repeat(200) },
      { role: "assistant", content: "answer" },
    ],
  });
  assertEquals(usageByModel, { summarizer: usage(4), m: usage(10) });
});

Deno.test("stop conditions receive the usage of each model", async () => {
  const seen: unknown[] = [];
  await using agent = new ToolLoopAgent({
    name: "a",
    model: modelOf("m", { ...call("look"), usage: usage(10) }, { usage: usage(20) }),
    tools: [{ name: "look", inputSchema: {}, execute: () => "seen" }],
    stopConditions: [{
      name: "costs",
      check: ({ usageByModel }) => {
        seen.push(usageByModel);
        return false;
      },
    }],
  });
  await agent.run("go");
  assertEquals(seen, [{ m: usage(10) }, { m: addUsage(usage(10), usage(20)) }]);
});
