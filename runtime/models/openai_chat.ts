/**
 * Language models behind OpenAI's chat completions interface, which almost every server and gateway speaks.
 *
 * @module
 */

import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
} from "../shared/model.ts";
import {
  assertModelName,
  createEndpoint,
  type Endpoint,
  type EndpointOptions,
  toOperationUrl,
} from "./endpoint.ts";
import { type ChatDialect, toChatBody } from "./openai_request.ts";
import { OpenAiResponseBuilder } from "./openai_response.ts";
import { readResponse, readStream } from "./response_builder.ts";
import type { WireObject } from "./response_fields.ts";
import { type EndpointCall, send, sendStream } from "./send_request.ts";
import { wireNamesOf } from "./tool_names.ts";

/** Which model to ask, and how to reach it. */
export interface OpenAiChatOptions extends EndpointOptions {
  /**
   * The interface's root, to which `/chat/completions` is added; a query in it is kept. For example
   * `https://api.openai.com/v1`, `http://127.0.0.1:11434/v1` (Ollama) or `http://127.0.0.1:8080/v1` (llama.cpp).
   */
  readonly baseUrl: string | URL;
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Sent as a bearer token. Default: none, as local servers want it. It never appears in an error. */
  readonly apiKey?: string;
  /** The provider's name, for telemetry and as the key of its data in `providerOptions`. Default: `"openai"`. */
  readonly provider?: string;
  /**
   * How the limit on the answer's length is called. Default: `"max_completion_tokens"` at `api.openai.com`, whose
   * reasoning models know no other, and `"max_tokens"` elsewhere.
   */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** Whether to ask for token counts when streaming; a few old servers refuse the question. Default: true. */
  readonly includeUsage?: boolean;
}

interface Chat {
  readonly endpoint: Endpoint;
  readonly dialect: ChatDialect;
  readonly includeUsage: boolean;
}

/**
 * Makes a language model of an endpoint that speaks OpenAI's chat completions: OpenAI itself, Ollama, llama.cpp, LM
 * Studio, vLLM, OpenRouter and many others. Nothing is sent before the first call.
 *
 * Data for the server that has no option goes into `generateOptions.providerOptions[provider]` and from there into the
 * request's body. Files in tool results follow the results in a user message, since the interface has no other place.
 *
 * Calls reject with `AgentError` `model_error`. It is `retryable` for the statuses 408, 409, 429 (unless the quota is used
 * up) and 5xx, for lost connections and cut streams, and for the time-out; the server's `x-should-retry`, `retry-after-ms`
 * and `retry-after` headers are obeyed. An aborted call rejects with the signal's reason. A stream that is left early is
 * cancelled; to end one that is waiting, abort the signal.
 *
 * @param options which model and where
 * @returns the model
 * @throws {TypeError} if the URL, the model's name or a header cannot be used
 * @throws {RangeError} if a limit cannot be used
 * @see https://platform.openai.com/docs/api-reference/chat
 *
 * @example Ask a local server
 * ```ts
 * import { openAiChat } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = openAiChat({
 *   baseUrl: "http://127.0.0.1:11434/v1",
 *   model: "qwen3",
 *   // Only for this example: an endpoint that always answers the same.
 *   fetch: () =>
 *     Promise.resolve(Response.json({
 *       choices: [{ message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
 *     })),
 * });
 * const { message, finishReason } = await model.generate({
 *   messages: [{ role: "user", content: [{ type: "text", text: "Say hello" }] }],
 *   tools: [],
 *   options: { temperature: 0 },
 * });
 * assertEquals(message.content, [{ type: "text", text: "Hello" }]);
 * assertEquals(finishReason, "stop");
 * ```
 */
export function openAiChat(options: OpenAiChatOptions): LanguageModel {
  const { baseUrl, model, apiKey, provider = "openai", includeUsage = true } = options;
  assertModelName(model);
  const credentials: Readonly<Record<string, string>> = apiKey === undefined || apiKey === ""
    ? {}
    : { authorization: `Bearer ${apiKey}` };
  const endpoint = createEndpoint(
    toOperationUrl(baseUrl, "/chat/completions"),
    credentials,
    options,
  );
  const isOpenAi = endpoint.host === "api.openai.com";
  const { maxTokensField = isOpenAi ? "max_completion_tokens" : "max_tokens" } = options;
  const chat: Chat = { endpoint, dialect: { model, provider, maxTokensField }, includeUsage };
  return {
    modelId: model,
    provider,
    generate: (request) => generate(chat, request),
    stream: (request) => stream(chat, request),
  };
}

async function generate(chat: Chat, request: ModelRequest): Promise<ModelResponse> {
  const builder = createBuilder(chat, request);
  return await send(
    chat.endpoint,
    toCall(chat, request, {}),
    (response) => readResponse(response, builder),
  );
}

async function* stream(chat: Chat, request: ModelRequest): AsyncGenerator<ModelStreamEvent, void> {
  const usage = chat.includeUsage ? { stream_options: { include_usage: true } } : {};
  const call = toCall(chat, request, { stream: true, ...usage });
  const builder = createBuilder(chat, request);
  const response = yield* sendStream(chat.endpoint, call, (response) => {
    return readStream(response, builder, request.signal);
  });
  yield { type: "finish", response };
}

function toCall(
  chat: Chat,
  { options, signal, ...rest }: ModelRequest,
  extra: WireObject,
): EndpointCall {
  const body = { ...toChatBody({ options, ...rest }, chat.dialect), ...extra };
  return { body, headers: options.headers, signal };
}

function createBuilder({ dialect }: Chat, { options, tools }: ModelRequest): OpenAiResponseBuilder {
  return new OpenAiResponseBuilder({
    provider: dialect.provider,
    maxOutputTokens: options.maxOutputTokens,
    toolNames: wireNamesOf(tools),
  });
}
