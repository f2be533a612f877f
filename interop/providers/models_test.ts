/**
 * Compares the model adapters with AI SDK provider packages, over loopback.
 *
 * Models from the packages work with `fromAiSdk`, and our adapters send the same requests as the
 * packages.
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createAnthropic as createAnthropicV2 } from "@ai-sdk/anthropic-v2";
import { createAnthropic as createAnthropicV3 } from "@ai-sdk/anthropic-v3";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenAICompatible as createOpenAICompatibleV2 } from "@ai-sdk/openai-compatible-v2";
import { createOpenAICompatible as createOpenAICompatibleV3 } from "@ai-sdk/openai-compatible-v3";
import {
  type JsonObject,
  type LanguageModel,
  type LoopEvent,
  type ModelMessage,
  runToolLoop,
  ToolRegistry,
} from "@parley/runtime";
import { type AiSdkModel, anthropicMessages, fromAiSdk, openAiChat } from "@parley/runtime/models";
import { assert, assertEquals, assertObjectMatch, assertRejects } from "@std/assert";
import { AgentError } from "../../runtime/shared/error.ts";
import { chunk, completion } from "../../runtime/models/testdata/chat.ts";
import {
  eventStream,
  FakeEndpoint,
  openStream,
  type SeenRequest,
} from "../../runtime/models/testdata/fake_endpoint.ts";
import { block, MESSAGE_START, messageEnd, reply } from "../../runtime/models/testdata/messages.ts";

const KEY = "sk-secret-0123456789";

/** Two responses in one wire format, a tool call and text, each in complete and streamed form. */
interface Wire {
  readonly whole: readonly [object, object];
  readonly streamed: readonly [readonly (object | string)[], readonly (object | string)[]];
}

