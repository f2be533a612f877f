/**
 * Checks that `googleGenerateContent()` and Google's own client (`@google/genai`) send the same
 * request for the same conversation, and read the same data from a response.
 */

import {
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentParameters,
  GoogleGenAI,
} from "@google/genai";
import type { LanguageModel, ModelRequest, ModelResponse } from "@parley/runtime";
import { googleGenerateContent } from "@parley/runtime/models";
import { assertEquals } from "@std/assert";
import { eventStream, FakeEndpoint } from "../../runtime/models/testdata/fake_endpoint.ts";
import { chunk, reply } from "../../runtime/models/testdata/google.ts";

const KEY = "key";
const MODEL = "gemini-3.6-flash";
const SCHEMA = {
  type: "object",
  properties: { city: { anyOf: [{ type: "string" }, { type: "null" }] } },
  required: ["city"],
};

/** A response with a thought, a text, a call with a signature and a call without one. */
const PARTS = [
  { text: "Hm", thought: true },
  { text: "I look." },
  {
    functionCall: { id: "c1", name: "weather", args: { city: "Paris" } },
    thoughtSignature: "c2ln",
  },
  { functionCall: { id: "c2", name: "weather", args: { city: null } } },
];

/** The conversation, as passed to Google's client. */
const CONTENTS: Content[] = [
  {
    role: "user",
    parts: [{ text: "Weather?" }, { inlineData: { mimeType: "image/png", data: "AQI=" } }],
  },
  { role: "model", parts: PARTS },
  {
    role: "user",
    parts: [
      {
        functionResponse: { id: "c1", name: "weather", response: { output: { temperature: 21 } } },
      },
      { functionResponse: { id: "c2", name: "weather", response: { error: "no such city" } } },
      { text: "Thanks" },
    ],
  },
];

const PARAMETERS: GenerateContentParameters = {
  model: MODEL,
  contents: CONTENTS,
  config: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    maxOutputTokens: 100,
    stopSequences: ["END"],
    seed: 7,
    responseMimeType: "application/json",
    responseJsonSchema: SCHEMA,
    thinkingConfig: { includeThoughts: true },
    tools: [
      {
        functionDeclarations: [{
          name: "weather",
          description: "The weather in a city",
          parametersJsonSchema: SCHEMA,
        }],
      },
      { googleSearch: {} },
    ],
    toolConfig: {
      functionCallingConfig: {
        mode: FunctionCallingConfigMode.ANY,
        allowedFunctionNames: ["weather"],
      },
    },
  },
};

/** The same request, without the response of the model. */
const REQUEST: ModelRequest = {
  messages: [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Weather?" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "AQI=" } },
      ],
    },
  ],
  tools: [{ name: "weather", description: "The weather in a city", inputSchema: SCHEMA }],
  options: {
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    maxOutputTokens: 100,
    stopSequences: ["END"],
    seed: 7,
    responseFormat: { type: "json", schema: SCHEMA },
    toolChoice: { toolName: "weather" },
    providerTools: [{ id: "google.googleSearch", name: "search", args: {} }],
    providerOptions: {
      google: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
    },
  },
};

/** Returns the request that sends a response of the model back, with results and a new question. */
function continued({ message }: ModelResponse): ModelRequest {
  const result = { type: "tool-result", toolName: "weather", durationMs: 1 } as const;
  return {
    ...REQUEST,
    messages: [
      ...REQUEST.messages,
      message,
      {
        role: "tool",
        content: [
          {
            ...result,
            toolCallId: "c1",
            output: { type: "json", value: { temperature: 21 } },
            isError: false,
          },
          {
            ...result,
            toolCallId: "c2",
            output: { type: "error-text", value: "no such city" },
            isError: true,
          },
        ],
      },
      { role: "user", content: [{ type: "text", text: "Thanks" }] },
    ],
  };
}

function ours({ origin }: FakeEndpoint): LanguageModel {
  return googleGenerateContent({ baseUrl: `${origin}/v1beta`, model: MODEL, apiKey: KEY });
}

function theirs({ origin }: FakeEndpoint): GoogleGenAI {
  return new GoogleGenAI({
    apiKey: KEY,
    httpOptions: { baseUrl: origin, apiVersion: "v1beta" },
  });
}

Deno.test("googleGenerateContent() sends the same requests as @google/genai", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(reply(PARTS)));
  const model = ours(endpoint);
  await model.generate(continued(await model.generate(REQUEST)));
  await theirs(endpoint).models.generateContent(PARAMETERS);
  const [, own, other] = endpoint.seen;
  assertEquals(own?.body, other?.body);
  assertEquals(own?.path, other?.path);
  assertEquals(own?.headers.get("x-goog-api-key"), other?.headers.get("x-goog-api-key"));
});

Deno.test("googleGenerateContent() reads the same text and calls from a response as @google/genai", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(reply(PARTS)));
  const { message, modelId, responseId } = await ours(endpoint).generate(REQUEST);
  const other = await theirs(endpoint).models.generateContent(PARAMETERS);
  const texts = message.content.flatMap((part) => part.type === "text" ? [part.text] : []);
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.toolCallId, name: part.toolName, args: part.input }]
      : []
  );
  assertEquals(texts.join(""), other.text);
  assertEquals(JSON.stringify(calls), JSON.stringify(other.functionCalls));
  assertEquals([modelId, responseId], [other.modelVersion, other.responseId]);
});

Deno.test("googleGenerateContent() streams the same text as @google/genai", async () => {
  await using endpoint = new FakeEndpoint(() =>
    eventStream([chunk([{ text: "Sun" }]), reply([{ text: "ny.", thoughtSignature: "c2ln" }])])
  );
  const own: string[] = [];
  for await (const event of ours(endpoint).stream?.(REQUEST) ?? []) {
    if (event.type === "text-delta") own.push(event.delta);
  }
  const other: string[] = [];
  for await (const { text } of await theirs(endpoint).models.generateContentStream(PARAMETERS)) {
    other.push(text ?? "");
  }
  assertEquals(own, other);
  assertEquals(endpoint.seen[0]?.path, endpoint.seen[1]?.path);
});
