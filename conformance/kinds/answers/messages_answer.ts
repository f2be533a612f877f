/**
 * Responses of the Messages API.
 *
 * @module
 */

import type { EventToSend } from "../../kit/http_message.ts";
import type { JsonObject } from "../../kit/json.ts";
import type { ProviderAnswer } from "../../kit/provider_turn.ts";
import {
  type AnswerRenderer,
  type AnswerToRender,
  halves,
  inputOf,
  typedEvent,
} from "./answer_parts.ts";

/** A content block: at its start in a stream, its deltas, and the complete block. */
interface Block {
  readonly start: JsonObject;
  readonly deltas: readonly JsonObject[];
  readonly whole: JsonObject;
}

function blocks({ text, reasoning, redacted, calls = [] }: ProviderAnswer): readonly Block[] {
  return [
    ...(reasoning === undefined ? [] : [thinkingBlock(reasoning.text, reasoning.signature)]),
    ...(redacted === undefined ? [] : [plainBlock({ type: "redacted_thinking", data: redacted })]),
    ...(text === undefined ? [] : [textBlock(text)]),
    ...calls.map(({ id, name, input }) => useBlock({ type: "tool_use", id, name }, input)),
  ];
}

function plainBlock(whole: JsonObject): Block {
  return { start: whole, deltas: [], whole };
}

function thinkingBlock(thinking: string, signature: string): Block {
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      ...halves(thinking).map((part) => ({ type: "thinking_delta", thinking: part })),
      { type: "signature_delta", signature },
    ],
    whole: { type: "thinking", thinking, signature },
  };
}

function textBlock(text: string): Block {
  return {
    start: { type: "text", text: "" },
    deltas: halves(text).map((part) => ({ type: "text_delta", text: part })),
    whole: { type: "text", text },
  };
}

function useBlock(head: JsonObject, input: string): Block {
  return {
    start: { ...head, input: {} },
    deltas: halves(input).map((part) => ({ type: "input_json_delta", partial_json: part })),
    whole: { ...head, input: inputOf(input) },
  };
}

function stopReason({ calls = [], isCut }: ProviderAnswer): string {
  if (isCut === true) return "max_tokens";
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function message(index: number, rest: JsonObject): JsonObject {
  return {
    id: `msg_${index}`,
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
    ...rest,
  };
}

function events({ answer, index }: AnswerToRender): readonly EventToSend[] {
  return [
    typedEvent("message_start", { message: message(index, {}) }),
    ...blocks(answer).flatMap(({ start, deltas }, position) => [
      typedEvent("content_block_start", { index: position, content_block: start }),
      ...deltas.map((delta) => typedEvent("content_block_delta", { index: position, delta })),
      typedEvent("content_block_stop", { index: position }),
    ]),
    typedEvent("message_delta", {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: 1 },
    }),
    typedEvent("message_stop", {}),
  ];
}

/** Renders responses of the Messages API. */
export const MESSAGES_ANSWER: AnswerRenderer = {
  whole: ({ answer, index }) =>
    message(index, {
      content: blocks(answer).map(({ whole }) => whole),
      stop_reason: stopReason(answer),
    }),
  events,
};
