/**
 * Adapter for language models from AI SDK provider packages.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { defined, isRecord } from "@parley/internal/json";
import type {
  LanguageModel,
  ModelRequest,
  ModelResponse,
  ModelStreamEvent,
} from "../shared/model.ts";
import { isRetryable, statusOf } from "../shared/model_failure.ts";
import { AI_SDK, AI_SDK_VERSIONS, AiSdkRequests, type AiSdkVersion } from "./ai_sdk_request.ts";
import { AiSdkResponseBuilder } from "./ai_sdk_response.ts";
import { readRetryAfterMs } from "./http_error.ts";
import { assertOutput } from "./response_builder.ts";
import { malformed, type WireObject } from "./response_fields.ts";

/**
 * The members of an AI SDK model that {@linkcode fromAiSdk} uses. `LanguageModelV2`,
 * `LanguageModelV3` and `LanguageModelV4` from `@ai-sdk/provider` are assignable to this type. This
 * package does not depend on `@ai-sdk/provider`.
 *
 * @see https://github.com/vercel/ai/tree/main/packages/provider/src/language-model
 *
 * @example Accept any version of the interface
 * ```ts
 * import { type AiSdkModel, fromAiSdk } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * const theirs: AiSdkModel = {
 *   specificationVersion: "v3",
 *   provider: "example",
 *   modelId: "hello",
 *   doGenerate: () => Promise.reject(new Error("not here")),
 *   doStream: () => Promise.reject(new Error("not here")),
 * };
 * assertEquals(fromAiSdk(theirs).modelId, "hello");
 * ```
 */
export interface AiSdkModel {
  /** Version of the AI SDK model interface: `v2`, `v3` or `v4`. */
  readonly specificationVersion: string;
  /** Name of the provider. */
  readonly provider: string;
  /** Id of the model. */
  readonly modelId: string;
  /**
   * Generates a complete response.
   *
   * @param options Prompt and settings in the AI SDK's format.
   */
  doGenerate(options: object): PromiseLike<unknown>;
  /**
   * Generates a response as a stream.
   *
   * @param options Prompt and settings in the AI SDK's format.
   */
  doStream(options: object): PromiseLike<unknown>;
}

interface Source {
  readonly model: AiSdkModel;
  readonly requests: AiSdkRequests;
}

/**
 * Creates a language model from an AI SDK model. Any AI SDK provider package can be used.
 *
 * Calls to provider-executed tools do not appear as tool calls. In later requests, the adapter
 * sends these calls and their results back to the provider. `providerOptions` are forwarded in
 * requests and in responses. The `reasoning` setting is sent to models of version `v4` only; for
 * other models, the response contains a warning. Tool names are encoded for providers that accept
 * fewer names. Files and schemas are forwarded even if the provider rejects them.
 *
 * A failed call rejects with an `AgentError` with code `model_error`, which is `retryable` if the
 * SDK's error is retryable, or if the response is empty without a known finish reason. An aborted
 * call rejects with the signal's reason.
 *
 * AI SDK models do not declare whether they support JSON output, so a run with an `output` schema
 * uses a tool, unless `outputMode` is `"native"`.
 *
 * @param model Model from a provider package.
 * @throws {TypeError} If `model` is not an object, or its `specificationVersion` is not `v2`, `v3`
 * or `v4`.
 * @see https://ai-sdk.dev/providers/community-providers/custom-providers
 *
 * @example Use an AI SDK model
 * ```ts
 * import { fromAiSdk } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * // Usually created by a provider package, for example createOpenAI()("gpt-5").
 * const theirs = {
 *   specificationVersion: "v4",
 *   provider: "example",
 *   modelId: "hello",
 *   doGenerate: () =>
 *     Promise.resolve({
 *       content: [{ type: "text", text: "Hello" }],
 *       finishReason: { unified: "stop", raw: "stop" },
 *       usage: { inputTokens: { total: 3 }, outputTokens: { total: 1 } },
 *     }),
 *   doStream: () => Promise.reject(new Error("not here")),
 * };
 *
 * const model = fromAiSdk(theirs);
 * const { message, usage } = await model.generate({ messages: [], tools: [], options: {} });
 * assertEquals(message.content, [{ type: "text", text: "Hello" }]);
 * assertEquals(usage, { inputTokens: 3, outputTokens: 1, totalTokens: 4 });
 * ```
 */
