/**
 * Adapter for the `generateContent` method of the Gemini API.
 *
 * @module
 */

import { assertNonEmptyString } from "@parley/internal/assert-argument";
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
import type { GoogleDialect } from "./google_contents.ts";
import { nativeOutputOf } from "./google_models.ts";
import { toGoogleBody, unsentSettings } from "./google_request.ts";
import { GoogleResponseBuilder } from "./google_response.ts";
import { readResponse, readStream, withWarnings } from "./response_builder.ts";
import { type EndpointCall, send, sendStream } from "./send_request.ts";
import { GOOGLE_NAMES } from "./tool_names.ts";
import { createToolConverter, type WireTools } from "./wire_tools.ts";

/**
 * Options for {@linkcode googleGenerateContent}.
 *
 * @example Options for Vertex AI
 * ```ts
 * import { googleGenerateContent, type GoogleGenerateContentOptions } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const options: GoogleGenerateContentOptions = {
 *   baseUrl:
 *     "https://aiplatform.googleapis.com/v1/projects/my-project/locations/global/publishers/google",
 *   model: "gemini-3.6-flash",
 *   headers: { authorization: "Bearer your-access-token" },
 * };
 * assertEquals(googleGenerateContent(options).nativeOutput, "with-tools");
 * ```
 */
export interface GoogleGenerateContentOptions extends EndpointOptions {
  /** Id of the model, for example `gemini-3.6-flash`, or its resource name. */
  readonly model: string;
  /**
   * API key, sent in the `x-goog-api-key` header. Required for `generativelanguage.googleapis.com`,
   * unless `headers` contains `x-goog-api-key` or `authorization`. If omitted, no key is sent.
   * Error messages never contain the key.
   */
  readonly apiKey?: string;
  /**
   * Base URL of the API, to which `/models/<model>:generateContent` is appended. For Vertex AI:
   * `https://aiplatform.googleapis.com/v1/projects/<project>/locations/global/publishers/google`. A
   * query string in the base URL is preserved.
   *
   * @default {"https://generativelanguage.googleapis.com/v1beta"}
   */
  readonly baseUrl?: string | URL;
  /**
   * Name of the provider, used in telemetry and as the key in `providerOptions`. If omitted, the
   * name is `"google"`, and the data that a server other than Google AI Studio sends, such as
   * signatures, is stored under the server's host.
   *
   * @default {"google"}
   */
  readonly provider?: string;
}

const readGoogleGenerateContentOptions = optionsReader<GoogleGenerateContentOptions>(
  "options",
  MODEL_ALIASES,
)({
  ...ENDPOINT_RULES,
  model: required(assertNonEmptyString),
  apiKey: assertApiKey,
  baseUrl: withDefault("https://generativelanguage.googleapis.com/v1beta", assertBaseUrl),
  provider: assertNonEmptyString,
});

/** Google AI Studio. */
const GOOGLE = { host: "generativelanguage.googleapis.com", provider: "google" };

interface Gemini {
  readonly whole: Endpoint;
  readonly streamed: Endpoint;
  readonly dialect: GoogleDialect;
  readonly convertTools: (tools: ModelRequest["tools"]) => WireTools;
}

