/**
 * Language models behind Anthropic's Messages interface.
 *
 * @module
 */

import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
} from "../shared/model.ts";
import { addUsage } from "../shared/usage.ts";
import { type MessagesDialect, toMessagesBody, unknownSettings } from "./anthropic_request.ts";
import { AnthropicResponseBuilder, PAUSE } from "./anthropic_response.ts";
import {
  assertModelName,
  createEndpoint,
  type Endpoint,
  type EndpointOptions,
  toOperationUrl,
} from "./endpoint.ts";
import { readResponse, readStream } from "./response_builder.ts";
import type { WireObject } from "./response_fields.ts";
import { type EndpointCall, send, sendStream } from "./send_request.ts";
import { wireNamesOf } from "./tool_names.ts";

/** Which model to ask, and how to reach it. */
export interface AnthropicMessagesOptions extends EndpointOptions {
  /** The model's name, as the server knows it. */
  readonly model: string;
  /** Sent in the header `x-api-key`. Default: none. It never appears in an error. */
  readonly apiKey?: string;
  /** The server's root, to which `/v1/messages` is added; a query in it is kept. Default: `https://api.anthropic.com`. */
  readonly baseUrl?: string | URL;
  /** The provider's name, for telemetry and as the key of its data in `providerOptions`. Default: `"anthropic"`. */
  readonly provider?: string;
  /** The limit on an answer's length, in tokens, where the call sets none: the interface wants one. Default: 8192. */
  readonly maxOutputTokens?: number;
  /** How often, within one call, the server may pause a long turn of its own tools and be asked to go on. Default: 10. */
  readonly maxPauses?: number;
}

interface Messages {
  readonly endpoint: Endpoint;
  readonly dialect: MessagesDialect;
  readonly maxPauses: number;
}

/**
 * Makes a language model of an endpoint that speaks Anthropic's Messages interface. Nothing is sent before the first call.
 *
 * Thinking is kept with its signature, and blocks of other kinds as they came, as reasoning parts: so they go back
 * unchanged. A turn that the server pauses is continued within the same call. `reasoning` asks for adaptive thinking with
 * that effort; older models want `providerOptions.anthropic.thinking` instead, where all other fields of the request, the
 * provider's own tools among them, have their place too. `cache_control` goes into the `providerOptions` of a message or
 * part.
 *
 * Calls reject with `AgentError` `model_error`, `retryable` under the same conditions as those of `openAiChat`. An aborted
 * call rejects with the signal's reason.
 *
 * @param options which model and where
 * @returns the model
 * @throws {TypeError} if the URL, the model's name or a header cannot be used
 * @throws {RangeError} if a limit cannot be used
 * @see https://platform.claude.com/docs/en/api/messages
 *
 * @example Ask
 * ```ts
 * import { anthropicMessages } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = anthropicMessages({
 *   model: "claude-sonnet-4-5",
 *   apiKey: "your key",
 *   // Only for this example: an endpoint that always answers the same.
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
  const { model, apiKey, baseUrl = "https://api.anthropic.com", provider = "anthropic" } = options;
  const { maxOutputTokens = 8192, maxPauses = 10 } = options;
  assertModelName(model);
  assertCount("maxOutputTokens", maxOutputTokens, 1);
  assertCount("maxPauses", maxPauses, 0);
  const credentials: Readonly<Record<string, string>> = apiKey === undefined || apiKey === ""
    ? {}
    : { "x-api-key": apiKey };
  const headers = { "anthropic-version": "2023-06-01", ...credentials };
  const endpoint = createEndpoint(toOperationUrl(baseUrl, "/v1/messages"), headers, options);
  const messages = { endpoint, dialect: { model, provider, maxOutputTokens }, maxPauses };
  return {
    modelId: model,
    provider,
    generate: (request) => generate(messages, request),
    stream: (request) => stream(messages, request),
  };
}

async function generate(messages: Messages, request: ModelRequest): Promise<ModelResponse> {
  let whole: ModelResponse | undefined;
  for (let pauses = 0;; pauses++) {
    const call = toCall(messages, request, whole, {});
    const builder = createBuilder(messages, request);
    const next = await send(messages.endpoint, call, (response) => readResponse(response, builder));
    whole = join(whole, next);
    if (!isPaused(whole) || pauses === messages.maxPauses) return withWarnings(whole, request);
  }
}

async function* stream(
  messages: Messages,
  request: ModelRequest,
): AsyncGenerator<ModelStreamEvent, void> {
  let whole: ModelResponse | undefined;
  for (let pauses = 0;; pauses++) {
    const call = toCall(messages, request, whole, { stream: true });
    const builder = createBuilder(messages, request);
    const next = yield* sendStream(messages.endpoint, call, (response) => {
      return readStream(response, builder, request.signal);
    });
    whole = join(whole, next);
    if (!isPaused(whole) || pauses === messages.maxPauses) break;
  }
  yield { type: "finish", response: withWarnings(whole, request) };
}

function toCall(
  messages: Messages,
  request: ModelRequest,
  soFar: ModelResponse | undefined,
  extra: WireObject,
): EndpointCall {
  const { options, signal } = request;
  const conversation = soFar === undefined
    ? request.messages
    : [...request.messages, soFar.message];
  const body = toMessagesBody({ ...request, messages: conversation }, messages.dialect);
  return { body: { ...body, ...extra }, headers: options.headers, signal };
}

function createBuilder({ dialect }: Messages, { tools }: ModelRequest): AnthropicResponseBuilder {
  return new AnthropicResponseBuilder({
    provider: dialect.provider,
    toolNames: wireNamesOf(tools),
  });
}

function isPaused({ rawFinishReason }: ModelResponse): boolean {
  return rawFinishReason === PAUSE;
}

/** One answer of two, the second of which goes on where the first was paused. */
function join(first: ModelResponse | undefined, second: ModelResponse): ModelResponse {
  if (first === undefined) return second;
  const usage = first.usage && second.usage
    ? addUsage(first.usage, second.usage)
    : first.usage ?? second.usage;
  return {
    ...second,
    message: {
      role: "assistant",
      content: [...first.message.content, ...second.message.content],
    },
    ...usage === undefined ? {} : { usage },
  };
}

function withWarnings(response: ModelResponse, { options }: ModelRequest): ModelResponse {
  const warnings = [...response.warnings ?? [], ...unknownSettings(options)];
  return warnings.length === 0 ? response : { ...response, warnings };
}

function assertCount(name: string, value: number, min: number): void {
  if (Number.isSafeInteger(value) && value >= min) return;
  throw new RangeError(`Cannot use ${name} ${value}: it is no integer from ${min}`);
}
