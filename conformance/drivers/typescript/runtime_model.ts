/**
 * Creates `@parley/runtime` models that call the host.
 *
 * @module
 */

import {
  AgentError,
  type AssistantMessage,
  FINISH_REASONS,
  type FinishReason,
  type LanguageModel,
  type ModelDelta,
  readToolInput,
} from "@parley/runtime";
import { type AiSdkModel, fallbackModel, fromAiSdk } from "@parley/runtime/models";
import {
  BadArgs,
  type Fields,
  fieldsOf,
  type HostClient,
  HostError,
  isFields,
  textOf,
  Unsupported,
} from "./operation.ts";

/** Members of a reply that are passed to the library unchanged. */
const DETAILS = [
  "rawFinishReason",
  "warnings",
  "modelId",
  "provider",
  "responseId",
  "otherUsage",
] as const;

/** Creates the model for a configuration. */
export function toModel(config: Fields, host: HostClient): LanguageModel {
  const { fallback } = config;
  return fallback === undefined ? toSingleModel(config, host) : toFallback(config, host);
}

/** Creates a list of models, of which the first available one is called. */
function toFallback(config: Fields, host: HostClient): LanguageModel {
  const { models, timeoutMs, cooldownMs } = fieldsOf(config, "fallback");
  if (!Array.isArray(models)) throw new BadArgs('"fallback.models" must be an array');
  return fallbackModel(
    [config, ...models.filter(isFields)].map((each) => toAdapter(toSingleModel(each, host))),
    {
      ...(timeoutMs === undefined ? {} : { timeoutMs: Number(timeoutMs) }),
      ...(cooldownMs === undefined ? {} : { cooldownMs: Number(cooldownMs) }),
    },
  );
}

/** Wraps a model so that it throws the errors of the library, as a model adapter does. */
function toAdapter(model: LanguageModel): LanguageModel {
  const { stream } = model;
  return {
    ...model,
    generate: (request) => model.generate(request).catch(throwModelError),
    ...(stream === undefined ? {} : {
      async *stream(request) {
        try {
          yield* stream(request);
        } catch (error) {
          throwModelError(error);
        }
      },
    }),
  };
}

function throwModelError(error: unknown): never {
  if (!(error instanceof HostError)) throw error;
  const { message, retryable, retryAfterMs, status } = error;
  throw AgentError.modelError(message, {
    cause: error,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(status === undefined ? {} : { status }),
  });
}

function toSingleModel(config: Fields, host: HostClient): LanguageModel {
  const model = textOf(config, "model");
  const { adapter, generateOptions, nativeOutput, provider, streams } = config;
  const hasProviderTools = isFields(generateOptions) && generateOptions.providerTools !== undefined;
  if (adapter === true || hasProviderTools) return fromAiSdk(toAiSdkModel(model, host));
  const generate: LanguageModel["generate"] = async ({ messages, tools, options, signal }) => {
    const answer = await host.call("model.generate", { model, messages, tools, options }, signal);
    if (!isFields(answer)) throw new BadArgs('"model.generate" must return a model response');
    if ("malformed" in answer) return toMalformed(answer.malformed);
    return {
      message: { role: "assistant", content: toContent(answer.content) },
      finishReason: toFinishReason(answer.finishReason),
      ...(isFields(answer.usage) ? { usage: toUsage(answer.usage) } : {}),
      ...toDetails(answer),
    };
  };
  return {
    modelId: model,
    ...(typeof provider === "string" ? { provider } : {}),
    ...(nativeOutput === "with-tools" || nativeOutput === "without-tools" ? { nativeOutput } : {}),
    generate,
    ...(streams === undefined ? {} : { stream: toStream(generate, streams) }),
  };
}

/** Returns the details of a response, which the library validates. */
function toDetails(answer: Fields): object {
  const names = DETAILS.filter((name) => answer[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, answer[name]]));
}

/**
 * Creates the `stream` method of a model: two deltas for each text part, and then, unless the form
 * is `unfinished`, the response.
 */
function toStream(
  generate: LanguageModel["generate"],
  form: unknown,
): NonNullable<LanguageModel["stream"]> {
  return async function* (request) {
    const response = await generate(request);
    for (const part of response.message.content) {
      if (part.type === "text" || form === "all-parts") yield* toDeltas(part);
    }
    if (form === "broken") throw new Error("the stream broke");
    if (form === "slow") await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
    // The cast is unchecked, because the parts are deliberately invalid.
    if (form === "invalid-parts") yield* INVALID_PARTS as unknown as ModelDelta[];
    while (form === "endless") yield { type: "text-delta", delta: "." };
    try {
      if (form !== "unfinished") yield { type: "finish", response };
    } finally {
      // The library closes the stream after the response.
      if (form === "failing-end") await Promise.reject(new Error("the stream cannot be closed"));
    }
  };
}

