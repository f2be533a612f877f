/**
 * Helpers for model tests: call a model, with or without streaming, and check its errors.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "../../shared/error.ts";
import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
  ToolCall,
  ToolDefinition,
} from "../../shared/model.ts";

/** An API key that must not occur in any error message. */
export const KEY = "sk-secret-0123456789";

/** A minimal request. */
export const QUESTION: ModelRequest = {
  messages: [{ role: "user", content: [{ type: "text", text: "Weather in Paris?" }] }],
  tools: [],
  options: {},
};

/** A tool definition. */
export const WEATHER: ToolDefinition = {
  name: "weather",
  description: "The weather in a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** Returns all events of a streamed response. */
export async function collect(
  model: LanguageModel,
  request: ModelRequest = QUESTION,
): Promise<ModelStreamEvent[]> {
  const events: ModelStreamEvent[] = [];
  for await (const event of model.stream?.(request) ?? []) events.push(event);
  return events;
}

/** Returns the complete response at the end of a stream. */
export async function streamed(
  model: LanguageModel,
  request: ModelRequest = QUESTION,
): Promise<ModelResponse> {
  const event = (await collect(model, request)).at(-1);
  assert(event?.type === "finish");
  return event.response;
}

/** Returns the tool calls in a response. */
export function callsOf({ message }: ModelResponse): ToolCall[] {
  return message.content.filter((part) => part.type === "tool-call");
}

/**
 * Returns the model error that a promise rejects with. Asserts that the error does not contain the
 * API key.
 */
export async function failureOf(work: Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(() => work, AgentError);
  assertEquals(error.code, "model_error");
  const told = JSON.stringify([error.message, error.details, error.stack, String(error.cause)]);
  assert(!told.includes(KEY), told);
  return error;
}
