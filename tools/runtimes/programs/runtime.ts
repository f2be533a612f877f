/**
 * Uses `@parley/runtime`.
 *
 * @module
 */

import { runToolLoop, streamToolLoop, ToolLoopAgent, ToolRegistry } from "@parley/runtime";
import { openAiChat } from "@parley/runtime/models";
import { scriptedModel } from "@parley/runtime/testing";
import { ADD } from "./add.ts";
import { checkEqual } from "./assertions.ts";

const TOOL = {
  ...ADD,
  execute: ({ a, b }: { a: number; b: number }) => a + b,
} as const;

/** Runs an agent whose model first calls a tool with invalid input and then with valid input. */
export async function useAgent(): Promise<void> {
  const model = scriptedModel([
    { calls: [{ toolName: "add", input: { a: 1 } }] },
    { calls: [{ toolName: "add", input: { a: 1, b: 2 } }] },
    { text: "It is 3" },
  ]);
  const agent = new ToolLoopAgent({ name: "clerk", model });
  agent.registry.register(TOOL);
  try {
    const { finalText, iterations } = await agent.run("What is 1 + 2?");
    checkEqual(finalText, "It is 3", "an agent returns no text");
    const errors = iterations.map(({ toolResults }) => toolResults[0]?.isError ?? null);
    checkEqual(errors, [true, false, null], "an agent's tool calls are not checked");
  } finally {
    await agent.terminate();
  }
}

/** Runs the loop against a chat endpoint that requests a tool call, with and without streaming. */
export async function useChatModel(baseUrl: string): Promise<void> {
  const model = openAiChat({ baseUrl, model: "adder" });
  const registry = new ToolRegistry();
  registry.register(TOOL);
  const { finalText } = await runToolLoop({ model, registry }, "What is 1 + 2?");
  checkEqual(finalText, "It is 3", "a chat endpoint returns no text");
  const texts: string[] = [];
  for await (const event of streamToolLoop({ model, registry }, "What is 1 + 2?")) {
    if (event.type === "text_delta") texts.push(event.text);
  }
  checkEqual(texts, ["It is", " 3"], "a chat endpoint does not stream");
}
