import { assert, assertEquals } from "@std/assert";
import type { FinishReason } from "../shared/model.ts";
import { callsOf, failureOf, QUESTION } from "./testdata/ask.ts";
import {
  functionCall,
  HOST,
  message,
  modelOf,
  read,
  reasoning,
  reply,
  USAGE,
} from "./testdata/responses.ts";
import { toWireName } from "./tool_names.ts";

Deno.test("openAiResponses() converts every type of item", async () => {
  const annotations = [{ type: "url_citation", url: "https://example.org", title: "E" }];
  const items = [
    reasoning(["First.", "Second."]),
    { type: "web_search_call", id: "ws_1", action: { type: "search", query: "x" } },
    message("", {
      phase: "commentary",
      content: [{ type: "output_text", text: "A", annotations }, {
        type: "output_text",
        text: "B",
      }],
    }),
    functionCall(toWireName("a.b"), '{"a":1}'),
  ];
  const model = modelOf(() => Response.json(reply(items)));
  const tools = [{ name: "a.b", inputSchema: { type: "object" as const } }];
  const response = await model.generate({ ...QUESTION, tools });
  const [item] = items;
  assertEquals(response.message.content, [
    {
      type: "reasoning",
      text: "First.\n\nSecond.",
      providerOptions: { [HOST]: JSON.parse(JSON.stringify({ item })) },
    },
    {
      type: "reasoning",
      text: "",
      providerOptions: { [HOST]: JSON.parse(JSON.stringify({ item: items[1] })) },
    },
    {
      type: "text",
      text: "AB",
      providerOptions: { [HOST]: { itemFields: { phase: "commentary" }, annotations } },
    },
    { type: "tool-call", toolCallId: "call_1", toolName: "a.b", input: { a: 1 } },
  ]);
  assertEquals([response.finishReason, response.rawFinishReason], ["tool-calls", "completed"]);
});

Deno.test("openAiResponses() reads text and readable reasoning in every form", async () => {
  const output: unknown[] = [
    { type: "reasoning", content: [{ type: "reasoning_text", text: "hm" }] },
    { role: "assistant", content: "A" },
    { type: "message", content: [{ type: "refusal", refusal: "B" }, null, { type: "image" }] },
    null,
    "x",
  ];
  const { message: { content } } = await read([], { output });
  assertEquals(content.flatMap((part) => "text" in part ? [part.text] : []), ["hm", "A", "B"]);
});

Deno.test("openAiResponses() reads the text of a server that sends only output_text", async () => {
  const { message: { content } } = await read([], { output_text: "Hi" });
  assertEquals(content, [{ type: "text", text: "Hi" }]);
});

Deno.test("openAiResponses() reads the input of a call in every form", async () => {
  const inputs = ["{}", "", '{"a":', { a: 1 }, null];
  const items = inputs.map((input, index) =>
    functionCall("f", "", { arguments: input, call_id: index === 0 ? undefined : `c${index}` })
  );
  const calls = callsOf(await read(items));
  assertEquals(calls.map(({ toolCallId, input, rawInput }) => [toolCallId, input, rawInput]), [
    ["fc_1", {}, undefined],
    ["c1", {}, undefined],
    ["c2", {}, '{"a":'],
    ["c3", { a: 1 }, undefined],
    ["c4", {}, undefined],
  ]);
  const error = await failureOf(read([functionCall("", "{}")]));
  assert(error.message.includes("a tool call has no name"), error.message);
});

Deno.test("openAiResponses() converts every finish reason", async () => {
  const text = [message("A")];
  const refusal = [message("", { content: [{ type: "refusal", refusal: "No" }] })];
  const incomplete = (reason: string) => ({
    status: "incomplete",
    incomplete_details: { reason },
  });
  const expected:
    readonly (readonly [readonly object[], object, FinishReason, string | undefined])[] = [
      [text, {}, "stop", "completed"],
      [text, { status: "complete" }, "stop", "complete"],
      [[functionCall("f", "{}")], {}, "tool-calls", "completed"],
      [[functionCall("f", "{")], incomplete("max_output_tokens"), "length", "max_output_tokens"],
      [[], incomplete("max_output_tokens"), "length", "max_output_tokens"],
      [[], incomplete("content_filter"), "content-filter", "content_filter"],
      [text, incomplete("max_messages"), "other", "max_messages"],
      [text, { status: "incomplete" }, "other", "incomplete"],
      [refusal, {}, "content-filter", "completed"],
      [text, { status: "cancelled" }, "interrupted", "cancelled"],
      [text, { status: "strange" }, "other", "strange"],
      [text, { status: undefined }, "other", undefined],
      [[reasoning(["hm"])], {}, "stop", "completed"],
      [[message("")], {}, "stop", "completed"],
    ];
  for (const [output, rest, finishReason, raw] of expected) {
    const response = await read(output, rest);
    assertEquals([response.finishReason, response.rawFinishReason], [finishReason, raw]);
  }
});

