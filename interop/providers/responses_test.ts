/**
 * Compares the model of OpenAI's Responses API with OpenAI's own package, over loopback.
 *
 * The requests have the package's types, and the package reads the same text and tool calls from
 * the responses that the model reads.
 */

import type { ModelMessage, ModelResponse } from "@parley/runtime";
import { openAiResponses } from "@parley/runtime/models";
import { assertEquals } from "@std/assert";
import OpenAI from "openai";
import type { Response as OpenAiResponse } from "openai/resources/responses/responses";
import { eventStream, FakeEndpoint } from "../../runtime/models/testdata/fake_endpoint.ts";
import {
  completed,
  CREATED,
  functionCall,
  itemEvents,
  message,
  reasoning,
  reply,
} from "../../runtime/models/testdata/responses.ts";
import type { InputItem, ResponsesBody } from "./request_types.ts";

const KEY = "sk-secret-0123456789";
const CITY = '{"city":"Paris"}';
const ITEMS = [reasoning(["Look"]), message("I look."), functionCall("weather", CITY)];
const [THOUGHT = {}, TEXT = {}, CALL = {}] = ITEMS;
const EVENTS = [
  CREATED,
  ...itemEvents(0, THOUGHT, "response.reasoning_summary_text.delta", []),
  ...itemEvents(1, TEXT, "response.output_text.delta", ["I ", "look."]),
  ...itemEvents(2, CALL, "response.function_call_arguments.delta", ['{"city":', '"Paris"}']),
  completed(ITEMS),
];

/** Text and tool calls of a response. */
interface Facts {
  readonly text: string;
  readonly calls: readonly (readonly [id: string, name: string, input: unknown])[];
}

function ourFacts({ message: { content } }: ModelResponse): Facts {
  return {
    text: content.flatMap((part) => part.type === "text" ? [part.text] : []).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call" ? [[part.toolCallId, part.toolName, part.input] as const] : []
    ),
  };
}

function theirFacts({ output_text, output }: OpenAiResponse): Facts {
  return {
    text: output_text,
    calls: output.flatMap((item) =>
      item.type === "function_call"
        ? [[item.call_id, item.name, JSON.parse(item.arguments)] as const]
        : []
    ),
  };
}

Deno.test("the openai package and openAiResponses() read the same responses", async () => {
  await using endpoint: FakeEndpoint = new FakeEndpoint(() =>
    endpoint.last.body.stream === true ? eventStream(EVENTS) : Response.json(reply(ITEMS))
  );
  const baseUrl = `${endpoint.origin}/v1`;
  const client = new OpenAI({ apiKey: KEY, baseURL: baseUrl });
  const model = openAiResponses({ model: "m", apiKey: KEY, baseUrl });
  const expected: Facts = {
    text: "I look.",
    calls: [["call_1", "weather", { city: "Paris" }]],
  };
  const theirs = { model: "m", input: "Weather?" };
  assertEquals(theirFacts(await client.responses.create(theirs)), expected);
  assertEquals(theirFacts(await client.responses.stream(theirs).finalResponse()), expected);
  const request = { messages: [], tools: [], options: {} };
  assertEquals(ourFacts(await model.generate(request)), expected);
  for await (const event of model.stream?.(request) ?? []) {
    if (event.type === "finish") assertEquals(ourFacts(event.response), expected);
  }
});

/**
 * A conversation with all parts that the adapter supports, after a response with {@linkcode ITEMS}.
 */
function conversationAfter({ message }: ModelResponse): ModelMessage[] {
  return [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "What is this, and what is the weather?" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: "iVBORw0K" } },
        {
          type: "file",
          mediaType: "application/pdf",
          filename: "a.pdf",
          data: { type: "data", data: "AQID" },
        },
      ],
    },
    message,
    {
      role: "tool",
      content: [{
        type: "tool-result",
        toolCallId: "call_1",
        toolName: "weather",
        output: { type: "content", value: [{ type: "text", text: "21 °C" }] },
        isError: false,
        durationMs: 1,
      }],
    },
  ];
}

/** The same conversation, for which the compiler checks the types of OpenAI's package. */
const INPUT: readonly InputItem[] = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "input_text", text: "What is this, and what is the weather?" },
      { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBORw0K" },
      { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AQID" },
    ],
  },
  {
    type: "reasoning",
    summary: [{ type: "summary_text", text: "Look" }],
    encrypted_content: "c2VjcmV0",
  },
  { role: "assistant", content: "I look." },
  { type: "function_call", call_id: "call_1", name: "weather", arguments: CITY },
  { type: "function_call_output", call_id: "call_1", output: "21 °C" },
];

const PARAMETERS = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
};

const BODY: ResponsesBody = {
  store: false,
  include: ["reasoning.encrypted_content"],
  model: "m",
  input: INPUT,
  temperature: 0.5,
  top_p: 0.9,
  max_output_tokens: 100,
  reasoning: { effort: "low" },
  text: {
    format: { type: "json_schema", name: "answer", schema: { type: "object" }, strict: false },
  },
  tools: [
    { type: "function", name: "weather", parameters: PARAMETERS, strict: false },
    { type: "web_search", search_context_size: "low" },
  ],
  tool_choice: { type: "function", name: "weather" },
  stream: false,
};

Deno.test("openAiResponses() sends requests that have the types of the openai package", async () => {
  await using endpoint = new FakeEndpoint(() => Response.json(reply(ITEMS)));
  const baseUrl = `${endpoint.origin}/v1`;
  const model = openAiResponses({ model: "m", apiKey: KEY, baseUrl });
  const first = await model.generate({ messages: [], tools: [], options: {} });
  await model.generate({
    messages: conversationAfter(first),
    tools: [{ name: "weather", inputSchema: PARAMETERS }],
    options: {
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 100,
      reasoning: "low",
      toolChoice: { toolName: "weather" },
      responseFormat: { type: "json", schema: { type: "object" } },
      providerTools: [{
        id: "openai.web_search",
        name: "web_search",
        args: { search_context_size: "low" },
      }],
    },
  });
  assertEquals<unknown>(endpoint.last.body, BODY);
});
