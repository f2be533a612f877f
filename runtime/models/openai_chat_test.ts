import { assert, assertEquals, assertThrows } from "@std/assert";
import { openAiChat, type OpenAiChatOptions } from "./openai_chat.ts";
import { KEY, QUESTION } from "./testdata/ask.ts";
import { completion, modelAt } from "./testdata/chat.ts";
import { FakeEndpoint } from "./testdata/fake_endpoint.ts";

Deno.test("openAiChat() sends a request and converts a complete response", async () => {
  await using endpoint = new FakeEndpoint(() =>
    Response.json(completion({ content: "Sunny." }, {
      usage: {
        prompt_tokens: 11,
        completion_tokens: 5,
        total_tokens: 16,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    }))
  );
  const response = await modelAt(endpoint).generate(QUESTION);
  assertEquals(response, {
    message: { role: "assistant", content: [{ type: "text", text: "Sunny." }] },
    finishReason: "stop",
    rawFinishReason: "stop",
    usage: {
      inputTokens: 11,
      outputTokens: 5,
      totalTokens: 16,
      cachedInputTokens: 4,
      reasoningTokens: 2,
    },
    modelId: "m-2026",
    responseId: "chatcmpl-1",
  });
  const { path, headers, body } = endpoint.last;
  assertEquals(path, "/v1/chat/completions");
  assertEquals(headers.get("authorization"), `Bearer ${KEY}`);
  assertEquals(headers.get("content-type"), "application/json");
  assertEquals(body, {
    model: "m",
    messages: [{ role: "user", content: "Weather in Paris?" }],
    stream: false,
  });
});

Deno.test("openAiChat() sends no key if none is given, and preserves the query string of the base URL", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(completion({ content: "ok" })));
  const model = openAiChat({ baseUrl: `${endpoint.origin}/v1/?version=2`, model: "m", apiKey: "" });
  await model.generate(QUESTION);
  assertEquals(endpoint.last.path, "/v1/chat/completions?version=2");
  assertEquals(endpoint.last.headers.has("authorization"), false);
});

Deno.test("openAiChat() sends the headers from its options, overridden by the headers of the call", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(completion({ content: "ok" })));
  const model = modelAt(endpoint, { headers: { "X-Title": "a", "X-Gateway": "b" } });
  await model.generate({ ...QUESTION, options: { headers: { "x-title": "c" } } });
  assertEquals(endpoint.last.headers.get("x-title"), "c");
  assertEquals(endpoint.last.headers.get("x-gateway"), "b");
});

Deno.test("openAiChat() declares JSON output together with tools only for api.openai.com", () => {
  const options = { model: "m", apiKey: KEY };
  const hosted = openAiChat({ ...options, baseUrl: "https://api.openai.com/v1" });
  const local = openAiChat({ ...options, baseUrl: "http://127.0.0.1/v1" });
  assertEquals([hosted.nativeOutput, "nativeOutput" in local], ["with-tools", false]);
});

Deno.test("openAiChat() throws for invalid options, without quoting secrets", () => {
  const base = { baseUrl: "http://127.0.0.1/v1", model: "m" };
  const wrong: readonly (readonly [OpenAiChatOptions, typeof TypeError | typeof RangeError])[] = [
    [{ ...base, baseUrl: "127.0.0.1:80" }, TypeError],
    [{ ...base, baseUrl: "" }, TypeError],
    [{ ...base, baseUrl: "file:///etc" }, TypeError],
    [{ ...base, baseUrl: `http://u:${KEY}@127.0.0.1/` }, TypeError],
    [{ ...base, model: "" }, TypeError],
    [{ ...base, apiKey: `${KEY}\nX: 1` }, TypeError],
    [{ ...base, headers: { "x y": "1" } }, TypeError],
    [{ ...base, timeoutMs: 0 }, RangeError],
    [{ ...base, timeoutMs: 2 ** 31 }, RangeError],
    [{ ...base, timeoutMs: NaN }, RangeError],
    [{ ...base, maxResponseBytes: 1.5 }, RangeError],
  ];
  for (const [options, kind] of wrong) {
    const error = assertThrows(() => openAiChat(options), kind);
    assert(!error.message.includes(KEY));
  }
});
