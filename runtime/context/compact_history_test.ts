import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { runToolLoop } from "../loop/loop.ts";
import type { ToolLoopConfig } from "../loop/options.ts";
import type { LanguageModel, MessageInput, ModelMessage, ModelRequest } from "../shared/model.ts";
import type { HistoryView, ToolLoopOutput } from "../shared/output.ts";
import { findTranscriptViolation, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { compactHistory, type CompactOptions } from "./compact_history.ts";

const DONE: ScriptedTurn = { text: "done" };
const LOOK: ScriptedTurn = { calls: [{ toolName: "look" }] };

/** Returns text of the given length that begins with a name. */
function long(name: string, length = 400): string {
  return name.padEnd(length, ".");
}

function turns(...names: readonly string[]): MessageInput[] {
  return names.flatMap((name): MessageInput[] => [
    { role: "user", content: long(`ask ${name}`) },
    { role: "assistant", content: long(`answer ${name}`) },
  ]);
}

/** Returns the role and the start of the text of each message. */
function outline(messages: readonly ModelMessage[] = []): readonly string[] {
  return messages.map(({ role, content }) => {
    if (typeof content === "string") return `${role}: ${content}`;
    const text = content.map((part) => part.type === "text" ? part.text : "").join("");
    return `${role}: ${
      text.replace(/^Summary of the earlier conversation:\n\n/, "Σ ").replace(/\.+$/, "")
    }`;
  });
}

function textOf(request: Pick<ModelRequest, "messages"> | undefined): string {
  return JSON.stringify(request?.messages);
}

async function run(
  { messages = turns("1", "2", "3"), summaries = [{ text: "S" }], script = [DONE], ...options }:
    & Partial<CompactOptions>
    & Pick<ToolLoopConfig, "systemPrompt" | "history" | "onError" | "signal">
    & {
      readonly messages?: readonly MessageInput[];
      readonly summaries?: readonly ScriptedTurn[];
      readonly script?: readonly ScriptedTurn[];
    },
) {
  const { maxInputTokens = 300, keepTurns, instructions, maxToolChars, timeoutMs, ...rest } =
    options;
  const summarizer = scriptedModel(summaries);
  const model = scriptedModel(script);
  const errors: string[] = [];
  const registry = new ToolRegistry([{
    name: "look",
    inputSchema: { type: "object" },
    execute: () => long("seen", 1_000),
  }]);
  const output = await runToolLoop({
    model,
    registry,
    maxIterations: 20,
    onError: (error) => errors.push(String(error)),
    ...rest,
    messages,
    prepareIteration: compactHistory({
      model: summarizer,
      maxInputTokens,
      ...keepTurns === undefined ? {} : { keepTurns },
      ...instructions === undefined ? {} : { instructions },
      ...maxToolChars === undefined ? {} : { maxToolChars },
      ...timeoutMs === undefined ? {} : { timeoutMs },
    }),
  }, long("now"));
  return { output, model, summarizer, errors };
}

Deno.test("compactHistory() does nothing while the conversation is short", async () => {
  const { output, summarizer } = await run({ maxInputTokens: 1_000 });
  assertEquals([summarizer.requests.length, output.history], [0, undefined]);
});

Deno.test("compactHistory() replaces old messages with a summary and keeps the last turns", async () => {
  const { model, output, summarizer } = await run({ systemPrompt: "P", maxInputTokens: 600 });
  assertEquals(outline(model.requests[0]?.messages), [
    "system: P",
    "user: Σ S",
    "user: ask 3",
    "assistant: answer 3",
    "user: now",
  ]);
  assertEquals(output.history?.from, 5);
  assertEquals(output.messages.length, 9);
  const request = textOf(summarizer.requests[0]);
  for (const text of ["ask 1", "answer 1", "ask 2", "answer 2"]) {
    assertStringIncludes(request, text);
  }
  assert(!request.includes("ask 3") && !request.includes("now"));
  assertEquals(summarizer.requests[0]?.tools, []);
});

Deno.test("compactHistory() counts the tokens of the summary", async () => {
  const usage = { inputTokens: 500, outputTokens: 20, totalTokens: 520 };
  const { output } = await run({ summaries: [{ text: "S", usage }] });
  assertEquals(output.totalUsage.totalTokens, 522);
});

Deno.test("compactHistory() uses the provider's token count within a run", async () => {
  const usage = { inputTokens: 10_000, outputTokens: 1, totalTokens: 10_001 };
  const { summarizer, output } = await run({
    maxInputTokens: 9_000,
    script: [{ calls: [{ toolName: "look" }], usage }, DONE],
  });
  assertEquals(summarizer.requests.length, 1);
  assert(output.history !== undefined);
});

Deno.test("compactHistory() counts messages that were added since the last model call", async () => {
  const usage = { inputTokens: 250, outputTokens: 1, totalTokens: 251 };
  const { summarizer } = await run({
    maxInputTokens: 400,
    messages: turns("1"),
    script: [{ calls: [{ toolName: "look" }], usage }, DONE],
    keepTurns: 1,
  });
  assertEquals(summarizer.requests.length, 1); // the tool result has about 250 tokens
});

Deno.test("compactHistory() summarizes old iterations of a long turn and keeps the user's messages", async () => {
  const { model, output } = await run({
    messages: [],
    maxInputTokens: 1_000,
    summaries: [{ text: "S1" }, { text: "S2" }, { text: "S3" }],
    script: [LOOK, LOOK, LOOK, LOOK, LOOK, LOOK, LOOK, LOOK, DONE].map((turn) => ({
      ...turn,
      usage: null,
    })),
  });
  const last = outline(model.requests.at(-1)?.messages);
  assertStringIncludes(last[0] ?? "", "user: Σ S");
  assertEquals(last[1], "user: now");
  assert(last.length < 10);
  for (const { messages } of model.requests) {
    assertEquals(findTranscriptViolation(messages), undefined);
  }
  assertEquals(output.messages.length, 18);
});

Deno.test("a later summary covers the earlier summary and the messages after it", async () => {
  const first = await run({ summaries: [{ text: "The code is 4711" }] });
  const second = await run({
    messages: [...first.output.messages, ...turns("4", "5", "6")],
    history: first.output.history ?? { head: [], from: 0 },
    summaries: [{ text: "S2" }],
  });
  const request = textOf(second.summarizer.requests[0]);
  assertStringIncludes(request, "The code is 4711");
  assertStringIncludes(request, "answer 4");
  assert(!request.includes("answer 1"));
  const head = outline(second.output.history?.head);
  assertEquals(head[0], "user: Σ S2");
});

Deno.test("compactHistory() appends the instructions and describes tool calls within maxToolChars", async () => {
  const { summarizer } = await run({
    messages: [
      { role: "user", content: long("ask") },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "secret thought" },
          { type: "tool-call", toolCallId: "c", toolName: "pay", input: { sum: 5 } },
        ],
      },
      {
        role: "tool",
        content: [{
          type: "tool-result",
          toolCallId: "c",
          toolName: "pay",
          output: { type: "text", value: long("paid", 2_000) },
          isError: false,
          durationMs: 1,
        }],
      },
      ...turns("2", "3"),
    ],
    keepTurns: 1,
    maxToolChars: 30,
    instructions: "Keep all sums.",
  });
  const [system, task] = summarizer.requests[0]?.messages ?? [];
  assertStringIncludes(String(system?.content), "Keep all sums.");
  const [part] = task?.role === "user" ? task.content : [];
  const lines = part?.type === "text" ? part.text.split("\n").map((line) => JSON.parse(line)) : [];
  assertEquals(lines[1], { assistant: [{ call: "pay", input: { sum: 5 } }] });
  assertStringIncludes(lines[2].tool[0].output, "[Truncated: 30 of 2000 characters]");
});

