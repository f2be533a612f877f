/** Agents whose models are other agents: the adapters of this package read the endpoints. */

import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { answerText } from "../loop/answer_text.ts";
import { openAiChat, type OpenAiChatOptions } from "../models/openai_chat.ts";
import { openAiResponses } from "../models/openai_responses.ts";
import type { ServedAgent } from "../serve/contracts.ts";
import type { LanguageModel } from "../shared/model.ts";
import { chatCompletionsHandler } from "./chat_completions.ts";
import { responsesHandler } from "./responses.ts";
import { type Clerk, serveClerk } from "./testdata/clerk.ts";

/** Creates a model that sends its requests to the endpoint of an agent, keyed by adapter. */
const ADAPTERS: Readonly<Record<string, (clerk: Clerk) => LanguageModel>> = {
  openAiChat: ({ served }) => openAiChat(optionsFor(chatCompletionsHandler, served)),
  openAiResponses: ({ served }) => openAiResponses(optionsFor(responsesHandler, served)),
};

function optionsFor(
  create: typeof chatCompletionsHandler | typeof responsesHandler,
  clerk: ServedAgent,
): OpenAiChatOptions {
  const handler = create({ models: { clerk } });
  return {
    model: "clerk",
    apiKey: "sk-ann",
    baseUrl: "https://clerk.example/v1",
    fetch: (url, init) => handler(new Request(url, init), { principal: { subject: "ann" } }),
  };
}

for (const [name, create] of Object.entries(ADAPTERS)) {
  Deno.test(`${name}() reads the text and the usage of an agent`, async () => {
    await using clerk = serveClerk();
    await using agent = new ToolLoopAgent({ name: "a", model: create(clerk) });
    const { finalText, totalUsage } = await agent.run("tool");
    assertEquals(finalText.replaceAll("\n", ""), "Let me calculate.It is 42.");
    assertEquals(totalUsage.totalTokens, 4);
  });

  Deno.test(`${name}() streams the text of an agent`, async () => {
    await using clerk = serveClerk();
    await using agent = new ToolLoopAgent({ name: "a", model: create(clerk) });
    let text = "";
    for await (const part of answerText(agent.stream("Hi"))) text += part;
    assertEquals(text, "1: Hi");
  });

  Deno.test(`${name}() fails if the agent fails`, async () => {
    await using clerk = serveClerk();
    await using agent = new ToolLoopAgent({ name: "a", model: create(clerk), modelRetries: 0 });
    await assertRejects(() => agent.run("fail"), Error, "An error occurred");
  });
}
