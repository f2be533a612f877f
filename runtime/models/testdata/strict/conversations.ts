/**
 * Conversations that move between models of all APIs, with tools that return anything.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../../../agent/agent.ts";
import type { LanguageModel, ModelMessage, ToolResultOutput } from "../../../shared/model.ts";
import { ToolError, ToolOutput } from "../../../tools/tool.ts";
import { anthropicMessages } from "../../anthropic_messages.ts";
import { googleGenerateContent } from "../../google_generate_content.ts";
import { openAiChat } from "../../openai_chat.ts";
import { openAiResponses } from "../../openai_responses.ts";
import { StrictChat } from "./chat.ts";
import { StrictGemini } from "./gemini.ts";
import { StrictMessages } from "./messages.ts";
import { type Answer, Random, randomAnswer } from "./random.ts";
import { StrictResponses } from "./responses.ts";
import { fetchFrom, Signatures, type StrictApi } from "./server.ts";

const PNG = btoa("\x89PNG\r\n\x1a\n0000");
const JPEG = btoa("\xff\xd8\xff\xe0\0\x10JFIF");

function file(mediaType: string, data: Uint8Array | string): ToolResultOutput {
  return {
    type: "content",
    value: [{ type: "text", text: "Found:" }, {
      type: "file",
      mediaType,
      data: { type: "data", data },
    }],
  };
}

/** Outputs of tools, of which some providers reject most. */
export const OUTPUTS: readonly [ToolResultOutput, ...ToolResultOutput[]] = [
  file("audio/wav", btoa("RIFF....WAVEfmt ")),
  file("image/svg+xml", btoa("<svg/>")),
  file("image/png", JPEG),
  file("text/csv", btoa("a,b\n".repeat(17_500))),
  { type: "error-text", value: "" },
  { type: "text", value: "half \ud83d" },
  file("IMAGE/PNG; q=1", PNG),
  file("image/bmp", btoa("BM......")),
  file("application/octet-stream", new Uint8Array([0, 1, 2])),
  file("image/png", `data:image/png;base64,${PNG}`),
  file("application/pdf", btoa("%PDF-1.7")),
  file("", ""),
  { type: "content", value: [] },
  { type: "content", value: [{ type: "text", text: " " }] },
  { type: "json", value: { "\udc00": ["\ud83d", null] } },
  { type: "error-json", value: null },
  { type: "execution-denied" },
  { type: "text", value: "" },
];

const TOOL_NAMES: readonly [string, ...string[]] = [
  "look",
  "files.read",
  "1st",
  "a.b-c_d",
  "x".repeat(80),
  "referring",
];

/** Schemas of tools. */
const SCHEMAS: readonly Record<string, unknown>[] = [
  { type: "object" },
  {},
  { anyOf: [{ properties: { a: {} } }, { properties: { "b c": {} }, required: ["b c"] }] },
  { type: "object", properties: { "StartTime<": { type: "string" } } },
  { $ref: "#/$defs/I", $defs: { I: { type: "object", properties: {} } } },
  {
    anyOf: [
      { properties: { a: { type: "string" } } },
      { properties: { b: { $ref: "#/anyOf/0/properties/a" } } },
    ],
  },
];

/** Schemas of tools of MCP servers, which are not validated. */
const FOREIGN_SCHEMAS: readonly Record<string, unknown>[] = [
  { type: "object", properties: null, required: null },
  { type: ["object", "null"], properties: { a: { items: [{ type: "string" }], required: true } } },
];

/** Adds the tools to an agent. */
export async function addTools(agent: ToolLoopAgent, next: () => ToolResultOutput): Promise<void> {
  const execute = () => {
    const output = next();
    if (output.type === "execution-denied") throw new ToolError("");
    return new ToolOutput(output);
  };
  for (const [index, inputSchema] of SCHEMAS.entries()) {
    const [name = ""] = TOOL_NAMES.slice(index);
    agent.registry.register({ name, description: "A tool", inputSchema, execute });
  }
  const tools = FOREIGN_SCHEMAS.map((inputSchema, index) => ({
    name: `foreign${index}`,
    inputSchema,
  }));
  await agent.registry.registerMcp({
    listTools: () => Promise.resolve(tools),
    callTool: () => Promise.resolve(execute()),
  });
}

/** Receives the URL and the body of each request. */
export type OnRequest = (url: string, body: string) => void;

/** Creates a model of each API, which answers with what `next` returns. */
export function modelsFor(
  next: () => Answer,
  onRequest: OnRequest = () => {},
): readonly [LanguageModel, ...LanguageModel[]] {
  const optionsFor = (model: string, api: StrictApi) => {
    const answer = fetchFrom(api, next);
    const fetch: typeof answer = (url, init) => {
      onRequest(url, String(init.body));
      return answer(url, init);
    };
    return { model, apiKey: "secret-key", fetch };
  };
  const chat = (name: string, hasReasoning: boolean, ids: RegExp, baseUrl: string) =>
    openAiChat({ baseUrl, ...optionsFor(name, new StrictChat(name, { ids, hasReasoning })) });
  const signatures = new Signatures("openai");
  const responses = (name: string, hasReasoning: boolean) => {
    return openAiResponses(
      optionsFor(name, new StrictResponses({ name, hasReasoning, signatures })),
    );
  };
  return [
    responses("gpt-5", true),
    chat("gpt", false, /^.{1,40}$/, "https://api.openai.com/v1"),
    chat("router", true, /^.{1,40}$/, "https://router.example/v1"),
    chat("mistral", false, /^[a-zA-Z0-9]{9}$/, "https://api.mistral.ai/v1"),
    anthropicMessages(optionsFor("claude", new StrictMessages())),
    googleGenerateContent(optionsFor("gemini-3-pro", new StrictGemini())),
    responses("gpt-4.1", false),
  ];
}

/** Holds a random conversation of three turns, the same for the same seed. */
export async function holdConversation(seed: number, onRequest?: OnRequest): Promise<void> {
  const random = new Random(seed);
  let left = 0;
  const models = modelsFor(() => randomAnswer(random, TOOL_NAMES, --left <= 0), onRequest);
  await using agent = new ToolLoopAgent({
    name: "traveller",
    model: models[0],
    systemPrompt: random.pick(["", "Be brief.", " "]),
    modelRetries: 0,
    maxIterations: 20,
    prepareIteration: () => ({ model: random.pick(models) }),
    onError: () => {},
  });
  await addTools(agent, () => random.pick(OUTPUTS));
  let messages: readonly ModelMessage[] = random.chance(0.2)
    ? [{ role: "assistant" as const, content: [{ type: "text" as const, text: "Hello" }] }]
    : [];
  for (let turn = 0; turn < 3; turn++) {
    left = 1 + random.integer(4);
    const output = await agent.run("go \ud83d", { messages });
    assertEquals(output.stopReason, "model_stop");
    messages = structuredClone(output.messages);
  }
}
