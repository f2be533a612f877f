/**
 * Compares the models of the Chat Completions API and the Messages API with the providers' own
 * packages, over loopback: the requests have the packages' types, and the packages read the same
 * text and tool calls from the responses that the models read.
 */

import Anthropic from "@anthropic-ai/sdk";
import type { ModelMessage, ModelRequest, ModelResponse, ToolResult } from "@parley/runtime";
import { anthropicMessages, openAiChat } from "@parley/runtime/models";
import { assertEquals } from "@std/assert";
import OpenAI from "openai";
import type { ChatCompletion } from "openai/resources/chat/completions";
import { chunk, completion } from "../../runtime/models/testdata/chat.ts";
import { eventStream, FakeEndpoint } from "../../runtime/models/testdata/fake_endpoint.ts";
import { block, MESSAGE_START, messageEnd, reply } from "../../runtime/models/testdata/messages.ts";
import type { ChatBody, MessagesBody } from "./request_types.ts";

const KEY = "sk-secret-0123456789";
const CITY = '{"city":"Paris"}';
const CALL = {
  id: "call_1",
  type: "function" as const,
  function: { name: "weather", arguments: CITY },
};
const PARAMETERS = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
};

/** Text and tool calls of a response. */
interface Facts {
  readonly text: string;
  readonly calls: readonly (readonly [id: string, name: string, input: unknown])[];
}

const EXPECTED: Facts = {
  text: "I look.",
  calls: [["call_1", "weather", { city: "Paris" }]],
};

function ourFacts({ message: { content } }: ModelResponse): Facts {
  return {
    text: content.flatMap((part) => part.type === "text" ? [part.text] : []).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call" ? [[part.toolCallId, part.toolName, part.input] as const] : []
    ),
  };
}

function chatFacts({ choices }: ChatCompletion): Facts {
  const message = choices[0]?.message;
  return {
    text: message?.content ?? "",
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === "function"
        ? [[call.id, call.function.name, JSON.parse(call.function.arguments)] as const]
        : []
    ),
  };
}

function messagesFacts({ content }: Anthropic.Message): Facts {
  return {
    text: content.flatMap((each) => each.type === "text" ? [each.text] : []).join(""),
    calls: content.flatMap((each) =>
      each.type === "tool_use" ? [[each.id, each.name, each.input] as const] : []
    ),
  };
}

const REQUEST: ModelRequest = {
  messages: [{ role: "user", content: [{ type: "text", text: "Weather?" }] }],
  tools: [],
  options: {},
};

const CHAT_EVENTS = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "I " }),
  chunk({ content: "look." }),
  chunk({ tool_calls: [{ index: 0, ...CALL, function: { name: "weather", arguments: "" } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] }),
  chunk({}, "tool_calls"),
  "[DONE]",
];

const MESSAGES_EVENTS = [
  MESSAGE_START,
  ...block(0, { type: "text", text: "" }, [
    { type: "text_delta", text: "I " },
    { type: "text_delta", text: "look." },
  ]),
  ...block(1, { type: "tool_use", id: "call_1", name: "weather", input: {} }, [
    { type: "input_json_delta", partial_json: '{"city":' },
    { type: "input_json_delta", partial_json: '"Paris"}' },
  ]),
  ...messageEnd("tool_use"),
];

Deno.test("the openai package and openAiChat() read the same responses", async () => {
  const whole = completion({ content: "I look.", refusal: null, tool_calls: [CALL] });
  await using endpoint: FakeEndpoint = new FakeEndpoint(() =>
    endpoint.last.body.stream === true ? eventStream(CHAT_EVENTS) : Response.json(whole)
  );
  const baseUrl = `${endpoint.origin}/v1`;
  const client = new OpenAI({ apiKey: KEY, baseURL: baseUrl });
  const body = { model: "m", messages: [{ role: "user" as const, content: "Weather?" }] };
  assertEquals(chatFacts(await client.chat.completions.create(body)), EXPECTED);
  const stream = client.chat.completions.stream(body);
  assertEquals(chatFacts(await stream.finalChatCompletion()), EXPECTED);
  const model = openAiChat({ model: "m", apiKey: KEY, baseUrl });
  assertEquals(ourFacts(await model.generate(REQUEST)), EXPECTED);
  for await (const event of model.stream?.(REQUEST) ?? []) {
    if (event.type === "finish") assertEquals(ourFacts(event.response), EXPECTED);
  }
});

