/** Test data follows the type declarations in `@ai-sdk/provider` 2, 3 and 4. */

import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import type {
  FilePart,
  ModelMessage,
  ModelRequest,
  ModelResponse,
  ToolResult,
} from "../shared/model.ts";
import { type AiSdkModel, fromAiSdk } from "./ai_sdk.ts";
import { callsOf, collect, failureOf, QUESTION, streamed, WEATHER } from "./testdata/ask.ts";
import { toWireName } from "./tool_names.ts";

interface FakeOptions {
  readonly version?: string;
  readonly generate?: (options: Record<string, unknown>) => unknown;
  readonly stream?: (options: Record<string, unknown>) => unknown;
}

/** Creates a fake AI SDK model. */
function fake({ version = "v4", generate, stream }: FakeOptions): AiSdkModel {
  return {
    specificationVersion: version,
    provider: "fake.chat",
    modelId: "m",
    doGenerate: async (options) => await generate?.({ ...options }),
    doStream: async (options) => await stream?.({ ...options }),
  };
}

function streamOf(parts: readonly unknown[], onCancel: () => void = () => {}): unknown {
  const stream = new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
    cancel: onCancel,
  });
  return { stream };
}

const FINISH = {
  finishReason: { unified: "stop", raw: "end_turn" },
  usage: { inputTokens: { total: 3 }, outputTokens: { total: 1 } },
};

function answer(content: readonly unknown[], rest: object = {}): unknown {
  return { content, ...FINISH, warnings: [], ...rest };
}

/** Returns the options that the AI SDK model receives. */
async function optionsOf(
  request: Partial<ModelRequest>,
  version?: string,
): Promise<Record<string, unknown>> {
  let seen: Record<string, unknown> = {};
  const model = fake({
    ...version === undefined ? {} : { version },
    generate: (options) => {
      seen = options;
      return answer([]);
    },
  });
  await fromAiSdk(model).generate({ ...QUESTION, ...request });
  return seen;
}

const PNG: FilePart = {
  type: "file",
  mediaType: "image/png",
  data: { type: "data", data: new Uint8Array([1, 2, 3]) },
};
const LINK: FilePart = {
  type: "file",
  mediaType: "image/png",
  data: { type: "url", url: new URL("https://example.org/a.png") },
};

function result(output: ToolResult["output"]): ToolResult {
  return {
    type: "tool-result",
    toolCallId: "c",
    toolName: "look",
    output,
    isError: false,
    durationMs: 0,
  };
}

Deno.test("fromAiSdk() forwards settings, tools and the signal", async () => {
  const { signal } = new AbortController();
  const options = await optionsOf({
    tools: [WEATHER],
    options: {
      temperature: 0.5,
      maxOutputTokens: 9,
      stopSequences: ["END"],
      reasoning: "high",
      toolChoice: { toolName: "weather" },
      headers: { a: "b" },
      providerOptions: { fake: { x: 1 } },
    },
    signal,
  });
  assertEquals(options, {
    prompt: QUESTION.messages,
    temperature: 0.5,
    maxOutputTokens: 9,
    stopSequences: ["END"],
    reasoning: "high",
    tools: [{ type: "function", ...WEATHER }],
    toolChoice: { type: "tool", toolName: "weather" },
    headers: { a: "b" },
    providerOptions: { fake: { x: 1 } },
    abortSignal: signal,
  });
  const plain = await optionsOf({ options: { toolChoice: "required" } });
  assertEquals(Object.keys(plain), ["prompt"]);
});

Deno.test("fromAiSdk() passes on provider-executed tools in the form of each version", async () => {
  const search = { id: "fake.search", name: "search", args: { max: 1 } };
  const options = { providerTools: [search] };
  for (
    const [version, type] of [["v2", "provider-defined"], ["v3", "provider"], ["v4", "provider"]]
  ) {
    const alone = await optionsOf({ tools: [], options }, version);
    assertEquals(alone.tools, [{ type, ...search }]);
    assertEquals(alone.toolChoice, { type: "auto" });
    assertEquals("providerTools" in alone, false);
    const { tools } = await optionsOf({ tools: [WEATHER], options }, version);
    assertEquals(tools, [{ type: "function", ...WEATHER }, { type, ...search }]);
  }
});

