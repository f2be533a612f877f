/**
 * The wire shapes are written by hand after the public documentation: OpenAI's API reference (chat object, chat streaming),
 * DeepSeek's guide "Thinking Mode", OpenRouter's "Errors", and the reports of servers that differ, named at each case.
 */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { AgentError } from "../error.ts";
import type {
  GenerationOptions,
  LanguageModel,
  ModelMessage,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from "../model.ts";
import { openAiChat, type OpenAiChatOptions } from "./openai_chat.ts";
import {
  chunksOf,
  eventStream,
  FakeEndpoint,
  openStream,
  type Reply,
  streamOf,
} from "./testdata/fake_endpoint.ts";

const KEY = "sk-secret-0123456789";

const QUESTION: ModelRequest = {
  messages: [{ role: "user", content: [{ type: "text", text: "Weather in Paris?" }] }],
  tools: [],
  options: {},
};

const WEATHER: ToolDefinition = {
  name: "weather",
  description: "The weather in a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** A whole answer with this message. */
function completion(message: object, rest: object = {}): Record<string, unknown> {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m-2026",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
    usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
    ...rest,
  };
}

/** A piece of a streamed answer. */
function chunk(delta: object, finishReason: string | null = null): Record<string, unknown> {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m-2026",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

function modelAt(endpoint: FakeEndpoint, options: Partial<OpenAiChatOptions> = {}): LanguageModel {
  return openAiChat({ baseUrl: `${endpoint.origin}/v1`, model: "m", apiKey: KEY, ...options });
}

/** A model whose endpoint is a function: for tables, where the network adds nothing. */
function modelOf(reply: () => Response, options: Partial<OpenAiChatOptions> = {}): LanguageModel {
  return openAiChat({
    baseUrl: "http://127.0.0.1/v1",
    model: "m",
    apiKey: KEY,
    fetch: () => Promise.resolve(reply()),
    ...options,
  });
}

async function collect(model: LanguageModel, request = QUESTION): Promise<ModelStreamEvent[]> {
  const events: ModelStreamEvent[] = [];
  for await (const event of model.stream?.(request) ?? []) events.push(event);
  return events;
}

async function streamed(model: LanguageModel, request = QUESTION): Promise<ModelResponse> {
  const event = (await collect(model, request)).at(-1);
  assert(event?.type === "finish");
  return event.response;
}

function callsOf({ message }: ModelResponse): ToolCall[] {
  return message.content.filter((part) => part.type === "tool-call");
}

async function failureOf(work: Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(() => work, AgentError);
  assertEquals(error.code, "model_error");
  assert(!JSON.stringify([error.message, error.details, String(error.cause)]).includes(KEY));
  return error;
}

async function bodyOf(request: Partial<ModelRequest>, options: Partial<OpenAiChatOptions> = {}) {
  await using endpoint = new FakeEndpoint(() => Response.json(completion({ content: "ok" })));
  await modelAt(endpoint, options).generate({ ...QUESTION, ...request });
  return endpoint.last.body;
}

Deno.test("openAiChat() asks and reads a whole answer", async () => {
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
  assertEquals(body, { model: "m", messages: [{ role: "user", content: "Weather in Paris?" }] });
});

Deno.test("openAiChat() sends no key that it was not given, and keeps the base URL's query", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(completion({ content: "ok" })));
  const model = openAiChat({ baseUrl: `${endpoint.origin}/v1/?version=2`, model: "m", apiKey: "" });
  await model.generate(QUESTION);
  assertEquals(endpoint.last.path, "/v1/chat/completions?version=2");
  assertEquals(endpoint.last.headers.has("authorization"), false);
});

Deno.test("openAiChat() adds the caller's headers, those of the call last", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(completion({ content: "ok" })));
  const model = modelAt(endpoint, { headers: { "X-Title": "a", "X-Gateway": "b" } });
  await model.generate({ ...QUESTION, options: { headers: { "x-title": "c" } } });
  assertEquals(endpoint.last.headers.get("x-title"), "c");
  assertEquals(endpoint.last.headers.get("x-gateway"), "b");
});

Deno.test("openAiChat() sends every setting under its wire name", async () => {
  const options: GenerationOptions = {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    maxOutputTokens: 100,
    stopSequences: ["END"],
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    reasoning: "high",
    toolChoice: { toolName: "weather" },
    responseFormat: { type: "json", schema: { type: "object" }, name: "report" },
    providerOptions: { openai: { parallel_tool_calls: false }, other: { ignored: true } },
  };
  const { messages: _, ...body } = await bodyOf({ tools: [WEATHER], options });
  assertEquals(body, {
    model: "m",
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    max_tokens: 100,
    stop: ["END"],
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    reasoning_effort: "high",
    tools: [{
      type: "function",
      function: {
        name: "weather",
        description: "The weather in a city",
        parameters: WEATHER.inputSchema,
      },
    }],
    tool_choice: { type: "function", function: { name: "weather" } },
    response_format: {
      type: "json_schema",
      json_schema: { name: "report", schema: { type: "object" } },
    },
    parallel_tool_calls: false,
  });
});

