import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { ModelMessage, ModelResponse } from "../shared/model.ts";
import { callsOf, failureOf, QUESTION, streamed } from "./testdata/ask.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";
import { modelOf, reply } from "./testdata/google.ts";

/** Returns the response to a body, which is the same with and without streaming. */
async function read(body: unknown, messages: readonly ModelMessage[] = []): Promise<ModelResponse> {
  const request = { ...QUESTION, messages: [...QUESTION.messages, ...messages] };
  const whole = await modelOf(() => Response.json(body)).generate(request);
  const text = JSON.stringify(body);
  assertEquals(await streamed(modelOf(() => eventStream([text])), request), whole);
  return whole;
}

/** Returns the content of the response with the given parts. */
async function contentOf(...parts: readonly unknown[]): Promise<unknown> {
  return (await read(reply(parts))).message.content;
}

function own(google: object): object {
  return { providerOptions: { google } };
}

Deno.test("googleGenerateContent() stores a signature in the part that contains it", async () => {
  const content = await contentOf(
    { text: "I think", thought: true },
    { text: "Let", thoughtSignature: "s1" },
    { text: " me" },
    { text: " see" },
    { text: ".", thoughtSignature: "s2" },
    { functionCall: { id: "c1", name: "a", args: { x: 1 } }, thoughtSignature: "s3" },
    { functionCall: { id: "c2", name: "b" } },
    { text: "", thoughtSignature: "s4" },
    { text: "" },
  );
  assertEquals(content, [
    { type: "reasoning", text: "I think", ...own({ thought: true }) },
    { type: "text", text: "Let", ...own({ thoughtSignature: "s1" }) },
    { type: "text", text: " me see" },
    { type: "text", text: ".", ...own({ thoughtSignature: "s2" }) },
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "a",
      input: { x: 1 },
      ...own({ thoughtSignature: "s3" }),
    },
    { type: "tool-call", toolCallId: "c2", toolName: "b", input: {} },
    { type: "text", text: "", ...own({ thoughtSignature: "s4" }) },
  ]);
});

Deno.test("googleGenerateContent() adds a signature without data to the previous part", async () => {
  const content = await contentOf(
    { thoughtSignature: "s0" },
    { text: "Hm", thought: true },
    { thoughtSignature: "s1" },
    { functionCall: { id: "c1", name: "a" } },
    { thoughtSignature: "s2" },
    { thoughtSignature: "s3" },
  );
  assertEquals(content, [
    { type: "text", text: "", ...own({ thoughtSignature: "s0" }) },
    { type: "reasoning", text: "Hm", ...own({ thought: true, thoughtSignature: "s1" }) },
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "a",
      input: {},
      ...own({ thoughtSignature: "s2" }),
    },
    { type: "text", text: "", ...own({ thoughtSignature: "s3" }) },
  ]);
});

Deno.test("googleGenerateContent() stores parts of other types unchanged", async () => {
  const parts = [
    { executableCode: { id: "e", language: "PYTHON", code: "1" }, thoughtSignature: "s" },
    { codeExecutionResult: { id: "e", outcome: "OUTCOME_OK", output: "1" } },
    { toolCall: { id: "t", toolType: "FILE_SEARCH" }, thoughtSignature: "s" },
    { toolResponse: { id: "t", toolType: "FILE_SEARCH" } },
    { somethingNew: { a: [null] } },
  ];
  assertEquals(
    await contentOf(...parts, { text: "1" }),
    [
      ...parts.map((part) => ({ type: "reasoning", text: "", ...own({ part }) })),
      { type: "text", text: "1" },
    ],
  );
});

Deno.test("googleGenerateContent() returns generated files", async () => {
  const inlineData = { mimeType: "image/png", data: "AQI=" };
  const content = await contentOf({ inlineData, thoughtSignature: "s" }, {
    inlineData: { data: "AQI=" },
  });
  assertEquals(content, [
    {
      type: "file",
      mediaType: "image/png",
      data: { type: "data", data: "AQI=" },
      ...own({ thoughtSignature: "s" }),
    },
    {
      type: "file",
      mediaType: "application/octet-stream",
      data: { type: "data", data: "AQI=" },
    },
  ]);
});

Deno.test("googleGenerateContent() stores the sources of the text in the message", async () => {
  const sources = {
    groundingMetadata: { groundingChunks: [{ web: { uri: "https://example.com" } }] },
    urlContextMetadata: { urlMetadata: [{ retrievedUrl: "https://example.com" }] },
    citationMetadata: { citationSources: [] },
  };
  const { message } = await read(reply([{ text: "a" }], { finishReason: "STOP", ...sources }));
  assertEquals(message.providerOptions, { google: sources });
  const none = await read(reply([{ text: "a" }], { finishReason: "STOP", groundingMetadata: {} }));
  assertEquals(none.message.providerOptions, undefined);
});