Deno.test("fromAiSdk() warns of a setting that an older interface does not support", async () => {
  for (const version of ["v2", "v3"]) {
    const model = fromAiSdk(fake({ version, generate: () => answer([]) }));
    const { warnings } = await model.generate({ ...QUESTION, options: { reasoning: "low" } });
    assert(warnings?.[0]?.endsWith("reasoning"));
  }
});

Deno.test("fromAiSdk() forwards messages unchanged to models with the same message format", async () => {
  const messages: ModelMessage[] = [
    { role: "system", content: "s" },
    { role: "user", content: [{ type: "text", text: "?" }, PNG] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: { fake: { signature: "s" } } },
        { type: "tool-call", toolCallId: "c", toolName: "look", input: {} },
      ],
    },
    { role: "tool", content: [result({ type: "execution-denied" })] },
  ];
  const { prompt } = await optionsOf({ messages });
  assert(Array.isArray(prompt));
  for (const [index, message] of messages.entries()) assertStrictEquals(prompt[index], message);
});

/**
 * Parts that differ in older versions: the input, the expected version 2 part and the expected
 * version 3 part.
 */
const OLDER: readonly (readonly [ModelMessage, object, object])[] = [
  [
    { role: "user", content: [PNG, LINK] },
    [
      { ...PNG, data: PNG.data.type === "data" ? PNG.data.data : undefined },
      { ...LINK, data: new URL("https://example.org/a.png") },
    ],
    [
      { ...PNG, data: PNG.data.type === "data" ? PNG.data.data : undefined },
      { ...LINK, data: new URL("https://example.org/a.png") },
    ],
  ],
  [
    { role: "tool", content: [result({ type: "execution-denied", reason: "no" })] },
    [{ ...result({ type: "error-text", value: "no" }) }],
    [{ ...result({ type: "execution-denied", reason: "no" }) }],
  ],
  [
    {
      role: "tool",
      content: [
        result({ type: "content", value: [{ type: "text", text: "Seen" }, PNG, LINK] }),
      ],
    },
    [{
      ...result({ type: "text", value: "" }),
      output: {
        type: "content",
        value: [
          { type: "text", text: "Seen" },
          { type: "media", data: "AQID", mediaType: "image/png" },
          { type: "text", text: "https://example.org/a.png" },
        ],
      },
    }],
    [{
      ...result({ type: "text", value: "" }),
      output: {
        type: "content",
        value: [
          { type: "text", text: "Seen" },
          { type: "file-data", data: "AQID", mediaType: "image/png" },
          { type: "file-url", url: "https://example.org/a.png", mediaType: "image/png" },
        ],
      },
    }],
  ],
];

Deno.test("fromAiSdk() converts messages for older versions", async () => {
  for (const [message, v2, v3] of OLDER) {
    const forms = [["v2", v2], ["v3", v3], ["v4", message.content]] as const;
    for (const [version, content] of forms) {
      const { prompt } = await optionsOf({ messages: [message] }, version);
      assertEquals(prompt, [{ role: message.role, content }]);
    }
  }
});

Deno.test("fromAiSdk() converts each message once", async () => {
  const prompts: unknown[][] = [];
  const model = fromAiSdk(fake({
    version: "v2",
    generate: ({ prompt }) => {
      assert(Array.isArray(prompt));
      prompts.push(prompt);
      return answer([]);
    },
  }));
  const messages: ModelMessage[] = [{ role: "user", content: [PNG] }];
  const tools = [WEATHER];
  await model.generate({ messages, tools, options: {} });
  messages.push({ role: "user", content: [LINK] });
  await model.generate({ messages, tools, options: {} });
  assertEquals(prompts.map((prompt) => prompt.length), [1, 2]);
  assertStrictEquals(prompts[1]?.[0], prompts[0]?.[0]);
});

