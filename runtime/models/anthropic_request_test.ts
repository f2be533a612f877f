import { assertEquals, assertMatch } from "@std/assert";
import type { FilePart, ModelMessage, ToolResult, ToolResultOutput } from "../shared/model.ts";
import { failureOf, QUESTION, WEATHER } from "./testdata/ask.ts";
import { bodyOf, modelOf, reply } from "./testdata/messages.ts";

const PNG: FilePart = {
  type: "file",
  mediaType: "image/png",
  data: { type: "data", data: new Uint8Array([1, 2, 3]) },
};

function result(rest: Partial<ToolResult>): ToolResult {
  return {
    type: "tool-result",
    toolCallId: "c1",
    toolName: "look",
    output: { type: "text", value: "ok" },
    isError: false,
    durationMs: 0,
    ...rest,
  };
}

Deno.test("anthropicMessages() sends every setting in its request field", async () => {
  const body = await bodyOf({
    tools: [WEATHER, { name: "anything", inputSchema: {} }],
    options: {
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      toolChoice: "required",
      reasoning: "minimal",
      responseFormat: { type: "json", schema: { type: "object" } },
      providerOptions: {
        anthropic: {
          metadata: { user_id: "u" },
          tools: [{ type: "web_search_20250305", name: "web_search" }],
        },
      },
    },
  });
  assertEquals(body, {
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user", content: [{ type: "text", text: "Weather in Paris?" }] }],
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    stop_sequences: ["END"],
    thinking: { type: "adaptive" },
    output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
    tools: [
      {
        name: "weather",
        description: "The weather in a city",
        input_schema: WEATHER.inputSchema,
      },
      { name: "anything", input_schema: { type: "object", properties: {} } },
      { type: "web_search_20250305", name: "web_search" },
    ],
    tool_choice: { type: "any" },
    metadata: { user_id: "u" },
  });
});

Deno.test("anthropicMessages() sends provider-executed tools and a cached system prompt", async () => {
  const cache_control = { type: "ephemeral" };
  const body = await bodyOf({
    messages: [
      { role: "system", content: "S", providerOptions: { anthropic: { cache_control } } },
      ...QUESTION.messages,
    ],
    tools: [WEATHER],
    options: {
      toolChoice: "none",
      providerTools: [
        { id: "anthropic.web_search_20250305", name: "web_search", args: { max_uses: 3 } },
      ],
    },
  });
  assertEquals(body.system, [{ cache_control, type: "text", text: "S" }]);
  assertEquals(body.tools, [
    { name: "weather", description: "The weather in a city", input_schema: WEATHER.inputSchema },
    { max_uses: 3, type: "web_search_20250305", name: "web_search" },
  ]);
  assertEquals(body.tool_choice, { type: "none" });
});

Deno.test("anthropicMessages() sends every form of a setting", async () => {
  const plain = await bodyOf({ options: { toolChoice: "none" } });
  assertEquals(Object.keys(plain).sort(), ["max_tokens", "messages", "model"]);
  assertEquals(plain.max_tokens, 8192);
  const named = await bodyOf({
    tools: [WEATHER],
    options: { toolChoice: { toolName: "weather" } },
  });
  assertEquals(named.tool_choice, { type: "tool", name: "weather" });
  const unthinking = await bodyOf({ options: { reasoning: "none" } });
  assertEquals([unthinking.thinking, unthinking.output_config], [{ type: "disabled" }, undefined]);
  const thinking = { type: "enabled", budget_tokens: 2000 };
  const older = await bodyOf({
    options: { reasoning: "high", providerOptions: { anthropic: { thinking } } },
  });
  assertEquals(older.thinking, thinking);
});

Deno.test("anthropicMessages() warns of unsupported settings", async () => {
  const model = modelOf(() => Response.json(reply([])));
  const options = { seed: 1, presencePenalty: 0, responseFormat: { type: "json" } } as const;
  const { warnings } = await model.generate({ ...QUESTION, options });
  assertEquals(warnings?.map((text) => text.split(": ")[1]), [
    "seed",
    "presencePenalty",
    "responseFormat without a schema",
  ]);
});

