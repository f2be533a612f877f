import { assertEquals } from "@std/assert";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type { ModelMessage, ToolResult } from "../shared/model.ts";
import { QUESTION, WEATHER } from "./testdata/ask.ts";
import { bodyOf } from "./testdata/responses.ts";
import { RESPONSES_CALL_IDS, toWireCallId } from "./tool_call_ids.ts";
import { toWireName } from "./tool_names.ts";

function resultOf(toolCallId: string, output: ToolResult["output"], isError = false): ToolResult {
  return { type: "tool-result", toolCallId, toolName: "weather", output, isError, durationMs: 1 };
}

Deno.test("openAiResponses() sends every setting in its request field", async () => {
  const options: GenerationOptions = {
    temperature: 0.5,
    topP: 0.9,
    maxOutputTokens: 100,
    reasoning: "high",
    toolChoice: { toolName: "weather" },
    responseFormat: {
      type: "json",
      schema: { type: "object" },
      name: "my report",
      description: "The report",
    },
    providerOptions: {
      openai: {
        include: ["web_search_call.action.sources"],
        reasoning: { summary: "auto" },
        text: { verbosity: "low" },
        parallel_tool_calls: false,
      },
      other: { ignored: true },
    },
  };
  const { input: _, ...body } = await bodyOf({ tools: [WEATHER], options });
  assertEquals(body, {
    store: false,
    include: ["reasoning.encrypted_content", "web_search_call.action.sources"],
    model: "m",
    temperature: 0.5,
    top_p: 0.9,
    max_output_tokens: 100,
    reasoning: { summary: "auto", effort: "high" },
    text: {
      verbosity: "low",
      format: {
        type: "json_schema",
        name: toWireName("my report"),
        description: "The report",
        schema: { type: "object" },
        strict: false,
      },
    },
    tools: [{
      type: "function",
      name: "weather",
      description: "The weather in a city",
      parameters: WEATHER.inputSchema,
      strict: false,
    }],
    tool_choice: { type: "function", name: "weather" },
    parallel_tool_calls: false,
    stream: false,
  });
});

Deno.test("openAiResponses() sends every form of a setting", async () => {
  const json = await bodyOf({ options: { responseFormat: { type: "json" }, toolChoice: "none" } });
  assertEquals(json.text, { format: { type: "json_object" } });
  assertEquals("tool_choice" in json, false);
  const text = await bodyOf({ options: { responseFormat: { type: "text" } } });
  assertEquals("text" in text, false);
  const required = await bodyOf({ tools: [WEATHER], options: { toolChoice: "required" } });
  assertEquals(required.tool_choice, "required");
  const include = ["reasoning.encrypted_content"];
  const own = { include, store: true, reasoning: { effort: "low" }, text: { verbosity: "high" } };
  const body = await bodyOf({ options: { providerOptions: { openai: own } } });
  assertEquals(
    [body.include, body.store, body.reasoning, body.text],
    [include, true, own.reasoning, own.text],
  );
});

Deno.test("openAiResponses() sends registered, hosted and additional tools, and chooses among them", async () => {
  const providerTools = [
    { id: "openai.web_search", name: "search", args: { search_context_size: "low" } },
  ];
  const additional = { type: "tool_search" };
  const providerOptions = { openai: { tools: [additional], tool_choice: "auto" } };
  const body = await bodyOf({
    tools: [WEATHER],
    options: { providerTools, toolChoice: { toolName: "search" }, providerOptions },
  });
  assertEquals(Array.isArray(body.tools) && body.tools.slice(1), [
    { search_context_size: "low", type: "web_search" },
    additional,
  ]);
  assertEquals(body.tool_choice, { type: "web_search" });
  const { tool_choice } = await bodyOf({ options: { providerTools, providerOptions } });
  assertEquals(tool_choice, "auto");
});

Deno.test("openAiResponses() sends a schema of an object, without keywords that are null", async () => {
  const schemas = [{}, { type: "object" }, { properties: null, required: null }];
  for (const schema of schemas) {
    // A tool of an MCP server may have any of these schemas.
    const inputSchema: typeof WEATHER.inputSchema = JSON.parse(JSON.stringify(schema));
    const { tools } = await bodyOf({ tools: [{ name: "f", inputSchema }] });
    assertEquals(tools, [{
      type: "function",
      name: "f",
      parameters: { type: "object", properties: {} },
      strict: false,
    }]);
  }
});