Deno.test("fromAiSdk() sends back input that is not valid JSON", async () => {
  const { prompt } = await optionsOf({
    messages: [{
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "f", input: {}, rawInput: "{bad" }],
    }],
  });
  assert(Array.isArray(prompt));
  assertEquals(prompt[0].content[0].input, { rawInput: "{bad" });
});

/** Complete responses from each version, and the expected results. */
const ANSWERS: readonly (readonly [string, unknown, Partial<ModelResponse>])[] = [
  [
    "v2",
    {
      content: [
        { type: "text", text: "Hi" },
        { type: "tool-call", toolCallId: "c", toolName: "f", input: '{"a":1}' },
        { type: "file", mediaType: "image/png", data: "AQID" },
      ],
      finishReason: "tool-calls",
      usage: {
        inputTokens: 5,
        outputTokens: 2,
        totalTokens: 9,
        reasoningTokens: 1,
        cachedInputTokens: 4,
      },
      warnings: [{ type: "unsupported-setting", setting: "seed" }],
      response: { id: "r", modelId: "m-1" },
    },
    {
      message: {
        role: "assistant",
        content: [
          { type: "text", text: "Hi" },
          { type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 } },
          { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
        ],
      },
      finishReason: "tool-calls",
      rawFinishReason: "tool-calls",
      usage: {
        inputTokens: 5,
        outputTokens: 2,
        totalTokens: 9,
        cachedInputTokens: 4,
        reasoningTokens: 1,
      },
      modelId: "m-1",
      responseId: "r",
      warnings: ["unsupported-setting: seed"],
    },
  ],
  [
    "v4",
    {
      content: [
        { type: "reasoning", text: "", providerMetadata: { fake: { signature: "s" } } },
        { type: "text", text: "" },
        { type: "source", sourceType: "url", id: "s", url: "https://example.org" },
        { type: "file", mediaType: "image/png", data: LINK.data },
        { type: "tool-call", toolCallId: "c", toolName: "f", input: "" },
      ],
      finishReason: { unified: "interrupted", raw: undefined },
      usage: {
        inputTokens: { total: 5, noCache: 1, cacheRead: 3, cacheWrite: 1 },
        outputTokens: { total: 2, text: 1, reasoning: 1 },
      },
      warnings: [
        { type: "unsupported", feature: "topK", details: "never" },
        { type: "other", message: "slow today" },
      ],
    },
    {
      message: {
        role: "assistant",
        content: [
          { type: "reasoning", text: "", providerOptions: { fake: { signature: "s" } } },
          LINK,
          { type: "tool-call", toolCallId: "c", toolName: "f", input: {} },
        ],
      },
      finishReason: "interrupted",
      usage: {
        inputTokens: 5,
        outputTokens: 2,
        totalTokens: 7,
        cachedInputTokens: 3,
        cacheWriteTokens: 1,
        reasoningTokens: 1,
      },
      warnings: ["unsupported: topK: never", "other: slow today"],
    },
  ],
  [
    "v3",
    {
      content: [{ type: "file", mediaType: "image/png", data: new Uint8Array([1]) }],
      finishReason: { unified: "new", raw: "new_reason" },
      usage: { inputTokens: { total: undefined }, outputTokens: { total: undefined } },
    },
    {
      message: {
        role: "assistant",
        content: [{
          type: "file",
          mediaType: "image/png",
          data: { type: "data", data: new Uint8Array([1]) },
        }],
      },
      finishReason: "other",
      rawFinishReason: "new_reason",
    },
  ],
  ["v2", { content: [], finishReason: "content-filter" }, {
    message: { role: "assistant", content: [] },
    finishReason: "content-filter",
    rawFinishReason: "content-filter",
  }],
];

