import { assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { ModelResponse } from "../shared/model.ts";
import { collect, failureOf, QUESTION, streamed } from "./testdata/ask.ts";
import { chunksOf, eventStream, openStream, streamOf } from "./testdata/fake_endpoint.ts";
import { chunk, modelOf, reply } from "./testdata/google.ts";

const CALL = { name: "weather", args: { city: "Paris" } };

/** A streamed response that contains every form of part. */
const EVERYTHING = [
  chunk([{ text: "Let me ", thought: true }], {
    usageMetadata: { promptTokenCount: 11, thoughtsTokenCount: 2, totalTokenCount: 13 },
  }),
  chunk([{ text: "see", thought: true }]),
  chunk([{ executableCode: { code: "1" }, thoughtSignature: "s1" }, { text: "" }]),
  chunk([{ codeExecutionResult: { output: "1" } }], {
    usageMetadata: { promptTokenCount: 11, totalTokenCount: 11 },
  }),
  chunk([{ text: "I " }]),
  chunk([{ text: "look" }, { text: "." }]),
  chunk([{ functionCall: CALL, thoughtSignature: "s2" }, { functionCall: CALL }]),
  reply([{ text: "", thoughtSignature: "s3" }], { finishReason: "STOP" }, {
    usageMetadata: {
      promptTokenCount: 11,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 4,
      totalTokenCount: 20,
    },
  }),
];

const CALL_READ = { type: "tool-call", toolName: "weather", input: { city: "Paris" } } as const;

const EVERYTHING_READ: ModelResponse = {
  message: {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me see", providerOptions: { google: { thought: true } } },
      {
        type: "reasoning",
        text: "",
        providerOptions: {
          google: { part: { executableCode: { code: "1" }, thoughtSignature: "s1" } },
        },
      },
      {
        type: "reasoning",
        text: "",
        providerOptions: { google: { part: { codeExecutionResult: { output: "1" } } } },
      },
      { type: "text", text: "I look." },
      {
        ...CALL_READ,
        toolCallId: "call_r1_0",
        providerOptions: { google: { thoughtSignature: "s2" } },
      },
      { ...CALL_READ, toolCallId: "call_r1_1" },
      { type: "text", text: "", providerOptions: { google: { thoughtSignature: "s3" } } },
    ],
  },
  finishReason: "tool-calls",
  rawFinishReason: "STOP",
  usage: { inputTokens: 11, outputTokens: 9, totalTokens: 20, reasoningTokens: 4 },
  modelId: "gemini-2026",
  responseId: "r1",
};

Deno.test("googleGenerateContent() streams every form of part and finishes with the complete response", async () => {
  const input = {
    type: "tool-input-delta",
    toolName: "weather",
    delta: '{"city":"Paris"}',
  } as const;
  assertEquals(await collect(modelOf(() => eventStream(EVERYTHING))), [
    { type: "reasoning-delta", delta: "Let me " },
    { type: "reasoning-delta", delta: "see" },
    { type: "text-delta", delta: "I " },
    { type: "text-delta", delta: "look" },
    { type: "text-delta", delta: "." },
    { ...input, toolCallId: "call_r1_0" },
    { ...input, toolCallId: "call_r1_1" },
    { type: "finish", response: EVERYTHING_READ },
  ]);
});

Deno.test("googleGenerateContent() returns the same response for any chunks of the stream", async () => {
  const bytes = new Uint8Array(await eventStream(EVERYTHING).arrayBuffer());
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (size) => {
      const response = await streamed(modelOf(() => streamOf(chunksOf(bytes, size))));
      assertEquals(response, EVERYTHING_READ);
    }),
    propertyRuns(30),
  );
});

Deno.test("googleGenerateContent() reads the chunks of a stream in an array", async () => {
  assertEquals(await streamed(modelOf(() => Response.json(EVERYTHING))), EVERYTHING_READ);
  assertEquals(await modelOf(() => Response.json(EVERYTHING)).generate(QUESTION), EVERYTHING_READ);
});