Deno.test("googleGenerateContent() creates ids for calls that are unique in the conversation", async () => {
  const part = { functionCall: { name: "a", args: {} } };
  const idsOf = (response: ModelResponse) => callsOf(response).map(({ toolCallId }) => toolCallId);
  const first = await read(reply([part, part]));
  assertEquals(idsOf(first), ["call_r1_0", "call_r1_1"]);
  assertEquals(idsOf(await read(reply([part]), [first.message])), ["call_r1_2"]);
  const anonymous = reply([part, { functionCall: { id: "call_1", name: "a" } }, part], undefined, {
    responseId: undefined,
  });
  const second = await read(anonymous);
  assertEquals(idsOf(second), ["call_0", "call_1", "call_2"]);
  assertEquals(idsOf(await read(reply([part], undefined, { responseId: "" }), [second.message])), [
    "call_3",
  ]);
});

Deno.test("googleGenerateContent() reads tool input that is text", async () => {
  const args = ['{"a":1}', '{"a', ""];
  const parts = args.map((args, index) => ({ functionCall: { id: `${index}`, name: "f", args } }));
  const calls = callsOf(await read(reply(parts)));
  assertEquals(calls.map(({ input, rawInput }) => [input, rawInput]), [
    [{ a: 1 }, undefined],
    [{}, '{"a'],
    [{}, undefined],
  ]);
});

/** Finish reasons, and the expected finish reasons of a text and of a tool call. */
const REASONS = [
  ["STOP", "stop", "tool-calls"],
  ["MAX_TOKENS", "length", "length"],
  ["SAFETY", "content-filter", "content-filter"],
  ["RECITATION", "content-filter", "content-filter"],
  ["BLOCKLIST", "content-filter", "content-filter"],
  ["PROHIBITED_CONTENT", "content-filter", "content-filter"],
  ["SPII", "content-filter", "content-filter"],
  ["MODEL_ARMOR", "content-filter", "content-filter"],
  ["IMAGE_SAFETY", "content-filter", "content-filter"],
  ["OTHER", "other", "tool-calls"],
  ["SOMETHING_NEW", "other", "tool-calls"],
] as const;

Deno.test("googleGenerateContent() maps finish reasons", async () => {
  const call = { functionCall: { name: "a", args: {} } };
  for (const [finishReason, ofText, ofCall] of REASONS) {
    const text = await read(reply([{ text: "a" }], { finishReason }));
    assertEquals([text.finishReason, text.rawFinishReason], [ofText, finishReason]);
    assertEquals((await read(reply([call], { finishReason }))).finishReason, ofCall, finishReason);
  }
  for (const finishReason of ["UNEXPECTED_TOOL_CALL", "MALFORMED_FUNCTION_CALL"]) {
    const { finishReason: actual } = await read(reply([call], { finishReason }));
    assertEquals(actual, "tool-calls");
  }
});

Deno.test("googleGenerateContent() returns an empty response only with a known finish reason", async () => {
  for (const [finishReason, expected] of REASONS.filter(([, ofText]) => ofText !== "other")) {
    const response = await read(reply([], { finishReason }));
    assertEquals([response.message.content, response.finishReason], [[], expected]);
  }
  const thought = await read(reply([{ text: "Hm", thought: true }]));
  assertEquals(thought.finishReason, "stop");
});

/** Bodies that are not usable, and the words of the error. */
const UNUSABLE: readonly (readonly [string, unknown, string])[] = [
  [
    "an invalid tool call",
    reply([], { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: "Malformed: print(" }),
    'the model wrote an invalid tool call (finish reason MALFORMED_FUNCTION_CALL): "Malformed: print("',
  ],
  [
    "an invalid tool call after a text",
    reply([{ text: "I look." }], { finishReason: "UNEXPECTED_TOOL_CALL" }),
    "(finish reason UNEXPECTED_TOOL_CALL)",
  ],
  ["nothing", reply([], { finishReason: "OTHER" }), "is empty (finish reason OTHER)"],
  ["white space", reply([{ text: " \n" }], { finishReason: "NEW" }), "(finish reason NEW)"],
  [
    "a candidate without content",
    { candidates: [{ finishReason: "MALFORMED_RESPONSE" }] },
    "is empty (finish reason MALFORMED_RESPONSE)",
  ],
  [
    "only reasoning",
    reply([{ text: "Hm", thought: true }], { finishReason: "OTHER" }),
    "is empty (finish reason OTHER)",
  ],
];

