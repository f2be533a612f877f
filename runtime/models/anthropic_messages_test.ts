import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { ModelResponse } from "../shared/model.ts";
import { anthropicMessages, type AnthropicMessagesOptions } from "./anthropic_messages.ts";
import { callsOf, collect, failureOf, KEY, QUESTION, streamed, WEATHER } from "./testdata/ask.ts";
import {
  chunksOf,
  eventStream,
  FakeEndpoint,
  htmlPage,
  openStream,
  streamOf,
} from "./testdata/fake_endpoint.ts";
import { block, MESSAGE_START, messageEnd, modelAt, modelOf, reply } from "./testdata/messages.ts";
import { toWireName } from "./tool_names.ts";

const HELLO = [
  MESSAGE_START,
  ...block(0, { type: "text", text: "" }, [
    { type: "text_delta", text: "Hel" },
    { type: "text_delta", text: "lo" },
  ]),
];

/** A streamed response that contains every type of block. */
const EVERYTHING = [
  MESSAGE_START,
  { type: "ping" },
  ...block(0, { type: "thinking", thinking: "", signature: "" }, [
    { type: "thinking_delta", thinking: "Let me " },
    { type: "thinking_delta", thinking: "see" },
    { type: "signature_delta", signature: "EqQ=" },
  ]),
  ...block(1, { type: "redacted_thinking", data: "abc" }),
  ...block(2, { type: "text", text: "" }, [
    { type: "text_delta", text: "I look." },
    { type: "citations_delta", citation: {} },
  ]),
  ...block(3, { type: "server_tool_use", id: "srv", name: "web_search", input: {} }, [
    { type: "input_json_delta", partial_json: '{"query":"x"}' },
  ]),
  ...block(4, { type: "tool_use", id: "t1", name: "weather", input: {} }, [
    { type: "input_json_delta", partial_json: "" },
    { type: "input_json_delta", partial_json: '{"city":' },
    { type: "input_json_delta", partial_json: '"Paris"}' },
  ]),
  { type: "something_new" },
  ...messageEnd("tool_use"),
];

const EVERYTHING_READ: ModelResponse = {
  message: {
    role: "assistant",
    content: [
      {
        type: "reasoning",
        text: "Let me see",
        providerOptions: { anthropic: { signature: "EqQ=" } },
      },
      {
        type: "reasoning",
        text: "",
        providerOptions: { anthropic: { block: { type: "redacted_thinking", data: "abc" } } },
      },
      { type: "text", text: "I look." },
      {
        type: "reasoning",
        text: "",
        providerOptions: {
          anthropic: {
            block: {
              type: "server_tool_use",
              id: "srv",
              name: "web_search",
              input: { query: "x" },
            },
          },
        },
      },
      { type: "tool-call", toolCallId: "t1", toolName: "weather", input: { city: "Paris" } },
    ],
  },
  finishReason: "tool-calls",
  rawFinishReason: "tool_use",
  usage: { inputTokens: 11, outputTokens: 5, totalTokens: 16 },
  modelId: "claude-2026",
  responseId: "msg_1",
};

Deno.test("anthropicMessages() sends a request and converts a complete response", async () => {
  await using endpoint = new FakeEndpoint(() =>
    Response.json(reply([{ type: "text", text: "Sunny." }], {
      usage: {
        input_tokens: 11,
        cache_read_input_tokens: 4,
        cache_creation_input_tokens: 2,
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 3 },
      },
    }))
  );
  const response = await modelAt(endpoint).generate(QUESTION);
  assertEquals(response, {
    message: { role: "assistant", content: [{ type: "text", text: "Sunny." }] },
    finishReason: "stop",
    rawFinishReason: "end_turn",
    usage: {
      inputTokens: 17,
      outputTokens: 5,
      totalTokens: 22,
      cachedInputTokens: 4,
      cacheWriteTokens: 2,
      reasoningTokens: 3,
    },
    modelId: "claude-2026",
    responseId: "msg_1",
  });
  const { path, headers } = endpoint.last;
  assertEquals(path, "/v1/messages");
  assertEquals(headers.get("x-api-key"), KEY);
  assertEquals(headers.get("anthropic-version"), "2023-06-01");
});

Deno.test("anthropicMessages() streams every type of block and finishes with the complete response", async () => {
  await using endpoint = new FakeEndpoint(() => eventStream(EVERYTHING));
  assertEquals(await collect(modelAt(endpoint)), [
    { type: "reasoning-delta", delta: "Let me " },
    { type: "reasoning-delta", delta: "see" },
    { type: "text-delta", delta: "I look." },
    { type: "tool-input-delta", toolCallId: "t1", toolName: "weather", delta: '{"city":' },
    { type: "tool-input-delta", toolCallId: "t1", toolName: "weather", delta: '"Paris"}' },
    { type: "finish", response: EVERYTHING_READ },
  ]);
  assertEquals(endpoint.last.body.stream, true);
});