Deno.test("openAiResponses() sends a conversation with tool calls and results", async () => {
  const messages: ModelMessage[] = [
    { role: "system", content: "Be brief" },
    { role: "user", content: [{ type: "text", text: "A" }, { type: "text", text: "B" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "of another provider", providerOptions: { anthropic: {} } },
        { type: "text", text: "I look." },
        { type: "tool-call", toolCallId: "c1", toolName: "weather", input: { city: "Paris" } },
        { type: "tool-call", toolCallId: "c2", toolName: "a.b", input: {}, rawInput: '{"a":' },
      ],
    },
    {
      role: "tool",
      content: [
        resultOf("c1", { type: "json", value: { sky: "blue" } }),
        resultOf("c2", { type: "error-text", value: "Invalid input" }, true),
      ],
    },
  ];
  const { input } = await bodyOf({ messages });
  assertEquals(input, [
    { role: "system", content: "Be brief" },
    { role: "user", content: "A\nB" },
    { role: "assistant", content: "I look." },
    { type: "function_call", call_id: "c1", name: "weather", arguments: '{"city":"Paris"}' },
    { type: "function_call", call_id: "c2", name: toWireName("a.b"), arguments: '{"a":' },
    { type: "function_call_output", call_id: "c1", output: '{"sky":"blue"}' },
    { type: "function_call_output", call_id: "c2", output: "Invalid input" },
  ]);
});

Deno.test("openAiResponses() omits messages without content", async () => {
  const empty = { type: "text", text: "" } as const;
  const messages: ModelMessage[] = [
    { role: "system", content: " " },
    { role: "user", content: [] },
    { role: "user", content: [empty] },
    { role: "assistant", content: [] },
    { role: "assistant", content: [empty, { type: "reasoning", text: "hm" }] },
    { role: "user", content: [{ type: "text", text: "Hi" }] },
  ];
  assertEquals((await bodyOf({ messages })).input, [{ role: "user", content: "Hi" }]);
});

Deno.test("openAiResponses() sends a text for a tool error without a message", async () => {
  const outputs: ToolResult["output"][] = [
    { type: "error-text", value: "" },
    { type: "content", value: [] },
  ];
  for (const output of outputs) {
    const { input } = await bodyOf({
      messages: [{ role: "tool", content: [resultOf("c1", output, true)] }],
    });
    assertEquals(input, [{
      type: "function_call_output",
      call_id: "c1",
      output: "The tool reported an error without a message",
    }]);
  }
});

Deno.test("openAiResponses() adds the fields in providerOptions to messages, parts and results", async () => {
  const openai = { prompt_cache_breakpoint: { mode: "explicit" } };
  const providerOptions = { openai };
  const { input } = await bodyOf({
    messages: [
      { role: "system", content: "S", providerOptions },
      { role: "user", content: [{ type: "text", text: "Hi", providerOptions }] },
      {
        role: "tool",
        content: [{
          ...resultOf("c1", { type: "text", value: "ok" }),
          providerOptions: { openai: { status: "completed" } },
        }],
      },
    ],
  });
  assertEquals(input, [
    { role: "system", content: [{ type: "input_text", text: "S", ...openai }] },
    { role: "user", content: [{ type: "input_text", text: "Hi", ...openai }] },
    { type: "function_call_output", status: "completed", call_id: "c1", output: "ok" },
  ]);
});

Deno.test("openAiResponses() sends the same encoded id in a call and its result", async () => {
  const toolCallId = "functions.weather:0".repeat(5);
  const call = { type: "tool-call", toolCallId, toolName: "weather", input: {} } as const;
  const { input } = await bodyOf({
    messages: [
      { role: "assistant", content: [call] },
      { role: "tool", content: [resultOf(toolCallId, { type: "text", value: "ok" })] },
    ],
  });
  const call_id = toWireCallId(toolCallId, RESPONSES_CALL_IDS);
  assertEquals(input, [
    { type: "function_call", call_id, name: "weather", arguments: "{}" },
    { type: "function_call_output", call_id, output: "ok" },
  ]);
});

Deno.test("openAiResponses() sends no lone surrogates", async () => {
  const broken = "a\ud83d";
  const body = await bodyOf({
    messages: [
      ...QUESTION.messages,
      {
        role: "assistant",
        content: [{
          type: "tool-call",
          toolCallId: "c1",
          toolName: "f",
          input: { [broken]: broken },
        }],
      },
      { role: "tool", content: [resultOf("c1", { type: "text", value: broken })] },
    ],
  });
  assertEquals(Array.isArray(body.input) && body.input.slice(1), [
    { type: "function_call", call_id: "c1", name: "f", arguments: '{"a\ufffd":"a\ufffd"}' },
    { type: "function_call_output", call_id: "c1", output: "a\ufffd" },
  ]);
});
