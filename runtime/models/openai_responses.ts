/**
 * Adapter for the OpenAI Responses API.
 *
 * @module
 */

import { assertNonEmptyString, assertOptionalBoolean } from "@parley/internal/assert-argument";
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
import {
  type ResponsesDialect,
  toResponsesBody,
  unsupportedSettings,
} from "./openai_responses_request.ts";
import { ResponsesResponseBuilder } from "./openai_responses_response.ts";
import { readResponse, readStream, withWarnings } from "./response_builder.ts";
import type { WireObject } from "./response_fields.ts";
import { type EndpointCall, send, sendStream } from "./send_request.ts";
import { createToolConverter, type WireTools } from "./wire_tools.ts";

/**
 * Options for {@linkcode openAiResponses}.
 *
 * @example Options for Azure OpenAI
 * ```ts
 * import { openAiResponses, type OpenAiResponsesOptions } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const options: OpenAiResponsesOptions = {
 *   baseUrl: "https://my-resource.openai.azure.com/openai/v1",
 *   model: "my-deployment",
 *   apiKey: "your key",
 * };
 * assertEquals(openAiResponses(options).nativeOutput, "with-tools");
 * ```
 */
export interface OpenAiResponsesOptions extends EndpointOptions {
  /** Id of the model. On Azure, the name of the deployment. */
  readonly model: string;
  /**
   * API key, sent as a bearer token. Required for `api.openai.com`, unless `headers` contains
   * `authorization`. If omitted, no key is sent. Error messages never contain the key.
   */
  readonly apiKey?: string;
  /**
   * Base URL of the API, to which `/responses` is appended. A query string is preserved. Examples:
   * `https://NAME.openai.azure.com/openai/v1` (Azure), `http://127.0.0.1:1234/v1` (LM Studio).
   *
   * @default {"https://api.openai.com/v1"}
   */
  readonly baseUrl?: string | URL;
  /**
   * Name of the provider, used in telemetry and as the key in `providerOptions`. If omitted, the
   * name is `"openai"`, and the data that a server other than OpenAI's sends, such as encrypted
   * reasoning, is stored under the server's host, because other servers reject it.
   *
   * @default {"openai"}
   */
  readonly provider?: string;
  /**
   * Whether to request encrypted reasoning. Later requests send it back, so that the model keeps
   * its reasoning between tool calls. If `false`, the encrypted reasoning of another model of the
   * same server is not sent either. Defaults to `true`, except if `model` is the name of an
   * OpenAI model without reasoning, such as `gpt-4.1`, because these models reject the request. For
   * an Azure deployment of such a model under another name, set `false`.
   */
  readonly encryptedReasoning?: boolean;
}

const readOpenAiResponsesOptions = optionsReader<OpenAiResponsesOptions>(
  "options",
  MODEL_ALIASES,
)({
  ...ENDPOINT_RULES,
  model: required(assertNonEmptyString),
  apiKey: assertApiKey,
  baseUrl: withDefault("https://api.openai.com/v1", assertBaseUrl),
  provider: assertNonEmptyString,
  encryptedReasoning: assertOptionalBoolean,
});

/** OpenAI's own server. */
const OPENAI = { host: "api.openai.com", provider: "openai" };

interface Responses {
  readonly endpoint: Endpoint;
  readonly dialect: ResponsesDialect;
  readonly convertTools: (tools: ModelRequest["tools"]) => WireTools;
}

/** Names of OpenAI models without reasoning, with an optional prefix such as `openai/` or `ft:`. */
const WITHOUT_REASONING = /(?:^|[/:.])(?:gpt-3|gpt-4|gpt-5-chat|chatgpt)/;

