/**
 * Test data for the Anthropic Messages API. The sources are the API reference ("Create a message")
 * and the guides "Streaming messages", "Handling stop reasons", "Extended thinking" and "Errors".
 *
 * @module
 */

import type { LanguageModel, ModelRequest } from "../../shared/model.ts";
import { anthropicMessages, type AnthropicMessagesOptions } from "../anthropic_messages.ts";
import { KEY, QUESTION } from "./ask.ts";
import { FakeEndpoint } from "./fake_endpoint.ts";

/** Returns a complete response with the given blocks. */
export function reply(
  content: readonly object[],
  rest: object = {},
): Record<string, unknown> {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-2026",
    content,
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 11, output_tokens: 5 },
    ...rest,
  };
}

/** The first event of a streamed response. */
export const MESSAGE_START: object = {
  type: "message_start",
  message: reply([], { stop_reason: null, usage: { input_tokens: 11, output_tokens: 1 } }),
};

/** Returns the events of one block: start, deltas and end. */
export function block(index: number, start: object, deltas: readonly object[] = []): object[] {
  return [
    { type: "content_block_start", index, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

/** Returns the last events of a streamed response. */
export function messageEnd(stop_reason: string, output_tokens = 5): object[] {
  return [
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens },
    },
    { type: "message_stop" },
  ];
}

/** Creates a model that calls a local HTTP server. */
export function modelAt(
  endpoint: FakeEndpoint,
  options: Partial<AnthropicMessagesOptions> = {},
): LanguageModel {
  const settings = { model: "m", apiKey: KEY, provider: "anthropic", ...options };
  return anthropicMessages({ baseUrl: endpoint.origin, ...settings });
}

/** Creates a model whose endpoint is a function. */
export function modelOf(
  answer: () => Response,
  options: Partial<AnthropicMessagesOptions> = {},
): LanguageModel {
  return anthropicMessages({
    model: "m",
    apiKey: KEY,
    fetch: () => Promise.resolve(answer()),
    ...options,
  });
}

/** Returns the body of a sent request. */
export async function bodyOf(request: Partial<ModelRequest>): Promise<Record<string, unknown>> {
  await using endpoint = new FakeEndpoint(() => Response.json(reply([])));
  await modelAt(endpoint).generate({ ...QUESTION, ...request });
  return endpoint.last.body;
}