Deno.test("fromAiSdk() rejects a response without output and without a known finish reason", async () => {
  const reasoning = { type: "reasoning", text: "hm" };
  const search = { type: "tool-call", toolCallId: "s", toolName: "search", input: "{}" };
  const hosted = { ...search, providerExecuted: true };
  const rows: readonly (readonly [readonly object[], unknown, string?])[] = [
    [[], { unified: "other", raw: "PUZZLED" }, 'reason "PUZZLED"'],
    [[reasoning], { unified: "other" }, "no reason"],
    [[], { unified: "error", raw: "BROKEN" }, 'reason "BROKEN"'],
    [[reasoning], { unified: "error" }, "no reason"],
    [[reasoning], { unified: "tool-calls" }, "no reason"],
    [[], undefined, "no reason"],
    [[], { unified: "stop" }],
    [[], { unified: "length" }],
    [[{ type: "text", text: "x" }], { unified: "other" }],
    [[{ type: "text", text: "x" }], { unified: "error" }],
    [[search], { unified: "other" }],
    [[hosted], { unified: "other" }],
  ];
  for (const [content, finishReason, words] of rows) {
    const model = fromAiSdk(fake({
      generate: () => answer(content, { finishReason }),
      stream: () => streamOf([...content, { type: "finish", ...FINISH, finishReason }]),
    }));
    for (const call of [() => model.generate(QUESTION), () => streamed(model)]) {
      if (words === undefined) {
        await call();
        continue;
      }
      const { message, retryable } = await failureOf(call());
      assertEquals([message.includes(`is empty, and ended for ${words}`), retryable], [true, true]);
    }
  }
});

for (const [version, whole, expected] of ANSWERS) {
  Deno.test(`fromAiSdk() converts a response of ${version}: ${expected.finishReason}`, async () => {
    const response: Partial<ModelResponse> = await fromAiSdk(
      fake({ version, generate: () => whole }),
    )
      .generate(QUESTION);
    assertEquals(response, expected);
  });
}

Deno.test("fromAiSdk() streams text, reasoning and tool calls, and finishes with the complete response", async () => {
  const parts = [
    { type: "stream-start", warnings: [{ type: "other", message: "slow" }] },
    { type: "response-metadata", id: "r", modelId: "m-1" },
    { type: "reasoning-start", id: "0" },
    { type: "reasoning-delta", id: "0", delta: "hm" },
    { type: "reasoning-end", id: "0", providerMetadata: { fake: { signature: "s" } } },
    { type: "text-start", id: "0" },
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: "B" },
    { type: "text-delta", id: "0", delta: "A" },
    { type: "text-delta", id: "0", delta: "a" },
    { type: "text-end", id: "0" },
    { type: "tool-input-start", id: "c", toolName: "f" },
    { type: "tool-input-delta", id: "c", delta: '{"a":' },
    { type: "tool-input-delta", id: "c", delta: "1}" },
    { type: "tool-input-end", id: "c" },
    { type: "tool-call", toolCallId: "c", toolName: "f", input: '{"a":1}' },
    { type: "ping" },
    { type: "finish", ...FINISH },
  ];
  const events = await collect(fromAiSdk(fake({ stream: () => streamOf(parts) })));
  assertEquals(events, [
    { type: "reasoning-delta", delta: "hm" },
    { type: "text-delta", delta: "B" },
    { type: "text-delta", delta: "A" },
    { type: "text-delta", delta: "a" },
    { type: "tool-input-delta", toolCallId: "c", toolName: "f", delta: '{"a":' },
    { type: "tool-input-delta", toolCallId: "c", toolName: "f", delta: "1}" },
    {
      type: "finish",
      response: {
        message: {
          role: "assistant",
          content: [
            { type: "reasoning", text: "hm", providerOptions: { fake: { signature: "s" } } },
            { type: "text", text: "Aa" },
            { type: "text", text: "B" },
            { type: "tool-call", toolCallId: "c", toolName: "f", input: { a: 1 } },
          ],
        },
        finishReason: "stop",
        rawFinishReason: "end_turn",
        usage: { inputTokens: 3, outputTokens: 1, totalTokens: 4 },
        modelId: "m-1",
        responseId: "r",
        warnings: ["other: slow"],
      },
    },
  ]);
});

