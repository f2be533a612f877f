import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { isJsonValue } from "../shared/json.ts";
import type { LanguageModel, ModelDelta, ModelResponse } from "../shared/model.ts";
import type { ProviderOptions } from "../shared/provider_options.ts";
import { callsOf, collect, failureOf, streamed } from "./testdata/ask.ts";
import {
  completed,
  CREATED,
  functionCall,
  HOST,
  itemEvents,
  message,
  read,
  reasoning,
  reply,
  streamOf,
  USAGE,
} from "./testdata/responses.ts";

const ITEMS = [
  reasoning(["Let me ", "see"]),
  { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
  message("I look."),
  functionCall("weather", '{"city":"Paris"}'),
];

/** The response that contains the items. */
const RESPONSE: ModelResponse = {
  message: {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Let me \n\nsee", ...stored(ITEMS[0]) },
      { type: "reasoning", text: "", ...stored(ITEMS[1]) },
      { type: "text", text: "I look." },
      { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: { city: "Paris" } },
    ],
  },
  finishReason: "tool-calls",
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
};

/** Returns the data of a part that stores an item. */
function stored(item: unknown): { providerOptions: ProviderOptions } {
  assert(isJsonValue(item));
  return { providerOptions: { [HOST]: { item } } };
}

const TEXT_DELTA = "response.output_text.delta";
const CALL_DELTA = "response.function_call_arguments.delta";

/** A streamed response that contains every type of item, and events that repeat data. */
const EVERYTHING: readonly object[] = [
  CREATED,
  { type: "response.in_progress", response: reply([], { status: "in_progress" }) },
  ...reasoningEvents(),
  ...itemEvents(1, ITEMS[1] ?? {}, "response.web_search_call.searching", []),
  ...itemEvents(2, ITEMS[2] ?? {}, TEXT_DELTA, ["I ", "look."]),
  { type: "response.output_text.annotation.added", output_index: 2, annotation: {} },
  { type: "response.something_new", output_index: 2, delta: "?" },
  ...itemEvents(3, ITEMS[3] ?? {}, CALL_DELTA, ['{"city":', '"Paris"}']),
  completed(ITEMS),
];

function reasoningEvents(): object[] {
  const [begin, end] = itemEvents(0, ITEMS[0] ?? {}, "", []);
  const type = "response.reasoning_summary_text.delta";
  return [
    begin ?? {},
    { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0 },
    { type, output_index: 0, summary_index: 0, delta: "Let me " },
    { type: "response.reasoning_summary_text.done", output_index: 0, text: "Let me " },
    { type, output_index: 0, summary_index: 1, delta: "see" },
    end ?? {},
  ];
}

/** Returns the deltas of a stream, and the complete response. */
async function readStream(model: LanguageModel): Promise<[ModelDelta[], ModelResponse]> {
  const deltas: ModelDelta[] = [];
  for (const event of await collect(model)) {
    if (event.type === "finish") return [deltas, event.response];
    deltas.push(event);
  }
  throw new Error("The stream has no end");
}

/** Returns the text of a streamed response. Asserts that the deltas have the same text. */
async function textOf(events: readonly (string | object)[]): Promise<string> {
  const [deltas, { message }] = await readStream(streamOf(events));
  const text = message.content.map((part) => part.type === "text" ? part.text : "").join("");
  const sent = deltas.map((delta) => delta.type === "text-delta" ? delta.delta : "").join("");
  assertEquals(sent, text);
  return text;
}

Deno.test("openAiResponses() streams every type of item and finishes with the complete response", async () => {
  const [deltas, response] = await readStream(streamOf(EVERYTHING));
  const call = { type: "tool-input-delta", toolCallId: "call_1", toolName: "weather" } as const;
  assertEquals(deltas, [
    { type: "reasoning-delta", delta: "Let me " },
    { type: "reasoning-delta", delta: "\n\nsee" },
    { type: "text-delta", delta: "I " },
    { type: "text-delta", delta: "look." },
    { ...call, delta: '{"city":' },
    { ...call, delta: '"Paris"}' },
  ]);
  assertEquals(response, RESPONSE);
  assertEquals(await read(ITEMS), RESPONSE);
});

Deno.test("openAiResponses() returns the same response for every division into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 100 }), fc.boolean(), async (size, isNamed) => {
      const options = isNamed ? { size, event: "x" } : { size };
      assertEquals(await streamed(streamOf(EVERYTHING, options)), RESPONSE);
    }),
    propertyRuns(30),
  );
});

Deno.test("openAiResponses() reads the type of an event from its label if the data has none", async () => {
  const { type: _, ...data } = { ...completed([message("A")]) } as Record<string, unknown>;
  const model = streamOf([data], { event: "response.completed" });
  assertEquals((await streamed(model)).message.content, [{ type: "text", text: "A" }]);
});

