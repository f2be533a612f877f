/**
 * Property-based test. For any data from an endpoint, a model returns a valid response or rejects
 * with a model error.
 */

import { assert } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { AgentError } from "../shared/error.ts";
import { AgentErrorCode } from "../shared/error_codes.ts";
import { isJsonValue } from "../shared/json.ts";
import { FINISH_REASONS, type LanguageModel, type ModelResponse } from "../shared/model.ts";
import { fromAiSdk } from "./ai_sdk.ts";
import { QUESTION, streamed } from "./testdata/ask.ts";
import { modelOf as chatOf } from "./testdata/chat.ts";
import { eventStream } from "./testdata/fake_endpoint.ts";
import { modelOf as googleOf } from "./testdata/google.ts";
import { modelOf as messagesOf } from "./testdata/messages.ts";
import { modelOf as responsesOf } from "./testdata/responses.ts";

/**
 * Field names and values that the adapters recognize, so that random data passes the first checks.
 */
const FIELDS = [
  "type",
  "choices",
  "message",
  "delta",
  "content",
  "text",
  "tool_calls",
  "function",
  "name",
  "arguments",
  "id",
  "index",
  "usage",
  "prompt_tokens",
  "finish_reason",
  "error",
  "code",
  "reasoning",
  "content_block",
  "partial_json",
  "input",
  "stop_reason",
  "candidates",
  "parts",
  "functionCall",
  "args",
  "thought",
  "thoughtSignature",
  "inlineData",
  "finishReason",
  "promptFeedback",
  "usageMetadata",
  "promptTokenCount",
  "providerMetadata",
  "toolName",
  "toolCallId",
  "unified",
  "inputTokens",
  "total",
  "warnings",
  "output",
  "item",
  "output_index",
  "item_id",
  "call_id",
  "status",
  "response",
  "summary",
  "incomplete_details",
  "input_tokens_details",
  "annotations",
  "__proto__",
  "constructor",
  "toJSON",
] as const;
const WORDS = [
  "text",
  "tool_use",
  "thinking",
  "message_start",
  "content_block_start",
  "content_block_delta",
  "message_delta",
  "input_json_delta",
  "message_stop",
  "stop",
  "STOP",
  "tool-call",
  "text-delta",
  "finish",
  "reasoning-start",
  "file",
  "custom",
  "tool-result",
  "stream-start",
  "message",
  "function_call",
  "custom_tool_call",
  "image_generation_call",
  "completed",
  "incomplete",
  "response.created",
  "response.output_item.added",
  "response.output_item.done",
  "response.output_text.delta",
  "response.function_call_arguments.delta",
  "response.completed",
  "response.failed",
  "{}",
  "",
  "x",
] as const;

const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.constantFrom(...WORDS), fc.integer(), fc.constantFrom(null, true, -1, 1e308)),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie("value"), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value;

/** Data that resembles a response, with random data at deeper levels. */
const nearly = fc.oneof(
  anything,
  fc.record({
    choices: fc.array(fc.record({ message: anything, delta: anything }), { maxLength: 2 }),
  }),
  fc.record({ content: fc.array(anything, { maxLength: 3 }), usage: anything }),
  fc.record({
    candidates: fc.array(
      fc.record({
        content: fc.record({ parts: fc.array(anything, { maxLength: 3 }) }),
        finishReason: anything,
      }),
      { maxLength: 2 },
    ),
    usageMetadata: anything,
  }),
  fc.record({ output: fc.array(anything, { maxLength: 3 }), usage: anything, status: anything }),
);

function assertAnswer({ message, finishReason, usage }: ModelResponse): void {
  assert(FINISH_REASONS.includes(finishReason));
  const { estimated, ...counts } = usage ?? {};
  assert(estimated === undefined || estimated === true);
  assert(Object.values(counts).every((count) => Number.isFinite(count)));
  for (const part of message.content) {
    assert(part.providerOptions === undefined || isJsonValue(part.providerOptions));
    if (part.type === "text" || part.type === "reasoning") assert(typeof part.text === "string");
    if (part.type === "tool-call") assert(part.toolName !== "" && "input" in part);
  }
}

async function assertHarmless(work: Promise<ModelResponse>): Promise<void> {
  try {
    assertAnswer(await work);
  } catch (error) {
    if (!AgentError.isAgentError(error)) throw error;
    assert(error.is(AgentErrorCode.ModelError));
    // If the adapter threw an unexpected exception, the model would report a failed connection with
    // the exception as its cause.
    assert(error.cause === undefined, String(error.cause));
  }
}

/** Creates models that receive the given values as a complete response and as a stream. */
const MODELS: readonly (readonly [string, (values: readonly unknown[]) => LanguageModel])[] = [
  ["openAiChat(), whole", ([value]) => chatOf(() => Response.json(value ?? null))],
  ["openAiChat(), streamed", (values) => chatOf(() => eventStream(texts(values)))],
  ["anthropicMessages(), whole", ([value]) => messagesOf(() => Response.json(value ?? null))],
  ["anthropicMessages(), streamed", (values) => messagesOf(() => eventStream(texts(values)))],
  ["googleGenerateContent(), whole", ([value]) => googleOf(() => Response.json(value ?? null))],
  ["googleGenerateContent(), streamed", (values) => googleOf(() => eventStream(texts(values)))],
  ["openAiResponses(), whole", ([value]) => responsesOf(() => Response.json(value ?? null))],
  ["openAiResponses(), streamed", (values) => responsesOf(() => eventStream(texts(values)))],
  ["fromAiSdk()", (values) =>
    fromAiSdk({
      specificationVersion: "v4",
      provider: "fake",
      modelId: "m",
      doGenerate: () => Promise.resolve(values[0]),
      doStream: () =>
        Promise.resolve({ stream: ReadableStream.from(values.filter((value) => value !== null)) }),
    })],
];

function texts(values: readonly unknown[]): string[] {
  return values.map((value) => JSON.stringify(value));
}

for (const [name, modelOf] of MODELS) {
  Deno.test(`${name} returns a valid response or a model error for any data`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(nearly, { minLength: 1, maxLength: 6 }), async (values) => {
        await assertHarmless(modelOf(values).generate(QUESTION));
        await assertHarmless(streamed(modelOf(values)));
      }),
      propertyRuns(150),
    );
  });
}
