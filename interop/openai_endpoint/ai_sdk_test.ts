/** Uses agents as models with the AI SDK's package for OpenAI-compatible endpoints. */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { assertEquals } from "@std/assert";
import { generateText, type LanguageModel, streamText } from "ai";
import { type Endpoint, KEY, openEndpoint } from "./served_clerk.ts";

function modelOf({ baseURL }: Endpoint): LanguageModel {
  const provider = createOpenAICompatible({
    name: "parley",
    baseURL,
    apiKey: KEY,
    includeUsage: true,
  });
  return provider("clerk");
}

Deno.test("generateText() receives the text, the reasoning and the usage", async () => {
  await using endpoint = openEndpoint();
  const model = modelOf(endpoint);
  const { finishReason, reasoningText, text, usage } = await generateText({
    model,
    prompt: "tool",
    maxRetries: 0,
  });
  assertEquals(text, "Let me calculate.\n\nIt is 42.");
  assertEquals(reasoningText?.trim(), "Calling add");
  assertEquals([finishReason, usage.totalTokens], ["stop", 4]);
});

Deno.test("streamText() receives the same", async () => {
  await using endpoint = openEndpoint();
  const result = streamText({
    model: modelOf(endpoint),
    messages: [
      { role: "user", content: "a" },
      { role: "assistant", content: "b" },
      { role: "user", content: "c" },
    ],
    maxRetries: 0,
  });
  let text = "";
  for await (const part of result.textStream) text += part;
  assertEquals(text, "3: a | b | c");
  assertEquals([await result.finishReason, (await result.usage).totalTokens], ["stop", 10]);
});
