import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { asTool } from "../agent/agent_tool.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel, ModelStreamEvent } from "../shared/model.ts";
import { scriptedModel, type ScriptedTurn } from "../testing/scripted_model.ts";
import { answerText, type AnswerTextOptions } from "./answer_text.ts";
import type { LoopEvent } from "./events.ts";

async function collect(pieces: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all;
}

function agentWith(turns: readonly ScriptedTurn[]): ToolLoopAgent {
  return new ToolLoopAgent({ name: "a", model: scriptedModel(turns) });
}

/** A model whose first stream breaks after a part of the text. */
function breakingModel(first: readonly ModelStreamEvent[]): LanguageModel {
  const whole = scriptedModel([{ text: "Hello" }]);
  let calls = 0;
  return {
    ...whole,
    async *stream(request) {
      if (calls++ > 0 && whole.stream) return yield* whole.stream(request);
      yield* first;
      throw Object.assign(new Error("reset"), { retryable: true });
    },
  };
}

function retrying(model: LanguageModel, options?: AnswerTextOptions): Promise<string[]> {
  const agent = new ToolLoopAgent({ name: "a", model, retryDelayMs: 0 });
  return collect(answerText(agent.stream("go"), options));
}

Deno.test("answerText() yields the text, but neither the reasoning nor the input of tool calls", async () => {
  const agent = agentWith([
    {
      content: [
        { type: "reasoning", text: "hidden" },
        { type: "text", text: "Let me look" },
        { type: "tool-call", toolCallId: "c", toolName: "unknown", input: { secret: 1 } },
      ],
    },
    { text: "It is 3" },
  ]);
  const pieces = await collect(answerText(agent.stream("go")));
  assertEquals(pieces.join(""), "Let me look\nIt is 3");
  assertEquals(pieces.includes(""), false);
});

Deno.test("answerText() yields the text of the outermost agent", async () => {
  const inner = asTool({
    name: "expert",
    description: "d",
    model: scriptedModel([{ text: "INNER" }]),
    allowedTools: [],
  });
  const agent = new ToolLoopAgent({
    name: "a",
    model: scriptedModel([
      { calls: [{ toolName: "expert", input: { task: "t" } }] },
      { text: "outer" },
    ]),
    tools: [inner],
  });
  assertEquals((await collect(answerText(agent.stream("go")))).join(""), "outer");
});

Deno.test("answerText() yields the whole text of a model that does not stream", async () => {
  const { modelId, generate } = scriptedModel([{ text: "One two" }]);
  const agent = new ToolLoopAgent({ name: "a", model: { modelId, generate } });
  assertEquals(await collect(answerText(agent.stream("go"))), ["One two"]);
});

Deno.test("answerText() yields the text of a response from a journal", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  for (const turns of [[{ text: "One two" }], []]) {
    const stream = agentWith(turns).stream("go", { runId: "r", stepRunner });
    assertEquals((await collect(answerText(stream))).join(""), "One two");
  }
});

Deno.test("answerText() separates the text of a retry with a line break", async () => {
  const text = (delta: string): ModelStreamEvent => ({ type: "text-delta", delta });
  assertEquals((await retrying(breakingModel([text("Hel")]))).join(""), "Hel\nHello");
  // No text was shown, so there is nothing to separate.
  assertEquals((await retrying(breakingModel([]), { onRetry: "throw" })).join(""), "Hello");
  assertEquals((await retrying(breakingModel([text("")]))).join(""), "Hello");
});

Deno.test('answerText() rejects at a retry with `onRetry: "throw"`, and ends the run', async () => {
  const model = breakingModel([{ type: "text-delta", delta: "Hel" }]);
  const agent = new ToolLoopAgent({ name: "a", model, retryDelayMs: 0 });
  const stream = agent.stream("go");
  const error = await assertRejects(
    () => collect(answerText(stream, { onRetry: "throw" })),
    AgentError,
    "reset",
  );
  assertEquals(error.code, "model_error");
  assertEquals((await stream.next()).done, true);
});

Deno.test("answerText() aborts the run if the reader leaves the loop", async () => {
  const stream = agentWith([{ text: "One two three" }]).stream("go");
  for await (const piece of answerText(stream)) {
    assertEquals(piece, "One ");
    break;
  }
  assertEquals((await stream.next()).done, true);
});

Deno.test("answerText() rejects wrong arguments before it reads events", () => {
  const stream = (async function* (): AsyncGenerator<LoopEvent> {})();
  const wrong: readonly [args: readonly unknown[], message: string][] = [
    [[undefined], '"events" must be an async iterable of events, got undefined'],
    [["text"], '"events" must be an async iterable of events, got "text"'],
    [[stream, { onRetry: "ignore" }], '"onRetry" must be "separate" or "throw", got "ignore"'],
    [[stream, { onretry: "throw" }], "onRetry"],
  ];
  for (const [args, message] of wrong) {
    assertThrows(() => Reflect.apply(answerText, undefined, args), TypeError, message);
  }
});

Deno.test("invalid parts of a streamed response are reported once, and the response counts", async () => {
  const errors: string[] = [];
  const whole = scriptedModel([{ text: "Hello" }]);
  const model: LanguageModel = {
    ...whole,
    stream: async function* (request) {
      const wrong = [{ type: "text-start" }, { type: "text-delta", delta: 5 }, { type: "" }];
      const parts: ModelStreamEvent[] = JSON.parse(JSON.stringify(wrong));
      yield* parts;
      yield { type: "finish", response: await whole.generate(request) };
    },
  };
  const onError = (error: unknown) => errors.push(String(error));
  const agent = new ToolLoopAgent({ name: "a", model, onError });
  assertEquals(await collect(answerText(agent.stream("go"))), ["Hello"]);
  assertEquals(errors.length, 1);
  assertEquals(errors[0]?.includes("The model streamed an invalid part"), true);
});