/**
 * Creates a language model that calls the OpenAI Responses API, as provided by OpenAI, Azure,
 * OpenRouter, LM Studio and other servers. Creating the model sends no request.
 *
 * - Each request contains the whole conversation, and `store` is `false`: the server stores
 *   nothing.
 * - Reasoning, including encrypted reasoning, becomes reasoning parts. Items of unsupported types,
 *   such as the calls to hosted tools, are stored in reasoning parts. Later requests to the same
 *   server send both back. They are not sent to other servers, which would reject them.
 * - Generated images become file parts. The citations of a text are in the `annotations` of its
 *   `providerOptions[provider]`.
 * - `providerTools` are sent as tools whose type comes from the id and whose other fields come from
 *   `args`. Hosted tools that the caller must execute or approve are not supported. The response
 *   then contains a warning.
 * - A file that the API does not accept is replaced by text that describes the file.
 * - The settings `topK`, `seed`, `stopSequences`, `presencePenalty` and `frequencyPenalty` are not
 *   sent, because the API does not support them. The response then contains a warning.
 * - `generateOptions.providerOptions[provider]` may contain additional request body fields, for
 *   example `{ reasoning: { summary: "auto" } }`.
 *
 * For `api.openai.com` and Azure, `nativeOutput` is `"with-tools"`: a run with an `output` schema
 * requests JSON text.
 *
 * A failed call rejects with an `AgentError` with code `model_error`, which is `retryable` under
 * the same conditions as in {@linkcode openAiChat}. An aborted call rejects with the signal's
 * reason.
 *
 * @param options Model and endpoint.
 * @throws {TypeError} If an option is unknown, missing or not valid, or `apiKey` is missing for
 * `api.openai.com`.
 * @throws {RangeError} If `timeoutMs`, `idleTimeoutMs` or `maxResponseBytes` is not an integer in
 * the allowed range.
 * @see https://platform.openai.com/docs/api-reference/responses
 *
 * @example Generate a response
 * ```ts
 * import { openAiResponses } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = openAiResponses({
 *   model: "gpt-5",
 *   apiKey: "your key",
 *   // Only for this example: an endpoint with a fixed response.
 *   fetch: () =>
 *     Promise.resolve(Response.json({
 *       status: "completed",
 *       output: [{ type: "message", content: [{ type: "output_text", text: "Hello" }] }],
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
export function openAiResponses(options: OpenAiResponsesOptions): LanguageModel {
  const { model, apiKey, baseUrl, ...settings } = readOpenAiResponsesOptions(options);
  const { provider = "openai", encryptedReasoning = !WITHOUT_REASONING.test(model) } = settings;
  const credentials: Readonly<Record<string, string>> = apiKey === undefined || apiKey === ""
    ? {}
    : { authorization: `Bearer ${apiKey}` };
  const endpoint = createEndpoint(toOperationUrl(baseUrl, "/responses"), credentials, settings);
  assertKey(apiKey, endpoint, OPENAI.host, ["authorization"]);
  const { host } = endpoint;
  const isOpenAi = host === OPENAI.host || host.endsWith(".azure.com");
  const server = serverKeyOf(endpoint, settings.provider, OPENAI);
  const dialect = { model, provider, server, encryptedReasoning };
  const responses: Responses = { endpoint, dialect, convertTools: createToolConverter(provider) };
  return {
    modelId: model,
    provider,
    // Servers other than OpenAI's may ignore the format or the tools when a request contains both.
    ...isOpenAi ? { nativeOutput: "with-tools" } : {},
    generate: (request) => generate(responses, request),
    stream: (request) => stream(responses, request),
  };
}

async function generate(responses: Responses, request: ModelRequest): Promise<ModelResponse> {
  const tools = responses.convertTools(request.tools);
  const builder = createBuilder(responses, tools);
  const call = toCall(responses, { request, tools }, { stream: false });
  const response = await send(responses.endpoint, call, (response) => {
    return readResponse(response, builder, request.signal);
  });
  return withWarnings(response, warningsOf(request, tools));
}

async function* stream(
  responses: Responses,
  request: ModelRequest,
): AsyncGenerator<ModelStreamEvent, void> {
  const tools = responses.convertTools(request.tools);
  const builder = createBuilder(responses, tools);
  const call = toCall(responses, { request, tools }, { stream: true });
  const response = yield* sendStream(responses.endpoint, call, (response) => {
    return readStream(response, builder, request.signal);
  });
  yield { type: "finish", response: withWarnings(response, warningsOf(request, tools)) };
}

function toCall(
  { dialect }: Responses,
  { request, tools }: { readonly request: ModelRequest; readonly tools: WireTools },
  extra: WireObject,
): EndpointCall {
  const { options, signal } = request;
  const body = { ...toResponsesBody(request, tools, dialect), ...extra };
  return { body, headers: options.headers, signal };
}

function createBuilder({ dialect }: Responses, tools: WireTools): ResponsesResponseBuilder {
  const { provider, server } = dialect;
  return new ResponsesResponseBuilder({ provider, server, tools });
}

function warningsOf({ options }: ModelRequest, { warnings }: WireTools): readonly string[] {
  return [...unsupportedSettings(options), ...warnings];
}
