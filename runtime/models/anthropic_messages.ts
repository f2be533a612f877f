/**
 * Adapter for the Anthropic Messages API.
 *
 * @module
 */

import { defined } from "@parley/internal/json";
import { assertCount, assertNonEmptyString } from "@parley/internal/assert-argument";
import { integerFrom } from "@parley/internal/option-checks";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import { MODEL_ALIASES } from "../shared/aliases.ts";
import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
} from "../shared/model.ts";
import { addUsage, NO_USAGE, UNKNOWN_USAGE } from "../shared/usage.ts";
import { type MessagesDialect, toMessagesBody, unknownSettings } from "./anthropic_request.ts";
import { AnthropicResponseBuilder, PAUSE } from "./anthropic_response.ts";
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
import { readResponse, readStream, withWarnings } from "./response_builder.ts";
import type { WireObject } from "./response_fields.ts";
import { type EndpointCall, send, sendStream } from "./send_request.ts";
import { createToolConverter, type WireTools } from "./wire_tools.ts";

/**
 * Options for {@linkcode anthropicMessages}.
 *
 * @example Options for Claude in Amazon Bedrock
 * ```ts
 * import { anthropicMessages, type AnthropicMessagesOptions } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const options: AnthropicMessagesOptions = {
 *   baseUrl: "https://bedrock-mantle.us-east-1.api.aws/anthropic",
 *   model: "anthropic.claude-sonnet-5",
 *   apiKey: "your Bedrock API key",
 *   maxOutputTokens: 32_000,
 * };
 * assertEquals(anthropicMessages(options).modelId, "anthropic.claude-sonnet-5");
 * ```
 */
export interface AnthropicMessagesOptions extends EndpointOptions {
  /** Id of the model. */
  readonly model: string;
  /**
   * API key, sent in the `x-api-key` header. Required for `api.anthropic.com`, unless `headers`
   * contains `x-api-key` or `authorization`. If omitted, no key is sent. Error messages never
   * contain the key.
   */
  readonly apiKey?: string;
  /**
   * Base URL of the server, to which `/v1/messages` is appended. A query string in the base URL is
   * preserved.
   *
   * @default {"https://api.anthropic.com"}
   */
  readonly baseUrl?: string | URL;
  /**
   * Name of the provider, used in telemetry and as the key in `providerOptions`. If omitted, the
   * name is `"anthropic"`, and the data that a server other than Anthropic's sends, such as
   * signatures, is stored under the server's host, because other servers reject it.
   *
   * @default {"anthropic"}
   */
  readonly provider?: string;
  /**
   * Maximum length of a response, in tokens, for requests that do not set `maxOutputTokens`. The
   * Anthropic API requires a maximum length in every request.
   *
   * @default {8192}
   */
  readonly maxOutputTokens?: number;
  /**
   * Maximum number of continuations per call. If the server pauses a long turn (`pause_turn`), the
   * adapter continues the turn. After the last continuation, the call returns the response so far.
   * `timeoutMs` limits each continuation.
   *
   * @default {10}
   */
  readonly maxPauses?: number;
}

const readAnthropicMessagesOptions = optionsReader<AnthropicMessagesOptions>("options", {
  ...MODEL_ALIASES,
  maxTokens: "maxOutputTokens",
})({
  ...ENDPOINT_RULES,
  model: required(assertNonEmptyString),
  apiKey: assertApiKey,
  baseUrl: withDefault("https://api.anthropic.com", assertBaseUrl),
  provider: assertNonEmptyString,
  maxOutputTokens: withDefault(8192, assertCount),
  maxPauses: withDefault(10, integerFrom(0)),
});

/** Anthropic's own server. */
const ANTHROPIC = { host: "api.anthropic.com", provider: "anthropic" };

interface Messages {
  readonly endpoint: Endpoint;
  readonly dialect: MessagesDialect;
  readonly maxPauses: number;
  readonly convertTools: (tools: ModelRequest["tools"]) => WireTools;
}