Deno.test("compactHistory() reports the error if a summary fails, and the run continues", async () => {
  const usage = { inputTokens: 10, outputTokens: 10, totalTokens: 20 };
  const table: readonly (readonly [ScriptedTurn, string, number])[] = [
    [{ error: new Error("no credit") }, "no credit", 2],
    [{ text: "S", finishReason: "length", usage }, 'finish reason "length"', 22],
    [{ text: " ", usage }, "did not write a complete summary", 22],
    [{ text: "x".repeat(5_000), usage }, "not shorter", 22],
  ];
  for (const [summary, text, total] of table) {
    const { errors, model, output } = await run({ summaries: [summary] });
    assertEquals([errors.length, output.stopReason], [1, "model_stop"]);
    assertStringIncludes(errors[0] ?? "", 'Cannot compact the history of agent "agent": ');
    assertStringIncludes(errors[0] ?? "", text);
    assertEquals([model.requests[0]?.messages.length, output.history], [7, undefined]);
    assertEquals(output.totalUsage.totalTokens, total);
  }
});

Deno.test("compactHistory() does not request a summary if there are too few old messages", async () => {
  const { errors, summarizer } = await run({
    messages: [{ role: "user", content: long("paste", 10_000) }, {
      role: "assistant",
      content: "short",
    }],
    keepTurns: 2,
  });
  assertEquals([summarizer.requests.length, errors.length], [0, 0]);
});

