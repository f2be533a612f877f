/** Blocks of tools that Anthropic executes, and other data that is sent back or ignored. */

import { assertEquals } from "@std/assert";
import type { ModelMessage, ModelResponse } from "../shared/model.ts";
import { QUESTION, streamed } from "./testdata/ask.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";
import { block, bodyOf, MESSAGE_START, messageEnd, modelOf, reply } from "./testdata/messages.ts";

function use(name: string, input: object = {}, rest: object = {}): object {
  return { type: "server_tool_use", id: "srvtoolu_1", name, input, ...rest };
}

function result(type: string, content: unknown, rest: object = {}): object {
  return { type, tool_use_id: "srvtoolu_1", content, ...rest };
}

/** Blocks of each tool that the provider executes. */
const HOSTED: Readonly<Record<string, readonly object[]>> = {
  "web search": [
    use("web_search", { query: "tides" }, { caller: { type: "direct" } }),
    result("web_search_tool_result", [{
      type: "web_search_result",
      url: "https://sea.example",
      title: "Tides",
      encrypted_content: "b3A",
      page_age: null,
    }]),
  ],
  "failed web search": [
    use("web_search", { query: "tides" }),
    result("web_search_tool_result", {
      type: "web_search_tool_result_error",
      error_code: "max_uses_exceeded",
    }),
  ],
  "web fetch": [
    use("web_fetch", { url: "https://sea.example" }),
    result("web_fetch_tool_result", {
      type: "web_fetch_result",
      url: "https://sea.example",
      retrieved_at: null,
      content: { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } },
    }),
  ],
  "code execution": [
    use("code_execution", { code: "print(2)" }),
    result("code_execution_tool_result", {
      type: "code_execution_result",
      stdout: "2\n",
      stderr: "",
      return_code: 0,
      content: [],
    }),
  ],
  "shell commands": [
    use("bash_code_execution", { command: "ls" }),
    result("bash_code_execution_tool_result", {
      type: "bash_code_execution_result",
      stdout: "",
      stderr: "",
      return_code: 0,
      content: [{ type: "bash_code_execution_output", file_id: "file_1" }],
    }),
  ],
  "text editor": [
    use("text_editor_code_execution", { command: "view", path: "/a" }),
    result("text_editor_code_execution_tool_result", {
      type: "text_editor_code_execution_view_result",
      file_type: "text",
      content: "a",
      num_lines: 1,
      start_line: 1,
      total_lines: 1,
    }),
  ],
  "tool search": [
    use("tool_search_tool_regex", { pattern: "tide", limit: 5 }),
    result("tool_search_tool_result", {
      type: "tool_search_tool_search_result",
      tool_references: [{ type: "tool_reference", tool_name: "tides" }],
    }),
  ],
  "MCP": [
    { type: "mcp_tool_use", id: "mcptoolu_1", name: "tide", server_name: "sea", input: { at: 1 } },
    {
      type: "mcp_tool_result",
      tool_use_id: "mcptoolu_1",
      is_error: false,
      content: [{ type: "text", text: "low" }],
    },
  ],
  "advisor": [
    use("advisor"),
    result("advisor_tool_result", { type: "advisor_result", text: "Wait", abort_reason: null }),
  ],
  "compaction": [{ type: "compaction", content: "The user asked about tides." }],
};

/** Returns the blocks of the response in a request that continues the conversation. */
async function sentBack({ message }: ModelResponse): Promise<unknown> {
  const { messages } = await bodyOf({ messages: [...QUESTION.messages, message] });
  return JSON.parse(JSON.stringify(messages))[1].content;
}

for (const [name, blocks] of Object.entries(HOSTED)) {
  Deno.test(`anthropicMessages() sends back the blocks unchanged: ${name}`, async () => {
    const text = { type: "text", text: "Low tide." };
    const options = { provider: "anthropic" };
    const whole = await modelOf(() => Response.json(reply([...blocks, text])), options)
      .generate(QUESTION);
    const events = [...blocks, text].flatMap((each, index) => {
      if (!("input" in each)) return block(index, each);
      const json = JSON.stringify(each.input);
      const pieces = json === "{}" ? [""] : ["", json.slice(0, 4), json.slice(4)];
      return block(
        index,
        { ...each, input: {} },
        pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      );
    });
    const stream = [MESSAGE_START, ...events, ...messageEnd("end_turn")];
    const pieces = await streamed(modelOf(() => eventStream(stream), options));
    for (const response of [whole, pieces]) {
      assertEquals(await sentBack(response), [...blocks, text]);
      assertEquals(response.finishReason, "stop");
    }
  });
}