/** Pause of a slow stream, in milliseconds. */
const SLOW_MS = 500;

/** Parts of a stream that are not deltas. */
const INVALID_PARTS = [
  { type: "text-delta", delta: 5 },
  { type: "text-delta" },
  { type: "sound-delta", delta: "x" },
];

/** Returns the deltas of a content part: the first character, and the rest. */
function toDeltas(part: AssistantMessage["content"][number]): ModelDelta[] {
  switch (part.type) {
    case "text":
    case "reasoning": {
      const type = `${part.type}-delta` as const;
      return halvesOf(part.text).map((delta) => ({ type, delta }));
    }
    case "tool-call": {
      const { toolCallId, toolName, input, rawInput = JSON.stringify(input) } = part;
      return halvesOf(rawInput)
        .map((delta) => ({ type: "tool-input-delta", toolCallId, toolName, delta }));
    }
    default:
      return [];
  }
}

function halvesOf(text: string): readonly string[] {
  return [text.slice(0, 1), text.slice(1)];
}

/**
 * Creates an AI SDK model, because the AI SDK's model interface supports provider-executed tools.
 */
function toAiSdkModel(model: string, host: HostClient): AiSdkModel {
  return {
    specificationVersion: "v4",
    provider: "kit",
    modelId: model,
    async doGenerate({ prompt, tools, toolChoice: _, abortSignal, ...options }: AiSdkOptions) {
      const request = { model, messages: prompt, tools, options };
      const answer = await host.call("model.generate", request, abortSignal);
      if (!isFields(answer)) throw new BadArgs('"model.generate" must return a model response');
      const { content, finishReason, usage } = answer;
      const { inputTokens, outputTokens } = isFields(usage) ? usage : {};
      return {
        content,
        finishReason: { unified: finishReason },
        usage: { inputTokens: { total: inputTokens }, outputTokens: { total: outputTokens } },
      };
    },
    doStream: () => Promise.reject(new Unsupported("provider-executed tools are not streamed")),
  };
}

interface AiSdkOptions {
  readonly prompt?: unknown;
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
  readonly abortSignal?: AbortSignal;
}

/**
 * Creates an invalid response. If the value is an object, its members replace the members of a
 * valid response.
 */
function toMalformed(value: unknown): Awaited<ReturnType<LanguageModel["generate"]>> {
  const { content, providerOptions, ...rest } = isFields(value) ? value : {};
  const options = providerOptions === undefined ? {} : { providerOptions };
  const message = { role: "assistant", content, ...options };
  const answer = isFields(value) ? { message, ...rest } : value;
  // The cast is unchecked, because the response is deliberately invalid.
  return answer as Awaited<ReturnType<LanguageModel["generate"]>>;
}

function toContent(content: unknown): AssistantMessage["content"] {
  if (!Array.isArray(content)) throw new BadArgs('"content" must be an array');
  return content.map((part: unknown) => {
    if (!isFields(part)) throw new BadArgs("each content part must be an object");
    const { providerOptions } = part;
    const options = isFields(providerOptions)
      ? { providerOptions: providerOptions as NonNullable<AssistantMessage["providerOptions"]> }
      : {};
    if (part.type === "tool-call") {
      return {
        type: "tool-call",
        toolCallId: String(part.toolCallId ?? ""),
        toolName: textOf(part, "toolName"),
        ...readToolInput(textOf(part, "input")),
        ...options,
      };
    }
    const type = part.type === "reasoning" ? "reasoning" : "text";
    return { type, text: textOf(part, "text"), ...options };
  });
}

function toFinishReason(value: unknown): FinishReason {
  const reason = FINISH_REASONS.find((each) => each === value);
  if (reason === undefined) throw new BadArgs(`unknown finish reason ${JSON.stringify(value)}`);
  return reason;
}

/** Converts the usage of a response. */
export function toUsage(
  { inputTokens, outputTokens }: Fields,
): { inputTokens: number; outputTokens: number; totalTokens: number } {
  const [input, output] = [Number(inputTokens), Number(outputTokens)];
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}
