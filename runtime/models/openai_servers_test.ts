/** Responses of servers that implement the OpenAI Chat Completions API in their own way. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ModelMessage, ModelResponse } from "../shared/model.ts";
import { openAiChat } from "./openai_chat.ts";
import { callsOf, collect, failureOf, KEY, QUESTION, streamed, WEATHER } from "./testdata/ask.ts";
import { bodyOf, chunk, completion, modelOf } from "./testdata/chat.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";

/** Reads chunks as a stream. */
async function read(...chunks: readonly (object | string)[]): Promise<ModelResponse> {
  return await streamed(modelOf(() => eventStream([...chunks, "[DONE]"])));
}

/** Returns the assistant message that continues a conversation after a response. */
async function sentBack({ message }: ModelResponse): Promise<Record<string, unknown> | undefined> {
  const { messages } = await bodyOf({ messages: [...QUESTION.messages, message] }, {
    provider: "127.0.0.1",
  });
  return JSON.parse(JSON.stringify(messages))[1];
}

function callPiece(piece: object): object {
  return chunk({ tool_calls: [piece] });
}

Deno.test("openAiChat() sends back reasoning_details unchanged, whole and streamed", async () => {
  const details = [
    { type: "reasoning.text", text: "Let me see", signature: "c2ln", format: "x", index: 0 },
    { type: "reasoning.encrypted", data: "b3BhcXVl", id: "r1", index: 1 },
  ];
  const message = { content: "Hi", reasoning: "Let me see", reasoning_details: details };
  const whole = await modelOf(() => Response.json(completion(message))).generate(QUESTION);
  const pieces = await read(
    chunk({ reasoning_details: [{ type: "reasoning.text", text: "Let ", index: 0 }] }),
    chunk({
      reasoning: "Let me see",
      reasoning_details: [{ type: "reasoning.text", text: "me see", index: 0, format: "x" }],
    }),
    chunk({
      reasoning_details: [{ type: "reasoning.text", signature: "c2ln", text: null, index: 0 }],
    }),
    chunk({ content: "Hi", reasoning_details: [details[1]] }, "stop"),
  );
  for (const response of [whole, pieces]) {
    const sent = await sentBack(response);
    assertEquals([sent?.reasoning_details, sent?.reasoning], [details, "Let me see"]);
  }
  // Entries without an index are never joined.
  const apart = [{ type: "a", text: "1" }, { type: "a", text: "2" }];
  const separate = { content: "Hi", reasoning_details: apart };
  const others = await modelOf(() => Response.json(completion(separate))).generate(QUESTION);
  assertEquals((await sentBack(others))?.reasoning_details, apart);
});

Deno.test("openAiChat() sends back fields of a call and a message from any chunk", async () => {
  const response = await read(
    callPiece({ index: 0, id: "c", extra_content: { google: { a: 1 } }, function: { name: "f" } }),
    callPiece({
      index: 0,
      function: { arguments: "{}" },
      extra_content: { google: { b: "c2ln" } },
    }),
    chunk({ extra_content: { google: { thought_signature: "dGV4dA" } } }, "tool_calls"),
  );
  const sent = await sentBack(response);
  assertEquals(sent?.extra_content, { google: { thought_signature: "dGV4dA" } });
  assertEquals(sent?.tool_calls, [{
    id: "c",
    type: "function",
    function: { name: "f", arguments: "{}" },
    extra_content: { google: { a: 1, b: "c2ln" } },
  }]);
});

Deno.test("openAiChat() does not send the data of one server to another", async () => {
  const reply = completion({ content: "Hi", reasoning_content: "Let me see" });
  const bodies: Record<string, unknown>[] = [];
  const modelAt = (baseUrl: string) =>
    openAiChat({
      baseUrl,
      model: "m",
      apiKey: KEY,
      fetch: (_, { body }) => {
        bodies.push(JSON.parse(String(body)));
        return Promise.resolve(Response.json(reply));
      },
    });
  const first = modelAt("https://one.example/v1");
  const { message } = await first.generate(QUESTION);
  const messages: ModelMessage[] = [...QUESTION.messages, message];
  const others = ["https://two.example/v1", "https://api.openai.com/v1", "https://one.example/v1"];
  for (const baseUrl of others) {
    await modelAt(baseUrl).generate({ ...QUESTION, messages });
  }
  const found = bodies.slice(1).map((body) => JSON.stringify(body).includes("reasoning_content"));
  assertEquals(found, [false, false, true]);
});

