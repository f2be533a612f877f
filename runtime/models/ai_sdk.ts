/**
 * Language models of the AI SDK's provider packages.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { isRecord } from "../shared/json.ts";
import {
  isRetryable,
  type LanguageModel,
  type ModelRequest,
  type ModelResponse,
  type ModelStreamEvent,
} from "../shared/model.ts";
import { AI_SDK_VERSIONS, AiSdkRequests, type AiSdkVersion } from "./ai_sdk_request.ts";
import { AiSdkResponseBuilder } from "./ai_sdk_response.ts";
import { readRetryAfterMs } from "./http_error.ts";
import { readCount, type WireObject } from "./response_fields.ts";

/**
 * A model of the AI SDK, as far as it matters here: `LanguageModelV2`, `LanguageModelV3` and `LanguageModelV4` of
 * `@ai-sdk/provider` are all such objects, and that package is not needed.
 */
export interface AiSdkModel {
  /** The version of the interface: `v2`, `v3` or `v4`. */
  readonly specificationVersion: string;
  /** The provider's name. */
  readonly provider: string;
  /** The model's name. */
  readonly modelId: string;
  /**
   * Answers at once.
   *
   * @param options the prompt and settings
   */
  doGenerate(options: object): PromiseLike<unknown>;
  /**
   * Answers piece by piece.
   *
   * @param options the prompt and settings
   */
  doStream(options: object): PromiseLike<unknown>;
}

interface Source {
  readonly model: AiSdkModel;
  readonly requests: AiSdkRequests;
}

/**
 * Makes a language model of a model of the AI SDK, so that every provider package of that SDK can be used.
 *
 * What the provider executes itself is not shown as tool calls, but kept and sent back. `providerOptions` pass through both
 * ways. Calls reject with `AgentError` `model_error`, `retryable` as the SDK's own error says; an aborted call rejects with
 * the signal's reason.
 *
 * @param model a model of any provider package, in version 2, 3 or 4 of the interface
 * @returns the model
 * @throws {TypeError} if the version is another
 * @see https://ai-sdk.dev/providers/community-providers/custom-providers
 *
 * @example Any object of that shape
 * ```ts
 * import { fromAiSdk } from "@parley/runtime/models";
 * import { assertEquals } from "@std/assert";
 *
 * // In real life: createOpenAI()("gpt-5"), createMistral()("mistral-large-latest"), ...
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
  const { specificationVersion, modelId, provider } = model;
  if (!isVersion(specificationVersion)) {
    throw new TypeError(
      `Cannot use the model: its specification version is "${specificationVersion}", not one of ${
        AI_SDK_VERSIONS.join(", ")
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
      throw AgentError.modelError("the stream ended before the answer did", { retryable: true });
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
  const warnings = [...response.warnings ?? [], ...requests.unknownSettings(options)];
  return warnings.length === 0 ? response : { ...response, warnings };
}

async function* partsOf(result: unknown): AsyncGenerator<unknown, void> {
  const parts = isRecord(result) ? result.stream : undefined;
  if (!(parts instanceof ReadableStream)) {
    throw AgentError.modelError("the model answered without a stream");
  }
  const reader: ReadableStreamDefaultReader<unknown> = parts.getReader();
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited: a stream that cannot be cancelled must not hold up its reader.
    reader.cancel().catch(() => {});
  }
}

/** The SDK's errors say themselves whether to try again; the headers of the answer say when. */
function explain(error: unknown, { signal }: ModelRequest): unknown {
  if (signal?.aborted) return signal.reason;
  if (AgentError.isAgentError(error)) return error;
  const { statusCode, responseHeaders }: WireObject = isRecord(error) ? error : {};
  const status = readCount(statusCode);
  const retryAfterMs = readRetryAfterMs(responseHeaders);
  return AgentError.modelError(errorMessageOf(isRecord(error) ? error.message ?? error : error), {
    cause: error,
    retryable: isRetryable(error),
    ...status === undefined ? {} : { status },
    ...retryAfterMs === undefined ? {} : { retryAfterMs },
  });
}

function isVersion(version: string): version is AiSdkVersion {
  return AI_SDK_VERSIONS.some((known) => known === version);
}
