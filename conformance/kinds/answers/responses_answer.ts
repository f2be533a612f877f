/**
 * Responses of the Responses API.
 *
 * @module
 */

import type { EventToSend } from "../../kit/http_message.ts";
import type { JsonObject, JsonValue } from "../../kit/json.ts";
import { type AnswerRenderer, type AnswerToRender, halves, typedEvent } from "./answer_parts.ts";

const USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

function items({ answer, index }: AnswerToRender): readonly JsonObject[] {
  const { text, reasoning, calls = [] } = answer;
  return [
    ...(reasoning === undefined ? [] : [{
      type: "reasoning",
      id: `rs_${index}`,
      summary: [{ type: "summary_text", text: reasoning.text }],
      encrypted_content: reasoning.signature,
    }]),
    ...(text === undefined ? [] : [{
      type: "message",
      id: `msg_${index}`,
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
    }]),
    ...calls.map(({ id, name, input }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: input,
      status: "completed",
    })),
  ];
}

function response(answer: AnswerToRender, output: readonly JsonValue[]): JsonObject {
  const isCut = answer.answer.isCut === true;
  return {
    id: `resp_${answer.index}`,
    object: "response",
    created_at: 1,
    status: isCut ? "incomplete" : "completed",
    error: null,
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    instructions: null,
    max_output_tokens: null,
    metadata: {},
    model: "m",
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    temperature: 1,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: USAGE,
  };
}

function events(answer: AnswerToRender): readonly EventToSend[] {
  const all = items(answer);
  const started = { ...response(answer, []), status: "in_progress", usage: null };
  const listed = [
    typedEvent("response.created", { response: started }),
    ...all.flatMap((item, position) => itemEvents(item, position)),
    typedEvent(
      answer.answer.isCut === true ? "response.incomplete" : "response.completed",
      { response: response(answer, all) },
    ),
  ];
  return listed.map(({ event, data }, position) => ({
    ...(event === undefined ? {} : { event }),
    data: { ...toObject(data), sequence_number: position },
  }));
}

function itemEvents(item: JsonObject, position: number): readonly EventToSend[] {
  const place = { output_index: position, item_id: String(item.id) };
  return [
    typedEvent("response.output_item.added", {
      output_index: position,
      item: { ...item, status: "in_progress", ...emptied(item) },
    }),
    ...(item.type === "function_call" ? callEvents(String(item.arguments), place) : []),
    ...(item.type === "message" ? textEvents(item, place) : []),
    typedEvent("response.output_item.done", { output_index: position, item }),
  ];
}

function emptied({ type }: JsonObject): JsonObject {
  if (type === "function_call") return { arguments: "" };
  return type === "message" ? { content: [] } : { summary: [] };
}

function callEvents(text: string, place: JsonObject): readonly EventToSend[] {
  return [
    ...halves(text).map((delta) =>
      typedEvent("response.function_call_arguments.delta", { ...place, delta })
    ),
    typedEvent("response.function_call_arguments.done", { ...place, arguments: text }),
  ];
}

function textEvents({ content }: JsonObject, place: JsonObject): readonly EventToSend[] {
  const [part = null] = Array.isArray(content) ? content : [];
  const text = String(toObject(part).text);
  const at = { ...place, content_index: 0 };
  return [
    typedEvent("response.content_part.added", { ...at, part: { ...toObject(part), text: "" } }),
    ...halves(text).map((delta) =>
      typedEvent("response.output_text.delta", { ...at, delta, logprobs: [] })
    ),
    typedEvent("response.output_text.done", { ...at, text, logprobs: [] }),
    typedEvent("response.content_part.done", { ...at, part }),
  ];
}

function toObject(value: JsonValue | undefined): JsonObject {
  const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
  // The value is an object, and neither null nor an array.
  return isPlain ? value as JsonObject : {};
}

/** Renders responses of the Responses API. */
export const RESPONSES_ANSWER: AnswerRenderer = {
  whole: (answer) => response(answer, items(answer)),
  events,
};