Deno.test("openAiResponses() returns one delta for an item that the server sends in one event", async () => {
  const [deltas] = await readStream(streamOf([
    ...itemEvents(0, message("Hello"), TEXT_DELTA, []),
    ...itemEvents(1, functionCall("f", '{"a":1}'), CALL_DELTA, []),
    completed(),
  ]));
  assertEquals(deltas, [
    { type: "text-delta", delta: "Hello" },
    { type: "tool-input-delta", toolCallId: "call_1", toolName: "f", delta: '{"a":1}' },
  ]);
});

Deno.test("openAiResponses() builds items from deltas if their other events are missing", async () => {
  const deltas = (index: object) =>
    ["Hel", "lo"].map((delta) => ({ type: TEXT_DELTA, ...index, delta }));
  assertEquals(await textOf([...deltas({ output_index: 0 }), completed()]), "Hello");
  assertEquals(await textOf([...deltas({ item_id: "msg_1" }), completed()]), "Hello");
  assertEquals(await textOf([...deltas({}), completed()]), "Hello");
  assertEquals(await textOf([...deltas({}), completed([message("Hello")])]), "Hello");
  assertEquals(await textOf([...deltas({}), "[DONE]"]), "Hello");
  const thought = { type: "response.reasoning_text.delta", delta: "hm" };
  const [, { message: { content } }] = await readStream(
    streamOf([thought, ...deltas({}), completed()]),
  );
  assertEquals(content.flatMap((part) => "text" in part ? [part.text] : []), ["hm", "Hello"]);
});

Deno.test("openAiResponses() streams the input of a custom tool", async () => {
  const item = { type: "custom_tool_call", id: "ct", call_id: "c", name: "sql", input: "SELECT 1" };
  const type = "response.custom_tool_call_input.delta";
  const [begin, , ...rest] = itemEvents(0, { ...item }, type, ["SELECT ", "1"]);
  const [first, last, end] = [{ type, output_index: 0, delta: "SELECT " }, ...rest];
  const started = { ...begin, item: { ...item, input: "" } };
  const [deltas, response] = await readStream(
    streamOf([started, first, last, end, completed([item])].map((event) => event ?? {})),
  );
  const delta = { type: "tool-input-delta", toolCallId: "c", toolName: "sql" } as const;
  assertEquals(deltas.map((each) => each.type), ["tool-input-delta", "tool-input-delta"]);
  assertEquals(deltas, [{ ...delta, delta: "SELECT " }, { ...delta, delta: "1" }]);
  assertEquals(response.message.content, [{
    type: "tool-call",
    toolCallId: "c",
    toolName: "sql",
    input: "SELECT 1",
    providerOptions: { [HOST]: { itemFields: { type: "custom_tool_call" } } },
  }]);
});

Deno.test("openAiResponses() reads the items of the last event if the server streams none", async () => {
  const error = await failureOf(collect(streamOf([CREATED, completed()])));
  assert(error.message.includes("the response is empty"), error.message);
  const [deltas, response] = await readStream(streamOf([CREATED, completed(ITEMS)]));
  assertEquals([deltas, response], [[], RESPONSE]);
  const call = functionCall("f", "{}");
  const events = [{ type: TEXT_DELTA, delta: "A" }, completed([message("A"), call])];
  assertEquals((await streamed(streamOf(events))).finishReason, "tool-calls");
});

Deno.test("openAiResponses() reads items whose ids change, and items with the same index", async () => {
  const added = { type: "response.output_item.added", output_index: 0 };
  const done = { type: "response.output_item.done", output_index: 0 };
  const rotated = [
    { ...added, item: message("", { id: "a" }) },
    { type: TEXT_DELTA, output_index: 0, item_id: "b", delta: "A" },
    { ...done, item: message("A", { id: "c" }) },
    completed([message("A", { id: "d" })]),
  ];
  assertEquals(await textOf(rotated), "A");
  const same = [message("A", { id: "a" }), message("B", { id: "b" })];
  const delta = (text: string) => ({ type: TEXT_DELTA, output_index: 0, delta: text });
  const [a, b] = same;
  assertEquals(
    await textOf([
      { ...added, item: a },
      delta("A"),
      { ...done, item: a },
      { ...added, item: b },
      delta("B"),
      { ...done, item: b },
      completed(same),
    ]),
    "AB",
  );
  assertEquals(await textOf([{ ...done, item: a }, { ...done, item: b }, completed()]), "AB");
});

Deno.test("openAiResponses() gives a call the id of its deltas, and waits for the name", async () => {
  const done = (rest: object) => ({
    type: "response.output_item.done",
    output_index: 0,
    item: functionCall("f", '{"a":1}', rest),
  });
  const begin = (rest: object) => [
    { type: "response.output_item.added", output_index: 0, item: functionCall("f", "", rest) },
    { type: CALL_DELTA, output_index: 0, delta: '{"a":' },
    { type: CALL_DELTA, output_index: 0, delta: "1}" },
  ];
  const rotated = [...begin({ call_id: "c1" }), done({ call_id: "c2" }), completed()];
  const [deltas, response] = await readStream(streamOf(rotated));
  assertEquals(deltas.map((delta) => "toolCallId" in delta && delta.toolCallId), ["c1", "c1"]);
  assertEquals(callsOf(response).map(({ toolCallId }) => toolCallId), ["c1"]);
  const nameless = [...begin({ name: "" }), done({}), completed()];
  assertEquals((await readStream(streamOf(nameless)))[0], [
    { type: "tool-input-delta", toolCallId: "call_1", toolName: "f", delta: '{"a":1}' },
  ]);
});