Deno.test("fromAiSdk() sends back the calls and results of provider-executed tools", async () => {
  const content = [
    {
      type: "tool-call",
      toolCallId: "s",
      toolName: "web_search",
      input: '{"q":1}',
      providerExecuted: true,
      providerMetadata: { fake: { x: 1 } },
    },
    {
      type: "tool-result",
      toolCallId: "s",
      toolName: "web_search",
      result: { half: true },
      preliminary: true,
    },
    { type: "tool-result", toolCallId: "s", toolName: "web_search", result: { found: 2 } },
    { type: "custom", kind: "fake.thing" },
    { type: "text", text: "Found 2" },
  ];
  const prompts: unknown[] = [];
  const model = fromAiSdk(fake({
    generate: ({ prompt }) => {
      prompts.push(prompt);
      return answer(content);
    },
  }));
  const { message } = await model.generate(QUESTION);
  assertEquals(message.content.map(({ type }) => type), [
    "reasoning",
    "reasoning",
    "reasoning",
    "text",
  ]);
  await model.generate({ ...QUESTION, messages: [message] });
  assertEquals(prompts[1], [{
    role: "assistant",
    content: [
      {
        type: "tool-call",
        toolCallId: "s",
        toolName: "web_search",
        input: { q: 1 },
        providerExecuted: true,
        providerOptions: { fake: { x: 1 } },
      },
      {
        type: "tool-result",
        toolCallId: "s",
        toolName: "web_search",
        output: { type: "json", value: { found: 2 } },
      },
      { type: "custom", kind: "fake.thing" },
      { type: "text", text: "Found 2" },
    ],
  }]);
  const parts = [
    { type: "tool-input-start", id: "s", toolName: "web_search", providerExecuted: true },
    { type: "tool-input-delta", id: "s", delta: "{}" },
    ...content,
    { type: "finish", ...FINISH },
  ];
  const events = await collect(fromAiSdk(fake({ stream: () => streamOf(parts) })));
  assertEquals(events.map(({ type }) => type), ["finish"]);
});

Deno.test("fromAiSdk() encodes and decodes tool names that providers reject", async () => {
  const name = "files.read";
  const seen: unknown[] = [];
  const model = fromAiSdk(fake({
    generate: (options) => {
      seen.push(JSON.stringify(options).split(toWireName(name)).length - 1);
      return answer([{
        type: "tool-call",
        toolCallId: "c",
        toolName: toWireName(name),
        input: "{}",
      }]);
    },
  }));
  const response = await model.generate({
    messages: [
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "c", toolName: name, input: {} }],
      },
      { role: "tool", content: [{ ...result({ type: "text", value: "" }), toolName: name }] },
    ],
    tools: [{ ...WEATHER, name }],
    options: { toolChoice: { toolName: name } },
  });
  assertEquals(seen, [4]);
  assertEquals(callsOf(response).map(({ toolName }) => toolName), [name]);
});

/** Malformed responses, and the text that the error message must contain. */
const MALFORMED: readonly (readonly [string, unknown, string])[] = [
  ["nothing", undefined, "expected an object, got undefined"],
  ["text", "Hi", 'expected an object, got "Hi"'],
  ["no content", { finishReason: "stop" }, '"content" must be an array'],
  ["a tool call without a name", answer([{ type: "tool-call", input: "{}" }]), "no name"],
];

for (const [name, whole, words] of MALFORMED) {
  Deno.test(`fromAiSdk() rejects a malformed response: ${name}`, async () => {
    const error = await failureOf(fromAiSdk(fake({ generate: () => whole })).generate(QUESTION));
    assert(error.message.includes(words), error.message);
    await failureOf(collect(fromAiSdk(fake({ stream: () => whole }))));
  });
}

