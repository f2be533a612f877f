/**
 * The scripted model, implemented as an AI SDK model.
 *
 * @module
 */

import { APICallError, type LanguageModel } from "ai";
import {
  type Fields,
  HostError,
  isFields,
} from "../../../conformance/drivers/typescript/operation.ts";
import type { MalformedResponse, ModelResponse, ScriptedAgent } from "./agent_loop_driver.ts";

type Model = Extract<LanguageModel, { readonly specificationVersion: "v4" }>;
type Request = Parameters<Model["doGenerate"]>[0];
type Response = Awaited<ReturnType<Model["doGenerate"]>>;

/** Creates an agent's model, or another model that the case defines. */
export function toModel(
  call: ScriptedAgent,
  model: string | undefined = call.text("model"),
): Model {
  return {
    specificationVersion: "v4",
    provider: "kit",
    modelId: model ?? "",
    supportedUrls: {},
    doGenerate: async (request) => {
      const { prompt, tools = [], abortSignal } = request;
      const options = optionsOf(request);
      const sent = { model, messages: prompt, tools: tools.map(toDefinition), options };
      const response = await call.generate(sent, abortSignal).catch(throwModelError);
      // The object has the required members, but the values from the kit are not validated, so the
      // cast is unchecked.
      return toResponse(response) as Response;
    },
    doStream: () => Promise.reject(new Error("streaming is not supported")),
  };
}

function optionsOf({ toolChoice, responseFormat, ...request }: Request): Fields {
  const { temperature, maxOutputTokens, topP, topK, seed, stopSequences } = request;
  return {
    temperature,
    maxOutputTokens,
    topP,
    topK,
    seed,
    stopSequences,
    // Omitting the tool choice has the same effect as the SDK's default choice.
    ...(toolChoice === undefined || toolChoice.type === "auto"
      ? {}
      : { toolChoice: toolChoice.type === "tool" ? toolChoice : toolChoice.type }),
    ...(responseFormat?.type === "json" ? { responseFormat } : {}),
  };
}

function toDefinition(definition: NonNullable<Request["tools"]>[number]): Fields {
  const { type, name } = definition;
  if (type === "provider") return { type, id: definition.id, name, args: definition.args };
  const { description, inputSchema } = definition;
  return { name, description, inputSchema };
}

/**
 * Converts a model response. Members that are missing from a malformed response in a case are also
 * missing from the result.
 */
function toResponse(response: ModelResponse | MalformedResponse): unknown {
  const fields = "malformed" in response ? response.malformed : { ...response };
  if (!isFields(fields)) return fields;
  const { content, finishReason, usage } = fields;
  const { inputTokens, outputTokens }: Fields = isFields(usage) ? usage : {};
  return {
    content: Array.isArray(content) ? content.map(toPart) : content,
    ...(finishReason === undefined
      ? {}
      : { finishReason: { unified: finishReason, raw: finishReason } }),
    usage: { inputTokens: { total: inputTokens }, outputTokens: { total: outputTokens } },
    warnings: [],
  };
}

/**
 * Converts a part of a model response: cases use the name `providerOptions`, whereas the SDK's
 * responses use `providerMetadata`.
 */
function toPart(part: unknown): unknown {
  if (!isFields(part)) return part;
  const { providerOptions, input, ...rest } = part;
  return {
    ...rest,
    // Models return the input of a call as JSON text, but malformed responses in cases contain the
    // parsed input.
    ...(input === undefined ? {} : { input: isFields(input) ? JSON.stringify(input) : input }),
    ...(providerOptions === undefined ? {} : { providerMetadata: providerOptions }),
  };
}

/**
 * Throws the error that the AI SDK's providers throw. A retry delay of 1 ms keeps the case short.
 */
function throwModelError(error: unknown): never {
  if (!(error instanceof HostError)) throw error;
  const { retryable, status, retryAfterMs = 1, message } = error;
  throw new APICallError({
    message,
    url: "http://127.0.0.1/",
    requestBodyValues: {},
    isRetryable: retryable,
    responseHeaders: { "retry-after-ms": String(retryAfterMs) },
    ...(status === undefined ? {} : { statusCode: status }),
  });
}