Deno.test("googleGenerateContent() ignores chunks and events without data", async () => {
  const events = [
    "null",
    {},
    { candidates: null, usageMetadata: null },
    { candidates: [{ content: null }] },
    { candidates: [{ content: { parts: null }, finishReason: null }] },
    ...EVERYTHING,
    "null",
    { candidates: [{ finishReason: "FINISH_REASON_UNSPECIFIED" }] },
    { usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 } },
    { usageMetadata: { trafficType: "ON_DEMAND" } },
    "[DONE]",
    "{ignored",
  ];
  assertEquals(await streamed(modelOf(() => eventStream(events))), EVERYTHING_READ);
});

Deno.test("googleGenerateContent() uses the last complete token counts of a stream", async () => {
  const counts = (...totals: readonly (readonly [number, number])[]) =>
    totals.map(([promptTokenCount, totalTokenCount]) =>
      reply([{ text: "a" }], undefined, { usageMetadata: { promptTokenCount, totalTokenCount } })
    );
  const usageOf = async (events: readonly object[]) =>
    (await streamed(modelOf(() => eventStream(events)))).usage;
  assertEquals(await usageOf(counts([15, 15], [13, 21])), {
    inputTokens: 13,
    outputTokens: 8,
    totalTokens: 21,
  });
  assertEquals(await usageOf(counts([13, 21], [13, 13], [0, 0])), {
    inputTokens: 13,
    outputTokens: 8,
    totalTokens: 21,
  });
});

Deno.test("googleGenerateContent() reports an error in a stream", async () => {
  const error = { code: 503, message: "The model is overloaded", status: "UNAVAILABLE" };
  for (const event of [{ error }, [{ error }]]) {
    const failed = await failureOf(
      collect(modelOf(() => eventStream([chunk([{ text: "a" }]), JSON.stringify(event)]))),
    );
    assertStringIncludes(failed.message, "The model is overloaded");
    assertEquals(failed.retryable, true);
  }
  const typed = await failureOf(
    collect(modelOf(() => eventStream([{ code: 400, message: "Bad" }], { event: "error" }))),
  );
  assertStringIncludes(typed.message, "Bad");
});

Deno.test("googleGenerateContent() rejects with a retryable error if a stream ends too early", async () => {
  for (const events of [[], [chunk([{ text: "a" }])], ["[DONE]"]]) {
    const error = await failureOf(collect(modelOf(() => eventStream(events))));
    assertStringIncludes(error.message, "ended before the response was complete");
    assertEquals(error.retryable, true);
  }
});

Deno.test("googleGenerateContent() returns the response if the connection fails after its end", async () => {
  const model = modelOf(
    () => openStream(EVERYTHING.map((event) => JSON.stringify(event))),
    { timeoutMs: 20 },
  );
  assertEquals(await streamed(model), EVERYTHING_READ);
});

Deno.test("googleGenerateContent() rejects tool input that is streamed", async () => {
  const calls = [
    { name: "weather", willContinue: true },
    { partialArgs: [{ jsonPath: "$.city", stringValue: "Pa" }] },
  ];
  for (const functionCall of calls) {
    const error = await failureOf(
      collect(modelOf(() => eventStream([chunk([{ functionCall }])]))),
    );
    assertStringIncludes(error.message, 'remove "streamFunctionCallArguments"');
    assertEquals(error.retryable, false);
  }
});

/** Malformed responses, and the text that the error message must contain. */
const MALFORMED: readonly (readonly [string, unknown, string])[] = [
  ["candidates that are a string", { candidates: "x" }, '"candidates" must be an array'],
  ["a candidate that is a string", { candidates: ["x"] }, "a candidate must be an object"],
  ["parts that are an object", { candidates: [{ content: { parts: {} } }] }, '"parts" must be'],
  ["a part that is a string", reply(["x"]), "a part must be an object"],
  ["a call without a name", reply([{ functionCall: { args: {} } }]), "no name"],
  ["a call whose name is empty", reply([{ functionCall: { name: "" } }]), "no name"],
  ["a number", 7, "got a number"],
];

for (const [name, body, words] of MALFORMED) {
  Deno.test(`googleGenerateContent() rejects a malformed response: ${name}`, async () => {
    const text = JSON.stringify(body);
    const whole = await failureOf(modelOf(() => new Response(text)).generate(QUESTION));
    assertStringIncludes(whole.message, words);
    const piece = await failureOf(collect(modelOf(() => eventStream([text]))));
    assertStringIncludes(piece.message, words);
  });
}