Deno.test("anthropicMessages() sends a conversation with tool calls, results, thinking and files", async () => {
  const messages: ModelMessage[] = [
    { role: "system", content: "Be brief" },
    {
      role: "system",
      content: "Be kind",
      providerOptions: { anthropic: { cache_control: { type: "ephemeral" } } },
    },
    { role: "user", content: [{ type: "text", text: "What is this?" }, PNG] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "not from here", providerOptions: { openai: {} } },
        { type: "reasoning", text: "hm", providerOptions: { anthropic: { signature: "s" } } },
        {
          type: "reasoning",
          text: "",
          providerOptions: { anthropic: { block: { type: "redacted_thinking", data: "x" } } },
        },
        { type: "text", text: "  " },
        { type: "tool-call", toolCallId: "c1", toolName: "fs.look", input: { at: 1 } },
        { type: "tool-call", toolCallId: "c2", toolName: "look", input: {}, rawInput: "{bad" },
        { type: "tool-call", toolCallId: "c3", toolName: "look", input: 5 },
      ],
    },
    {
      role: "tool",
      content: [
        result({ output: { type: "content", value: [{ type: "text", text: "Seen:" }, PNG] } }),
        result({
          toolCallId: "c2",
          isError: true,
          output: { type: "execution-denied", reason: "too risky" },
        }),
        result({
          toolCallId: "c3",
          output: { type: "json", value: [1] },
          providerOptions: { anthropic: { cache_control: { type: "ephemeral" } } },
        }),
      ],
    },
    { role: "assistant", content: [] },
    { role: "user", content: [{ type: "text", text: "And?" }] },
  ];
  const { system, messages: sent } = await bodyOf({ messages });
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "AQID" },
  };
  assertEquals(system, [
    { type: "text", text: "Be brief" },
    { type: "text", text: "Be kind", cache_control: { type: "ephemeral" } },
  ]);
  assertEquals(sent, [
    { role: "user", content: [{ type: "text", text: "What is this?" }, image] },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "redacted_thinking", data: "x" },
        { type: "tool_use", id: "c1", name: "fs_look_462fa4d3", input: { at: 1 } },
        { type: "tool_use", id: "c2", name: "look", input: { rawInput: "{bad" } },
        { type: "tool_use", id: "c3", name: "look", input: { rawInput: "5" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "c1",
          content: [{ type: "text", text: "Seen:" }, image],
        },
        {
          type: "tool_result",
          tool_use_id: "c2",
          content: "The call was not approved: too risky",
          is_error: true,
        },
        {
          type: "tool_result",
          tool_use_id: "c3",
          content: "[1]",
          cache_control: { type: "ephemeral" },
        },
        { type: "text", text: "And?" },
      ],
    },
  ]);
});

/** Files, and the blocks expected in the request. */
const FILES: readonly (readonly [Omit<FilePart, "type">, object])[] = [
  [
    { mediaType: "image/png", data: { type: "url", url: new URL("https://example.org/a.png") } },
    { type: "image", source: { type: "url", url: "https://example.org/a.png" } },
  ],
  [
    { mediaType: "application/pdf", filename: "a.pdf", data: { type: "data", data: "AQID" } },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "AQID" },
      title: "a.pdf",
    },
  ],
  [
    { mediaType: "text/markdown", data: { type: "data", data: new TextEncoder().encode("é") } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "é" } },
  ],
  [
    { mediaType: "text/plain", data: { type: "data", data: "w6k=" } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "é" } },
  ],
];

Deno.test("anthropicMessages() sends files as images and documents", async () => {
  for (const [file, expected] of FILES) {
    const { messages } = await bodyOf({
      messages: [{ role: "user", content: [{ type: "file", ...file }] }],
    });
    assertEquals(messages, [{ role: "user", content: [expected] }]);
  }
});

Deno.test("anthropicMessages() rejects an unsupported file", async () => {
  const url = new URL("https://example.org/a");
  const files: readonly Omit<FilePart, "type">[] = [
    { mediaType: "audio/wav", data: { type: "data", data: "AQID" } },
    { mediaType: "text/plain", data: { type: "url", url } },
  ];
  for (const file of files) {
    const messages: ModelMessage[] = [{ role: "user", content: [{ type: "file", ...file }] }];
    const work = modelOf(() => Response.json(reply([]))).generate({ ...QUESTION, messages });
    assertEquals((await failureOf(work)).retryable, false);
  }
});

/** Returns the blocks of the last message of a conversation that ends with a tool result. */
async function sentResult(rest: Partial<ToolResult>): Promise<unknown> {
  const { messages } = await bodyOf({
    messages: [
      ...QUESTION.messages,
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c1", toolName: "look", input: {} }],
      },
      { role: "tool", content: [result(rest)] },
    ],
  });
  return JSON.parse(JSON.stringify(messages)).at(-1).content;
}