Deno.test("compactHistory() shortens large results of the last iteration, in the view only", async () => {
  const two: ScriptedTurn = { calls: [{ toolName: "look" }, { toolName: "look" }] };
  const rows = [
    { script: [LOOK, DONE], maxInputTokens: 150, calls: 1 },
    { script: [two, DONE], maxInputTokens: 200, calls: 2 },
    { script: [LOOK, LOOK, DONE], maxInputTokens: 150, calls: 1 },
  ];
  for (const { calls, ...row } of rows) {
    const { errors, model, output } = await run({ messages: [], ...row });
    const last = model.requests.at(-1)?.messages ?? [];
    assertEquals(findTranscriptViolation(last), undefined);
    const results = last.flatMap(({ role, content }) => role === "tool" ? content : []);
    const values = results.map(({ output }) => output.type === "text" ? output.value : "");
    assert(values.slice(-calls).every((value) => value.length < 600), values.join("\n"));
    assertStringIncludes(values.at(-1) ?? "", "seen");
    const kept = output.messages.flatMap(({ role, content }) => role === "tool" ? content : []);
    assert(kept.every(({ output }) => output.type === "text" && output.value.length === 1_000));
    assertEquals(errors, []);
  }
});

Deno.test("compactHistory() does not summarize messages again that an earlier summary replaced", async () => {
  const messages = ["1", "2", "3"].flatMap((name): MessageInput[] => [
    { role: "user", content: long(`ask ${name}`) },
    { role: "assistant", content: "ok" },
  ]);
  const history: HistoryView = {
    head: [{ role: "user", content: [{ type: "text", text: "S" }] }],
    from: 4,
  };
  const { output, summarizer } = await run({ messages, history, maxInputTokens: 180 });
  assertEquals([summarizer.requests.length, output.history], [0, history]);
});

Deno.test("compactHistory() reports a summary that takes longer than timeoutMs, and the run continues", async () => {
  let isAborted = false;
  const { errors, output } = await run({
    timeoutMs: 1,
    summaries: [({ signal }: ModelRequest) => {
      signal?.addEventListener("abort", () => isAborted = true);
      return new Promise(() => {});
    }],
  });
  assertStringIncludes(errors.join(), "timed out after 1 ms");
  assertEquals([isAborted, output.stopReason, output.history], [true, "model_stop", undefined]);
});

Deno.test("aborting the run aborts the summary", async () => {
  const controller = new AbortController();
  const { errors, model, output } = await run({
    signal: controller.signal,
    summaries: [() => {
      controller.abort();
      return new Promise(() => {});
    }],
  });
  assertEquals([output.stopReason, model.requests.length, errors.length], ["aborted", 0, 0]);
});

Deno.test("compactHistory() rejects invalid options", () => {
  const model = scriptedModel([]);
  const invalid: readonly (readonly [unknown, string])[] = [
    [undefined, '"options"'],
    [{ maxInputTokens: 5 }, '"model"'],
    [{ model }, '"maxInputTokens"'],
    [{ model, maxInputTokens: 0 }, '"maxInputTokens"'],
    [{ model, maxInputTokens: 5, keepTurns: 0 }, '"keepTurns"'],
    [{ model, maxInputTokens: 5, maxToolChars: 0 }, '"maxToolChars"'],
    [{ model, maxInputTokens: 5, timeoutMs: -1 }, '"timeoutMs"'],
    [{ model, maxInputTokens: 5, instructions: 5 }, '"instructions"'],
  ];
  for (const [options, name] of invalid) {
    // The cast is unchecked, because the test passes invalid options.
    assertThrows(() => compactHistory(options as never), Error, name);
  }
});