Deno.test("openAiResponses() does not send back the encrypted content of unfinished reasoning", async () => {
  const { message: { content } } = await streamed(streamOf([
    { type: "response.output_item.added", output_index: 0, item: reasoning([]) },
    { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "hm" },
    completed([], { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
  ]));
  assertEquals(content.map((part) => "text" in part && part.text), ["hm"]);
  assert(!JSON.stringify(content).includes("c2VjcmV0"));
});

Deno.test("openAiResponses() ignores null, damaged items and data after the end", async () => {
  const events = [
    "null",
    CREATED,
    { type: "response.output_item.added", output_index: 0, item: null },
    { type: TEXT_DELTA, output_index: 0, delta: null },
    { type: "response.output_item.done", output_index: 0 },
    { type: "keepalive" },
    ...itemEvents(0, message("A"), TEXT_DELTA, ["A"]),
    completed([message("A")]),
    CREATED,
    { type: TEXT_DELTA, output_index: 0, delta: "B" },
  ];
  assertEquals(await textOf(events), "A");
});

Deno.test("openAiResponses() accepts every end of a stream", async () => {
  const events = itemEvents(0, message("A"), TEXT_DELTA, ["A"]);
  const ends: readonly (readonly [string | object, string, string | undefined])[] = [
    [{ type: "response.completed", response: null }, "stop", "completed"],
    [{ type: "response.done", response: {} }, "stop", "completed"],
    [{ type: "response.incomplete", response: {} }, "other", "incomplete"],
    [{ type: "response.cancelled", response: {} }, "interrupted", "cancelled"],
    ["[DONE]", "other", undefined],
  ];
  for (const [end, finishReason, raw] of ends) {
    const response = await streamed(streamOf([CREATED, ...events, end]));
    assertEquals([response.finishReason, response.rawFinishReason], [finishReason, raw]);
    assertEquals([response.modelId, response.responseId], ["m-2026", "resp_1"]);
  }
});

Deno.test("openAiResponses() reports a stream without an end as retryable", async () => {
  const [begin] = itemEvents(0, functionCall("f", "{}"), CALL_DELTA, []);
  const text = itemEvents(0, message("A"), TEXT_DELTA, ["A"]);
  for (
    const events of [[CREATED], [CREATED, ...text], [CREATED, begin ?? {}, "[DONE]"], ["[DONE]"]]
  ) {
    const error = await failureOf(collect(streamOf(events)));
    assert(error.message.includes("ended before the response was complete"), error.message);
    assertEquals(error.retryable, true);
  }
});

Deno.test("openAiResponses() reports every form of an error in a stream", async () => {
  const cases: readonly (readonly [object, string, boolean])[] = [
    [{ type: "error", code: "server_error", message: "one" }, "one", true],
    [{ type: "error", error: { code: "rate_limit_exceeded", message: "two" } }, "two", true],
    [{ type: "error", error: { code: "insufficient_quota", message: "three" } }, "three", false],
    [
      { type: "response.failed", response: { error: { code: "server_error", message: "four" } } },
      "four",
      true,
    ],
    [
      { type: "response.failed", response: { error: { code: "bio_policy", message: "five" } } },
      "five",
      false,
    ],
    [{ type: "response.failed" }, "the response failed", true],
    [
      completed([], { status: "failed", error: { code: "server_error", message: "six" } }),
      "six",
      true,
    ],
    [{ error: { message: "seven", code: 502 } }, "seven", true],
    [{ choices: [{ delta: { content: "A" } }] }, "openAiChat()", false],
  ];
  const text = itemEvents(0, message("A"), TEXT_DELTA, ["A"]);
  for (const [event, words, isRetryable] of cases) {
    const error = await failureOf(collect(streamOf([CREATED, ...text, event])));
    assert(error.message.includes(words), error.message);
    assertEquals(error.retryable, isRetryable, words);
  }
  const labeled = streamOf([{ message: "eight", code: "server_error" }], { event: "error" });
  assert((await failureOf(collect(labeled))).message.includes("eight"));
});

Deno.test("openAiResponses() reads a complete response in an event", async () => {
  assertEquals(await streamed(streamOf([reply(ITEMS)])), RESPONSE);
});

Deno.test("openAiResponses() never reduces token counts during a stream", async () => {
  const zeros = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const details = { input_tokens_details: { cached_tokens: 1 }, output_tokens: 7 };
  for (const usage of [zeros, null, undefined, {}, details]) {
    const first = { type: "response.in_progress", response: { usage: USAGE } };
    const response = await streamed(streamOf([first, completed([message("A")], { usage })]));
    assertEquals(response.usage, {
      inputTokens: 11,
      outputTokens: usage === details ? 7 : 5,
      totalTokens: usage === details ? 18 : 16,
      cachedInputTokens: 4,
      reasoningTokens: 2,
    });
  }
});