Deno.test("the @anthropic-ai/sdk package and anthropicMessages() read the same responses", async () => {
  const whole = reply([
    { type: "text", text: "I look." },
    { type: "tool_use", id: "call_1", name: "weather", input: { city: "Paris" } },
  ], { stop_reason: "tool_use" });
  // The package calls the API with a path that starts with /v1.
  await using endpoint: FakeEndpoint = new FakeEndpoint(() =>
    endpoint.last.body.stream === true ? streamOfTypedEvents(MESSAGES_EVENTS) : Response.json(whole)
  );
  const client = new Anthropic({ apiKey: KEY, baseURL: endpoint.origin });
  const body = {
    model: "m",
    max_tokens: 100,
    messages: [{ role: "user" as const, content: "Weather?" }],
  };
  assertEquals(messagesFacts(await client.messages.create(body)), EXPECTED);
  assertEquals(messagesFacts(await client.messages.stream(body).finalMessage()), EXPECTED);
  const model = anthropicMessages({ model: "m", apiKey: KEY, baseUrl: endpoint.origin });
  assertEquals(ourFacts(await model.generate(REQUEST)), EXPECTED);
  for await (const event of model.stream?.(REQUEST) ?? []) {
    if (event.type === "finish") assertEquals(ourFacts(event.response), EXPECTED);
  }
});

/** Returns an event stream whose events have the type of their data, which the package requires. */
function streamOfTypedEvents(events: readonly object[]): Response {
  const text = events.map((event) => {
    const type = "type" in event ? event.type : "message";
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

const PNG = { type: "data", data: "iVBORw0K" } as const;

const RESULT: ToolResult = {
  type: "tool-result",
  toolCallId: "call_1",
  toolName: "weather",
  output: {
    type: "content",
    value: [
      { type: "text", text: "21 °C" },
      { type: "file", mediaType: "image/png", data: PNG },
    ],
  },
  isError: true,
  durationMs: 1,
};

/** A conversation with all parts that both APIs support. */
const MESSAGES: ModelMessage[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this, and what is the weather?" },
      { type: "file", mediaType: "image/png", data: PNG },
      {
        type: "file",
        mediaType: "image/png",
        data: { type: "url", url: new URL("https://files.example/a.png") },
      },
      {
        type: "file",
        mediaType: "application/pdf",
        filename: "a.pdf",
        data: { type: "data", data: "JVBERi0x" },
      },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "text", text: "I look." },
      { type: "tool-call", toolCallId: "call_1", toolName: "weather", input: { city: "Paris" } },
    ],
  },
  { role: "tool", content: [RESULT] },
];

const TOOLS: ModelRequest["tools"] = [{
  name: "weather",
  description: "The weather in a city",
  inputSchema: PARAMETERS,
}];

const IMAGE_PART = {
  type: "image_url" as const,
  image_url: { url: "data:image/png;base64,iVBORw0K" },
};