/** A user message, or an iteration with the given number of tool calls. */
const step = fc.record({
  calls: fc.integer({ min: -1, max: 3 }),
  length: fc.integer({ min: 1, max: 300 }),
});

function transcriptOf(steps: readonly { calls: number; length: number }[]): ModelMessage[] {
  return steps.flatMap(({ calls, length }, index): ModelMessage[] => {
    const text = { type: "text" as const, text: long(`m${index}`, length) };
    if (calls < 0) return [{ role: "user", content: [text] }];
    const made = Array.from({ length: calls }, (_, position) => ({
      type: "tool-call" as const,
      toolCallId: `h${index}.${position}`,
      toolName: "look",
      input: {},
    }));
    const assistant: ModelMessage = { role: "assistant", content: [text, ...made] };
    if (calls === 0) return [assistant];
    const content = made.map(({ toolCallId, toolName }) => ({
      type: "tool-result" as const,
      toolCallId,
      toolName,
      output: { type: "text" as const, value: text.text },
      isError: false,
      durationMs: 0,
    }));
    return [assistant, { role: "tool", content }];
  });
}

Deno.test("property: compactHistory() sends a valid conversation and keeps the transcript complete", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 12 }),
      fc.array(fc.array(step, { maxLength: 3 }), { maxLength: 4 }),
      fc.integer({ min: 20, max: 400 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom("S", "P", undefined),
      async (past, runs, maxInputTokens, keepTurns, systemPrompt) => {
        let messages = transcriptOf(past);
        let history: HistoryView | undefined;
        let summaries = 0;
        const summarizer: LanguageModel = {
          modelId: "summarizer",
          generate: () =>
            Promise.resolve({
              message: { role: "assistant", content: [{ type: "text", text: `Σ${summaries++}` }] },
              finishReason: "stop",
            }),
        };
        for (const [index, script] of [...runs, []].entries()) {
          let call = 0;
          const model: LanguageModel = {
            modelId: "m",
            generate: ({ messages: sent }) => {
              assertEquals(findTranscriptViolation(sent), undefined);
              const said = [...sent.filter(({ role }) => role === "user")].slice(-1);
              assertEquals(outline(said), [`user: run ${index}`]);
              assertEquals(sent[0]?.role === "system", systemPrompt !== undefined);
              const next = script[call++];
              const calls = next === undefined ? 0 : Math.max(next.calls, 1);
              const content = Array.from({ length: calls }, (_, position) => ({
                type: "tool-call" as const,
                toolCallId: `r${index}.${call}.${position}`,
                toolName: "look",
                input: {},
              }));
              return Promise.resolve({
                message: { role: "assistant", content },
                finishReason: calls > 0 ? "tool-calls" : "stop",
                usage: { inputTokens: call * 90, outputTokens: 1, totalTokens: call * 90 + 1 },
              });
            },
          };
          const before = JSON.stringify(messages.filter(({ role }) => role !== "system"));
          const output: ToolLoopOutput = await runToolLoop({
            model,
            registry: new ToolRegistry([{
              name: "look",
              inputSchema: { type: "object" },
              execute: () => long("seen", script[call - 1]?.length ?? 1),
            }]),
            messages,
            ...history === undefined ? {} : { history },
            ...systemPrompt === undefined ? {} : { systemPrompt },
            onError: () => {},
            prepareIteration: compactHistory({ model: summarizer, maxInputTokens, keepTurns }),
          }, `run ${index}`);
          const kept = output.messages.filter(({ role }) => role !== "system");
          assertEquals(findTranscriptViolation(output.messages), undefined);
          assertEquals(JSON.stringify(kept.slice(0, JSON.parse(before).length)), before);
          messages = [...output.messages];
          ({ history } = output);
        }
      },
    ),
    propertyRuns(150),
  );
});
