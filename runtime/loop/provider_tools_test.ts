import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { runSubAgentTask } from "../agent/sub_agent.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { fromAiSdk } from "../models.ts";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type { LanguageModel, SystemMessage } from "../shared/model.ts";
import type { ProviderOptions } from "../shared/provider_options.ts";
import { findTranscriptViolation, scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { runToolLoop } from "./loop.ts";
import type { SystemPrompt } from "../shared/model.ts";

const CACHE: ProviderOptions = { anthropic: { cache_control: { type: "ephemeral" } } };
const CACHED: SystemPrompt = { text: "Be brief.", providerOptions: CACHE };
const SYSTEM_MESSAGE: SystemMessage = {
  role: "system",
  content: "Be brief.",
  providerOptions: CACHE,
};

Deno.test("an agent and its sub-agents send the provider options of their system prompts", async () => {
  const model = scriptedModel([{ text: "done" }]);
  const childModel = scriptedModel([{ text: "done" }]);
  await using agent = new ToolLoopAgent({ name: "a", model, systemPrompt: CACHED });
  await agent.initialize();
  const { messages } = await agent.run("Hi");
  assertEquals(model.requests[0]?.messages[0], SYSTEM_MESSAGE);
  assertEquals(messages[0], SYSTEM_MESSAGE);
  const child = { name: "b", model: childModel, systemPrompt: CACHED };
  await runSubAgentTask(agent, child, "Hi");
  assertEquals(childModel.requests[0]?.messages[0], SYSTEM_MESSAGE);
});

Deno.test("an agent rejects an invalid system prompt or provider tool", () => {
  const model = scriptedModel([]);
  const search = { id: "anthropic.web_search_20250305", name: "web_search", args: {} };
  const bad: readonly (readonly [object, string])[] = [
    [{ systemPrompt: 1 }, '"systemPrompt"'],
    [{ systemPrompt: {} }, '"systemPrompt.text"'],
    [{ systemPrompt: { text: "S", providerOptions: "x" } }, '"systemPrompt.providerOptions"'],
    [{ generateOptions: { providerTools: search } }, '"generateOptions.providerTools"'],
    [{ generateOptions: { providerTools: [null] } }, '"generateOptions.providerTools[0]"'],
    ...["", "web_search", ".web_search", "anthropic."].map((id) =>
      [
        { generateOptions: { providerTools: [{ ...search, id }] } },
        '"generateOptions.providerTools[0].id"',
      ] as const
    ),
    [
      { generateOptions: { providerTools: [search, { ...search, name: "" }] } },
      '"generateOptions.providerTools[1].name"',
    ],
    [
      { generateOptions: { providerTools: [{ ...search, args: undefined }] } },
      '"generateOptions.providerTools[0].args"',
    ],
  ];
  for (const [options, message] of bad) {
    assertThrows(() => new ToolLoopAgent({ name: "a", model, ...options }), TypeError, message);
  }
});

/** Parts of a response: text parts, and calls to provider-executed tools with their results. */
const providerParts = fc.array(
  fc.oneof(
    fc.string({ minLength: 1 }).map((text) => [{ type: "text", text }]),
    fc.tuple(fc.uuid(), fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue()).map((
      [toolCallId, input, result],
    ) => [
      {
        type: "tool-call",
        toolCallId,
        toolName: "web_search",
        input: JSON.stringify(input),
        providerExecuted: true,
      },
      { type: "tool-result", toolCallId, toolName: "web_search", result: result ?? "none" },
    ]),
  ),
  { maxLength: 4 },
).map((parts) => parts.flat());

Deno.test("property: the parts of provider-executed tools are restored from a journal and sent back to the provider", async () => {
  await fc.assert(
    fc.asyncProperty(providerParts, providerParts, async (before, after) => {
      const own = { type: "tool-call", toolCallId: "own", toolName: "f", input: "{}" };
      const prompts: unknown[] = [];
      const model = modelWith(
        [[...before, own, ...after], [{ type: "text", text: "done" }]],
        prompts,
      );
      const asked: string[] = [];
      const run = (journal: MemoryJournal) =>
        runToolLoop({
          model,
          registry: new ToolRegistry([{
            name: "f",
            inputSchema: { type: "object" },
            execute: () => "x",
          }]),
          approvalHandler: ({ toolCall }) => {
            asked.push(toolCall.toolName);
            return true;
          },
          stepRunner: recordSteps(journal),
          runId: "r",
        }, "go");
      const journal = new MemoryJournal();
      const output = await run(journal);
      assertEquals(output.finalText, "done");
      assertEquals(output.iterations[0]?.toolCalls.map(({ toolCallId }) => toolCallId), ["own"]);
      assertEquals(asked, ["f"]);
      assertEquals(findTranscriptViolation(output.messages), undefined);
      assertEquals(sentBack(prompts[1]), sentParts([...before, own, ...after]));
      assertEquals(await run(MemoryJournal.fromText(journal.toText())), output);
      assertEquals(prompts.length, 2);
    }),
    propertyRuns(50),
  );
});

function modelWith(answers: readonly (readonly object[])[], prompts: unknown[]): LanguageModel {
  return fromAiSdk({
    specificationVersion: "v4",
    provider: "fake",
    modelId: "m",
    doGenerate: (options: { readonly prompt?: unknown }) => {
      const content = answers[prompts.length] ?? [];
      prompts.push(structuredClone(options.prompt));
      return Promise.resolve({ content, finishReason: { unified: "stop" }, usage: {} });
    },
    doStream: () => Promise.reject(new Error("not streamed")),
  });
}

/** Returns the types and ids of the parts in a prompt's assistant message. */
function sentBack(prompt: unknown): unknown {
  const messages: readonly unknown[] = Array.isArray(prompt) ? prompt : [];
  return messages.flatMap((message) => {
    const { role, content } = Object(message);
    return role === "assistant" ? content.map(partOf) : [];
  });
}

function sentParts(parts: readonly object[]): unknown {
  return parts.map(partOf);
}

function partOf(part: object): unknown {
  const { type, text, toolCallId, providerExecuted, input, result, output } = Object(part);
  return {
    type,
    text,
    toolCallId,
    providerExecuted,
    input: typeof input === "string" ? JSON.parse(input) : input,
    value: output?.value ?? result,
  };
}

Deno.test("generateOptions.providerTools are part of every model call", async () => {
  const options: GenerationOptions = {
    providerTools: [{ id: "fake.search", name: "search", args: { max: 1 } }],
  };
  const model = scriptedModel([{ calls: [{ toolName: "f" }] }, { text: "done" }]);
  const registry = new ToolRegistry([{
    name: "f",
    inputSchema: { type: "object" },
    execute: () => "x",
  }]);
  await runToolLoop({ model, registry, generateOptions: options }, "go");
  assertEquals(model.requests.map((request) => request.options.providerTools), [
    options.providerTools,
    options.providerTools,
  ]);
});