Deno.test("anthropicMessages() sends back every block unchanged", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(reply([])));
  const messages = [...QUESTION.messages, EVERYTHING_READ.message];
  await modelAt(endpoint).generate({ ...QUESTION, messages });
  const question = [{ type: "text", text: "Weather in Paris?" }];
  assertEquals(endpoint.last.body.messages, [{ role: "user", content: question }, {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Let me see", signature: "EqQ=" },
      { type: "redacted_thinking", data: "abc" },
      { type: "text", text: "I look." },
      { type: "server_tool_use", id: "srv", name: "web_search", input: { query: "x" } },
      { type: "tool_use", id: "t1", name: "weather", input: { city: "Paris" } },
    ],
  }]);
});

Deno.test("anthropicMessages() returns the same response for any chunks of the stream", async () => {
  const bytes = new Uint8Array(await eventStream(EVERYTHING, { event: "any" }).arrayBuffer());
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (size) => {
      const response = await streamed(modelOf(() => streamOf(chunksOf(bytes, size))));
      assertEquals(response, EVERYTHING_READ);
    }),
    propertyRuns(30),
  );
});

Deno.test("anthropicMessages() maps stop reasons", async () => {
  const reasons = [
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["tool_use", "tool-calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content-filter"],
    ["something_new", "other"],
    [null, "other"],
  ] as const;
  for (const [stop_reason, expected] of reasons) {
    const content = [{ type: "text", text: "Hi" }];
    const model = modelOf(() => Response.json(reply(content, { stop_reason })));
    assertEquals((await model.generate(QUESTION)).finishReason, expected);
    const empty = modelOf(() => Response.json(reply([], { stop_reason })));
    if (expected !== "other" && expected !== "tool-calls") {
      assertEquals((await empty.generate(QUESTION)).finishReason, expected);
      continue;
    }
    const error = await failureOf(empty.generate(QUESTION));
    const reason = stop_reason === null ? "no reason" : `reason "${stop_reason}"`;
    assertStringIncludes(error.message, `the response is empty, and ended for ${reason}`);
    assertEquals(error.retryable, true);
  }
});

Deno.test("anthropicMessages() reports the reason of a refusal as a warning", async () => {
  const stop_details = { type: "refusal", category: "cyber", explanation: "Not this" };
  const rest = { stop_reason: "refusal", stop_details };
  const whole = await modelOf(() => Response.json(reply([], rest))).generate(QUESTION);
  assertEquals(whole.warnings, ["refusal: Not this"]);
  const events = [...HELLO, { type: "message_delta", delta: rest, usage: {} }];
  const cut = await streamed(modelOf(() => eventStream(events)));
  assertEquals([cut.warnings, cut.finishReason], [["refusal: Not this"], "content-filter"]);
});

/**
 * A pair of complete responses and a pair of streamed responses. The first response of each pair
 * ends with a paused turn.
 */
const PAUSED: readonly (readonly [string, () => Response, () => Response])[] = [
  [
    "whole",
    () => Response.json(reply([{ type: "text", text: "Hello" }], { stop_reason: "pause_turn" })),
    () => Response.json(reply([{ type: "text", text: " again" }])),
  ],
  [
    "streamed",
    () => eventStream([...HELLO, ...messageEnd("pause_turn")]),
    () =>
      eventStream([
        MESSAGE_START,
        ...block(0, { type: "text", text: " again" }),
        ...messageEnd("end_turn"),
      ]),
  ],
];

for (const [name, first, second] of PAUSED) {
  Deno.test(`anthropicMessages() continues a paused turn: ${name}`, async () => {
    const bodies: { messages: unknown[] }[] = [];
    const model = modelOf(first, {
      fetch: (_, { body }) => {
        bodies.push(JSON.parse(String(body)));
        return Promise.resolve(bodies.length < 3 ? first() : second());
      },
    });
    const response = name === "whole" ? await model.generate(QUESTION) : await streamed(model);
    const text = response.message.content.map((part) => part.type === "text" ? part.text : "");
    assertEquals(text, ["Hello", "Hello", " again"]);
    assertEquals(response.finishReason, "stop");
    assertEquals(response.usage, { inputTokens: 33, outputTokens: 15, totalTokens: 48 });
    assertEquals(bodies[2]?.messages.slice(1), [{
      role: "assistant",
      content: [{ type: "text", text: "Hello" }, { type: "text", text: "Hello" }],
    }]);
  });

  Deno.test(`anthropicMessages() limits the continuations of a paused turn: ${name}`, async () => {
    let calls = 0;
    const model = modelOf(first, {
      maxPauses: 2,
      fetch: () => {
        calls++;
        return Promise.resolve(first());
      },
    });
    const response = name === "whole" ? await model.generate(QUESTION) : await streamed(model);
    assertEquals([calls, response.finishReason], [3, "interrupted"]);
  });
}