Deno.test("openAiResponses() rejects an empty response that its status does not explain", async () => {
  const cases: readonly (readonly [readonly object[], object, string])[] = [
    [[], {}, 'status "completed"'],
    [[], { status: undefined }, "no status"],
    [[reasoning(["hm"])], { status: "strange" }, 'status "strange"'],
    [[], { status: "cancelled" }, 'status "cancelled"'],
    [[], { status: "incomplete" }, 'status "incomplete"'],
    [[message("")], { status: "incomplete", incomplete_details: { reason: "odd" } }, '"odd"'],
  ];
  for (const [output, rest, words] of cases) {
    const error = await failureOf(read(output, rest));
    assert(error.message.includes("the response is empty"), error.message);
    assert(error.message.includes(words), error.message);
    assertEquals(error.retryable, true);
  }
});

Deno.test("openAiResponses() rejects a response that is not complete", async () => {
  for (const status of ["queued", "in_progress"]) {
    const error = await failureOf(read([], { status }));
    assert(error.message.includes(`status "${status}"`), error.message);
    assertEquals(error.retryable, false);
  }
});

Deno.test("openAiResponses() reports a failed response with the server's words", async () => {
  const cases: readonly (readonly [object, string, boolean])[] = [
    [{ error: { code: "server_error", message: "broken" } }, "broken", true],
    [{ error: { code: "rate_limit_exceeded", message: "slower" } }, "slower", true],
    [{ error: { code: "vector_store_timeout", message: "late" } }, "late", true],
    [{ error: { code: "invalid_prompt", message: "bad" } }, "bad", false],
    [{ error: null }, "the response failed", true],
  ];
  for (const [rest, words, isRetryable] of cases) {
    const error = await failureOf(read([], { status: "failed", ...rest }));
    assert(error.message.includes(words), error.message);
    assertEquals(error.retryable, isRetryable, words);
  }
});

Deno.test("openAiResponses() ignores an empty error in a response", async () => {
  for (const error of [{}, "", false, 0]) {
    assertEquals((await read([message("A")], { error })).finishReason, "stop");
  }
});

Deno.test("openAiResponses() quotes an error in a body of status 200", async () => {
  const cases: readonly (readonly [unknown, string, boolean])[] = [
    [{ error: { message: "one", type: "server_error" } }, "one", true],
    [{ error: "two" }, "two", false],
    [{ code: 503, msg: "three" }, "three", true],
    [{ error_msg: "four", error_code: 17 }, "four", false],
    [{ detail: [{ loc: ["body"], msg: "five" }] }, "five", false],
    [{ errors: [{ message: "six" }] }, "six", false],
    [{ type: "error", message: "seven" }, "seven", false],
    [{ choices: [{ message: { content: "A" } }] }, "openAiChat()", false],
    [{ id: "resp_1" }, '"output" must be an array', false],
  ];
  for (const [body, words, isRetryable] of cases) {
    const error = await failureOf(modelOf(() => Response.json(body)).generate(QUESTION));
    assert(error.message.includes(words), error.message);
    assertEquals(error.retryable, isRetryable, words);
  }
});

Deno.test("openAiResponses() reads every form of token usage", async () => {
  const zero = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  const cases: readonly (readonly [unknown, object | undefined])[] = [
    [null, undefined],
    [{}, undefined],
    [{ input_tokens: -1, output_tokens: "5" }, undefined],
    [{ input_tokens: 0, output_tokens: 0 }, zero],
    [{ output_tokens: 5 }, { inputTokens: 0, outputTokens: 5, totalTokens: 5, estimated: true }],
    [{ ...USAGE, total_tokens: 3 }, {
      inputTokens: 11,
      outputTokens: 5,
      totalTokens: 16,
      cachedInputTokens: 4,
      reasoningTokens: 2,
    }],
    [{ input_tokens: 9, output_tokens: 1, total_tokens: 30 }, {
      inputTokens: 9,
      outputTokens: 21,
      totalTokens: 30,
    }],
    [{ input_tokens: 9, input_tokens_details: { cache_write_tokens: 8 }, output_tokens: 1 }, {
      inputTokens: 9,
      outputTokens: 1,
      totalTokens: 10,
      cacheWriteTokens: 8,
    }],
  ];
  for (const [usage, expected] of cases) {
    assertEquals((await read([message("A")], { usage })).usage, expected);
  }
});

Deno.test("openAiResponses() warns about an approval that the model requests", async () => {
  const item = { type: "mcp_approval_request", id: "mcpr_1", name: "f", arguments: "{}" };
  const { warnings, finishReason } = await read([item]);
  assertEquals(warnings, ["unsupported item, not executed: mcp_approval_request"]);
  assertEquals(finishReason, "stop");
});
