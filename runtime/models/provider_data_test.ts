import { assert, assertEquals } from "@std/assert";
import type { LanguageModel, ModelMessage, ModelResponse } from "../shared/model.ts";
import type { ProviderOptions } from "../shared/provider_options.ts";
import { anthropicMessages } from "./anthropic_messages.ts";
import { googleGenerateContent } from "./google_generate_content.ts";
import { openAiChat } from "./openai_chat.ts";
import { openAiResponses } from "./openai_responses.ts";
import { callsOf, QUESTION } from "./testdata/ask.ts";
import { CALL, completion } from "./testdata/chat.ts";
import { reply as googleReply } from "./testdata/google.ts";
import { reply } from "./testdata/messages.ts";
import { functionCall, message, reasoning, reply as responseOf } from "./testdata/responses.ts";

/** Creates a model with the provider name `litellm`, and stores the body of its last request. */
function modelsOf(api: string, response: object): { model: LanguageModel; body: () => string } {
  let sent = "";
  const options = {
    model: "m",
    provider: "litellm",
    apiKey: "secret-key",
    baseUrl: "https://litellm.example",
    fetch: (_: string, { body }: RequestInit) => {
      sent = String(body);
      return Promise.resolve(Response.json(response));
    },
  };
  const create = {
    chat: openAiChat,
    responses: openAiResponses,
    messages: anthropicMessages,
    gemini: googleGenerateContent,
  }[api] ?? openAiChat;
  return { model: create(options), body: () => sent };
}

/** A response of each API with data that the adapter stores, all of which contain `stored`. */
const RESPONSES: Readonly<Record<string, object>> = {
  chat: completion({
    content: "A",
    reasoning: "hm",
    reasoning_details: [{ type: "reasoning.encrypted", data: "stored" }],
    extra_content: { stored: 1 },
    tool_calls: [{ ...CALL, extra_content: { stored: 1 } }],
  }),
  responses: responseOf([
    { ...reasoning([]), encrypted_content: "stored" },
    {
      ...message("A", { phase: "stored" }),
      content: [{ type: "output_text", text: "A", annotations: [{ title: "stored" }] }],
    },
    functionCall("f", '{"a":1}', { namespace: "stored" }),
  ]),
  messages: reply([
    { type: "thinking", thinking: "hm", signature: "stored" },
    { type: "redacted_thinking", data: "stored" },
    { type: "text", text: "A" },
    { type: "tool_use", id: "c1", name: "f", input: { a: 1 } },
  ], { stop_reason: "tool_use" }),
  gemini: googleReply([
    { text: "hm", thought: true },
    { text: "A", thoughtSignature: "stored" },
    { executableCode: { code: "stored" } },
    { functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "stored" },
  ]),
};

const APIS = Object.keys(RESPONSES);

function answerTo(response: ModelResponse, data: ProviderOptions = {}): ModelMessage[] {
  const providerOptions = { providerOptions: data };
  const output = { type: "text" as const, value: "ok" };
  return [
    ...QUESTION.messages,
    response.message,
    {
      role: "tool",
      content: callsOf(response).map(({ toolCallId, toolName }) => ({
        type: "tool-result" as const,
        toolCallId,
        toolName,
        output,
        isError: false,
        durationMs: 1,
        ...providerOptions,
      })),
    },
    { role: "user", content: [{ type: "text", text: "And then?", ...providerOptions }] },
  ];
}

for (const from of APIS) {
  Deno.test(`data of the ${from} API is not sent to another API with the same provider name`, async () => {
    const first = await modelsOf(from, RESPONSES[from] ?? {}).model.generate(QUESTION);
    assertEquals(callsOf(first).length, 1);
    for (const to of APIS) {
      const { model, body } = modelsOf(to, RESPONSES[to] ?? {});
      await model.generate({ ...QUESTION, messages: answerTo(first) });
      assertEquals(body().includes("stored"), to === from, `${to}: ${body()}`);
    }
  });
}

Deno.test("an application can pass on the text of a model, without the data of its server", async () => {
  const data = {
    ...{ annotations: ["leaked"], block: { leaked: 1 }, callFields: { leaked: 1 } },
    ...{ item: { leaked: 1 }, itemFields: { leaked: 1 }, messageFields: { leaked: 1 } },
    ...{ part: { leaked: 1 }, reasoningDetails: ["leaked"], reasoningField: "leaked" },
    ...{ signature: "leaked", thought: "leaked", thoughtSignature: "leaked" },
    cache_control: { type: "own" },
  };
  for (const api of APIS) {
    const { model, body } = modelsOf(api, RESPONSES[api] ?? {});
    const first = await model.generate(QUESTION);
    await model.generate({ ...QUESTION, messages: answerTo(first, { litellm: data }) });
    assert(!body().includes("leaked"), body());
    assert(body().includes('"cache_control":{"type":"own"}'), body());
  }
});