Deno.test("anthropicMessages() replaces files in tool results that the API rejects", async () => {
  const jpeg = "/9j/4AAQSkZJRg==";
  const file = (mediaType: string, data: string): FilePart => ({
    type: "file",
    mediaType,
    data: { type: "data", data },
  });
  const rows = [
    [file("image/png", jpeg), {
      type: "image",
      source: { type: "base64", media_type: "image/jpeg", data: jpeg },
    }],
    [file("audio/wav", "AQID"), {
      type: "text",
      text: "[File of type audio/wav: the model cannot read this type of file]",
    }],
    [file("image/svg+xml", btoa("<svg/>")), {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: "<svg/>" },
    }],
  ] as const;
  for (const [part, expected] of rows) {
    assertEquals(await sentResult({ output: { type: "content", value: [part] } }), [
      { type: "tool_result", tool_use_id: "c1", content: [expected] },
    ]);
  }
});

Deno.test("anthropicMessages() replaces an unsupported file of an earlier turn with a note", async () => {
  const data = { type: "data", data: "AQID" } as const;
  const { messages } = await bodyOf({
    messages: [
      { role: "user", content: [{ type: "file", mediaType: "audio/wav", data }] },
      { role: "assistant", content: [{ type: "text", text: "I hear." }] },
      { role: "user", content: [{ type: "text", text: "And?" }] },
    ],
  });
  assertEquals(JSON.parse(JSON.stringify(messages))[0].content, [{
    type: "text",
    text: "[File of type audio/wav: the model cannot read this type of file]",
  }]);
});

Deno.test("anthropicMessages() sends some text for an error without a message", async () => {
  const content = "The tool reported an error without a message";
  const outputs: readonly ToolResultOutput[] = [
    { type: "error-text", value: "" },
    { type: "error-text", value: " \n" },
    { type: "content", value: [] },
    { type: "content", value: [{ type: "text", text: "" }] },
  ];
  for (const output of outputs) {
    assertEquals(await sentResult({ output, isError: true }), [
      { type: "tool_result", tool_use_id: "c1", content, is_error: true },
    ]);
  }
});

Deno.test("anthropicMessages() sends the files of an error after the results", async () => {
  const image = {
    type: "image",
    source: { type: "base64", media_type: "image/png", data: "AQID" },
  };
  const label = { type: "text", text: "Files from the result of tool call c1:" };
  const failed = { type: "tool_result", tool_use_id: "c1", is_error: true };
  const text = { type: "text", text: "The page did not load" } as const;
  const note = "[File of type audio/wav: the model cannot read this type of file]";
  const audio: FilePart = {
    type: "file",
    mediaType: "audio/wav",
    data: { type: "data", data: "AQID" },
  };
  const rows: readonly (readonly [ToolResultOutput, readonly unknown[]])[] = [
    [{ type: "content", value: [text, PNG] }, [{ ...failed, content: [text] }, label, image]],
    [{ type: "content", value: [PNG] }, [
      { ...failed, content: "The tool reported an error without a message" },
      label,
      image,
    ]],
    [{ type: "content", value: [audio] }, [
      { ...failed, content: [{ type: "text", text: note }] },
    ]],
  ];
  for (const [output, expected] of rows) {
    assertEquals(await sentResult({ output, isError: true }), expected);
  }
});

Deno.test("anthropicMessages() encodes call ids that the API rejects, in calls and results", async () => {
  const { messages } = await bodyOf({
    messages: [
      ...QUESTION.messages,
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "f.look:0", toolName: "look", input: {} }],
      },
      { role: "tool", content: [result({ toolCallId: "f.look:0" })] },
    ],
  });
  const [, call, answer] = JSON.parse(JSON.stringify(messages));
  assertMatch(call.content[0].id, /^[A-Za-z0-9_-]+$/);
  assertEquals(answer.content[0].tool_use_id, call.content[0].id);
});

Deno.test("anthropicMessages() sends no thinking without a signature", async () => {
  const answer = reply([{ type: "thinking", thinking: "hm" }, { type: "text", text: "Hi" }]);
  const { message } = await modelOf(() => Response.json(answer)).generate(QUESTION);
  assertEquals(message.content, [
    { type: "reasoning", text: "hm" },
    { type: "text", text: "Hi" },
  ]);
  const stored = { type: "reasoning", text: "hm" } as const;
  const providerOptions = { anthropic: { signature: "" } };
  const { messages } = await bodyOf({
    messages: [
      ...QUESTION.messages,
      { role: "assistant", content: [{ ...stored, providerOptions }, ...message.content] },
    ],
  });
  assertEquals(JSON.parse(JSON.stringify(messages))[1].content, [{ type: "text", text: "Hi" }]);
});

Deno.test("anthropicMessages() starts every conversation with a user message", async () => {
  const { messages } = await bodyOf({
    messages: [
      { role: "assistant", content: [{ type: "text", text: "How can I help?" }] },
      ...QUESTION.messages,
    ],
  });
  const roles = JSON.parse(JSON.stringify(messages)).map(({ role }: { role: string }) => role);
  assertEquals(roles, ["user", "assistant", "user"]);
});
