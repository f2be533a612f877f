/**
 * Responses of the Chat Completions API.
 *
 * @module
 */

import type { EventToSend } from "../../kit/http_message.ts";
import type { JsonObject, JsonValue } from "../../kit/json.ts";
import type { ProviderAnswer } from "../../kit/provider_turn.ts";
import { type AnswerRenderer, type AnswerToRender, halves } from "./answer_parts.ts";

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function finish({ calls = [], isCut }: ProviderAnswer): string {
  if (isCut === true) return "length";
  return calls.length > 0 ? "tool_calls" : "stop";
}

function head(object: string, index: number): JsonObject {
  return { id: `chatcmpl-${index}`, object, created: 1, model: "m" };
}

function whole({ answer, index }: AnswerToRender): JsonObject {
  const { text = null, calls = [] } = answer;
  const toolCalls = calls.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: input },
  }));
  const message = {
    role: "assistant",
    content: text,
    refusal: null,
    ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
  return {
    ...head("chat.completion", index),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish(answer) }],
    usage: USAGE,
  };
}

function events({ answer, index, body }: AnswerToRender): readonly EventToSend[] {
  const chunk = (delta: JsonObject, reason: JsonValue = null): EventToSend => ({
    data: {
      ...head("chat.completion.chunk", index),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    },
  });
  const { text, calls = [] } = answer;
  return [
    chunk({ role: "assistant", content: "" }),
    ...(text === undefined ? [] : halves(text).map((content) => chunk({ content }))),
    ...calls.flatMap(({ id, name, input }, position) => [
      chunk({
        tool_calls: [{ index: position, id, type: "function", function: { name, arguments: "" } }],
      }),
      ...halves(input).map((part) =>
        chunk({ tool_calls: [{ index: position, function: { arguments: part } }] })
      ),
    ]),
    chunk({}, finish(answer)),
    ...(body.stream_options === undefined
      ? []
      : [{ data: { ...head("chat.completion.chunk", index), choices: [], usage: USAGE } }]),
    { data: "[DONE]" },
  ];
}

/** Renders responses of the Chat Completions API. */
export const CHAT_ANSWER: AnswerRenderer = { whole, events };