for (const [name, body, words] of UNUSABLE) {
  Deno.test(`googleGenerateContent() rejects with a retryable error if the response contains ${name}`, async () => {
    for (
      const work of [
        modelOf(() => Response.json(body)).generate(QUESTION),
        streamed(modelOf(() => eventStream([JSON.stringify(body)]))),
      ]
    ) {
      const error = await failureOf(work);
      assertStringIncludes(error.message, words);
      assertEquals(error.retryable, true);
    }
  });
}

Deno.test("googleGenerateContent() quotes a response without candidates", async () => {
  const bodies = [{ candidates: [] }, {}, { candidates: [null] }];
  for (const body of bodies) {
    const error = await failureOf(modelOf(() => Response.json(body)).generate(QUESTION));
    assertStringIncludes(error.message, `no candidates in the response "${JSON.stringify(body)}"`);
    assertEquals(error.retryable, true);
  }
  const missing = await failureOf(
    modelOf(() => Response.json(reply([], { finishReason: null }))).generate(QUESTION),
  );
  assertStringIncludes(missing.message, "is empty (finish reason none)");
});

Deno.test("googleGenerateContent() reports a blocked prompt and its explanation", async () => {
  const promptFeedback = { blockReason: "PROHIBITED_CONTENT", blockReasonMessage: "Not this" };
  const body = { promptFeedback, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } };
  assertEquals(await read(body), {
    message: { role: "assistant", content: [] },
    finishReason: "content-filter",
    rawFinishReason: "PROHIBITED_CONTENT",
    usage: { inputTokens: 4, outputTokens: 0, totalTokens: 4 },
    warnings: ["PROHIBITED_CONTENT: Not this"],
  });
  const rated = reply([{ text: "a" }], undefined, { promptFeedback: { safetyRatings: [] } });
  assertEquals((await read(rated)).finishReason, "stop");
});

Deno.test("googleGenerateContent() reports the explanation of a finish reason as a warning", async () => {
  const explained = { finishReason: "SAFETY", finishMessage: `Too ${"long ".repeat(200)}` };
  const [warning = ""] = (await read(reply([{ text: "a" }], explained))).warnings ?? [];
  assert(warning.startsWith("SAFETY: Too long") && warning.length < 600);
  const usual = { finishReason: "STOP", finishMessage: "Model generated function call(s)." };
  assertEquals((await read(reply([{ text: "a" }], usual))).warnings, undefined);
});

Deno.test("googleGenerateContent() reads the first candidate", async () => {
  const candidate = (text: string, index?: number) => ({
    content: { parts: [{ text }] },
    finishReason: "STOP",
    index,
  });
  for (
    const candidates of [
      [candidate("b", 1), null, candidate("a", 0)],
      [candidate("a"), candidate("b", 1)],
    ]
  ) {
    const { message } = await read({ candidates });
    assertEquals(message.content, [{ type: "text", text: "a" }]);
  }
});

Deno.test("googleGenerateContent() ignores parts without data", async () => {
  const nothing = [null, {}, { thought: true }, { text: null }, { text: "" }, { inlineData: {} }, {
    text: "",
    thoughtSignature: "",
  }];
  assertEquals(await contentOf(...nothing, { text: "a" }, ...nothing), [
    { type: "text", text: "a" },
  ]);
});

Deno.test("googleGenerateContent() reads every form of token usage", async () => {
  const forms: readonly (readonly [unknown, ModelResponse["usage"]])[] = [
    [undefined, undefined],
    [{ trafficType: "ON_DEMAND" }, undefined],
    [
      { promptTokenCount: 9, totalTokenCount: 9 },
      { inputTokens: 9, outputTokens: 0, totalTokens: 9 },
    ],
    [
      { promptTokenCount: 9, thoughtsTokenCount: 3, totalTokenCount: 12 },
      { inputTokens: 9, outputTokens: 3, totalTokens: 12, reasoningTokens: 3 },
    ],
    [
      { promptTokenCount: 9, totalTokenCount: 20 },
      { inputTokens: 9, outputTokens: 11, totalTokens: 20 },
    ],
    [
      { promptTokenCount: 9 },
      { inputTokens: 9, outputTokens: 0, totalTokens: 9, estimated: true },
    ],
    [
      { candidatesTokenCount: 5, totalTokenCount: 14 },
      { inputTokens: 0, outputTokens: 14, totalTokens: 14, estimated: true },
    ],
    [{ promptTokenCount: -1, totalTokenCount: "9" }, undefined],
  ];
  for (const [usageMetadata, expected] of forms) {
    const { usage } = await read(reply([{ text: "a" }], undefined, { usageMetadata }));
    assertEquals(usage, expected);
  }
});