Deno.test("anthropicMessages() accepts every form of tool input", async () => {
  const inputs: readonly (readonly [object, readonly string[], unknown, string | undefined])[] = [
    [{ input: {} }, [], {}, undefined],
    [{}, [], {}, undefined],
    [{ input: { a: 1 } }, [], { a: 1 }, undefined],
    [{ input: {} }, ['{"a":', "1}"], { a: 1 }, undefined],
    [{ input: {} }, ['{"a":'], {}, '{"a":'],
  ];
  for (const [start, pieces, input, rawInput] of inputs) {
    const deltas = pieces.map((partial_json) => ({ type: "input_json_delta", partial_json }));
    const events = block(0, { type: "tool_use", id: "t", name: "f", ...start }, deltas);
    const response = await streamed(
      modelOf(() => eventStream([MESSAGE_START, ...events, ...messageEnd("tool_use")])),
    );
    assertEquals(callsOf(response).map((call) => [call.input, call.rawInput]), [[input, rawInput]]);
  }
});

Deno.test("anthropicMessages() decodes tool names", async () => {
  const name = "files.read";
  const content = [{ type: "tool_use", id: "t", name: toWireName(name), input: {} }];
  const model = modelOf(() => Response.json(reply(content)));
  const response = await model.generate({ ...QUESTION, tools: [{ ...WEATHER, name }] });
  assertEquals(callsOf(response).map(({ toolName }) => toolName), [name]);
});

Deno.test("anthropicMessages() omits the usage if the server reports none", async () => {
  for (const usage of [undefined, null, {}, { input_tokens: "7" }]) {
    const model = modelOf(() => Response.json(reply([], { usage })));
    assertEquals((await model.generate(QUESTION)).usage, undefined);
  }
});

Deno.test("anthropicMessages() accepts a complete response to a streaming request", async () => {
  const model = modelOf(() => Response.json(reply([{ type: "text", text: "Hi" }])));
  assertEquals((await streamed(model)).message.content, [{ type: "text", text: "Hi" }]);
});

Deno.test("anthropicMessages() returns the response if the connection stays open after the response", async () => {
  const events = [...HELLO, ...messageEnd("end_turn").slice(0, 1)].map((event) =>
    JSON.stringify(event)
  );
  const response = await streamed(modelOf(() => openStream(events), { timeoutMs: 20 }));
  assertEquals(response.message.content, [{ type: "text", text: "Hello" }]);
});

Deno.test("anthropicMessages() accepts every valid end of a stream", async () => {
  const [reason, stop] = messageEnd("end_turn");
  assert(reason !== undefined && stop !== undefined);
  const endings = [
    [[reason], "stop"],
    [[reason, "", stop, "[DONE]"], "stop"],
    [[stop], "other"],
  ] as const;
  for (const [events, finishReason] of endings) {
    const response = await streamed(modelOf(() => eventStream([...HELLO, ...events])));
    assertEquals(response.message.content, [{ type: "text", text: "Hello" }]);
    assertEquals(response.finishReason, finishReason);
  }
});

/** Malformed bodies with status 200, and the text that the error message must contain. */
const MALFORMED: readonly (readonly [string, () => Response, string])[] = [
  ["an empty body", () => new Response(""), "empty"],
  ["a web page", () => htmlPage("<title>Login</title>"), "not valid JSON"],
  ["an array", () => Response.json([1]), "an array"],
  ["no content", () => Response.json({ type: "message" }), '"content" must be an array'],
  [
    "content that is a string",
    () => Response.json(reply([], { content: "Hi" })),
    '"content" must be',
  ],
  [
    "a block that is a string",
    () => Response.json(reply([], { content: ["Hi"] })),
    "a content block must be",
  ],
  [
    "a tool call without a name",
    () => Response.json(reply([{ type: "tool_use", id: "t" }])),
    "name",
  ],
  [
    "an error",
    () => Response.json({ type: "error", error: { type: "api_error", message: "Oops" } }),
    "Oops",
  ],
];

for (const [name, answer, words] of MALFORMED) {
  Deno.test(`anthropicMessages() rejects a malformed response: ${name}`, async () => {
    const error = await failureOf(modelOf(answer).generate(QUESTION));
    assert(error.message.includes(words), error.message);
    await failureOf(collect(modelOf(answer)));
  });
}