Deno.test("openAiChat() sends settings that have several forms", async () => {
  const json = await bodyOf({ options: { responseFormat: { type: "json" }, toolChoice: "none" } });
  assertEquals(json.response_format, { type: "json_object" });
  // Servers refuse a choice without tools.
  assertEquals("tool_choice" in json, false);
  const required = await bodyOf({ tools: [WEATHER], options: { toolChoice: "required" } });
  assertEquals(required.tool_choice, "required");
  const text = await bodyOf({ options: { responseFormat: { type: "text" } } });
  assertEquals("response_format" in text, false);
  const named = await bodyOf({ options: { maxOutputTokens: 9 } }, {
    maxTokensField: "max_completion_tokens",
  });
  assertEquals([named.max_completion_tokens, named.max_tokens], [9, undefined]);
});

Deno.test("openAiChat() names the token limit as OpenAI's own models want it", async () => {
  const bodies: unknown[] = [];
  const model = openAiChat({
    baseUrl: "https://api.openai.com/v1",
    model: "m",
    fetch: (_, { body }) => {
      bodies.push(JSON.parse(String(body)));
      return Promise.resolve(Response.json(completion({ content: "ok" })));
    },
  });
  await model.generate({ ...QUESTION, messages: [], options: { maxOutputTokens: 9 } });
  assertEquals(bodies, [{ model: "m", messages: [], max_completion_tokens: 9 }]);
});

Deno.test("openAiChat() sends a conversation with calls, results, reasoning and files", async () => {
  const png = { type: "data", data: new Uint8Array([1, 2, 3]) } as const;
  const messages: ModelMessage[] = [
    { role: "system", content: "Be brief" },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "file", mediaType: "image/png", data: png },
        {
          type: "file",
          mediaType: "image/png",
          data: { type: "url", url: new URL("https://example.org/a.png") },
        },
        { type: "file", mediaType: "audio/wav", data: { type: "data", data: "AQID" } },
        {
          type: "file",
          mediaType: "application/pdf",
          filename: "a.pdf",
          data: { type: "data", data: "AQID" },
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "not from here", providerOptions: { anthropic: {} } },
        {
          type: "reasoning",
          text: "hm",
          providerOptions: { openai: { reasoningField: "reasoning_content" } },
        },
        { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: 1 } },
        { type: "tool-call", toolCallId: "c2", toolName: "look", input: {}, rawInput: "{bad" },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "look",
          output: {
            type: "content",
            value: [
              { type: "text", text: "Seen:" },
              { type: "file", mediaType: "image/png", data: png },
            ],
          },
          isError: false,
          durationMs: 1,
        },
        {
          type: "tool-result",
          toolCallId: "c2",
          toolName: "look",
          output: { type: "error-text", value: "no JSON" },
          isError: true,
          durationMs: 0,
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "A cat" }] },
  ];
  const { messages: sent } = await bodyOf({ messages });
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } };
  assertEquals(sent, [
    { role: "system", content: "Be brief" },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        image,
        { type: "image_url", image_url: { url: "https://example.org/a.png" } },
        { type: "input_audio", input_audio: { data: "AQID", format: "wav" } },
        {
          type: "file",
          file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AQID" },
        },
      ],
    },
    {
      role: "assistant",
      reasoning_content: "hm",
      content: null,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } },
        { id: "c2", type: "function", function: { name: "look", arguments: "{bad" } },
      ],
    },
    { role: "tool", tool_call_id: "c1", content: "Seen:\n[a file of type image/png: see below]" },
    { role: "tool", tool_call_id: "c2", content: "no JSON" },
    {
      role: "user",
      content: [{ type: "text", text: "A file from the result of tool call c1:" }, image],
    },
    { role: "assistant", content: "A cat" },
  ]);
});

Deno.test("openAiChat() writes every kind of tool result as text", async () => {
  const outputs: readonly (readonly [ToolResult["output"], string])[] = [
    [{ type: "text", value: "plain" }, "plain"],
    [{ type: "json", value: { a: [1] } }, '{"a":[1]}'],
    [{ type: "error-json", value: { code: 1 } }, '{"code":1}'],
    [{ type: "execution-denied" }, "The call was not approved"],
    [{ type: "execution-denied", reason: "too risky" }, "The call was not approved: too risky"],
  ];
  for (const [output, text] of outputs) {
    const { messages } = await bodyOf({
      messages: [{
        role: "tool",
        content: [{
          type: "tool-result",
          toolCallId: "c",
          toolName: "t",
          output,
          isError: false,
          durationMs: 0,
        }],
      }],
    });
    assertEquals(messages, [{ role: "tool", tool_call_id: "c", content: text }]);
  }
});

Deno.test("openAiChat() refuses a file that has no form on the wire", async () => {
  const url = new URL("https://example.org/a.pdf");
  const error = await failureOf(
    modelOf(() => Response.json(completion({ content: "" }))).generate({
      ...QUESTION,
      messages: [{
        role: "user",
        content: [{ type: "file", mediaType: "application/pdf", data: { type: "url", url } }],
      }],
    }),
  );
  assertEquals(error.retryable, false);
});

const CALL = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };

/** Whole answers of servers that differ, and what is made of them. */
const WHOLE: readonly (readonly [string, object, object, Partial<ModelResponse>])[] = [
  ["a tool call", { content: null, tool_calls: [CALL] }, { finish_reason: "tool_calls" }, {
    finishReason: "tool-calls",
  }],
  ["finish reason stop with calls (Ollama)", { content: "", tool_calls: [CALL] }, {}, {
    finishReason: "stop",
  }],
  [
    "arguments as an object (Ollama's own form)",
    {
      tool_calls: [{ ...CALL, function: { name: "f", arguments: { a: 1 } } }],
    },
    {},
    {},
  ],
  [
    "the form before tool calls",
    {
      function_call: { name: "f", arguments: '{"a":1}' },
    },
    { finish_reason: "function_call" },
    { finishReason: "tool-calls" },
  ],
  [
    "a call without an id",
    {
      tool_calls: [{ function: { name: "f", arguments: '{"a":1}' } }],
    },
    {},
    {},
  ],
];

for (const [name, message, choice, expected] of WHOLE) {
  Deno.test(`openAiChat() reads ${name}`, async () => {
    const body = completion({}, {
      choices: [{ index: 0, message, finish_reason: "stop", ...choice }],
    });
    const response = await modelOf(() => Response.json(body)).generate(QUESTION);
    const [call, ...others] = callsOf(response);
    assertEquals(others, []);
    assertEquals([call?.toolName, call?.input, call?.rawInput], ["f", { a: 1 }, undefined]);
    assert(call !== undefined && call.toolCallId !== "");
    assertEquals(response.message.content.length, 1);
    assertEquals({ ...response, ...expected }, response);
  });
}

Deno.test("openAiChat() reads arguments that are missing, empty or broken", async () => {
  const inputs = [undefined, null, "", "  ", "{}", '{"a":', "[1"];
  const calls = inputs.map((value, index) => ({
    id: `c${index}`,
    function: { name: "f", arguments: value },
  }));
  const response = await modelOf(() => Response.json(completion({ tool_calls: calls }))).generate(
    QUESTION,
  );
  assertEquals(callsOf(response).map(({ input, rawInput }) => [input, rawInput]), [
    [{}, undefined],
    [{}, undefined],
    [{}, undefined],
    [{}, undefined],
    [{}, undefined],
    [{}, '{"a":'],
    [{}, "[1"],
  ]);
});

Deno.test("openAiChat() keeps two whole calls with one id apart", async () => {
  const calls = [CALL, { ...CALL, function: { name: "g", arguments: "" } }];
  const response = await modelOf(() => Response.json(completion({ tool_calls: calls }))).generate(
    QUESTION,
  );
  assertEquals(callsOf(response).map(({ toolName }) => toolName), ["f", "g"]);
});

Deno.test("openAiChat() maps finish reasons", async () => {
  const reasons = [
    ["stop", "stop"],
    ["length", "length"],
    ["content_filter", "content-filter"],
    ["tool_calls", "tool-calls"],
    ["insufficient_system_resource", "interrupted"],
    ["error", "error"],
    ["something_new", "other"],
    [null, "other"],
    [5, "other"],
  ] as const;
  for (const [wire, expected] of reasons) {
    const body = completion({}, { choices: [{ message: { content: "x" }, finish_reason: wire }] });
    const response = await modelOf(() => Response.json(body)).generate(QUESTION);
    assertEquals(response.finishReason, expected);
    assertEquals(response.rawFinishReason, typeof wire === "string" ? wire : undefined);
  }
});

Deno.test("openAiChat() reports a refusal as filtered content with its words", async () => {
  const reply = () => Response.json(completion({ content: null, refusal: "I cannot" }));
  const response = await modelOf(reply).generate(QUESTION);
  assertEquals(response.message.content, [{ type: "text", text: "I cannot" }]);
  assertEquals(response.finishReason, "content-filter");
});

Deno.test("openAiChat() sees that calls were cut off although the server says tool_calls", async () => {
  // https://github.com/vllm-project/vllm/issues/58228
  const body = completion({}, {
    choices: [{ message: { tool_calls: [CALL] }, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 1, completion_tokens: 16, total_tokens: 17 },
  });
  const model = modelOf(() => Response.json(body));
  const cut = await model.generate({ ...QUESTION, options: { maxOutputTokens: 16 } });
  assertEquals([cut.finishReason, cut.rawFinishReason], ["length", "tool_calls"]);
  const whole = await model.generate({ ...QUESTION, options: { maxOutputTokens: 17 } });
  assertEquals(whole.finishReason, "tool-calls");
});

Deno.test("openAiChat() reads reasoning by all its names and sends it back under the same", async () => {
  const names: readonly (readonly [object, string | undefined])[] = [
    [{ reasoning_content: "hm", content: "ok" }, "reasoning_content"],
    [{ reasoning: "hm", content: "ok" }, "reasoning"],
    [{
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
        { type: "text", text: "ok" },
      ],
    }, undefined],
  ];
  for (const [message, field] of names) {
    await using endpoint = new FakeEndpoint(() => Response.json(completion(message)));
    const model = modelAt(endpoint);
    const response = await model.generate(QUESTION);
    const [thought, text] = response.message.content;
    assert(thought?.type === "reasoning" && text?.type === "text");
    assertEquals([thought.text, text.text], ["hm", "ok"]);
    await model.generate({ ...QUESTION, messages: [response.message] });
    assertEquals(endpoint.last.body.messages, [
      { role: "assistant", content: "ok", ...field === undefined ? {} : { [field]: "hm" } },
    ]);
  }
});

