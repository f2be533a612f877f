import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { collect, failureOf, QUESTION, streamed } from "./testdata/ask.ts";
import { chunk, completion, modelAt, modelOf } from "./testdata/chat.ts";
import {
  eventStream,
  FakeEndpoint,
  htmlPage,
  openStream,
  streamOf,
} from "./testdata/fake_endpoint.ts";

Deno.test("openAiChat() streams text, reasoning and tool calls, and finishes with the complete response", async () => {
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

Deno.test("openAiChat() does not request usage if includeUsage is false", async () => {
  await using endpoint = new FakeEndpoint(() => eventStream([chunk({ content: "a" }, "stop")]));
  const response = await streamed(modelAt(endpoint, { includeUsage: false }));
  assertEquals("stream_options" in endpoint.last.body, false);
  assertEquals([response.usage, response.finishReason], [undefined, "stop"]);
});

Deno.test("openAiChat() accepts a complete response to a streaming request", async () => {
  const response = await streamed(modelOf(() => Response.json(completion({ content: "Hi" }))));
  assertEquals(response.message.content, [{ type: "text", text: "Hi" }]);
});

Deno.test("openAiChat() accepts every valid end of a stream", async () => {
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

Deno.test("openAiChat() returns the response if the connection stays open or fails after the response", async () => {
  const words = [JSON.stringify(chunk({ content: "Hi" }, "stop"))];
  const open = await streamed(modelOf(() => openStream(words), { timeoutMs: 20 }));
  assertEquals(open.message.content, [{ type: "text", text: "Hi" }]);
});

Deno.test("openAiChat() returns the same response for any chunks of the stream", async () => {
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

Deno.test("openAiChat() returns the same response with and without streaming", async () => {
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

/** Malformed bodies with status 200, and the text that the error message must contain. */
const MALFORMED: readonly (readonly [string, () => Response, string])[] = [
  ["an empty body", () => new Response(""), "empty"],
  ["a web page", () => htmlPage("<!DOCTYPE html><title>Login</title>"), "not valid JSON"],
  ["JSON of another type", () => Response.json([1]), "an array"],
  ["null", () => Response.json(null), "got null"],
  ["a number", () => Response.json(5), "a number"],
  ["an object without choices", () => Response.json({ hello: 1 }), '"choices[0]" is missing'],
  ["no choices", () => Response.json(completion({}, { choices: [] })), '"choices[0]" is missing'],
  [
    "choices that are not an array",
    () => Response.json(completion({}, { choices: {} })),
    "choices",
  ],
  ["a choice without a message", () => Response.json({ choices: [{}] }), '"message" is missing'],
  ["a message that is a string", () => Response.json({ choices: [{ message: "hi" }] }), "a string"],
  ["content that is a number", () => Response.json(completion({ content: 5 })), "content"],
  [
    "tool calls that are an object",
    () => Response.json(completion({ tool_calls: {} })),
    "tool_calls",
  ],
  [
    "a tool call that is a string",
    () => Response.json(completion({ tool_calls: ["f"] })),
    "a tool call",
  ],
  [
    "a tool call without a name",
    () => Response.json(completion({ tool_calls: [{ id: "x" }] })),
    "name",
  ],
  [
    "a tool call whose name is a number",
    () => Response.json(completion({ tool_calls: [{ function: { name: 5 } }] })),
    "name",
  ],
];

for (const [name, reply, words] of MALFORMED) {
  Deno.test(`openAiChat() rejects a malformed response: ${name}`, async () => {
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

/**
 * Malformed streams, the text that the error message must contain, and whether the error is
 * retryable.
 */
const MALFORMED_STREAMS: readonly (readonly [string, () => Response, string, boolean])[] = [
  ["an empty stream", () => eventStream([]), "ended before", true],
  ["a stream without an end", () => eventStream([chunk({ content: "Hi" })]), "ended before", true],
  [
    "an incomplete event",
    () => streamOf([new TextEncoder().encode("data: {")]),
    "ended before",
    true,
  ],
  ["an event that is not JSON", () => eventStream(["{oops"]), '"{oops"', false],
  ["an event that is an array", () => eventStream(["[1]"]), "an array", false],
  ["choices that are a string", () => eventStream([{ choices: "none" }]), "choices", false],
  ["a stream that contains only its end", () => eventStream(["[DONE]"]), "no choices", false],
  ["a web page", () => htmlPage("<html></html>"), '"text/html"', false],
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
  ["an error without a message", () => eventStream([{ error: { code: 503 } }]), "503", true],
  ["an error that is a string", () => eventStream([{ error: "Broken" }]), "Broken", false],
  [
    "an invalid call (Groq)",
    () =>
      eventStream([chunk({ role: "assistant" }), {
        error: {
          message: "Parsing failed",
          type: "invalid_request_error",
          code: "tool_use_failed",
          failed_generation: "",
          status_code: 400,
        },
      }]),
    "Parsing failed",
    false,
  ],
];

for (const [name, reply, words, retryable] of MALFORMED_STREAMS) {
  Deno.test(`openAiChat() rejects a malformed stream: ${name}`, async () => {
    const error = await failureOf(collect(modelOf(reply)));
    assert(error.message.includes(words), error.message);
    assertEquals(error.retryable, retryable);
  });
}