/**
 * Malformed streams, the text that the error message must contain, and whether the error is
 * retryable.
 */
const MALFORMED_STREAMS: readonly (readonly [string, () => Response, string, boolean])[] = [
  ["an empty stream", () => eventStream([]), "ended before", true],
  ["a stream without an end", () => eventStream(HELLO), "ended before", true],
  [
    "a stream that contains only its end",
    () => eventStream(messageEnd("end_turn")),
    "message_start",
    false,
  ],
  ["an event that is not JSON", () => eventStream(["{oops"]), '"{oops"', false],
  [
    "a delta without a block",
    () => eventStream([{ type: "content_block_delta", index: 7, delta: {} }]),
    "content block 7",
    false,
  ],
  [
    "a message that is a string",
    () => eventStream([{ type: "message_start", message: "Hi" }]),
    "a string",
    false,
  ],
  [
    "an overloaded server",
    () =>
      eventStream([...HELLO, {
        type: "error",
        error: { type: "overloaded_error", message: "Overloaded" },
      }]),
    "Overloaded",
    true,
  ],
  [
    "a bad request",
    () => eventStream([{ type: "error", error: { type: "invalid_request_error", message: "No" } }]),
    "No",
    false,
  ],
];

for (const [name, answer, words, retryable] of MALFORMED_STREAMS) {
  Deno.test(`anthropicMessages() rejects a malformed stream: ${name}`, async () => {
    const error = await failureOf(collect(modelOf(answer)));
    assert(error.message.includes(words), error.message);
    assertEquals(error.retryable, retryable);
  });
}

Deno.test("anthropicMessages() rejects with the server's error message", async () => {
  const body = {
    type: "error",
    error: { type: "authentication_error", message: `invalid x-api-key ${KEY}` },
  };
  const error = await failureOf(
    modelOf(() => Response.json(body, { status: 401 })).generate(QUESTION),
  );
  const { reason } = error.is("model_error") ? error.details : { reason: "" };
  assertStringIncludes(reason, 'HTTP 401: invalid x-api-key [redacted]; check "apiKey" for model');
  const busy = await failureOf(modelOf(() => new Response("", { status: 529 })).generate(QUESTION));
  assertEquals(busy.retryable, true);
});

Deno.test("anthropicMessages() rejects with the signal's reason when aborted", async () => {
  const reason = new Error("changed my mind");
  const controller = new AbortController();
  const model = modelOf(() => openStream(HELLO.map((event) => JSON.stringify(event))));
  const events = model.stream?.({ ...QUESTION, signal: controller.signal }) ?? [];
  const error = await assertRejects(async () => {
    for await (const _ of events) controller.abort(reason);
  });
  assertEquals(error, reason);
});

Deno.test("anthropicMessages() throws for invalid options", () => {
  const wrong:
    readonly (readonly [AnthropicMessagesOptions, typeof TypeError | typeof RangeError])[] = [
      [{ model: "" }, TypeError],
      [{ model: "m", baseUrl: "nowhere" }, TypeError],
      [{ model: "m", apiKey: "a\nb" }, TypeError],
      [{ model: "m", maxOutputTokens: 0 }, RangeError],
      [{ model: "m", maxPauses: -1 }, RangeError],
      [{ model: "m", timeoutMs: -1 }, RangeError],
    ];
  for (const [options, kind] of wrong) assertThrows(() => anthropicMessages(options), kind);
});

Deno.test("anthropicMessages() adds the tokens of compactions, and ignores counts that are zero", async () => {
  const own = { input_tokens: 100, output_tokens: 7, cache_read_input_tokens: 30 };
  const compaction = { type: "compaction", input_tokens: 50, output_tokens: 3 };
  const rows = [
    [
      { ...own, iterations: [compaction, { type: "message", ...own }] },
      { inputTokens: 180, outputTokens: 10, totalTokens: 190, cachedInputTokens: 30 },
    ],
    [
      { input_tokens: 0, output_tokens: 7, cache_read_input_tokens: 0 },
      { inputTokens: 130, outputTokens: 7, totalTokens: 137, cachedInputTokens: 30 },
    ],
    [
      { input_tokens: 0, output_tokens: 0 },
      { inputTokens: 130, outputTokens: 1, totalTokens: 131, cachedInputTokens: 30 },
    ],
  ] as const;
  const usage = { input_tokens: 100, output_tokens: 1, cache_read_input_tokens: 30 };
  for (const [last, expected] of rows) {
    const response = await streamed(modelOf(() =>
      eventStream([
        { type: "message_start", message: reply([], { stop_reason: null, usage }) },
        ...block(0, { type: "text", text: "Hi" }),
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: last },
        { type: "message_stop" },
      ])
    ));
    assertEquals(response.usage, expected);
  }
});
