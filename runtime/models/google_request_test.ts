import { assertEquals } from "@std/assert";
import type { GenerationOptions } from "../shared/generation_options.ts";
import { QUESTION, WEATHER } from "./testdata/ask.ts";
import { bodyOf, modelOf, NEW_MODEL, OLD_MODEL, reply } from "./testdata/google.ts";
import { toWireName } from "./tool_names.ts";

async function warningsOf(
  options: GenerationOptions,
  model: string,
  system = "Be brief.",
): Promise<unknown> {
  const language = modelOf(() => Response.json(reply([{ text: "ok" }])), { model });
  const messages = [{ role: "system" as const, content: system }, ...QUESTION.messages];
  return (await language.generate({ messages, tools: [WEATHER], options })).warnings;
}

Deno.test("googleGenerateContent() sends all settings", async () => {
  const schema = { type: "object", properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: {} } };
  const { generationConfig } = await bodyOf({
    options: {
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      maxOutputTokens: 100,
      stopSequences: ["END"],
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      responseFormat: { type: "json", schema, name: "answer" },
    },
  });
  assertEquals(generationConfig, {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    maxOutputTokens: 100,
    stopSequences: ["END"],
    seed: 7,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    responseMimeType: "application/json",
    responseJsonSchema: schema,
  });
  const loose = await bodyOf({ options: { responseFormat: { type: "json" } } });
  assertEquals(loose.generationConfig, { responseMimeType: "application/json" });
  const text = await bodyOf({ options: { responseFormat: { type: "text" } } });
  assertEquals(text.generationConfig, undefined);
});

/** Models, reasoning settings and the expected thinking configurations. */
const THINKING = [
  ["gemini-2.5-flash", "none", { thinkingBudget: 0, includeThoughts: false }],
  ["gemini-2.5-flash", "minimal", { thinkingBudget: 512, includeThoughts: true }],
  ["gemini-2.5-flash", "medium", { thinkingBudget: 8192, includeThoughts: true }],
  ["gemini-2.5-flash", "max", { thinkingBudget: 24_576, includeThoughts: true }],
  ["gemini-2.5-pro", "none", { thinkingBudget: 128, includeThoughts: false }],
  ["gemini-3-flash-preview", "none", { thinkingLevel: "minimal", includeThoughts: false }],
  ["gemini-3.6-flash", "minimal", { thinkingLevel: "minimal", includeThoughts: true }],
  ["gemini-3.7-flash", "minimal", { thinkingLevel: "low", includeThoughts: true }],
  ["gemini-3.1-pro-preview", "none", { thinkingLevel: "low", includeThoughts: false }],
  ["gemini-3.1-pro-preview", "medium", { thinkingLevel: "medium", includeThoughts: true }],
  ["gemini-pro-latest", "xhigh", { thinkingLevel: "high", includeThoughts: true }],
  ["gemini-4-flash", "low", { thinkingLevel: "low", includeThoughts: true }],
] as const;

Deno.test("googleGenerateContent() requests reasoning according to the model", async () => {
  for (const [model, reasoning, thinkingConfig] of THINKING) {
    const { generationConfig } = await bodyOf({ options: { reasoning } }, { model });
    assertEquals(generationConfig, { thinkingConfig }, `${model}, ${reasoning}`);
  }
});

Deno.test("googleGenerateContent() warns about reasoning that a model does not support", async () => {
  const model = "gemini-2.0-flash";
  const { generationConfig } = await bodyOf({ options: { reasoning: "high" } }, { model });
  assertEquals(generationConfig, undefined);
  assertEquals(await warningsOf({ reasoning: "high" }, model), [
    "unsupported setting, not sent: reasoning",
  ]);
  assertEquals(await warningsOf({ reasoning: "none" }, model), undefined);
  assertEquals(await warningsOf({ reasoning: "high" }, OLD_MODEL), undefined);
});

Deno.test("googleGenerateContent() sends the schemas of tools without conversion", async () => {
  const inputSchema = {
    $defs: { city: { anyOf: [{ type: "string" }, { type: "null" }] } },
    properties: { city: { $ref: "#/$defs/city" } },
    additionalProperties: false,
  };
  const { tools, toolConfig } = await bodyOf({ tools: [{ ...WEATHER, inputSchema }] });
  assertEquals(tools, [{
    functionDeclarations: [{
      name: "weather",
      description: WEATHER.description,
      parametersJsonSchema: { type: "object", ...inputSchema },
    }],
  }]);
  assertEquals(toolConfig, undefined);
});