/** The same conversation, for which the compiler checks the types of OpenAI's package. */
const CHAT_BODY: ChatBody = {
  model: "m",
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this, and what is the weather?" },
        IMAGE_PART,
        { type: "image_url", image_url: { url: "https://files.example/a.png" } },
        {
          type: "file",
          file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0x" },
        },
        { type: "input_audio", input_audio: { data: "SUQzBAAA", format: "mp3" } },
      ],
    },
    { role: "assistant", content: "I look.", tool_calls: [CALL] },
    {
      role: "tool",
      tool_call_id: "call_1",
      content: "21 °C\n[File of type image/png: see the next message]",
    },
    {
      role: "user",
      content: [{ type: "text", text: "File from the result of tool call call_1:" }, IMAGE_PART],
    },
  ],
  temperature: 0.5,
  top_p: 0.9,
  max_tokens: 100,
  stop: ["END"],
  seed: 7,
  presence_penalty: 0.1,
  frequency_penalty: 0.2,
  reasoning_effort: "low",
  response_format: {
    type: "json_schema",
    json_schema: { name: "answer", description: "An answer", schema: { type: "object" } },
  },
  tools: [{
    type: "function",
    function: { name: "weather", description: "The weather in a city", parameters: PARAMETERS },
  }],
  tool_choice: { type: "function", function: { name: "weather" } },
  stream: false,
};

Deno.test("openAiChat() sends requests that have the types of the openai package", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(completion({ content: "ok" })));
  const model = openAiChat({ model: "m", apiKey: KEY, baseUrl: `${endpoint.origin}/v1` });
  const audio = {
    type: "file",
    mediaType: "audio/mp3",
    data: { type: "data", data: "SUQzBAAA" },
  } as const;
  await model.generate({
    messages: MESSAGES.map((message) =>
      message.role === "user" ? { ...message, content: [...message.content, audio] } : message
    ),
    tools: TOOLS,
    options: {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      reasoning: "low",
      toolChoice: { toolName: "weather" },
      responseFormat: { type: "json", description: "An answer", schema: { type: "object" } },
    },
  });
  assertEquals<unknown>(endpoint.last.body, CHAT_BODY);
});

const IMAGE_BLOCK = {
  type: "image" as const,
  source: { type: "base64" as const, media_type: "image/png" as const, data: "iVBORw0K" },
};

/** The same conversation, for which the compiler checks the types of Anthropic's package. */
const MESSAGES_BODY: MessagesBody = {
  model: "m",
  max_tokens: 100,
  system: [{ type: "text", text: "Be brief." }],
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "What is this, and what is the weather?" },
        IMAGE_BLOCK,
        { type: "image", source: { type: "url", url: "https://files.example/a.png" } },
        {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "JVBERi0x" },
          title: "a.pdf",
        },
        {
          type: "document",
          source: { type: "text", media_type: "text/plain", data: "a,b" },
          title: "a.csv",
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "call_1", name: "weather", input: { city: "Paris" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "call_1",
          content: [{ type: "text", text: "21 °C" }],
          is_error: true,
        },
        { type: "text", text: "Files from the result of tool call call_1:" },
        IMAGE_BLOCK,
      ],
    },
  ],
  temperature: 0.5,
  top_p: 0.9,
  top_k: 40,
  stop_sequences: ["END"],
  thinking: { type: "adaptive" },
  output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
  tools: [
    { name: "weather", description: "The weather in a city", input_schema: PARAMETERS },
    { type: "web_search_20250305", name: "web_search", max_uses: 3 },
  ],
  tool_choice: { type: "tool", name: "weather" },
};

Deno.test("anthropicMessages() sends requests that have the types of the @anthropic-ai/sdk package", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(reply([])));
  const model = anthropicMessages({ model: "m", apiKey: KEY, baseUrl: endpoint.origin });
  const table = {
    type: "file",
    mediaType: "text/csv",
    filename: "a.csv",
    data: { type: "data", data: "YSxi" },
  } as const;
  await model.generate({
    messages: MESSAGES.map((message) =>
      message.role === "user" ? { ...message, content: [...message.content, table] } : message
    ),
    tools: TOOLS,
    options: {
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      reasoning: "low",
      toolChoice: { toolName: "weather" },
      responseFormat: { type: "json", schema: { type: "object" } },
      providerTools: [
        { id: "anthropic.web_search_20250305", name: "web_search", args: { max_uses: 3 } },
      ],
    },
  });
  assertEquals<unknown>(endpoint.last.body, MESSAGES_BODY);
});