/**
 * Creates a language model that calls the Anthropic Messages API. Creating the model sends no
 * request.
 *
 * - Thinking blocks, including their signatures, become reasoning parts. Blocks of unsupported
 *   types are stored in reasoning parts. Reasoning parts are sent back unchanged.
 * - If the server pauses a turn, the adapter continues it within the same call.
 * - The `reasoning` setting requests adaptive thinking with the given effort. Models before Claude
 *   Opus 4.6 and Claude Sonnet 4.6 reject it. For these models, omit `reasoning` and set
 *   `providerOptions.anthropic.thinking`.
 * - `providerTools` are sent as server tools, for example web search. The calls to server tools and
 *   their results are also stored in reasoning parts.
 * - `providerOptions.anthropic` may contain additional request fields.
 * - The settings `seed`, `presencePenalty` and `frequencyPenalty`, and a `responseFormat` without a
 *   schema, are not sent, because the API does not support them. The response then contains a
 *   warning.
 * - A new user message with a file of a type that the API does not accept rejects with code
 *   `model_error`.
 * - `nativeOutput` is not declared, because the API accepts a response schema only for some models
 *   and schemas. A run with an `output` schema uses a tool, unless `outputMode` is `"native"`.
 * - To use prompt caching, set `cache_control` in the `providerOptions` of the system prompt, a
 *   message or a part.
 *
 * A failed call rejects with an `AgentError` with code `model_error`, which is `retryable` under
 * the same conditions as in {@linkcode openAiChat}. An aborted call rejects with the signal's
 * reason.
 *
 * @param options Model and endpoint.
 * @throws {TypeError} If an option is unknown, missing or not valid, or `apiKey` is missing for
 * `api.anthropic.com`.
 * @throws {RangeError} If `timeoutMs`, `idleTimeoutMs`, `maxResponseBytes`, `maxOutputTokens` or
 * `maxPauses` is not an integer in the allowed range.
 * @see https://platform.claude.com/docs/en/api/messages
 *
 * @example Generate a response
 * ```ts
 * import { anthropicMessages } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = anthropicMessages({
 *   model: "claude-sonnet-4-5",
 *   apiKey: "your key",
 *   // Only for this example: an endpoint with a fixed response.
 *   fetch: () =>
 *     Promise.resolve(Response.json({
 *       type: "message",
 *       content: [{ type: "text", text: "Hello" }],
 *       stop_reason: "end_turn",
 *     })),
 * });
 * const { message, finishReason } = await model.generate({
 *   messages: [{ role: "user", content: [{ type: "text", text: "Say hello" }] }],
 *   tools: [],
 *   options: {},
 * });
 * assertEquals(message.content, [{ type: "text", text: "Hello" }]);
 * assertEquals(finishReason, "stop");
 * ```
 */
export function anthropicMessages(options: AnthropicMessagesOptions): LanguageModel {
  const settings = readAnthropicMessagesOptions(options);
  const { model, apiKey, baseUrl, provider = "anthropic", maxOutputTokens, maxPauses } = settings;
  const credentials: Readonly<Record<string, string>> = apiKey === undefined || apiKey === ""
    ? {}
    : { "x-api-key": apiKey };
  const headers = { "anthropic-version": "2023-06-01", ...credentials };
  const endpoint = createEndpoint(toOperationUrl(baseUrl, "/v1/messages"), headers, settings);
  assertKey(apiKey, endpoint, ANTHROPIC.host, ["x-api-key", "authorization"]);
  const server = serverKeyOf(endpoint, settings.provider, ANTHROPIC);
  const dialect = { model, provider, server, maxOutputTokens };
  const convertTools = createToolConverter(provider);
  const messages: Messages = { endpoint, dialect, maxPauses, convertTools };
  return {
    modelId: model,
    provider,
    generate: (request) => generate(messages, request),
    stream: (request) => stream(messages, request),
  };
}