Deno.test("fromAiSdk() ignores invalid parts", async () => {
  const content = [null, 5, "text", {}, { type: "text" }, { type: "file" }, { type: "new" }];
  const response = await fromAiSdk(fake({ generate: () => answer(content) })).generate(QUESTION);
  assertEquals(response.message.content, []);
  const parts = [...content, { type: "text-delta", delta: 5 }, { type: "finish", ...FINISH }];
  assertEquals(
    (await streamed(fromAiSdk(fake({ stream: () => streamOf(parts) })))).message.content,
    [],
  );
});

Deno.test("fromAiSdk() forwards the retry advice of the SDK's errors", async () => {
  const theirs = Object.assign(new Error("Too many requests"), {
    isRetryable: true,
    statusCode: 429,
    responseHeaders: { "retry-after": "2" },
  });
  const throwing = () => Promise.reject(theirs);
  const errorPart = () => streamOf([{ type: "error", error: theirs }]);
  const works = [
    fromAiSdk(fake({ generate: throwing })).generate(QUESTION),
    collect(fromAiSdk(fake({ stream: throwing }))),
    collect(fromAiSdk(fake({ stream: errorPart }))),
  ];
  for (const work of works) {
    const error = await failureOf(work);
    assertEquals(error.details, { reason: "Too many requests", status: 429 });
    assertEquals([error.retryable, error.retryAfterMs, error.cause], [true, 2000, theirs]);
  }
});

Deno.test("fromAiSdk() rejects with the message of a thrown value, whatever its type", async () => {
  const errors: readonly (readonly [unknown, string])[] = [
    ["just text", "just text"],
    [{ message: "Overloaded", type: "overloaded_error" }, "Overloaded"],
    [new TypeError("broken"), "broken"],
  ];
  for (const [thrown, reason] of errors) {
    const error = await failureOf(collect(fromAiSdk(fake({
      stream: () => streamOf([{ type: "error", error: thrown }]),
    }))));
    assertEquals([error.details, error.retryable], [{ reason }, false]);
  }
});

Deno.test("fromAiSdk() rejects a stream that ends unexpectedly", async () => {
  const cut = streamOf([{ type: "text-start", id: "0" }]);
  const error = await failureOf(collect(fromAiSdk(fake({ stream: () => cut }))));
  assertEquals(error.retryable, true);
});

Deno.test("fromAiSdk() rejects with the signal's reason when aborted", async () => {
  const reason = new Error("changed my mind");
  const controller = new AbortController();
  const request = { ...QUESTION, signal: controller.signal };
  const model = fromAiSdk(fake({
    generate: ({ abortSignal }) => {
      controller.abort(reason);
      assert(abortSignal instanceof AbortSignal && abortSignal.aborted);
      throw new DOMException("The operation was aborted", "AbortError");
    },
  }));
  assertStrictEquals(await assertRejects(() => model.generate(request)), reason);
  assertStrictEquals(await assertRejects(() => collect(model, request)), reason);
});

Deno.test("fromAiSdk() cancels a stream if its consumer stops early", async () => {
  let isCancelled = false;
  const stream = new ReadableStream({
    start: (controller) => controller.enqueue({ type: "text-delta", id: "0", delta: "Hi" }),
    cancel: () => {
      isCancelled = true;
    },
  });
  const model = fromAiSdk(fake({ stream: () => ({ stream }) }));
  for await (const event of model.stream?.(QUESTION) ?? []) {
    assertEquals(event.type, "text-delta");
    break;
  }
  assertEquals(isCancelled, true);
});

Deno.test("fromAiSdk() throws for unsupported versions", () => {
  for (const version of ["v1", "v5", ""]) {
    assertThrows(() => fromAiSdk(fake({ version })), TypeError, `"${version}"`);
  }
});
