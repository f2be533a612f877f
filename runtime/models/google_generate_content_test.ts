import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { type LoopEvent, ToolLoopAgent } from "../mod.ts";
import {
  googleGenerateContent,
  type GoogleGenerateContentOptions,
} from "./google_generate_content.ts";
import { collect, failureOf, KEY, QUESTION, WEATHER } from "./testdata/ask.ts";
import { eventStream, FakeEndpoint } from "./testdata/fake_endpoint.ts";
import { modelAt, modelOf, NEW_MODEL, reply } from "./testdata/google.ts";

function ok(): Response {
  return Response.json(reply([{ text: "ok" }]));
}

Deno.test("googleGenerateContent() sends a request and converts a complete response", async () => {
  await using endpoint = new FakeEndpoint(() =>
    Response.json(reply([{ text: "Sunny." }], { finishReason: "STOP" }, {
      usageMetadata: {
        promptTokenCount: 11,
        cachedContentTokenCount: 4,
        toolUsePromptTokenCount: 6,
        candidatesTokenCount: 5,
        thoughtsTokenCount: 3,
        totalTokenCount: 25,
      },
    }))
  );
  assertEquals(await modelAt(endpoint).generate(QUESTION), {
    message: { role: "assistant", content: [{ type: "text", text: "Sunny." }] },
    finishReason: "stop",
    rawFinishReason: "STOP",
    usage: {
      inputTokens: 17,
      outputTokens: 8,
      totalTokens: 25,
      cachedInputTokens: 4,
      reasoningTokens: 3,
    },
    modelId: "gemini-2026",
    responseId: "r1",
  });
  const { path, headers, body } = endpoint.last;
  assertEquals(path, `/v1beta/models/${NEW_MODEL}:generateContent`);
  assertEquals(headers.get("x-goog-api-key"), KEY);
  assertEquals(body, { contents: [{ role: "user", parts: [{ text: "Weather in Paris?" }] }] });
});

Deno.test("googleGenerateContent() requests server-sent events for a stream", async () => {
  await using endpoint = new FakeEndpoint(() => eventStream([reply([{ text: "ok" }])]));
  const model = modelAt(endpoint, { baseUrl: `${endpoint.origin}/v1beta/?tenant=2` });
  await collect(model);
  assertEquals(
    endpoint.last.path,
    `/v1beta/models/${NEW_MODEL}:streamGenerateContent?tenant=2&alt=sse`,
  );
});

Deno.test("googleGenerateContent() accepts the resource name of a model", async () => {
  await using endpoint = new FakeEndpoint(ok);
  for (const model of ["models/gemini-2.5-pro", "tunedModels/mine", "endpoints/7"]) {
    await modelAt(endpoint, { model }).generate(QUESTION);
    assertEquals(endpoint.last.path, `/v1beta/${model}:generateContent`);
  }
});

Deno.test("googleGenerateContent() calls Vertex AI with an access token", async () => {
  await using endpoint = new FakeEndpoint(ok);
  const path = "/v1/projects/p/locations/global/publishers/google";
  const model = googleGenerateContent({
    model: NEW_MODEL,
    baseUrl: `${endpoint.origin}${path}`,
    headers: { authorization: "Bearer ya29.secret-token" },
  });
  await model.generate(QUESTION);
  assertEquals(endpoint.last.path, `${path}/models/${NEW_MODEL}:generateContent`);
  assertEquals(endpoint.last.headers.get("authorization"), "Bearer ya29.secret-token");
  assertEquals(endpoint.last.headers.has("x-goog-api-key"), false);
});

Deno.test("googleGenerateContent() requires a key only for Google's own server", () => {
  const create = (options: Partial<GoogleGenerateContentOptions>) =>
    googleGenerateContent({ model: NEW_MODEL, ...options });
  assertThrows(() => create({}), TypeError, "generativelanguage.googleapis.com, got undefined");
  assertThrows(() => create({ apiKey: "" }), TypeError, "got an empty string");
  create({ headers: { "X-Goog-Api-Key": KEY } });
  create({ headers: { authorization: `Bearer ${KEY}` } });
  create({ baseUrl: "https://aiplatform.googleapis.com/v1/publishers/google" });
});

