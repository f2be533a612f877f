import { assertEquals } from "@std/assert";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type { ModelMessage, ToolResult } from "../shared/model.ts";
import { openAiChat } from "./openai_chat.ts";
import { callsOf, failureOf, QUESTION, WEATHER } from "./testdata/ask.ts";
import { bodyOf, completion, modelOf } from "./testdata/chat.ts";
import { toWireName } from "./tool_names.ts";

Deno.test("openAiChat() sends every setting in its request field", async () => {
  const options: GenerationOptions = {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    maxOutputTokens: 100,
    stopSequences: ["END"],
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    reasoning: "high",
    toolChoice: { toolName: "weather" },
    responseFormat: { type: "json", schema: { type: "object" }, name: "report" },
    providerOptions: { openai: { parallel_tool_calls: false }, other: { ignored: true } },
  };
  const { messages: _, ...body } = await bodyOf({ tools: [WEATHER], options });
  assertEquals(body, {
    model: "m",
    stream: false,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    max_tokens: 100,
    stop: ["END"],
    seed: 7,
    presence_penalty: 0.1,
    frequency_penalty: 0.2,
    reasoning_effort: "high",
    tools: [{
      type: "function",
      function: {
        name: "weather",
        description: "The weather in a city",
        parameters: WEATHER.inputSchema,
      },
    }],
    tool_choice: { type: "function", function: { name: "weather" } },
    response_format: {
      type: "json_schema",
      json_schema: { name: "report", schema: { type: "object" } },
    },
    parallel_tool_calls: false,
  });
});

Deno.test("openAiChat() sends provider-executed tools and provider options of the system prompt", async () => {
  const cache_control = { type: "ephemeral" };
  const body = await bodyOf({
    messages: [
      { role: "system", content: "S", providerOptions: { openai: { cache_control } } },
      ...QUESTION.messages,
    ],
    options: {
      providerTools: [
        { id: "groq.browser_search", name: "browser_search", args: {} },
        {
          id: "moonshot.builtin_function",
          name: "$web_search",
          args: { function: { name: "$web_search" } },
        },
      ],
    },
  });
  assertEquals(Array.isArray(body.messages) && body.messages[0], {
    role: "system",
    content: [{ cache_control, type: "text", text: "S" }],
  });
  assertEquals(body.tools, [
    { type: "browser_search" },
    { function: { name: "$web_search" }, type: "builtin_function" },
  ]);
});

Deno.test("openAiChat() sends every form of a setting", async () => {
  const json = await bodyOf({ options: { responseFormat: { type: "json" }, toolChoice: "none" } });
  assertEquals(json.response_format, { type: "json_object" });
  // Servers reject requests that contain `tool_choice` but no tools.
  assertEquals("tool_choice" in json, false);
  const required = await bodyOf({ tools: [WEATHER], options: { toolChoice: "required" } });
  assertEquals(required.tool_choice, "required");
  const text = await bodyOf({ options: { responseFormat: { type: "text" } } });
  assertEquals("response_format" in text, false);
  const named = await bodyOf({ options: { maxOutputTokens: 9 } }, {
    maxTokensField: "max_completion_tokens",
  });
  assertEquals([named.max_completion_tokens, named.max_tokens], [9, undefined]);
});

Deno.test("openAiChat() sends the token limit in the field that the host supports", async () => {
  const bodies: unknown[] = [];
  const model = openAiChat({
    baseUrl: "https://api.openai.com/v1",
    model: "m",
    apiKey: "key",
    fetch: (_, { body }) => {
      bodies.push(JSON.parse(String(body)));
      return Promise.resolve(Response.json(completion({ content: "ok" })));
    },
  });
  await model.generate({ ...QUESTION, messages: [], options: { maxOutputTokens: 9 } });
  assertEquals(bodies, [{ model: "m", messages: [], max_completion_tokens: 9, stream: false }]);
});

