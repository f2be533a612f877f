/**
 * Adapter for the OpenAI Chat Completions API, which most model servers and gateways support.
 *
 * @module
 */

import { assertNonEmptyString, assertOptionalBoolean } from "@parley/internal/assert-argument";
import { oneOf } from "@parley/internal/option-checks";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { MODEL_ALIASES } from "../shared/aliases.ts";
import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
} from "../shared/model.ts";
import {
  assertApiKey,
  assertBaseUrl,
  assertKey,
  createEndpoint,
  type Endpoint,
  ENDPOINT_RULES,
  type EndpointOptions,
  serverKeyOf,
  toOperationUrl,
} from "./endpoint.ts";
import { type ChatDialect, toChatBody } from "./openai_request.ts";
import { OpenAiResponseBuilder } from "./openai_response.ts";
import { readResponse, readStream, withWarnings } from "./response_builder.ts";
import type { WireObject } from "./response_fields.ts";
import { type EndpointCall, send, sendStream } from "./send_request.ts";
import { MISTRAL_CALL_IDS, OPENAI_CALL_IDS } from "./tool_call_ids.ts";
import { createToolConverter, type WireTools } from "./wire_tools.ts";

/**
 * Options for {@linkcode openAiChat}.
 *
 * @example Options for OpenRouter
 * ```ts
 * import { openAiChat, type OpenAiChatOptions } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const options: OpenAiChatOptions = {
 *   baseUrl: "https://openrouter.ai/api/v1",
 *   model: "qwen/qwen3-32b",
 *   apiKey: "your key",
 *   provider: "openrouter",
 * };
 * assertEquals(openAiChat(options).provider, "openrouter");
 * ```
 */
export interface OpenAiChatOptions extends EndpointOptions {
  /**
   * Base URL of the API, to which `/chat/completions` is appended. A query string is preserved.
   * Examples: `http://127.0.0.1:11434/v1` (Ollama), `http://127.0.0.1:8080/v1` (llama.cpp).
   */
  readonly baseUrl: string | URL;
  /** Id of the model. */
  readonly model: string;
  /**
   * API key, sent as a bearer token. Required for `api.openai.com`, unless `headers` contains
   * `authorization`. If omitted, no key is sent. Error messages never contain the key.
   */
  readonly apiKey?: string;
  /**
   * Name of the provider, used in telemetry and as the key in `providerOptions`. If omitted, the
   * name is `"openai"`, and the data that a server other than OpenAI's sends, such as reasoning, is
   * stored under the server's host, because other servers reject it.
   *
   * @default {"openai"}
   */
  readonly provider?: string;
  /**
   * Name of the request field for `maxOutputTokens`. Defaults to `"max_completion_tokens"` for
   * `api.openai.com`, where reasoning models reject `max_tokens`, and to `"max_tokens"` for other
   * hosts.
   */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /**
   * Whether to request token counts in streamed responses. Some old servers reject
   * `stream_options`, the request field for this option.
   *
   * @default {true}
   */
  readonly includeUsage?: boolean;
}

const readOpenAiChatOptions = optionsReader<OpenAiChatOptions>("options", MODEL_ALIASES)({
  ...ENDPOINT_RULES,
  baseUrl: required(assertBaseUrl),
  model: required(assertNonEmptyString),
  apiKey: assertApiKey,
  provider: assertNonEmptyString,
  maxTokensField: oneOf("max_tokens", "max_completion_tokens"),
  includeUsage: withDefault(true, assertOptionalBoolean),
});

/** OpenAI's own server. */
const OPENAI = { host: "api.openai.com", provider: "openai" };

interface Chat {
  readonly endpoint: Endpoint;
  readonly dialect: ChatDialect;
  readonly includeUsage: boolean;
  readonly convertTools: (tools: ModelRequest["tools"]) => WireTools;
}