Deno.test("anthropicMessages() sends back no call of a server tool without a result", async () => {
  const text = { type: "text", text: "I look." };
  const cut = [
    MESSAGE_START,
    ...block(0, text),
    ...block(1, use("web_search"), [{ type: "input_json_delta", partial_json: '{"query":"ti' }]),
    ...messageEnd("max_tokens"),
  ];
  const options = { provider: "anthropic" };
  const responses = [
    await streamed(modelOf(() => eventStream(cut), options)),
    await modelOf(
      () => Response.json(reply([text, use("web_search")], { stop_reason: "max_tokens" })),
      options,
    ).generate(QUESTION),
  ];
  for (const { message } of responses) {
    const { messages } = await bodyOf({
      messages: [...QUESTION.messages, message, ...QUESTION.messages],
    });
    assertEquals(JSON.parse(JSON.stringify(messages))[1].content, [text]);
  }
});

Deno.test("anthropicMessages() sends back a call of a server tool that waits for a tool result", async () => {
  const call = { type: "tool_use", id: "t1", name: "f", input: {}, caller: { type: "code" } };
  const code = use("code_execution", { code: "f()" });
  const options = { provider: "anthropic" };
  const first = await modelOf(
    () => Response.json(reply([code, call], { stop_reason: "tool_use" })),
    options,
  ).generate(QUESTION);
  const second = await modelOf(
    () => Response.json(reply([result("code_execution_tool_result", { stdout: "" })])),
    options,
  ).generate(QUESTION);
  const answer: ModelMessage = {
    role: "tool",
    content: [{
      type: "tool-result",
      toolCallId: "t1",
      toolName: "f",
      output: { type: "text", value: "ok" },
      isError: false,
      durationMs: 1,
    }],
  };
  const start = [...QUESTION.messages, first.message, answer];
  for (const messages of [start, [...start, second.message, ...QUESTION.messages]]) {
    const body = await bodyOf({ messages });
    assertEquals(JSON.parse(JSON.stringify(body.messages))[1].content[0], code);
  }
});

Deno.test("anthropicMessages() adds the usage and the warnings of all parts of a paused turn", async () => {
  const iteration = (model: string) => ({ model, input_tokens: 7, output_tokens: 2 });
  const usage = { input_tokens: 1, output_tokens: 1, iterations: [iteration("haiku")] };
  const paused = { stop_reason: "pause_turn", stop_details: { explanation: "Slow" }, usage };
  const rows = [
    [usage, 18, undefined],
    [undefined, 9, true],
  ] as const;
  for (const [second, otherTokens, estimated] of rows) {
    const replies = [
      reply([{ type: "text", text: "A" }], paused),
      reply([{ type: "text", text: "B" }], {
        usage: second,
        stop_details: { explanation: "Late" },
      }),
    ];
    const response = await modelOf(() => Response.json(replies.shift())).generate(QUESTION);
    assertEquals(response.otherUsage?.haiku?.totalTokens, otherTokens);
    assertEquals(response.usage?.totalTokens, second === undefined ? 2 : 4);
    assertEquals(response.usage?.estimated, estimated);
    assertEquals(response.warnings, ["refusal: Slow", "refusal: Late"]);
  }
});

Deno.test("anthropicMessages() reads several blocks with one index, and a repeated start once", async () => {
  const text = (words: string) =>
    block(0, { type: "text", text: "" }, [{ type: "text_delta", text: words }]);
  const call = { type: "tool_use", id: "t", name: "f", input: {} };
  const stream = [
    MESSAGE_START,
    ...text("one"),
    ...text("two"),
    ...block(0, call).slice(0, 1),
    ...block(0, call, [{ type: "input_json_delta", partial_json: '{"a":1}' }]),
    ...messageEnd("tool_use"),
  ];
  const { message } = await streamed(modelOf(() => eventStream(stream)));
  assertEquals(message.content, [
    { type: "text", text: "one" },
    { type: "text", text: "two" },
    { type: "tool-call", toolCallId: "t", toolName: "f", input: { a: 1 } },
  ]);
  const again = [
    MESSAGE_START,
    ...text("one"),
    MESSAGE_START,
    ...text("two"),
    ...messageEnd("end_turn"),
  ];
  const restarted = await streamed(modelOf(() => eventStream(again)));
  assertEquals(restarted.message.content, [{ type: "text", text: "two" }]);
});