const CHAT: Wire = {
  whole: [
    completion({
      content: null,
      tool_calls: [{
        id: "call_1",
        type: "function",
        function: { name: "weather", arguments: '{"city":"Paris"}' },
      }],
    }),
    completion({ content: "Sunny." }),
  ],
  streamed: [
    [
      chunk({
        role: "assistant",
        tool_calls: [{
          index: 0,
          id: "call_1",
          type: "function",
          function: { name: "weather", arguments: "" },
        }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Paris"}' } }] }),
      { ...chunk({}, "tool_calls"), usage: { prompt_tokens: 11, completion_tokens: 5 } },
      "[DONE]",
    ],
    [
      chunk({ role: "assistant", content: "Sun" }),
      chunk({ content: "ny." }),
      { ...chunk({}, "stop"), usage: { prompt_tokens: 11, completion_tokens: 5 } },
      "[DONE]",
    ],
  ],
};

const TOOL_USE = { type: "tool_use", id: "toolu_1", name: "weather" };

const MESSAGES: Wire = {
  whole: [
    reply([{ ...TOOL_USE, input: { city: "Paris" } }], { stop_reason: "tool_use" }),
    reply([{ type: "text", text: "Sunny." }]),
  ],
  streamed: [
    [
      MESSAGE_START,
      ...block(0, { ...TOOL_USE, input: {} }, [
        { type: "input_json_delta", partial_json: '{"city":' },
        { type: "input_json_delta", partial_json: '"Paris"}' },
      ]),
      ...messageEnd("tool_use"),
    ],
    [
      MESSAGE_START,
      ...block(0, { type: "text", text: "" }, [{ type: "text_delta", text: "Sunny." }]),
      ...messageEnd("end_turn"),
    ],
  ],
};

interface Peer {
  readonly wire: Wire;
  readonly theirs: (origin: string) => AiSdkModel;
}

function chatOptions(origin: string) {
  return { name: "local", baseURL: `${origin}/v1`, apiKey: KEY, includeUsage: true };
}

function messagesOptions(origin: string) {
  return { baseURL: `${origin}/v1`, apiKey: KEY };
}

const PEERS: Readonly<Record<string, Peer>> = {
  "openai-compatible, v2": {
    wire: CHAT,
    theirs: (origin) => createOpenAICompatibleV2(chatOptions(origin))("m"),
  },
  "openai-compatible, v3": {
    wire: CHAT,
    theirs: (origin) => createOpenAICompatibleV3(chatOptions(origin))("m"),
  },
  "openai-compatible, v4": {
    wire: CHAT,
    theirs: (origin) => createOpenAICompatible(chatOptions(origin))("m"),
  },
  "anthropic, v2": {
    wire: MESSAGES,
    theirs: (origin) => createAnthropicV2(messagesOptions(origin))("m"),
  },
  "anthropic, v3": {
    wire: MESSAGES,
    theirs: (origin) => createAnthropicV3(messagesOptions(origin))("m"),
  },
  "anthropic, v4": {
    wire: MESSAGES,
    theirs: (origin) => createAnthropic(messagesOptions(origin))("m"),
  },
};

/** Creates an endpoint that requests the tool call and, after the tool result, returns the text. */
function endpointOf({ whole, streamed }: Wire): FakeEndpoint {
  const endpoint: FakeEndpoint = new FakeEndpoint(() => {
    const { body } = endpoint.last;
    const turn = /"tool_result"|"role":"tool"/.test(JSON.stringify(body.messages)) ? 1 : 0;
    if (body.stream !== true) return Response.json(whole[turn]);
    return eventStream(streamed[turn]);
  });
  return endpoint;
}

function weatherRegistry(): ToolRegistry {
  const registry = new ToolRegistry();
  registry.register({
    name: "weather",
    description: "The weather in a city",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    execute: () => ({ temperature: 21 }),
  });
  return registry;
}

async function runWeather(model: LanguageModel, onEvent?: (event: LoopEvent) => void) {
  const config = { model, registry: weatherRegistry(), systemPrompt: "Be brief." };
  return await runToolLoop(
    onEvent === undefined ? config : { ...config, onEvent },
    "Weather in Paris?",
  );
}

for (const [name, { wire, theirs }] of Object.entries(PEERS)) {
  Deno.test(`a tool loop runs with a model from @ai-sdk/${name}`, async () => {
    await using endpoint = endpointOf(wire);
    const model = fromAiSdk(theirs(endpoint.origin));
    const output = await runWeather(model);
    assertEquals(output.finalText, "Sunny.");
    assertEquals(output.stopReason, "model_stop");
    assertEquals(output.iterations[0]?.toolCalls[0]?.input, { city: "Paris" });
    assertEquals(output.totalUsage.inputTokens, 22);
    assertEquals(output.totalUsage.outputTokens, 10);
    assertEquals(endpoint.seen.length, 2);
  });

  Deno.test(`a streamed tool loop runs with a model from @ai-sdk/${name}`, async () => {
    await using endpoint = endpointOf(wire);
    const written = { text: "", input: "" };
    const output = await runWeather(fromAiSdk(theirs(endpoint.origin)), (event) => {
      if (event.type === "text_delta") written.text += event.text;
      if (event.type === "tool_input_delta") written.input += event.inputText;
    });
    assertEquals(output.finalText, "Sunny.");
    assertEquals(written.text, "Sunny.");
    assertEquals(written.input, '{"city":"Paris"}');
    assertEquals(output.totalUsage.outputTokens, 10);
    assertEquals(endpoint.seen.every(({ body }) => body.stream === true), true);
  });

  Deno.test(`an error from @ai-sdk/${name} is retryable and has a retry delay`, async () => {
    await using endpoint = new FakeEndpoint(() =>
      Response.json({ type: "error", error: { type: "rate_limit_error", message: "Slow down" } }, {
        status: 429,
        headers: { "retry-after": "3" },
      })
    );
    const model = fromAiSdk(theirs(endpoint.origin));
    const request = { messages: [], tools: [], options: {} };
    const error = await assertRejects(() => model.generate(request), AgentError, "Slow down");
    assertEquals([error.code, error.retryable, error.retryAfterMs], ["model_error", true, 3000]);
    assert(!error.message.includes(KEY));
  });

  Deno.test(`aborting a request closes the connection of @ai-sdk/${name}`, async () => {
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    await using endpoint = new FakeEndpoint(() => {
      asked.resolve();
      return openStream([], gone.resolve);
    });
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    const request = { messages: [], tools: [], options: {}, signal: controller.signal };
    const events = fromAiSdk(theirs(endpoint.origin)).stream?.(request)[Symbol.asyncIterator]();
    const next = events?.next();
    await asked.promise;
    controller.abort(reason);
    assertEquals(await assertRejects(async () => await next), reason);
    await gone.promise;
  });
}

const SEARCH_CALL = {
  type: "server_tool_use",
  id: "srvtoolu_1",
  name: "web_search",
  input: { query: "weather in Paris" },
};
const SEARCH_RESULT = {
  type: "web_search_tool_result",
  tool_use_id: "srvtoolu_1",
  content: [{
    type: "web_search_result",
    url: "https://example.org/",
    title: "Weather",
    encrypted_content: "c2VjcmV0",
    page_age: null,
  }],
};

/** Models whose web search is a provider-executed tool, and the arguments of that tool. */
const SEARCHERS: Readonly<
  Record<string, { readonly model: (origin: string) => LanguageModel; readonly args: JsonObject }>
> = {
  "anthropicMessages()": {
    model: (origin) => anthropicMessages({ baseUrl: origin, model: "m", apiKey: KEY }),
    args: { max_uses: 3 },
  },
  "@ai-sdk/anthropic, v2": {
    model: (origin) => fromAiSdk(createAnthropicV2(messagesOptions(origin))("m")),
    args: { maxUses: 3 },
  },
  "@ai-sdk/anthropic, v3": {
    model: (origin) => fromAiSdk(createAnthropicV3(messagesOptions(origin))("m")),
    args: { maxUses: 3 },
  },
  "@ai-sdk/anthropic, v4": {
    model: (origin) => fromAiSdk(createAnthropic(messagesOptions(origin))("m")),
    args: { maxUses: 3 },
  },
};

for (const [name, { model, args }] of Object.entries(SEARCHERS)) {
  Deno.test(`a web search that the provider executes is sent back by ${name}`, async () => {
    const usage = { input_tokens: 2, output_tokens: 5, cache_read_input_tokens: 9 };
    const content = [SEARCH_CALL, SEARCH_RESULT, { ...TOOL_USE, input: { city: "Paris" } }];
    await using endpoint = endpointOf({
      ...MESSAGES,
      whole: [
        reply(content, { stop_reason: "tool_use", usage }),
        reply([{ type: "text", text: "Sunny." }], { usage }),
      ],
    });
    const cacheControl = { type: "ephemeral" };
    const asked: string[] = [];
    const output = await runToolLoop({
      model: model(endpoint.origin),
      registry: weatherRegistry(),
      systemPrompt: {
        text: "Be brief.",
        providerOptions: { anthropic: { cacheControl, cache_control: cacheControl } },
      },
      generateOptions: {
        providerTools: [{ id: "anthropic.web_search_20250305", name: "web_search", args }],
      },
      approvalHandler: ({ toolCall }) => {
        asked.push(toolCall.toolName);
        return true;
      },
    }, "Weather in Paris?");
    assertEquals(output.finalText, "Sunny.");
    assertEquals(output.totalUsage.cachedInputTokens, 18);
    assertEquals(asked, ["weather"]);
    const { messages, system, tools } = endpoint.last.body;
    assertObjectMatch(Array.isArray(system) ? system[0] : {}, {
      type: "text",
      text: "Be brief.",
      cache_control: cacheControl,
    });
    assertObjectMatch(Array.isArray(tools) ? tools[1] : {}, {
      type: "web_search_20250305",
      name: "web_search",
      max_uses: 3,
    });
    const { role, content: sent } = Array.isArray(messages) ? messages[1] : {};
    assertEquals(role, "assistant");
    assertEquals(sent, content);
  });
}

/** A conversation with all parts that both adapters support. */
const CONVERSATION: ModelMessage[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this, and what is the weather?" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0K" } },
    ],
  },
  {
    role: "assistant",
    content: [
      { type: "text", text: "Let me see." },
      { type: "tool-call", toolCallId: "c1", toolName: "weather", input: { city: "Paris" } },
      { type: "tool-call", toolCallId: "c2", toolName: "weather", input: { city: "Oslo" } },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "weather",
        output: { type: "json", value: { temperature: 21 } },
        isError: false,
        durationMs: 1,
      },
      {
        type: "tool-result",
        toolCallId: "c2",
        toolName: "weather",
        output: { type: "error-text", value: "no such city" },
        isError: true,
        durationMs: 1,
      },
    ],
  },
  { role: "assistant", content: [{ type: "text", text: "21 degrees in Paris." }] },
  { role: "user", content: [{ type: "text", text: "Thanks" }] },
];

