/**
 * Test data for the OpenAI Chat Completions API. The sources are OpenAI's API reference (chat
 * object, chat streaming), DeepSeek's "Thinking Mode" guide, OpenRouter's "Errors" guide, and bug
 * reports about other servers, which the tests cite.
 *
 * @module
 */

import type { LanguageModel, ModelRequest } from "../../shared/model.ts";
import { openAiChat, type OpenAiChatOptions } from "../openai_chat.ts";
import { KEY, QUESTION } from "./ask.ts";
import { FakeEndpoint } from "./fake_endpoint.ts";

/** The tool call `f({"a":1})`. */
export const CALL = {
  id: "c1",
  type: "function",
  function: { name: "f", arguments: '{"a":1}' },
};

/** Returns a complete response with the given message. */
export function completion(message: object, rest: object = {}): Record<string, unknown> {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m-2026",
    choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
    usage: { prompt_tokens: 11, completion_tokens: 5, total_tokens: 16 },
    ...rest,
  };
}

/** Returns a chunk of a streamed response. */
export function chunk(delta: object, finishReason: string | null = null): Record<string, unknown> {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m-2026",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/** Creates a model that calls a local HTTP server. */
export function modelAt(
  endpoint: FakeEndpoint,
  options: Partial<OpenAiChatOptions> = {},
): LanguageModel {
  const settings = { model: "m", apiKey: KEY, provider: "openai", ...options };
  return openAiChat({ baseUrl: `${endpoint.origin}/v1`, ...settings });
}

/** Creates a model whose endpoint is a function, for tests without a network. */
export function modelOf(
  reply: () => Response,
  options: Partial<OpenAiChatOptions> = {},
): LanguageModel {
  return openAiChat({
    baseUrl: "http://127.0.0.1/v1",
    model: "m",
    apiKey: KEY,
    fetch: () => Promise.resolve(reply()),
    ...options,
  });
}

/** Returns the body of a sent request. */
export async function bodyOf(
  request: Partial<ModelRequest>,
  options: Partial<OpenAiChatOptions> = {},
): Promise<Record<string, unknown>> {
  await using endpoint = new FakeEndpoint(() => Response.json(completion({ content: "ok" })));
  await modelAt(endpoint, options).generate({ ...QUESTION, ...request });
  return endpoint.last.body;
}