Deno.test("googleGenerateContent() declares JSON output according to the generation of the model", () => {
  const models = [
    ["gemini-2.0-flash", "without-tools"],
    ["gemini-2.5-pro", "without-tools"],
    ["models/gemini-3-flash-preview", "with-tools"],
    ["gemini-3.6-flash", "with-tools"],
    ["gemini-flash-latest", "with-tools"],
    ["gemma-4-27b-it", undefined],
    ["endpoints/7", undefined],
  ] as const;
  for (const [model, expected] of models) {
    assertEquals(modelOf(ok, { model }).nativeOutput, expected, model);
  }
});

Deno.test("googleGenerateContent() names the model in the error for an unknown model", async () => {
  const error = { code: 404, message: "models/x is not found", status: "NOT_FOUND" };
  const model = modelOf(() => Response.json({ error }, { status: 404 }), { model: "x" });
  const { message } = await failureOf(model.generate(QUESTION));
  assertStringIncludes(message, "HTTP 404: models/x is not found; check");
  assertStringIncludes(message, 'model "x" at generativelanguage.googleapis.com');
});

Deno.test("googleGenerateContent() reads the delay before a retry in an array of errors", async () => {
  const details = [{
    "@type": "type.googleapis.com/google.rpc.RetryInfo",
    retryDelay: "34.5s",
  }];
  const error = { code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED", details };
  for (const body of [{ error }, [{ error }]]) {
    for (const status of [429, 200]) {
      const failed = await failureOf(
        modelOf(() => Response.json(body, { status })).generate(QUESTION),
      );
      assertEquals([failed.retryable, failed.retryAfterMs], [true, 34_500]);
      assertStringIncludes(failed.message, "Quota exceeded");
    }
  }
});

Deno.test("googleGenerateContent() sends the signature back with the result of the tool", async () => {
  const call = { functionCall: { name: "weather", args: { city: "Paris" } } };
  const parts = [
    { text: "I look.", thought: true },
    { ...call, thoughtSignature: "c2lnbmF0dXJl" },
  ];
  for (const isStreamed of [false, true]) {
    const replies = [reply(parts), reply([{ text: "Sunny." }])];
    await using endpoint = new FakeEndpoint(() => {
      const next = replies.shift() ?? {};
      return isStreamed ? eventStream([next]) : Response.json(next);
    });
    const agent = new ToolLoopAgent({
      name: "a",
      model: modelAt(endpoint),
      tools: [{ ...WEATHER, description: "The weather", execute: () => ({ degrees: 21 }) }],
    });
    const ids: string[] = [];
    const onEvent = (event: LoopEvent) => {
      if (event.type === "tool_input_delta") ids.push(event.toolCallId);
    };
    const { finalText } = await agent.run("Weather?", isStreamed ? { onEvent } : {});
    assertEquals(finalText, "Sunny.");
    assertEquals(endpoint.last.body.contents, [
      { role: "user", parts: [{ text: "Weather?" }] },
      {
        role: "model",
        parts: [
          { text: "I look.", thought: true },
          {
            functionCall: { id: "call_r1_0", name: "weather", args: { city: "Paris" } },
            thoughtSignature: "c2lnbmF0dXJl",
          },
        ],
      },
      {
        role: "user",
        parts: [{
          functionResponse: {
            id: "call_r1_0",
            name: "weather",
            response: { output: { degrees: 21 } },
          },
        }],
      },
    ]);
    assertEquals(ids, isStreamed ? ["call_r1_0"] : []);
    await agent.terminate();
  }
});

Deno.test("googleGenerateContent() is called again after an invalid tool call", async () => {
  const replies = [
    reply([], { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed: print(" }),
    reply([{ text: "Sunny." }]),
  ];
  await using endpoint = new FakeEndpoint(() => Response.json(replies.shift() ?? {}));
  const agent = new ToolLoopAgent({ name: "a", model: modelAt(endpoint), retryDelayMs: 0 });
  assertEquals((await agent.run("Weather?")).finalText, "Sunny.");
  assertEquals(endpoint.seen.length, 2);
  await agent.terminate();
});
