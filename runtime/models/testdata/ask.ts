/**
 * What every test of a model does: ask it, whole or streamed, and look at how it fails.
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

/** A key that must never be seen again. */
export const KEY = "sk-secret-0123456789";

/** The simplest request. */
export const QUESTION: ModelRequest = {
  messages: [{ role: "user", content: [{ type: "text", text: "Weather in Paris?" }] }],
  tools: [],
  options: {},
};

/** A tool to ask with. */
export const WEATHER: ToolDefinition = {
  name: "weather",
  description: "The weather in a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** All events of a streamed answer. */
export async function collect(
  model: LanguageModel,
  request: ModelRequest = QUESTION,
): Promise<ModelStreamEvent[]> {
  const events: ModelStreamEvent[] = [];
  for await (const event of model.stream?.(request) ?? []) events.push(event);
  return events;
}

/** The whole answer at the end of a streamed one. */
export async function streamed(
  model: LanguageModel,
  request: ModelRequest = QUESTION,
): Promise<ModelResponse> {
  const event = (await collect(model, request)).at(-1);
  assert(event?.type === "finish");
  return event.response;
}

/** The calls in an answer. */
export function callsOf({ message }: ModelResponse): ToolCall[] {
  return message.content.filter((part) => part.type === "tool-call");
}

/** The model error that work rejects with, which never shows the key. */
export async function failureOf(work: Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(() => work, AgentError);
  assertEquals(error.code, "model_error");
  const told = JSON.stringify([error.message, error.details, error.stack, String(error.cause)]);
  assert(!told.includes(KEY), told);
  return error;
}