Deno.test("anthropicMessages() reads texts in the forms of other APIs", async () => {
  for (const text of [{ type: "output_text", text: "A" }, { text: "A" }]) {
    const stream = [MESSAGE_START, ...block(0, text), ...messageEnd("end_turn")];
    for (
      const { message } of [
        await modelOf(() => Response.json(reply([text]))).generate(QUESTION),
        await streamed(modelOf(() => eventStream(stream))),
      ]
    ) assertEquals(message.content, [{ type: "text", text: "A" }]);
  }
});

Deno.test("anthropicMessages() reads the input of a call in the first event of its block", async () => {
  const call = {
    type: "tool_use",
    id: "t",
    name: "f",
    input: { at: 1 },
    caller: { type: "direct" },
  };
  const events = [MESSAGE_START, ...block(0, call), ...messageEnd("tool_use")];
  const { message } = await streamed(modelOf(() => eventStream(events)));
  assertEquals(message.content, [
    { type: "tool-call", toolCallId: "t", toolName: "f", input: { at: 1 } },
  ]);
});

Deno.test("anthropicMessages() keeps thinking without text, whose signature is sent back", async () => {
  const thinking = { type: "thinking", thinking: "", signature: "" };
  const signature = { type: "signature_delta", signature: "c2ln" };
  const text = { type: "text", text: "Hi" };
  const events = [
    MESSAGE_START,
    ...block(0, thinking, [{ type: "thinking_delta", thinking: "" }, signature]),
    ...block(1, text),
    ...messageEnd("end_turn"),
  ];
  const options = { provider: "anthropic" };
  const body = reply([{ ...thinking, signature: "c2ln" }, text]);
  const responses = [
    await streamed(modelOf(() => eventStream(events), options)),
    await modelOf(() => Response.json(body), options).generate(QUESTION),
  ];
  for (const response of responses) {
    assertEquals(await sentBack(response), [{ ...thinking, signature: "c2ln" }, text]);
  }
});

Deno.test("anthropicMessages() ignores the container, the edits of the context and citations", async () => {
  const rest = {
    container: { id: "container_1", expires_at: "2026-01-01T00:00:00Z" },
    context_management: { applied_edits: [] },
    stop_details: null,
  };
  const citations = [{
    type: "web_search_result_location",
    url: "https://sea.example",
    title: null,
  }];
  const body = reply([{ type: "text", text: "Hi", citations }], rest);
  const whole = await modelOf(() => Response.json(body)).generate(QUESTION);
  const events = [
    MESSAGE_START,
    ...block(0, { type: "text", text: "", citations: [] }, [
      { type: "citations_delta", citation: citations[0] },
      { type: "text_delta", text: "Hi" },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null, ...rest },
      usage: { output_tokens: 5 },
      context_management: { applied_edits: [] },
    },
    { type: "message_stop" },
  ];
  for (const response of [whole, await streamed(modelOf(() => eventStream(events)))]) {
    assertEquals(response.message.content, [{ type: "text", text: "Hi" }]);
    assertEquals([response.finishReason, response.warnings], ["stop", undefined]);
  }
});

Deno.test("anthropicMessages() reports the tokens of an advisor under its model", async () => {
  const own = { input_tokens: 10, output_tokens: 2 };
  const usage = {
    ...own,
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    iterations: [
      { type: "message", ...own, cache_creation: {} },
      { type: "advisor_message", model: "advisor-1", input_tokens: 30, output_tokens: 4 },
    ],
  };
  const body = reply([{ type: "text", text: "Hi" }], { usage });
  const response = await modelOf(() => Response.json(body)).generate(QUESTION);
  assertEquals(response.usage, { inputTokens: 10, outputTokens: 2, totalTokens: 12 });
  assertEquals(response.otherUsage, {
    "advisor-1": { inputTokens: 30, outputTokens: 4, totalTokens: 34 },
  });
});