Deno.test("googleGenerateContent() sends the choice of a tool", async () => {
  const choices = [
    ["auto", { mode: "AUTO" }],
    ["none", { mode: "NONE" }],
    ["required", { mode: "ANY" }],
    [{ toolName: "weather" }, { mode: "ANY", allowedFunctionNames: ["weather"] }],
  ] as const;
  for (const [toolChoice, functionCallingConfig] of choices) {
    const { toolConfig } = await bodyOf({ tools: [WEATHER], options: { toolChoice } });
    assertEquals(toolConfig, { functionCallingConfig });
    const without = await bodyOf({ options: { toolChoice } });
    assertEquals(without.toolConfig, undefined);
  }
});

Deno.test("googleGenerateContent() encodes tool names that the API rejects", async () => {
  const names = ["fs.read", "2fa", "-x", "plain"];
  const tools = names.map((name) => ({ name, inputSchema: {} }));
  const call = { type: "tool-call" as const, toolCallId: "c1", toolName: "2fa", input: {} };
  const options: GenerationOptions = { toolChoice: { toolName: "2fa" } };
  const messages = [...QUESTION.messages, { role: "assistant" as const, content: [call] }];
  const body = JSON.stringify(await bodyOf({ tools, options, messages }, { model: OLD_MODEL }));
  const [encoded] = /_2fa_[0-9a-f]{8}/.exec(body) ?? [];
  assertEquals(body.split(`"${encoded}"`).length - 1, 4);
  assertEquals(body.includes(`"${toWireName("fs.read")}"`), true);
  assertEquals(body.includes('"2fa"'), false);
  const reading = modelOf(() =>
    Response.json(reply([{ functionCall: { name: encoded, args: {} } }]))
  );
  const { message } = await reading.generate({ ...QUESTION, tools });
  assertEquals(message.content.map((part) => part.type === "tool-call" && part.toolName), ["2fa"]);
});

Deno.test("googleGenerateContent() sends provider-executed tools and additional request fields", async () => {
  const body = await bodyOf({
    tools: [WEATHER],
    options: {
      temperature: 0,
      toolChoice: "required",
      providerTools: [{ id: "google.googleSearch", name: "search", args: { timeRangeFilter: {} } }],
      providerOptions: {
        google: {
          safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
          generationConfig: { responseModalities: ["TEXT"], temperature: 1 },
          tools: [{ urlContext: {} }],
          toolConfig: { includeServerSideToolInvocations: true },
        },
        openai: { ignored: true },
      },
    },
  });
  assertEquals(body.safetySettings, [{
    category: "HARM_CATEGORY_HARASSMENT",
    threshold: "BLOCK_NONE",
  }]);
  assertEquals(body.generationConfig, { temperature: 1, responseModalities: ["TEXT"] });
  assertEquals(Array.isArray(body.tools) && body.tools.slice(1), [
    { googleSearch: { timeRangeFilter: {} } },
    { urlContext: {} },
  ]);
  assertEquals(body.toolConfig, {
    functionCallingConfig: { mode: "ANY" },
    includeServerSideToolInvocations: true,
  });
  assertEquals("ignored" in body, false);
});

Deno.test("googleGenerateContent() sends neither the system prompt nor the tools with cached content", async () => {
  const options: GenerationOptions = {
    temperature: 0,
    toolChoice: "auto",
    providerOptions: { google: { cachedContent: "cachedContents/1" } },
  };
  const messages = [{ role: "system" as const, content: "Be brief." }, ...QUESTION.messages];
  assertEquals(await bodyOf({ messages, tools: [WEATHER], options }), {
    cachedContent: "cachedContents/1",
    contents: [{ role: "user", parts: [{ text: "Weather in Paris?" }] }],
    generationConfig: { temperature: 0 },
  });
  assertEquals(await warningsOf(options, NEW_MODEL), [
    "not sent with cachedContent: systemInstruction",
    "not sent with cachedContent: tools",
    "not sent with cachedContent: toolConfig",
  ]);
});