/**
 * Creates a language model that calls the `generateContent` method of the Gemini API, as provided
 * by Google AI Studio and Vertex AI. Creating the model sends no request.
 *
 * - Thought signatures are stored in the parts that contained them and sent back. Calls of other
 *   providers' models have no signature, so models since Gemini 3 receive the documented
 *   placeholder.
 * - Parts of unsupported types, such as executed code and its output, are stored in reasoning parts
 *   and sent back unchanged. The sources of grounded text are stored in
 *   `message.providerOptions.google`, in `groundingMetadata`, `urlContextMetadata` and
 *   `citationMetadata`.
 * - The `reasoning` setting requests thought summaries, and a thinking level (since Gemini 3) or a
 *   thinking budget (Gemini 2.5). Models whose thinking cannot be disabled use the least of it.
 * - `providerTools` are sent as tools whose name comes from the id, for example
 *   `google.googleSearch`.
 * - `providerOptions.google` may contain additional request fields, such as `safetySettings`,
 *   `generationConfig` and `cachedContent`. With `cachedContent`, the system prompt and the tools
 *   are not sent, because the cached content includes them.
 * - `nativeOutput` is `"with-tools"` since Gemini 3, and `"without-tools"` for older Gemini models.
 *   It is not declared for other models.
 * - Files of types that the API rejects are sent as a description.
 * - The finish reason of a blocked prompt or response is `content-filter`.
 *
 * A failed call rejects with an `AgentError` with code `model_error`, which is `retryable` under
 * the same conditions as in {@linkcode openAiChat}, and if the model wrote an invalid tool call.
 * The delay before a retry can also be in the error details. An aborted call rejects with the
 * signal's reason.
 *
 * @param options Model and endpoint.
 * @throws {TypeError} If an option is unknown, missing or not valid, or `apiKey` is missing for
 * `generativelanguage.googleapis.com`.
 * @throws {RangeError} If `timeoutMs`, `idleTimeoutMs` or `maxResponseBytes` is not an integer in
 * the allowed range.
 * @see https://ai.google.dev/api/generate-content
 *
 * @example Generate a response
 * ```ts
 * import { googleGenerateContent } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const model = googleGenerateContent({
 *   model: "gemini-3.6-flash",
 *   apiKey: "your key",
 *   // Only for this example: an endpoint with a fixed response.
 *   fetch: () =>
 *     Promise.resolve(Response.json({
 *       candidates: [{ content: { parts: [{ text: "Hello" }] }, finishReason: "STOP" }],
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
export function googleGenerateContent(options: GoogleGenerateContentOptions): LanguageModel {
  const { apiKey, baseUrl, model, ...settings } = readGoogleGenerateContentOptions(options);
  const { provider = "google" } = settings;
  const credentials: Readonly<Record<string, string>> = apiKey === undefined || apiKey === ""
    ? {}
    : { "x-goog-api-key": apiKey };
  const path = model.includes("/") ? `/${model}` : `/models/${model}`;
  const wholeUrl = toOperationUrl(baseUrl, `${path}:generateContent`);
  const whole = createEndpoint(wholeUrl, credentials, settings);
  assertKey(apiKey, whole, GOOGLE.host, [
    "x-goog-api-key",
    "authorization",
  ]);
  const streamedUrl = toOperationUrl(baseUrl, `${path}:streamGenerateContent`);
  streamedUrl.searchParams.set("alt", "sse");
  const streamed = createEndpoint(streamedUrl, credentials, settings);
  const server = serverKeyOf(whole, settings.provider, GOOGLE);
  const convertTools = createToolConverter(provider, GOOGLE_NAMES);
  const gemini: Gemini = { whole, streamed, dialect: { model, provider, server }, convertTools };
  return {
    modelId: model,
    provider,
    ...nativeOutputOf(model),
    generate: (request) => generate(gemini, request),
    stream: (request) => stream(gemini, request),
  };
}

async function generate(gemini: Gemini, request: ModelRequest): Promise<ModelResponse> {
  const tools = gemini.convertTools(request.tools);
  const builder = createBuilder(gemini, request, tools);
  const response = await send(
    gemini.whole,
    toCall(gemini, request, tools),
    (response) => readResponse(response, builder, request.signal),
  );
  return withWarnings(response, unsentSettings(request, tools, gemini.dialect));
}

async function* stream(
  gemini: Gemini,
  request: ModelRequest,
): AsyncGenerator<ModelStreamEvent, void> {
  const tools = gemini.convertTools(request.tools);
  const builder = createBuilder(gemini, request, tools);
  const call = toCall(gemini, request, tools);
  const response = yield* sendStream(gemini.streamed, call, (response) => {
    return readStream(response, builder, request.signal);
  });
  const warnings = unsentSettings(request, tools, gemini.dialect);
  yield { type: "finish", response: withWarnings(response, warnings) };
}

function toCall({ dialect }: Gemini, request: ModelRequest, tools: WireTools): EndpointCall {
  const { options, signal } = request;
  const body = toGoogleBody(request, tools, dialect);
  return { body, model: dialect.model, headers: options.headers, signal };
}

function createBuilder(
  { dialect }: Gemini,
  request: ModelRequest,
  tools: WireTools,
): GoogleResponseBuilder {
  return new GoogleResponseBuilder({
    server: dialect.server,
    tools,
    callIds: callIdsIn(request),
  });
}

function callIdsIn({ messages }: ModelRequest): ReadonlySet<string> {
  return new Set(
    messages.flatMap((message) =>
      message.role !== "assistant"
        ? []
        : message.content.flatMap((part) => part.type === "tool-call" ? [part.toolCallId] : [])
    ),
  );
}