Deno.test("openAiChat() reads the name and the input of a call in any pieces", async () => {
  const rows: readonly (readonly [string, readonly object[], readonly string[]])[] = [
    ["name in pieces", [
      { index: 0, id: "1", function: { name: "wea", arguments: "" } },
      { index: 0, function: { name: "ther" } },
      { index: 0, function: { arguments: '{"a":1}' } },
    ], ['weather {"a":1}']],
    ["name repeated", [
      { index: 0, id: "1", function: { name: "weather", arguments: '{"a"' } },
      { index: 0, id: null, function: { name: "weather", arguments: ":1}" } },
      { index: 0, id: null, function: { name: "weather", arguments: "" } },
    ], ['weather {"a":1}']],
    ["one index for all calls, without ids", [
      { index: 0, function: { name: "weather", arguments: '{"a":1}' } },
      { index: 0, function: { name: "weather", arguments: '{"a":2}' } },
    ], ['weather {"a":1}', 'weather {"a":2}']],
    ["whole input again in the last piece", [
      { index: 0, id: "1", function: { name: "weather", arguments: '{"a"' } },
      { index: 0, function: { arguments: ":1}" } },
      { index: 0, function: { arguments: '{"a":1}' } },
    ], ['weather {"a":1}']],
  ];
  for (const [title, pieces, expected] of rows) {
    const calls = callsOf(await read(...pieces.map(callPiece), chunk({}, "tool_calls")));
    const found = calls.map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`);
    assertEquals(found, expected, title);
  }
});

Deno.test("openAiChat() ignores a function_call without a name and arguments", async () => {
  const message = { content: "Hi", function_call: { name: "", arguments: "" } };
  const response = await modelOf(() => Response.json(completion(message))).generate(QUESTION);
  assertEquals(callsOf(response), []);
});

Deno.test("openAiChat() reads whole messages in chunks, and ignores null events", async () => {
  const { choices } = completion({ content: "Hi" });
  const { message } = await read({ choices }, "null");
  assertEquals(message.content, [{ type: "text", text: "Hi" }]);
});

Deno.test("openAiChat() reads token counts in the choice, and keeps the larger counts", async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const expected = { inputTokens: 7, outputTokens: 2, totalTokens: 9 };
  const end = chunk({ content: "Hi" }, "stop");
  const rows = [
    [{ choices: [{ ...firstOf(end), usage }] }],
    [end, { choices: [], x_groq: { usage } }],
    [end, { choices: [], usage }, { choices: [], usage: zeros }],
    [{ ...end, usage: { ...usage, completion_tokens: 1, total_tokens: 8 } }, {
      choices: [],
      usage,
    }],
  ];
  for (const row of rows) assertEquals((await read(...row)).usage, expected);
});

function firstOf({ choices }: ReturnType<typeof chunk>): object {
  return JSON.parse(JSON.stringify(choices))[0];
}

Deno.test("openAiChat() rejects an empty response with an unknown reason, as retryable", async () => {
  const rows = [
    [{ content: null }, "MALFORMED_FUNCTION_CALL", 'reason "MALFORMED_FUNCTION_CALL"'],
    [{ content: "", reasoning: "Let me see" }, "something", 'reason "something"'],
    [{}, null, "no reason"],
  ] as const;
  for (const [message, finish, words] of rows) {
    const body = completion(message);
    const reply = { ...body, choices: [{ ...firstOf({ ...body }), finish_reason: finish }] };
    const error = await failureOf(modelOf(() => Response.json(reply)).generate(QUESTION));
    assertStringIncludes(error.message, `the response is empty, and ended for ${words}`);
    assertEquals(error.retryable, true);
  }
  const stopped = await modelOf(() => Response.json(completion({ content: "" }))).generate(
    QUESTION,
  );
  assertEquals([stopped.finishReason, stopped.message.content], ["stop", []]);
});

Deno.test("openAiChat() quotes the words of an error with status 200", async () => {
  const rows = [
    { code: 1301, msg: "zzz is not available" },
    { error_code: 17, error_msg: "zzz is not available" },
    { detail: "zzz is not available" },
    { detail: [{ loc: ["body"], msg: "zzz is not available" }] },
    { errors: [{ message: "zzz is not available" }] },
    { object: "error", message: "zzz is not available" },
  ];
  for (const row of rows) {
    const works = [
      modelOf(() => Response.json(row)).generate(QUESTION),
      collect(modelOf(() => eventStream([row]))),
    ];
    for (const work of works) {
      assertStringIncludes((await failureOf(work)).message, "zzz is not available");
    }
  }
});

Deno.test("openAiChat() reads a body by its first character, whatever the media type", async () => {
  const text = '\ufeff\n {"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}';
  const events = ": comment\n\n" +
    [chunk({ content: "Hi" }, "stop"), "[DONE]"].map((data) =>
      `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`
    ).join("");
  for (const contentType of ["application/json", "text/event-stream", "text/plain", ""]) {
    for (const body of [text, events]) {
      const reply = () => {
        const response = new Response(body);
        response.headers.set("content-type", contentType);
        if (contentType === "") response.headers.delete("content-type");
        return response;
      };
      const responses = [await modelOf(reply).generate(QUESTION), await streamed(modelOf(reply))];
      for (const { message } of responses) {
        assertEquals(message.content, [{ type: "text", text: "Hi" }]);
      }
    }
  }
});

Deno.test("openAiChat() sends call ids that the server accepts, the same for call and result", async () => {
  const id = "toolu_01:functions.weather~2".repeat(3);
  const call = { type: "tool-call", toolCallId: id, toolName: "weather", input: {} } as const;
  const result = {
    type: "tool-result",
    toolCallId: id,
    toolName: "weather",
    output: { type: "text", value: "Sunny" },
    isError: false,
    durationMs: 0,
  } as const;
  const bodies: string[] = [];
  for (const baseUrl of ["https://one.example/v1", "https://api.mistral.ai/v1"]) {
    const model = openAiChat({
      baseUrl,
      model: "m",
      fetch: (_, { body }) => {
        bodies.push(String(body));
        return Promise.resolve(Response.json(completion({ content: "ok" })));
      },
    });
    await model.generate({
      ...QUESTION,
      messages: [
        ...QUESTION.messages,
        { role: "assistant", content: [call] },
        { role: "tool", content: [result] },
      ],
      tools: [WEATHER],
    });
  }
  const ids = bodies.map((body) => {
    const { messages } = JSON.parse(body);
    return [messages[1].tool_calls[0].id, messages[2].tool_call_id];
  });
  for (const [index, pattern] of [/^[\w-]{1,40}$/, /^[A-Za-z0-9]{9}$/].entries()) {
    const [sent, answered] = ids[index] ?? [];
    assertEquals([pattern.test(sent), sent === answered], [true, true], sent);
  }
});

Deno.test("openAiChat() omits empty assistant messages and replaces half surrogate pairs", async () => {
  const { messages } = await bodyOf({
    messages: [
      ...QUESTION.messages,
      { role: "assistant", content: [] },
      { role: "assistant", content: [{ type: "reasoning", text: "hm" }] },
      { role: "user", content: [{ type: "text", text: "\ud83d \\ud83d \ud83d\ude00 \ude00" }] },
    ],
  });
  assertEquals(messages, [
    { role: "user", content: "Weather in Paris?" },
    { role: "user", content: "\ufffd \\ud83d \ud83d\ude00 \ufffd" },
  ]);
});
