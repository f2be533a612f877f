import { assert, assertEquals, assertThrows } from "@std/assert";
import { type LoopEvent, ToolLoopAgent } from "../mod.ts";
import { openAiResponses, type OpenAiResponsesOptions } from "./openai_responses.ts";
import { KEY, QUESTION, WEATHER } from "./testdata/ask.ts";
import { eventStream, FakeEndpoint } from "./testdata/fake_endpoint.ts";
import {
  bodyOf,
  completed,
  CREATED,
  functionCall,
  itemEvents,
  message,
  modelAt,
  modelOf,
  reasoning,
  reply,
} from "./testdata/responses.ts";

Deno.test("openAiResponses() sends a request and converts a complete response", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(reply([message("Sunny.")])));
  const response = await modelAt(endpoint).generate(QUESTION);
  assertEquals(response, {
    message: { role: "assistant", content: [{ type: "text", text: "Sunny." }] },
    finishReason: "stop",
    rawFinishReason: "completed",
    usage: {
      inputTokens: 11,
      outputTokens: 5,
      totalTokens: 16,
      cachedInputTokens: 4,
      reasoningTokens: 2,
    },
    modelId: "m-2026",
    responseId: "resp_1",
  });
  const { path, headers, body } = endpoint.last;
  assertEquals(path, "/v1/responses");
  assertEquals(headers.get("authorization"), `Bearer ${KEY}`);
  assertEquals(headers.get("content-type"), "application/json");
  assertEquals(body, {
    store: false,
    include: ["reasoning.encrypted_content"],
    model: "m",
    input: [{ role: "user", content: "Weather in Paris?" }],
    stream: false,
  });
});

Deno.test("openAiResponses() calls OpenAI by default, and preserves the query string of a base URL", async () => {
  const urls: string[] = [];
  const options: OpenAiResponsesOptions = {
    model: "m",
    apiKey: KEY,
    fetch: (url) => {
      urls.push(url);
      return Promise.resolve(Response.json(reply([message("ok")])));
    },
  };
  const baseUrl = "https://a.openai.azure.com/openai/v1/?api-version=preview";
  await openAiResponses(options).generate(QUESTION);
  await openAiResponses({ ...options, baseUrl }).generate(QUESTION);
  assertEquals(urls, [
    "https://api.openai.com/v1/responses",
    "https://a.openai.azure.com/openai/v1/responses?api-version=preview",
  ]);
});

Deno.test("openAiResponses() declares JSON output together with tools for OpenAI and Azure", () => {
  const options = { model: "m", apiKey: KEY };
  const hosts = [
    "https://api.openai.com/v1",
    "https://a.openai.azure.com/openai/v1",
    "http://127.0.0.1/v1",
  ];
  assertEquals(
    hosts.map((baseUrl) => openAiResponses({ ...options, baseUrl }).nativeOutput),
    ["with-tools", "with-tools", undefined],
  );
});

Deno.test("openAiResponses() requests encrypted reasoning unless the model has no reasoning", async () => {
  const expected = {
    "gpt-5": true,
    "o3": true,
    "openai/gpt-5.1": true,
    "gpt-4.1": false,
    "gpt-4o-mini": false,
    "gpt-5-chat-latest": false,
    "ft:gpt-4o:org::1": false,
    "openai/gpt-4.1": false,
    "chatgpt-4o-latest": false,
    "deepseek-gpt-4": true,
  };
  for (const [model, isRequested] of Object.entries(expected)) {
    const { include } = await bodyOf({}, { model });
    assertEquals(include, isRequested ? ["reasoning.encrypted_content"] : undefined, model);
  }
  const { include } = await bodyOf({}, { model: "gpt-4.1", encryptedReasoning: true });
  assertEquals(include, ["reasoning.encrypted_content"]);
  assertEquals("include" in await bodyOf({}, { encryptedReasoning: false }), false);
});

