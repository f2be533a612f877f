/** Responses of servers that implement the OpenAI Chat Completions API in their own way. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { LanguageModel, ModelResponse } from "../shared/model.ts";
import { openAiChat } from "./openai_chat.ts";
import { callsOf, collect, failureOf, QUESTION, streamed, WEATHER } from "./testdata/ask.ts";
import { bodyOf, chunk, completion, modelOf } from "./testdata/chat.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";

/** Reads chunks as a stream. */
async function read(...chunks: readonly (object | string)[]): Promise<ModelResponse> {
  return await streamed(modelOf(() => eventStream([...chunks, "[DONE]"])));
}

function callPiece(piece: object): object {
  return chunk({ tool_calls: [piece] });
}

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
    ["whole name again in the second piece", [
      { index: 0, id: "1", function: { name: "wea" } },
      { index: 0, function: { name: "weather" } },
      { index: 0, function: { arguments: '{"a":1}' } },
    ], ['weather {"a":1}']],
    ["name after the input", [
      { index: 0, id: "1", function: { arguments: '{"a":' } },
      { index: 0, function: { arguments: "1}" } },
      { index: 0, function: { name: "weather" } },
    ], ['weather {"a":1}']],
    ["empty input before the pieces", [
      { index: 0, id: "1", function: { name: "weather", arguments: "{}" } },
      { index: 0, function: { arguments: '{"a"' } },
      { index: 0, function: { arguments: ":1}" } },
    ], ['weather {"a":1}']],
    ["input that grows in each piece", [
      { index: 0, id: "1", function: { name: "weather", arguments: '{"a"' } },
      { index: 0, function: { arguments: '{"a":1' } },
      { index: 0, function: { arguments: '{"a":1}' } },
    ], ['weather {"a":1}']],
    ["indexes that are text", [
      { index: "0", id: "1", function: { name: "weather", arguments: '{"a":' } },
      { index: "0", function: { arguments: "1}" } },
      { index: "1", id: "2", function: { name: "time", arguments: "{}" } },
    ], ['weather {"a":1}', "time {}"]],
    ["input that is an object", [
      { index: 1, id: "1", function: { name: "weather", arguments: { a: 1 } } },
      { index: 2, id: "2", function: { name: "time", arguments: {} } },
    ], ['weather {"a":1}', "time {}"]],
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

Deno.test("openAiChat() sends the whole input in one delta if the name follows it", async () => {
  const model = modelOf(() =>
    eventStream([
      callPiece({ index: 0, id: "1", function: { arguments: '{"a":' } }),
      callPiece({ index: 0, function: { arguments: "1}" } }),
      callPiece({ index: 0, function: { name: "weather" } }),
      chunk({}, "tool_calls"),
      "[DONE]",
    ])
  );
  const [delta, end, ...others] = await collect(model);
  assertEquals(delta, {
    type: "tool-input-delta",
    toolCallId: "1",
    toolName: "weather",
    delta: '{"a":1}',
  });
  assertEquals([end?.type, others], ["finish", []]);
});

Deno.test("openAiChat() reads whole messages in chunks, also after their pieces", async () => {
  const { choices } = completion({ content: "Hi", reasoning: "Hm" });
  const pieces = [chunk({ reasoning: "Hm" }), chunk({ content: "H" }), chunk({ content: "i" })];
  for (const row of [[{ choices }], [...pieces, { choices }]]) {
    const { message } = await read(...row);
    const texts = message.content.map((part) => "text" in part ? part.text : "");
    assertEquals(texts, ["Hm", "Hi"]);
  }
});

Deno.test("openAiChat() reads the chunks of a stream in one body", async () => {
  const pieces = [
    chunk({ role: "assistant", content: "H" }),
    chunk({ content: "i" }),
    chunk({}, "stop"),
    { ...chunk({}), choices: [], usage: { prompt_tokens: 7, completion_tokens: 2 } },
  ];
  const bodies = [pieces, [chunk({ content: "Hi" }, "stop")], chunk({ content: "Hi" }, "stop")];
  for (const body of bodies) {
    for (const run of [streamed, (model: LanguageModel) => model.generate(QUESTION)]) {
      const { message, finishReason } = await run(modelOf(() => Response.json(body)));
      assertEquals([message.content, finishReason], [[{ type: "text", text: "Hi" }], "stop"]);
    }
  }
});