Deno.test("openAiChat() sends empty reasoning back after tool calls, which DeepSeek insists on", async () => {
  await using endpoint = new FakeEndpoint(() =>
    Response.json(completion({ content: "", reasoning_content: "", tool_calls: [CALL] }))
  );
  const model = modelAt(endpoint);
  const { message } = await model.generate(QUESTION);
  await model.generate({ ...QUESTION, messages: [message] });
  assertEquals(endpoint.last.body.messages, [
    { role: "assistant", content: null, reasoning_content: "", tool_calls: [CALL] },
  ]);
});

Deno.test("openAiChat() sends back what came with a call, such as a thought signature", async () => {
  const extra = { extra_content: { google: { thought_signature: "abc" } } };
  await using endpoint = new FakeEndpoint(() =>
    Response.json(completion({ content: null, tool_calls: [{ ...CALL, ...extra }] }))
  );
  const model = modelAt(endpoint);
  const { message } = await model.generate(QUESTION);
  await model.generate({ ...QUESTION, messages: [message] });
  assertEquals(endpoint.last.body.messages, [
    { role: "assistant", content: null, tool_calls: [{ ...CALL, ...extra }] },
  ]);
});

Deno.test("openAiChat() takes usage as it comes", async () => {
  const usages = [
    [undefined, undefined],
    [null, undefined],
    ["many", undefined],
    [{ prompt_tokens: "7" }, undefined],
    [{ prompt_tokens: 7 }, { inputTokens: 7, outputTokens: 0, totalTokens: 7 }],
    [
      { prompt_tokens: 7, completion_tokens: 2, total_tokens: 12, prompt_cache_hit_tokens: 3 },
      { inputTokens: 7, outputTokens: 2, totalTokens: 12, cachedInputTokens: 3 },
    ],
    [{ prompt_tokens: -1, completion_tokens: NaN }, undefined],
  ] as const;
  for (const [usage, expected] of usages) {
    const reply = () => Response.json(completion({ content: "ok" }, { usage }));
    assertEquals((await modelOf(reply).generate(QUESTION)).usage, expected);
  }
});

Deno.test("openAiChat() streams text, reasoning and calls, and ends with the whole answer", async () => {
  await using endpoint = new FakeEndpoint(() =>
    eventStream([
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "Let me " }),
      chunk({ reasoning_content: "see" }),
      chunk({ content: "I will " }),
      chunk({ content: "look." }),
      chunk({
        tool_calls: [{
          index: 0,
          id: "c1",
          type: "function",
          function: { name: "weather", arguments: "" },
        }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] }),
      chunk({
        tool_calls: [{ index: 1, id: "c2", function: { name: "time", arguments: "{}" } }],
      }),
      chunk({}, "tool_calls"),
      {
        id: "chatcmpl-1",
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      },
      "[DONE]",
    ])
  );
  const events = await collect(modelAt(endpoint));
  assertEquals(events, [
    { type: "reasoning-delta", delta: "Let me " },
    { type: "reasoning-delta", delta: "see" },
    { type: "text-delta", delta: "I will " },
    { type: "text-delta", delta: "look." },
    { type: "tool-input-delta", toolCallId: "c1", toolName: "weather", delta: '{"city":' },
    { type: "tool-input-delta", toolCallId: "c1", toolName: "weather", delta: '"Paris"}' },
    { type: "tool-input-delta", toolCallId: "c2", toolName: "time", delta: "{}" },
    {
      type: "finish",
      response: {
        message: {
          role: "assistant",
          content: [
            {
              type: "reasoning",
              text: "Let me see",
              providerOptions: { openai: { reasoningField: "reasoning_content" } },
            },
            { type: "text", text: "I will look." },
            {
              type: "tool-call",
              toolCallId: "c1",
              toolName: "weather",
              input: { city: "Paris" },
            },
            { type: "tool-call", toolCallId: "c2", toolName: "time", input: {} },
          ],
        },
        finishReason: "tool-calls",
        rawFinishReason: "tool_calls",
        usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
        modelId: "m-2026",
        responseId: "chatcmpl-1",
      },
    },
  ]);
  const { stream, stream_options } = endpoint.last.body;
  assertEquals([stream, stream_options], [true, { include_usage: true }]);
});

Deno.test("openAiChat() does not ask for usage where that is refused", async () => {
  await using endpoint = new FakeEndpoint(() => eventStream([chunk({ content: "a" }, "stop")]));
  const response = await streamed(modelAt(endpoint, { includeUsage: false }));
  assertEquals("stream_options" in endpoint.last.body, false);
  assertEquals([response.usage, response.finishReason], [undefined, "stop"]);
});