Deno.test("openAiChat() sends a conversation with tool calls, results, reasoning and files", async () => {
  const png = { type: "data", data: new Uint8Array([1, 2, 3]) } as const;
  const messages: ModelMessage[] = [
    { role: "system", content: "Be brief" },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "file", mediaType: "image/png", data: png },
        {
          type: "file",
          mediaType: "image/png",
          data: { type: "url", url: new URL("https://example.org/a.png") },
        },
        { type: "file", mediaType: "audio/wav", data: { type: "data", data: "AQID" } },
        {
          type: "file",
          mediaType: "application/pdf",
          filename: "a.pdf",
          data: { type: "data", data: "AQID" },
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "not from here", providerOptions: { anthropic: {} } },
        {
          type: "reasoning",
          text: "hm",
          providerOptions: { openai: { reasoningField: "reasoning_content" } },
        },
        { type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: 1 } },
        { type: "tool-call", toolCallId: "c2", toolName: "look", input: {}, rawInput: "{bad" },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "look",
          output: {
            type: "content",
            value: [
              { type: "text", text: "Seen:" },
              { type: "file", mediaType: "image/png", data: png },
            ],
          },
          isError: false,
          durationMs: 1,
        },
        {
          type: "tool-result",
          toolCallId: "c2",
          toolName: "look",
          output: { type: "error-text", value: "no JSON" },
          isError: true,
          durationMs: 0,
        },
      ],
    },
    { role: "assistant", content: [{ type: "text", text: "A cat" }] },
  ];
  const { messages: sent } = await bodyOf({ messages });
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } };
  assertEquals(sent, [
    { role: "system", content: "Be brief" },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        image,
        { type: "image_url", image_url: { url: "https://example.org/a.png" } },
        { type: "input_audio", input_audio: { data: "AQID", format: "wav" } },
        {
          type: "file",
          file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AQID" },
        },
      ],
    },
    {
      role: "assistant",
      reasoning_content: "hm",
      content: null,
      tool_calls: [
        { id: "c1", type: "function", function: { name: "look", arguments: '{"at":1}' } },
        { id: "c2", type: "function", function: { name: "look", arguments: "{bad" } },
      ],
    },
    {
      role: "tool",
      tool_call_id: "c1",
      content: "Seen:\n[File of type image/png: see the next message]",
    },
    { role: "tool", tool_call_id: "c2", content: "no JSON" },
    {
      role: "user",
      content: [{ type: "text", text: "File from the result of tool call c1:" }, image],
    },
    { role: "assistant", content: "A cat" },
  ]);
});

Deno.test("openAiChat() converts every type of tool result to text", async () => {
  const outputs: readonly (readonly [ToolResult["output"], string])[] = [
    [{ type: "text", value: "plain" }, "plain"],
    [{ type: "json", value: { a: [1] } }, '{"a":[1]}'],
    [{ type: "error-json", value: { code: 1 } }, '{"code":1}'],
    [{ type: "execution-denied" }, "The call was not approved"],
    [{ type: "execution-denied", reason: "too risky" }, "The call was not approved: too risky"],
  ];
  for (const [output, text] of outputs) {
    const { messages } = await bodyOf({
      messages: [{
        role: "tool",
        content: [{
          type: "tool-result",
          toolCallId: "c",
          toolName: "t",
          output,
          isError: false,
          durationMs: 0,
        }],
      }],
    });
    assertEquals(messages, [{ role: "tool", tool_call_id: "c", content: text }]);
  }
});

Deno.test("openAiChat() rejects an unsupported file", async () => {
  const url = new URL("https://example.org/a.pdf");
  const error = await failureOf(
    modelOf(() => Response.json(completion({ content: "" }))).generate({
      ...QUESTION,
      messages: [{
        role: "user",
        content: [{ type: "file", mediaType: "application/pdf", data: { type: "url", url } }],
      }],
    }),
  );
  assertEquals(error.retryable, false);
});

Deno.test("openAiChat() rejects a conversation that is not serializable as JSON", async () => {
  const messages: ModelMessage[] = [{
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: { big: 1n } }],
  }];
  const model = modelOf(() => Response.json(completion({ content: "" })));
  assertEquals((await failureOf(model.generate({ ...QUESTION, messages }))).retryable, false);
});

Deno.test("openAiChat() sends providerOptions, but its own fields take precedence", async () => {
  const providerOptions = { openai: { top_k: 5, temperature: 0.1, model: "other" } };
  const body = await bodyOf({ messages: [], options: { temperature: 0.7, providerOptions } });
  assertEquals(body, { model: "m", messages: [], temperature: 0.7, top_k: 5, stream: false });
});

Deno.test("openAiChat() encodes and decodes tool names that providers reject", async () => {
  const name = "files.read";
  const body = await bodyOf({
    messages: [{
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: name, input: {} }],
    }],
    tools: [{ ...WEATHER, name }],
    options: { toolChoice: { toolName: name } },
  });
  const wireName = toWireName(name);
  assertEquals(JSON.stringify(body).split(`"name":"${wireName}"`).length, 4);
  const call = { id: "c", function: { name: wireName, arguments: "{}" } };
  const model = modelOf(() => Response.json(completion({ tool_calls: [call] })));
  const response = await model.generate({ ...QUESTION, tools: [{ ...WEATHER, name }] });
  assertEquals(callsOf(response).map(({ toolName }) => toolName), [name]);
});

Deno.test("openAiChat() sends the providerOptions of a part", async () => {
  const providerOptions = { openai: { cache_control: { type: "ephemeral" } } };
  const { messages } = await bodyOf({
    messages: [
      { role: "system", content: "s", providerOptions },
      {
        role: "user",
        content: [{ type: "text", text: "a", providerOptions }, { type: "text", text: "b" }],
      },
      { role: "user", content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] },
    ],
  });
  const cached = { cache_control: { type: "ephemeral" }, type: "text" };
  assertEquals(messages, [
    { role: "system", content: [{ ...cached, text: "s" }] },
    { role: "user", content: [{ ...cached, text: "a" }, { type: "text", text: "b" }] },
    { role: "user", content: "a\nb" },
  ]);
});