export function fromAiSdk(model: AiSdkModel): LanguageModel {
  if (!isRecord(model)) {
    const remedy = 'call a provider package, for example openai("gpt-5") of @ai-sdk/openai';
    rejectArgument("model", "a model of the AI SDK", model, remedy);
  }
  const { specificationVersion, modelId, provider } = model;
  if (!isVersion(specificationVersion)) {
    throw new TypeError(
      `"model.specificationVersion" must be one of ${AI_SDK_VERSIONS.join(", ")}, got ${
        formatValue(specificationVersion)
      }`,
    );
  }
  const source = { model, requests: new AiSdkRequests(specificationVersion) };
  return {
    modelId,
    provider,
    generate: (request) => generate(source, request),
    stream: (request) => stream(source, request),
  };
}

async function generate(source: Source, request: ModelRequest): Promise<ModelResponse> {
  request.signal?.throwIfAborted();
  try {
    const builder = createBuilder(source, request);
    builder.addWhole(await source.model.doGenerate(source.requests.toOptions(request)));
    return finish(source, request, builder);
  } catch (error) {
    throw explain(error, request);
  }
}

async function* stream(
  source: Source,
  request: ModelRequest,
): AsyncGenerator<ModelStreamEvent, void> {
  request.signal?.throwIfAborted();
  try {
    const builder = createBuilder(source, request);
    const result = await source.model.doStream(source.requests.toOptions(request));
    for await (const part of partsOf(result)) {
      if (isRecord(part) && part.type === "error") throw part.error;
      yield* builder.addPart(part);
    }
    if (!builder.isFinished) {
      throw AgentError.modelError("the stream ended before the response was complete", {
        retryable: true,
      });
    }
    yield { type: "finish", response: finish(source, request, builder) };
  } catch (error) {
    throw explain(error, request);
  }
}

function createBuilder({ requests }: Source, { tools }: ModelRequest): AiSdkResponseBuilder {
  return new AiSdkResponseBuilder({ toolNames: requests.namesOf(tools) });
}

function finish(
  { requests }: Source,
  { options }: ModelRequest,
  builder: AiSdkResponseBuilder,
): ModelResponse {
  const response = builder.finish();
  // A part of another type, such as a call that the provider executed, is stored as reasoning.
  assertOutput(
    response,
    ({ type, providerOptions }) => type !== "reasoning" || providerOptions?.[AI_SDK] !== undefined,
  );
  const warnings = [...response.warnings ?? [], ...requests.unknownSettings(options)];
  return warnings.length === 0 ? response : { ...response, warnings };
}

async function* partsOf(result: unknown): AsyncGenerator<unknown, void> {
  const parts = isRecord(result) ? result.stream : undefined;
  if (!(parts instanceof ReadableStream)) {
    throw malformed('"stream" must be a ReadableStream');
  }
  const reader: ReadableStreamDefaultReader<unknown> = parts.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // The promise returned by `cancel()` is not awaited, because it might never settle.
    reader.cancel().catch(() => {});
  }
}

/**
 * Converts an error from the AI SDK. The SDK's error indicates whether to retry the call, and its
 * response headers indicate the retry delay.
 */
function explain(error: unknown, { signal }: ModelRequest): unknown {
  if (signal?.aborted) return signal.reason;
  if (AgentError.isAgentError(error)) return error;
  const { responseHeaders }: WireObject = isRecord(error) ? error : {};
  const retryAfterMs = readRetryAfterMs(responseHeaders);
  return AgentError.modelError(errorMessageOf(isRecord(error) ? error.message ?? error : error), {
    cause: error,
    retryable: isRetryable(error),
    ...defined({ status: statusOf(error), retryAfterMs }),
  });
}

function isVersion(version: string): version is AiSdkVersion {
  return AI_SDK_VERSIONS.some((known) => known === version);
}