/** Streams of calls as servers label them. Each comes to `f({"a":1})` and `g({"b":2})`. */
const CALL_STREAMS: readonly (readonly [string, readonly object[]])[] = [
  ["as documented", [
    { index: 0, id: "x", function: { name: "f", arguments: "" } },
    { index: 0, function: { arguments: '{"a":' } },
    { index: 0, function: { arguments: "1}" } },
    { index: 1, id: "y", function: { name: "g", arguments: '{"b":' } },
    { index: 1, function: { arguments: "2}" } },
  ]],
  ["without an index (ollama#7881)", [
    { id: "x", function: { name: "f", arguments: '{"a":1}' } },
    { id: "y", function: { name: "g", arguments: '{"b":2}' } },
  ]],
  ["all numbered 0 (ollama#15457)", [
    { index: 0, id: "x", function: { name: "f", arguments: '{"a":1}' } },
    { index: 0, id: "y", function: { name: "g", arguments: '{"b":2}' } },
  ]],
  ["without an index or id after the first piece", [
    { id: "x", function: { name: "f", arguments: '{"a"' } },
    { function: { arguments: ":1}" } },
    { id: "y", function: { name: "g", arguments: '{"b"' } },
    { function: { arguments: ":2}" } },
  ]],
  ["with the id in each piece but no index", [
    { id: "x", function: { name: "f", arguments: "" } },
    { id: "y", function: { name: "g", arguments: "" } },
    { id: "x", function: { arguments: '{"a":1}' } },
    { id: "y", function: { arguments: '{"b":2}' } },
  ]],
  ["with a fresh id in each piece", [
    { index: 0, id: "x", function: { name: "f", arguments: "" } },
    { index: 0, id: "x2", function: { arguments: '{"a":1}' } },
    { index: 1, id: "y", function: { name: "g", arguments: "" } },
    { index: 1, id: "y2", function: { arguments: '{"b":2}' } },
  ]],
  ["with the name in each piece and no index or id", [
    { function: { name: "f", arguments: '{"a":' } },
    { function: { name: "f", arguments: "1}" } },
    { function: { name: "g", arguments: '{"b":' } },
    { function: { name: "g", arguments: "2}" } },
  ]],
  ["with empty ids and names after the first piece", [
    { index: 0, id: "x", function: { name: "f", arguments: "" } },
    { index: 0, id: "", function: { name: "", arguments: '{"a":1}' } },
    { index: 1, id: "y", function: { name: "g", arguments: null } },
    { index: 1, id: null, function: { name: null, arguments: '{"b":2}' } },
  ]],
  ["with the name after the id", [
    { index: 0, id: "x", type: "function" },
    { index: 0, function: { name: "f" } },
    { index: 0, function: { arguments: '{"a":1}' } },
    { index: 1, id: "y", function: { name: "g", arguments: { b: 2 } } },
  ]],
];

for (const [name, pieces] of CALL_STREAMS) {
  Deno.test(`openAiChat() puts streamed calls together: ${name}`, async () => {
    const chunks = pieces.map((piece) => chunk({ tool_calls: [piece] }));
    const response = await streamed(
      modelOf(() => eventStream([...chunks, chunk({}, "tool_calls"), "[DONE]"])),
    );
    const calls = callsOf(response);
    assertEquals(calls.map(({ toolName, input }) => [toolName, input]), [
      ["f", { a: 1 }],
      ["g", { b: 2 }],
    ]);
    assertEquals(new Set(calls.map(({ toolCallId }) => toolCallId)).size, 2);
  });
}

Deno.test("openAiChat() takes a whole answer where it asked for a stream", async () => {
  const response = await streamed(modelOf(() => Response.json(completion({ content: "Hi" }))));
  assertEquals(response.message.content, [{ type: "text", text: "Hi" }]);
});

Deno.test("openAiChat() accepts streams that end in any honest way", async () => {
  const text = chunk({ content: "Hi" });
  const done = chunk({}, "stop");
  const endings: readonly (() => Response)[] = [
    () => eventStream([text, done]),
    () => eventStream([text, "[DONE]"]),
    () => eventStream([text, done, "", "[DONE]", "not read any more"]),
    () => eventStream([chunk({ content: "Hi" }, "stop")]),
    () =>
      eventStream([{ choices: [], prompt_filter_results: [] }, text, {
        ...done,
        choices: [{ finish_reason: "stop" }],
      }]),
  ];
  for (const reply of endings) {
    const { message } = await streamed(modelOf(reply));
    assertEquals(message.content, [{ type: "text", text: "Hi" }]);
  }
});

Deno.test("openAiChat() has the answer when the connection stays open or breaks after it", async () => {
  const words = [JSON.stringify(chunk({ content: "Hi" }, "stop"))];
  const open = await streamed(modelOf(() => openStream(words), { timeoutMs: 20 }));
  assertEquals(open.message.content, [{ type: "text", text: "Hi" }]);
});