async function generate(messages: Messages, request: ModelRequest): Promise<ModelResponse> {
  const tools = messages.convertTools(request.tools);
  let whole: ModelResponse | undefined;
  for (let pauses = 0;; pauses++) {
    const call = toCall(messages, { request, tools, whole }, {});
    const builder = createBuilder(messages, tools);
    const next = await send(
      messages.endpoint,
      call,
      (response) => readResponse(response, builder, request.signal),
    );
    whole = join(whole, next);
    if (!isPaused(whole) || pauses === messages.maxPauses) {
      return withWarnings(whole, warningsOf(request, tools));
    }
  }
}

async function* stream(
  messages: Messages,
  request: ModelRequest,
): AsyncGenerator<ModelStreamEvent, void> {
  const tools = messages.convertTools(request.tools);
  let whole: ModelResponse | undefined;
  for (let pauses = 0;; pauses++) {
    const call = toCall(messages, { request, tools, whole }, { stream: true });
    const builder = createBuilder(messages, tools);
    const next = yield* sendStream(messages.endpoint, call, (response) => {
      return readStream(response, builder, request.signal);
    });
    whole = join(whole, next);
    if (!isPaused(whole) || pauses === messages.maxPauses) break;
  }
  yield { type: "finish", response: withWarnings(whole, warningsOf(request, tools)) };
}

/** A request, and the response so far if its turn was paused. */
interface Turn {
  readonly request: ModelRequest;
  readonly tools: WireTools;
  readonly whole: ModelResponse | undefined;
}

function toCall(
  messages: Messages,
  { request, tools, whole }: Turn,
  extra: WireObject,
): EndpointCall {
  const { options, signal } = request;
  const conversation = whole === undefined
    ? request.messages
    : [...request.messages, whole.message];
  const body = toMessagesBody({ ...request, messages: conversation }, tools, messages.dialect);
  return { body: { ...body, ...extra }, headers: options.headers, signal };
}

function createBuilder({ dialect }: Messages, tools: WireTools): AnthropicResponseBuilder {
  return new AnthropicResponseBuilder({
    server: dialect.server,
    tools,
  });
}

function isPaused({ rawFinishReason }: ModelResponse): boolean {
  return rawFinishReason === PAUSE;
}

/** Joins a paused response with its continuation. */
function join(first: ModelResponse | undefined, second: ModelResponse): ModelResponse {
  if (first === undefined) return second;
  const isCounted = first.usage !== undefined || second.usage !== undefined;
  const joined: ModelResponse = {
    ...second,
    message: {
      role: "assistant",
      content: [...first.message.content, ...second.message.content],
    },
    ...defined({
      // Without the counts of one part, the sum is too low.
      usage: isCounted
        ? addUsage(first.usage ?? UNKNOWN_USAGE, second.usage ?? UNKNOWN_USAGE)
        : undefined,
      otherUsage: joinUsages(first.otherUsage, second.otherUsage),
      modelId: second.modelId ?? first.modelId,
    }),
  };
  const { warnings, ...rest } = joined;
  return withWarnings(rest, [...first.warnings ?? [], ...warnings ?? []]);
}

/** Adds the token counts of other models, keyed by model id. */
function joinUsages(
  first: ModelResponse["otherUsage"],
  second: ModelResponse["otherUsage"],
): ModelResponse["otherUsage"] {
  if (first === undefined || second === undefined) return first ?? second;
  const joined = new Map(Object.entries(first));
  for (const [model, usage] of Object.entries(second)) {
    joined.set(model, addUsage(joined.get(model) ?? NO_USAGE, usage));
  }
  return Object.fromEntries(joined);
}

function warningsOf({ options }: ModelRequest, { warnings }: WireTools): readonly string[] {
  return [...unknownSettings(options), ...warnings];
}