Deno.test("openAiResponses() throws for invalid options, without quoting secrets", () => {
  const base = { model: "m", apiKey: KEY };
  const wrong:
    readonly (readonly [OpenAiResponsesOptions, typeof TypeError | typeof RangeError])[] = [
      [{ ...base, baseUrl: "127.0.0.1:80" }, TypeError],
      [{ ...base, baseUrl: `http://u:${KEY}@127.0.0.1/` }, TypeError],
      [{ ...base, model: "" }, TypeError],
      [{ ...base, provider: "" }, TypeError],
      [{ ...base, apiKey: `${KEY}\nX: 1` }, TypeError],
      [{ model: "m" }, TypeError],
      [{ model: "m", apiKey: "" }, TypeError],
      [{ ...base, timeoutMs: 0 }, RangeError],
    ];
  for (const [options, kind] of wrong) {
    const error = assertThrows(() => openAiResponses(options), kind);
    assert(!error.message.includes(KEY));
  }
});

Deno.test("openAiResponses() warns about settings that the API does not support", async () => {
  const model = modelOf(() => Response.json(reply([message("ok")])));
  const options = {
    topK: 1,
    seed: 1,
    stopSequences: ["x"],
    presencePenalty: 1,
    frequencyPenalty: 1,
  };
  const { warnings } = await model.generate({ ...QUESTION, options });
  assertEquals(
    warnings,
    Object.keys(options).map((name) => `unsupported setting, not sent: ${name}`),
  );
});

/** Events of a response that calls the tool `weather`. */
const CALL_ITEMS = [
  reasoning(["Look it up"]),
  functionCall("weather", '{"city":"Paris"}', { namespace: "geo" }),
];
const CALL_EVENTS = [
  CREATED,
  ...itemEvents(0, CALL_ITEMS[0] ?? {}, "response.reasoning_summary_text.delta", ["Look it up"]),
  ...itemEvents(1, CALL_ITEMS[1] ?? {}, "response.function_call_arguments.delta", [
    '{"city":',
    '"Paris"}',
  ]),
  completed(CALL_ITEMS),
];
const TEXT_EVENTS = [
  CREATED,
  ...itemEvents(0, message("Sunny."), "response.output_text.delta", ["Sun", "ny."]),
  completed([message("Sunny.")]),
];

for (const isStreamed of [false, true]) {
  const how = isStreamed ? "with" : "without";
  Deno.test(`an agent sends encrypted reasoning and tool calls back, ${how} streaming`, async () => {
    await using endpoint: FakeEndpoint = new FakeEndpoint(() => {
      const isFirst = endpoint.seen.length === 1;
      if (isStreamed) return eventStream(isFirst ? CALL_EVENTS : TEXT_EVENTS);
      return Response.json(reply(isFirst ? CALL_ITEMS : [message("Sunny.")]));
    });
    const inputs: unknown[] = [];
    const deltas: string[] = [];
    const onEvent = (event: LoopEvent) => {
      if (event.type === "text_delta") deltas.push(event.text);
    };
    const agent = new ToolLoopAgent({
      name: "clerk",
      model: modelAt(endpoint),
      tools: [{
        ...WEATHER,
        execute: (input: unknown) => {
          inputs.push(input);
          return "sunny";
        },
      }],
      ...isStreamed ? { onEvent } : {},
    });
    const { finalText, totalUsage } = await agent.run("Weather in Paris?");
    await agent.terminate();
    assertEquals([finalText, inputs], ["Sunny.", [{ city: "Paris" }]]);
    assertEquals(totalUsage.totalTokens, 32);
    assertEquals(deltas, isStreamed ? ["Sun", "ny."] : []);
    assertEquals(endpoint.last.body.input, [
      { role: "user", content: "Weather in Paris?" },
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "Look it up" }],
        encrypted_content: "c2VjcmV0",
      },
      {
        type: "function_call",
        namespace: "geo",
        call_id: "call_1",
        name: "weather",
        arguments: '{"city":"Paris"}',
      },
      { type: "function_call_output", call_id: "call_1", output: "sunny" },
    ]);
  });
}