Deno.test("openAiChat() reads the same answer from any cut of the stream", async () => {
  const stream = [
    chunk({ role: "assistant", reasoning: "é" }),
    chunk({ content: "Grüße 👋 " }),
    chunk({ content: "\u2028ende" }),
    chunk({ tool_calls: [{ index: 0, id: "x", function: { name: "f", arguments: '{"a":"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '日本"}' } }] }),
    chunk({}, "tool_calls"),
  ];
  const bytes = new TextEncoder().encode(
    `: comment\r\n${stream.map((item) => `data: ${JSON.stringify(item)}\r\n\r\n`).join("")}` +
      "event: message\ndata: [DONE]\n\n",
  );
  const whole = await streamed(modelOf(() => streamOf([bytes])));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), async (sizes) => {
      const chunks: Uint8Array[] = [];
      for (let start = 0, turn = 0; start < bytes.length; turn++) {
        const end = start + (sizes[turn % sizes.length] ?? 1);
        chunks.push(bytes.subarray(start, end));
        start = end;
      }
      assertEquals(await streamed(modelOf(() => streamOf(chunks))), whole);
    }),
    propertyRuns(60),
  );
});

Deno.test("openAiChat() streams what it generates", async () => {
  const part = fc.record({ content: fc.string({ unit: "binary" }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 8 }),
      fc.integer({ min: 1, max: 9 }),
      async (parts, size) => {
        const content = parts.map(({ content }) => content).join("");
        const pieces = parts.map((delta) => chunk(delta));
        const { usage: _, ...generated } = await modelOf(() =>
          Response.json(completion({ content }))
        )
          .generate(QUESTION);
        const reply = () => eventStream([...pieces, chunk({}, "stop"), "[DONE]"], { size });
        assertEquals(await streamed(modelOf(reply)), generated);
      },
    ),
    propertyRuns(40),
  );
});

/** Bodies with status 200 that are no answers, and a word that the error must hold. */
const MALFORMED: readonly (readonly [string, () => Response, string])[] = [
  ["an empty body", () => new Response(""), "empty"],
  ["a web page", () => html("<!DOCTYPE html><title>Login</title>"), "no JSON"],
  ["JSON of another type", () => Response.json([1]), "an array"],
  ["null", () => Response.json(null), "missing"],
  ["a number", () => Response.json(5), "a number"],
  ["an object without choices", () => Response.json({ hello: 1 }), "first choice is missing"],
  ["no choices", () => Response.json(completion({}, { choices: [] })), "first choice is missing"],
  ["choices that are no list", () => Response.json(completion({}, { choices: {} })), "choices"],
  ["a choice without a message", () => Response.json({ choices: [{}] }), "message is missing"],
  ["a message that is text", () => Response.json({ choices: [{ message: "hi" }] }), "a string"],
  ["content that is a number", () => Response.json(completion({ content: 5 })), "content"],
  ["calls that are an object", () => Response.json(completion({ tool_calls: {} })), "tool_calls"],
  ["a call that is text", () => Response.json(completion({ tool_calls: ["f"] })), "a tool call"],
  ["a call without a name", () => Response.json(completion({ tool_calls: [{ id: "x" }] })), "name"],
  [
    "a call whose name is a number",
    () => Response.json(completion({ tool_calls: [{ function: { name: 5 } }] })),
    "name",
  ],
];

for (const [name, reply, words] of MALFORMED) {
  Deno.test(`openAiChat() calls ${name} malformed`, async () => {
    for (const work of [modelOf(reply).generate(QUESTION), collect(modelOf(reply))]) {
      const error = await failureOf(work);
      assertEquals(error.retryable, false);
      if (!name.includes("body") && !name.includes("page")) {
        assert(error.message.includes(words), error.message);
      }
    }
    const error = await failureOf(modelOf(reply).generate(QUESTION));
    assert(error.message.includes(words), error.message);
  });
}

function html(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Streams that are no answers, a word that the error must hold, and whether to try again. */
const MALFORMED_STREAMS: readonly (readonly [string, () => Response, string, boolean])[] = [
  ["nothing", () => eventStream([]), "ended before", true],
  ["no end", () => eventStream([chunk({ content: "Hi" })]), "ended before", true],
  ["half an event", () => streamOf([new TextEncoder().encode("data: {")]), "ended before", true],
  ["an event that is no JSON", () => eventStream(["{oops"]), '"{oops"', false],
  ["an event that is a list", () => eventStream(["[1]"]), "an array", false],
  ["choices that are text", () => eventStream([{ choices: "none" }]), "choices", false],
  ["only the end", () => eventStream(["[DONE]"]), "no choices", false],
  ["a web page", () => html("<html></html>"), '"text/html"', false],
  [
    "an error (OpenRouter)",
    () =>
      eventStream([chunk({ content: "Hi" }), {
        ...chunk({ content: "" }, "error"),
        error: { code: 502, message: "Upstream died" },
      }]),
    "Upstream died",
    true,
  ],
  [
    "an error with a type",
    () => eventStream([{ error: { type: "server_error", message: "Out of memory" } }]),
    "memory",
    true,
  ],
  [
    "an error event",
    () => eventStream([{ message: "Bad prompt" }], { event: "error" }),
    "Bad prompt",
    false,
  ],
  [
    "an error object (vLLM)",
    () => eventStream([{ object: "error", message: "Too long", code: 400 }]),
    "Too long",
    false,
  ],
  [
    "an exhausted quota",
    () => eventStream([{ error: { code: 429, type: "insufficient_quota", message: "Pay" } }]),
    "Pay",
    false,
  ],
  ["an error without words", () => eventStream([{ error: { code: 503 } }]), "503", true],
  ["an error that is text", () => eventStream([{ error: "Broken" }]), "Broken", false],
];

for (const [name, reply, words, retryable] of MALFORMED_STREAMS) {
  Deno.test(`openAiChat() ends with an error on a stream of ${name}`, async () => {
    const error = await failureOf(collect(modelOf(reply)));
    assert(error.message.includes(words), error.message);
    assertEquals(error.retryable, retryable);
  });
}

/** Statuses, and what they mean for another try. */
const STATUSES: readonly (readonly [number, object, boolean, number?])[] = [
  [400, {}, false],
  [401, {}, false],
  [404, {}, false],
  [408, {}, true],
  [409, {}, true],
  [422, {}, false],
  [429, {}, true],
  [429, { "retry-after": "7" }, true, 7000],
  [429, { "retry-after": "1.5", "retry-after-ms": "250" }, true, 250],
  [429, { "retry-after": "soon" }, true],
  [429, { "x-should-retry": "false" }, false],
  [400, { "x-should-retry": "true" }, true],
  [500, {}, true],
  [503, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, true, 0],
  [529, {}, true],
];

Deno.test("openAiChat() says of each status whether and when to try again", async () => {
  for (const [status, headers, retryable, retryAfterMs] of STATUSES) {
    const reply = () =>
      Response.json({ error: { message: "No" } }, { status, headers: { ...headers } });
    const error = await failureOf(modelOf(reply).generate(QUESTION));
    assertEquals([error.retryable, error.retryAfterMs], [retryable, retryAfterMs], `${status}`);
    assertEquals(error.details, { reason: `HTTP ${status}: No`, status });
  }
});

Deno.test("openAiChat() does not wait for a quota that is used up", async () => {
  const body = {
    error: { message: "No money", type: "insufficient_quota", code: "insufficient_quota" },
  };
  const error = await failureOf(
    modelOf(() => Response.json(body, { status: 429 })).generate(QUESTION),
  );
  assertEquals(error.retryable, false);
});

Deno.test("openAiChat() finds the server's words in every form, without its markup", async () => {
  const bodies: readonly (readonly [string, string])[] = [
    ['{"error":{"message":"Wrong model"}}', "HTTP 400: Wrong model"],
    ['{"error":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"message":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"detail":"Wrong model"}', "HTTP 400: Wrong model"],
    ['{"error":{"code":3}}', 'HTTP 400: {"code":3}'],
    ["<html><style>a{}</style><h1>Wrong</h1>\n<p>model</p></html>", "HTTP 400: Wrong model"],
    ["Wrong\n\tmodel", "HTTP 400: Wrong model"],
    ["", "HTTP 400"],
  ];
  for (const [body, reason] of bodies) {
    const reply = () => new Response(body, { status: 400 });
    assertEquals((await failureOf(modelOf(reply).generate(QUESTION))).details, {
      reason,
      status: 400,
    });
  }
});

Deno.test("openAiChat() quotes no more than it must of a long error page", async () => {
  const reply = () => html("x".repeat(5_000_000), 500);
  const error = await failureOf(modelOf(reply).generate(QUESTION));
  assert(error.message.length < 600);
});

Deno.test("openAiChat() keeps the key out of every error", async () => {
  const echo = `Incorrect API key provided: ${KEY}`;
  const replies: readonly Reply[] = [
    () => Response.json({ error: { message: echo } }, { status: 401 }),
    () => new Response(echo, { status: 500 }),
    // So long that the quotation ends within the key.
    () => new Response("x".repeat(490) + KEY, { status: 500 }),
    () => new Response(echo),
    () => eventStream([{ error: { message: echo } }]),
    () => eventStream([echo]),
  ];
  for (const reply of replies) {
    await using endpoint = new FakeEndpoint(reply);
    const errors = [
      await failureOf(modelAt(endpoint).generate(QUESTION)),
      await failureOf(collect(modelAt(endpoint))),
    ];
    for (const { message } of errors) assert(!message.includes(KEY.slice(0, 6)), message);
  }
  const throwing = openAiChat({
    baseUrl: `http://127.0.0.1/v1?key=${KEY}`,
    model: "m",
    headers: { "x-api-key": KEY },
    fetch: (url) =>
      Promise.reject(new TypeError(`fetch ${url} failed`, { cause: new Error(echo) })),
  });
  const error = await failureOf(throwing.generate(QUESTION));
  assertEquals(error.cause, undefined);
  assert(error.message.includes("[redacted]"));
});

Deno.test("openAiChat() reports a server that is not there, with the cause", async () => {
  const endpoint = new FakeEndpoint(() => new Response());
  const { origin } = endpoint;
  await endpoint[Symbol.asyncDispose]();
  const model = openAiChat({ baseUrl: origin, model: "m", apiKey: KEY });
  const error = await failureOf(model.generate(QUESTION));
  assertEquals(error.retryable, true);
  assert(error.message.includes(new URL(origin).host), error.message);
  assert(error.cause instanceof Error);
});

Deno.test("openAiChat() reports a connection that breaks half-way", async () => {
  const broken = () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  for (const work of [modelOf(broken).generate(QUESTION), collect(modelOf(broken))]) {
    const error = await failureOf(work);
    assertEquals(error.retryable, true);
    assert(error.message.includes("reset"));
  }
});

Deno.test("openAiChat() follows no redirect", async () => {
  await using endpoint = new FakeEndpoint(() =>
    new Response(null, { status: 307, headers: { location: "https://elsewhere.example/v1" } })
  );
  const error = await failureOf(modelAt(endpoint).generate(QUESTION));
  assert(error.message.includes("https://elsewhere.example"), error.message);
  assertEquals([error.retryable, endpoint.seen.length], [false, 1]);
});

Deno.test("openAiChat() stops reading an answer that is too large", async () => {
  const huge = completion({ content: "x".repeat(2000) });
  const options = { maxResponseBytes: 1000 };
  const whole = await failureOf(modelOf(() => Response.json(huge), options).generate(QUESTION));
  assert(whole.message.includes("larger than 1000 bytes"));
  let isCancelled = false;
  const endless = () => {
    const piece = new TextEncoder().encode(`data: ${JSON.stringify(chunk({ content: "x" }))}\n\n`);
    return new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(piece),
        cancel: () => {
          isCancelled = true;
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  };
  const cut = await failureOf(collect(modelOf(endless, options)));
  assert(cut.message.includes("larger than 1000 bytes"));
  assertEquals(isCancelled, true);
});

Deno.test("openAiChat() gives up when the time is up: before the head, in the body, in a stream", async () => {
  const options = { timeoutMs: 20 };
  const silent = modelOf(() => new Response(), { ...options, fetch: () => new Promise(() => {}) });
  const half = () => openStream(['{"choices":[']);
  const works = [
    silent.generate(QUESTION),
    collect(silent),
    modelOf(half, options).generate(QUESTION),
    collect(modelOf(() => openStream([JSON.stringify(chunk({ content: "Hi" }))]), options)),
  ];
  for (const work of works) {
    const error = await failureOf(work);
    assert(error.message.includes("within 20 ms"), error.message);
    assertEquals(error.retryable, true);
  }
});

Deno.test("openAiChat() rejects with the signal's reason when aborted, and lets go of the connection", async () => {
  const reason = new Error("changed my mind");
  const gone = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await using endpoint = new FakeEndpoint(() => {
    asked.resolve();
    return openStream([JSON.stringify(chunk({ content: "Hi" }))], gone.resolve);
  });
  const controller = new AbortController();
  const work = modelAt(endpoint).generate({ ...QUESTION, signal: controller.signal });
  await asked.promise;
  controller.abort(reason);
  assertEquals(await assertRejects(() => work), reason);
  await gone.promise;
  const late = modelAt(endpoint).generate({ ...QUESTION, signal: controller.signal });
  assertEquals(await assertRejects(() => late), reason);
  assertEquals(endpoint.seen.length, 1);
});

Deno.test("openAiChat() ends a stream when aborted, also one that hears no signal", async () => {
  const reason = new Error("changed my mind");
  const controller = new AbortController();
  const model = modelOf(() => openStream([JSON.stringify(chunk({ content: "Hi" }, "stop"))]));
  const events = model.stream?.({ ...QUESTION, signal: controller.signal }) ?? [];
  const error = await assertRejects(async () => {
    for await (const event of events) {
      assertEquals(event, { type: "text-delta", delta: "Hi" });
      controller.abort(reason);
    }
  });
  assertEquals(error, reason);
});

Deno.test("openAiChat() cancels a stream that is left early", async () => {
  const gone = Promise.withResolvers<void>();
  await using endpoint = new FakeEndpoint(() =>
    openStream([JSON.stringify(chunk({ content: "Hi" }))], gone.resolve)
  );
  for await (const event of modelAt(endpoint).stream?.(QUESTION) ?? []) {
    assertEquals(event, { type: "text-delta", delta: "Hi" });
    break;
  }
  await gone.promise;
});

Deno.test("openAiChat() refuses unusable options at once, without quoting secrets", () => {
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

Deno.test("openAiChat() refuses an unusable header of a call without quoting it", async () => {
  const model = modelOf(() => Response.json(completion({ content: "" })));
  const error = await assertRejects(
    () => model.generate({ ...QUESTION, options: { headers: { "x-key": `${KEY}\n` + "a" } } }),
    TypeError,
  );
  assert(!error.message.includes(KEY));
});

Deno.test("openAiChat() reports a conversation that is no JSON", async () => {
  const messages: ModelMessage[] = [{
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: { big: 1n } }],
  }];
  const model = modelOf(() => Response.json(completion({ content: "" })));
  assertEquals((await failureOf(model.generate({ ...QUESTION, messages }))).retryable, false);
});

Deno.test("chunksOf() cuts without loss", () => {
  const bytes = new Uint8Array([1, 2, 3, 4, 5]);
  assertEquals([...chunksOf(bytes, 2)].flatMap((part) => [...part]), [...bytes]);
});