Deno.test("openAiChat() ignores events, choices and errors without data", async () => {
  const [start, end] = [chunk({ content: "H" }), chunk({ content: "i" }, "stop")];
  const rows = [
    ...["null", " null ", '""', "[]", "{}", '{"type":"ping"}', '{"choices":null}'],
    ...['{"choices":[]}', '{"choices":[null]}', '{"choices":[{"delta":null}]}'],
    ...['{"error":null}', '{"error":{}}', '{"error":""}', '{"error":false}'],
    '{"choices":[{"delta":{"content":null,"tool_calls":[null],"function_call":null}}]}',
    '{"choices":[{"index":1,"delta":{"content":"other"}}]}',
  ];
  for (const row of rows) {
    const { message } = await read(start, row, end);
    assertEquals(message.content, [{ type: "text", text: "Hi" }], row);
  }
  const absent = {
    role: "assistant",
    content: null,
    reasoning: null,
    refusal: "",
    tool_calls: null,
  };
  const padded = [chunk({ ...absent, content: "" }), chunk(absent), start, chunk(absent), end];
  const waiting = new Response(
    `: OPENROUTER PROCESSING\n\n${await eventStream([...padded, "[DONE]"]).text()}`,
    { headers: { "content-type": "text/event-stream" } },
  );
  const response = await streamed(modelOf(() => waiting));
  assertEquals(response.message.content, [{ type: "text", text: "Hi" }]);
  for (const last of ["[DONE]", " [DONE] ", '"[DONE]"']) {
    const response = await streamed(modelOf(() => eventStream([start, end, last])));
    assertEquals(response.message.content, [{ type: "text", text: "Hi" }], last);
  }
});

Deno.test("openAiChat() reads token counts in the choice, and keeps the larger counts", async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 };
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const expected = { inputTokens: 7, outputTokens: 2, totalTokens: 9 };
  const end = chunk({ content: "Hi" }, "stop");
  const rows = [
    [{ choices: [{ ...firstOf(end), usage }] }],
    [end, { choices: [], x_groq: { usage } }],
    [{ choices: [{ ...firstOf(end), usage }], usage: {} }],
    [{ choices: [{ ...firstOf(end), usage }], usage: zeros, x_groq: { usage: null } }],
    [end, { choices: [], usage: null }, { choices: [], usage }, { usage: { total_tokens: 0 } }],
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
    [{ content: "" }, "tool_calls", 'reason "tool_calls"'],
    [{ content: null, tool_calls: [] }, "function_call", 'reason "function_call"'],
    [{ content: [] }, "abort", 'reason "abort"'],
    [
      { reasoning_details: [{ type: "a" }] },
      "UNEXPECTED_TOOL_CALL",
      'reason "UNEXPECTED_TOOL_CALL"',
    ],
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
    { choices: null, base_resp: { status_code: 1008, status_msg: "zzz is not available" } },
    { success: false, result: null, errors: ["zzz is not available"] },
    { title: "Bad Gateway", detail: { error: "zzz is not available" } },
    { fault: { faultstring: "zzz is not available" } },
    { Message: "zzz is not available" },
    { error: "invalid_token", error_description: "zzz is not available" },
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

Deno.test("openAiChat() quotes a body without choices in an unknown form", async () => {
  const rows = [
    { status: "failed", reason: "zzz" },
    { Response: { Error: { Code: "zzz" } } },
    { code: 5, data: null, msg: null, info: "zzz" },
    { choices: [], usage: null, hint: "zzz" },
  ];
  for (const row of rows) {
    const error = await failureOf(modelOf(() => Response.json(row)).generate(QUESTION));
    assertStringIncludes(error.message, JSON.stringify(row));
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
      { role: "assistant", content: [{ type: "text", text: "" }, { type: "text", text: " \n" }] },
      { role: "user", content: [{ type: "text", text: "\ud83d \\ud83d \ud83d\ude00 \ude00" }] },
    ],
  });
  assertEquals(messages, [
    { role: "user", content: "Weather in Paris?" },
    { role: "user", content: "\ufffd \\ud83d \ud83d\ude00 \ufffd" },
  ]);
});

Deno.test("openAiChat() omits blank text next to calls and files", async () => {
  const image = {
    type: "file",
    mediaType: "image/png",
    data: { type: "data", data: "AQID" },
  } as const;
  const { messages } = await bodyOf({
    messages: [
      { role: "user", content: [{ type: "text", text: "" }, image] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "\n\n" },
          { type: "tool-call", toolCallId: "c", toolName: "f", input: {} },
        ],
      },
    ],
  });
  assertEquals(messages, [
    {
      role: "user",
      content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AQID" } }],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
    },
  ]);
});