async function bodyOf(model: LanguageModel, endpoint: FakeEndpoint): Promise<SeenRequest["body"]> {
  await model.generate({
    messages: CONVERSATION,
    tools: weatherRegistry().definitions(),
    options: {
      temperature: 0.5,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      toolChoice: { toolName: "weather" },
    },
  });
  return endpoint.last.body;
}

Deno.test("openAiChat() sends the same request body as @ai-sdk/openai-compatible", async () => {
  await using endpoint = endpointOf(CHAT);
  const ours = openAiChat({ baseUrl: `${endpoint.origin}/v1`, model: "m", apiKey: KEY });
  const theirs = fromAiSdk(createOpenAICompatible(chatOptions(endpoint.origin))("m"));
  // Some servers stream unless the request says otherwise.
  assertEquals(await bodyOf(ours, endpoint), { ...await bodyOf(theirs, endpoint), stream: false });
});

Deno.test("anthropicMessages() sends the same request body as @ai-sdk/anthropic", async () => {
  await using endpoint = endpointOf(MESSAGES);
  const ours = anthropicMessages({ baseUrl: endpoint.origin, model: "m", apiKey: KEY });
  const theirs = fromAiSdk(createAnthropic(messagesOptions(endpoint.origin))("m"));
  assertEquals(await bodyOf(ours, endpoint), await bodyOf(theirs, endpoint));
});
