/**
 * Test data for the OpenAI Responses API. The sources are OpenAI's API reference (response object,
 * streaming events) and its guides "Function calling", "Reasoning models" and "Conversation state".
 *
 * @module
 */

import type { LanguageModel, ModelRequest, ModelResponse } from "../../shared/model.ts";
import { openAiResponses, type OpenAiResponsesOptions } from "../openai_responses.ts";
import { KEY, QUESTION } from "./ask.ts";
import { eventStream, type FakeEndpoint } from "./fake_endpoint.ts";

/** Host of the models that {@linkcode modelOf} creates. */
export const HOST = "127.0.0.1";

/** Token counts in a response, and the same counts as the adapter returns them. */
export const USAGE = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 16,
};

/** Returns a message item. */
export function message(text: string, rest: object = {}): Record<string, unknown> {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
    ...rest,
  };
}

/** Returns a reasoning item with encrypted content. */
export function reasoning(summary: readonly string[], rest: object = {}): Record<string, unknown> {
  return {
    type: "reasoning",
    id: "rs_1",
    summary: summary.map((text) => ({ type: "summary_text", text })),
    encrypted_content: "c2VjcmV0",
    ...rest,
  };
}

/** Returns a tool call item. */
export function functionCall(
  name: string,
  input: string,
  rest: object = {},
): Record<string, unknown> {
  return {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name,
    arguments: input,
    status: "completed",
    ...rest,
  };
}

/** Returns a complete response with the given items. */
export function reply(output: readonly object[], rest: object = {}): Record<string, unknown> {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    model: "m-2026",
    status: "completed",
    error: null,
    incomplete_details: null,
    output,
    usage: USAGE,
    ...rest,
  };
}

/** The first event of a stream. */
export const CREATED: object = {
  type: "response.created",
  response: reply([], { status: "in_progress", usage: null }),
};

/** Returns the last event of a stream. */
export function completed(output: readonly object[] = [], rest: object = {}): object {
  return { type: "response.completed", response: reply(output, rest) };
}

/** Returns the events of one item: beginning, deltas and end. */
export function itemEvents(
  output_index: number,
  item: Record<string, unknown>,
  type: string,
  deltas: readonly string[],
): object[] {
  const { encrypted_content: _, ...rest } = item;
  const begin = {
    ...rest,
    ..."content" in item ? { content: [] } : {},
    ..."arguments" in item ? { arguments: "" } : {},
    status: "in_progress",
  };
  const part = { type: "output_text", text: "", annotations: [] };
  const at = { output_index, item_id: item.id, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index, item: begin },
    ..."content" in item ? [{ type: "response.content_part.added", ...at, part }] : [],
    ...deltas.map((delta) => ({ type, ...at, delta })),
    { type: "response.output_item.done", output_index, item },
  ];
}

/** Creates a model that calls a local HTTP server. */
export function modelAt(
  endpoint: FakeEndpoint,
  options: Partial<OpenAiResponsesOptions> = {},
): LanguageModel {
  return openAiResponses({ baseUrl: `${endpoint.origin}/v1`, model: "m", apiKey: KEY, ...options });
}

/** Creates a model whose endpoint is a function, for tests without a network. */
export function modelOf(
  answer: () => Response,
  options: Partial<OpenAiResponsesOptions> = {},
): LanguageModel {
  return openAiResponses({
    baseUrl: `http://${HOST}/v1`,
    model: "m",
    apiKey: KEY,
    fetch: () => Promise.resolve(answer()),
    ...options,
  });
}

/** Returns the body of a sent request. */
export async function bodyOf(
  request: Partial<ModelRequest>,
  options: Partial<OpenAiResponsesOptions> = {},
): Promise<Record<string, unknown>> {
  let body: Record<string, unknown> = {};
  const answer = () => Response.json(reply([message("ok")]));
  const model = modelOf(answer, {
    fetch: (_, init) => {
      body = JSON.parse(String(init.body));
      return Promise.resolve(answer());
    },
    ...options,
  });
  await model.generate({ ...QUESTION, ...request });
  return body;
}

/** Returns the response to a request, for a complete response with the given items. */
export function read(output: readonly object[], rest: object = {}): Promise<ModelResponse> {
  return modelOf(() => Response.json(reply(output, rest))).generate(QUESTION);
}

/** Creates a model that streams the given events. */
export function streamOf(
  events: readonly (string | object)[],
  options: { readonly size?: number; readonly event?: string } = {},
): LanguageModel {
  return modelOf(() => eventStream(events, options));
}