/**
 * Creates a language model that calls an OpenAI Chat Completions API, as provided by Ollama,
 * llama.cpp, LM Studio, vLLM, OpenRouter and many other servers. For OpenAI's own models, use
 * {@linkcode openAiResponses}. Creating the model sends no request.
 *
 * - All settings are sent. The `reasoning` setting is sent as `reasoning_effort`.
 * - Reasoning in the fields `reasoning_content`, `reasoning` and `reasoning_details` becomes
 *   reasoning parts, which later requests to the same server send back in the same fields.
 * - Images that the model creates become file parts.
 * - `generateOptions.providerOptions[provider]` may contain additional request body fields.
 * - Files in tool results and files that models created are sent in a user message, because tool
 *   messages and assistant messages cannot contain files. A new user message with a file of a type
 *   that the API does not accept rejects with code `model_error`.
 * - `providerTools` are sent as tools whose type comes from the id and whose other fields come from
 *   `args`. Some servers support provider-executed tools; OpenAI's own Chat Completions API does
 *   not.
 *
 * For `api.openai.com`, `nativeOutput` is `"with-tools"`: a run with an `output` schema requests
 * JSON text. For models without support for JSON Schema, such as `gpt-4-turbo`, set `outputMode` to
 * `"tool"`.
 *
 * A failed call rejects with an `AgentError` with code `model_error`, whose `details` contain the
 * `reason` and the HTTP `status`. The error is `retryable` for the status codes 408, 409, 429
 * (unless the quota is exhausted) and 5xx, for failed connections and interrupted streams, after a
 * timeout, and for a response without text, tool calls and a known finish reason. The
 * `x-should-retry` response header takes precedence over the status code. The `retry-after-ms` and
 * `retry-after` headers set the delay before a retry.
 *
 * An aborted call rejects with the signal's reason. Breaking out of a stream cancels the request.
 * To end a stream while it waits for data, abort the signal.
 *
 * @param options Model and endpoint.
 * @throws {TypeError} If an option is unknown, missing or not valid, or `apiKey` is missing for
 * `api.openai.com`.
 * @throws {RangeError} If `timeoutMs`, `idleTimeoutMs` or `maxResponseBytes` is not an integer in
 * the allowed range.
 * @see https://platform.openai.com/docs/api-reference/chat
 *
 * @example Call a local server
 * ```ts
 * import { openAiChat } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = openAiChat({
 *   baseUrl: "http://127.0.0.1:11434/v1",
 *   model: "qwen3",
 *   // Only for this example: an endpoint with a fixed response.
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
  const { baseUrl, model, apiKey, includeUsage, ...settings } = readOpenAiChatOptions(
    options,
  );
  const credentials: Readonly<Record<string, string>> = apiKey === undefined || apiKey === ""
    ? {}
    : { authorization: `Bearer ${apiKey}` };
  const endpoint = createEndpoint(
    toOperationUrl(baseUrl, "/chat/completions"),
    credentials,
    settings,
  );
  assertKey(apiKey, endpoint, OPENAI.host, ["authorization"]);
  const isOpenAi = endpoint.host === OPENAI.host;
  const { maxTokensField = isOpenAi ? "max_completion_tokens" : "max_tokens" } = settings;
  const { provider = "openai" } = settings;
  const server = serverKeyOf(endpoint, settings.provider, OPENAI);
  const callIds = endpoint.host === "api.mistral.ai" ? MISTRAL_CALL_IDS : OPENAI_CALL_IDS;
  const dialect: ChatDialect = { model, provider, server, callIds, maxTokensField };
  const convertTools = createToolConverter(provider);
  const chat: Chat = { endpoint, dialect, includeUsage, convertTools };
  return {
    modelId: model,
    provider,
    // Servers other than OpenAI's may ignore the format or the tools when a request contains both.
    ...isOpenAi ? { nativeOutput: "with-tools" } : {},
    generate: (request) => generate(chat, request),
    stream: (request) => stream(chat, request),
  };
}

async function generate(chat: Chat, request: ModelRequest): Promise<ModelResponse> {
  const tools = chat.convertTools(request.tools);
  const builder = createBuilder(chat, request, tools);
  // Some servers stream by default.
  const call = toCall(chat, { request, tools }, { stream: false });
  const response = await send(
    chat.endpoint,
    call,
    (response) => readResponse(response, builder, request.signal),
  );
  return withWarnings(response, tools.warnings);
}

async function* stream(chat: Chat, request: ModelRequest): AsyncGenerator<ModelStreamEvent, void> {
  const usage = chat.includeUsage ? { stream_options: { include_usage: true } } : {};
  const tools = chat.convertTools(request.tools);
  const call = toCall(chat, { request, tools }, { stream: true, ...usage });
  const builder = createBuilder(chat, request, tools);
  const response = yield* sendStream(chat.endpoint, call, (response) => {
    return readStream(response, builder, request.signal);
  });
  yield { type: "finish", response: withWarnings(response, tools.warnings) };
}

function toCall(
  chat: Chat,
  { request, tools }: { readonly request: ModelRequest; readonly tools: WireTools },
  extra: WireObject,
): EndpointCall {
  const { options, signal } = request;
  const body = { ...toChatBody(request, tools, chat.dialect), ...extra };
  return { body, headers: options.headers, signal };
}

function createBuilder(
  { dialect }: Chat,
  { options }: ModelRequest,
  tools: WireTools,
): OpenAiResponseBuilder {
  return new OpenAiResponseBuilder({
    server: dialect.server,
    maxOutputTokens: options.maxOutputTokens,
    tools,
  });
}
