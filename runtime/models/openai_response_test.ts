import { assert, assertEquals } from "@std/assert";
import type { ModelResponse } from "../shared/model.ts";
import { callsOf, QUESTION, streamed } from "./testdata/ask.ts";
import { CALL, completion, modelAt, modelOf } from "./testdata/chat.ts";
import { eventStream, FakeEndpoint } from "./testdata/fake_endpoint.ts";

/** Complete responses from different servers, and the expected results. */
const WHOLE: readonly (readonly [string, object, object, Partial<ModelResponse>])[] = [
  ["a tool call", { content: null, tool_calls: [CALL] }, { finish_reason: "tool_calls" }, {
    finishReason: "tool-calls",
  }],
  ["tool calls and finish reason stop (Ollama)", { content: "", tool_calls: [CALL] }, {}, {
    finishReason: "stop",
  }],
  [
    "arguments as an object (Ollama)",
    {
      tool_calls: [{ ...CALL, function: { name: "f", arguments: { a: 1 } } }],
    },
    {},
    {},
  ],
  [
    "the deprecated function_call",
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
  Deno.test(`openAiChat() converts a response with ${name}`, async () => {
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

Deno.test("openAiChat() accepts arguments that are missing, empty or invalid", async () => {
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

Deno.test("openAiChat() returns two complete tool calls with the same id as separate calls", async () => {
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
    // Other servers, and gateways that keep the reason of another API.
    ["eos_token", "stop"],
    ["end_turn", "stop"],
    ["STOP", "stop"],
    ["COMPLETE", "stop"],
    ["model_length", "length"],
    ["MAX_TOKENS", "length"],
    ["tool_use", "tool-calls"],
    ["SAFETY", "content-filter"],
    ["sensitive", "content-filter"],
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

Deno.test("openAiChat() reads a response with an empty value for every absent member", async () => {
  const message = {
    content: "Hi",
    refusal: "",
    annotations: null,
    audio: { id: "", data: "", transcript: "", expires_at: 0 },
    function_call: { name: "", arguments: "" },
    reasoning: null,
    reasoning_content: "",
    reasoning_details: [],
    tool_calls: [{ ...CALL, custom: { name: "", input: "" } }],
  };
  const choice = { index: 0, message, finish_reason: "", logprobs: null };
  const body = completion({}, { id: "", model: "", service_tier: "", choices: [choice] });
  const response = await modelOf(() => Response.json(body)).generate(QUESTION);
  const [thought, text, ...calls] = response.message.content;
  assertEquals([thought?.type, text], ["reasoning", { type: "text", text: "Hi" }]);
  assertEquals(calls.map((part) => part.type === "tool-call" && part.toolName), ["f"]);
  assertEquals(response.finishReason, "tool-calls");
  const { rawFinishReason, modelId, responseId } = response;
  assertEquals([rawFinishReason, modelId, responseId], [undefined, undefined, undefined]);
});

Deno.test("openAiChat() ignores what a server adds to a response", async () => {
  const message = {
    content: "Hi",
    annotations: [{
      type: "url_citation",
      url_citation: { url: "https://sea.example", title: "" },
    }],
    executed_tools: [{ index: 0, type: "search", arguments: "{}", output: "x" }],
  };
  const choice = {
    message,
    finish_reason: "stop",
    native_finish_reason: "completed",
    stop_reason: 7,
    logprobs: { content: [{ token: "Hi", logprob: 0 }], refusal: null },
    content_filter_results: { hate: { filtered: false, severity: "safe" } },
  };
  const rest = {
    citations: ["https://sea.example"],
    prompt_filter_results: [{ prompt_index: 0 }],
    time_info: { total_time: 0.1 },
    error: null,
  };
  const whole = completion({}, { ...rest, choices: [choice] });
  const piece = { ...whole, choices: [{ ...choice, message: undefined, delta: message }] };
  const responses = [
    await modelOf(() => Response.json(whole)).generate(QUESTION),
    await streamed(modelOf(() => eventStream([{ ...rest, choices: [] }, piece, "[DONE]"]))),
  ];
  for (const response of responses) {
    assertEquals(response.message.content, [{ type: "text", text: "Hi" }]);
    assertEquals([response.finishReason, response.warnings], ["stop", undefined]);
  }
});

Deno.test("openAiChat() returns the text of a refusal with finish reason content-filter", async () => {
  const reply = () => Response.json(completion({ content: null, refusal: "I cannot" }));
  const response = await modelOf(reply).generate(QUESTION);
  assertEquals(response.message.content, [{ type: "text", text: "I cannot" }]);
  assertEquals(response.finishReason, "content-filter");
});

Deno.test("openAiChat() detects truncated tool calls although the finish reason is tool_calls", async () => {
  // vLLM reports `tool_calls` even if the tool calls are truncated:
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

Deno.test("openAiChat() reads reasoning from all known fields and sends it back in the same field", async () => {
  const names: readonly (readonly [object, string | undefined])[] = [
    [{ reasoning_content: "hm", content: "ok" }, "reasoning_content"],
    [{ reasoning: "hm", content: "ok" }, "reasoning"],
    [{ reasoning_content: "", reasoning: "hm", content: "ok" }, "reasoning"],
    [{ reasoning_content: "hm", reasoning: "hm", content: "ok" }, "reasoning_content"],
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

Deno.test("openAiChat() sends back empty reasoning after tool calls, which DeepSeek requires", async () => {
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

Deno.test("openAiChat() sends back unknown fields of a tool call, such as a thought signature", async () => {
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

Deno.test("openAiChat() reads every form of token usage", async () => {
  const usages = [
    [undefined, undefined],
    [null, undefined],
    ["many", undefined],
    [{ prompt_tokens: "7" }, undefined],
    [
      { prompt_tokens: 7 },
      { inputTokens: 7, outputTokens: 0, totalTokens: 7, estimated: true },
    ],
    [
      { prompt_tokens: 7, completion_tokens: 2, total_tokens: 0 },
      { inputTokens: 7, outputTokens: 2, totalTokens: 9 },
    ],
    [
      { prompt_tokens: 7, completion_tokens: 2, total_tokens: 12, prompt_cache_hit_tokens: 3 },
      { inputTokens: 7, outputTokens: 5, totalTokens: 12, cachedInputTokens: 3 },
    ],
    [
      {
        prompt_tokens: 7,
        completion_tokens: 2,
        cached_tokens: 4,
        prompt_tokens_details: { cache_write_tokens: 1 },
      },
      {
        inputTokens: 7,
        outputTokens: 2,
        totalTokens: 9,
        cachedInputTokens: 4,
        cacheWriteTokens: 1,
      },
    ],
    [{ prompt_tokens: -1, completion_tokens: NaN }, undefined],
    [
      { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9, num_cached_tokens: 3 },
      { inputTokens: 7, outputTokens: 2, totalTokens: 9, cachedInputTokens: 3 },
    ],
    [
      {
        prompt_tokens: 7,
        completion_tokens: 2,
        total_tokens: 9,
        prompt_tokens_details: null,
        completion_tokens_details: null,
        cost: 0.01,
        queue_time: 0.5,
      },
      { inputTokens: 7, outputTokens: 2, totalTokens: 9 },
    ],
    [
      { input_tokens: 7, output_tokens: 2, total_tokens: 9 },
      { inputTokens: 7, outputTokens: 2, totalTokens: 9 },
    ],
  ] as const;
  for (const [usage, expected] of usages) {
    const reply = () => Response.json(completion({ content: "ok" }, { usage }));
    assertEquals((await modelOf(reply).generate(QUESTION)).usage, expected);
  }
});
