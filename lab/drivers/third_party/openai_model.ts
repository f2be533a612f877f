/**
 * The scripted model, implemented as an OpenAI Agents SDK model.
 *
 * @module
 */

import {
  type Model,
  type ModelRequest,
  type ModelResponse,
  Usage,
  withGenerationSpan,
} from "@openai/agents";
import {
  type Fields,
  HostError,
  isFields,
} from "../../../conformance/drivers/typescript/operation.ts";
import type {
  MalformedResponse,
  ModelResponse as ScriptedResponse,
  ScriptedAgent,
} from "./agent_loop_driver.ts";
import { parseInput, toConversation, toItems } from "./openai_items.ts";

/** An error thrown by the scripted model. */
export class ModelFailure extends Error {
  /** Whether the call may be retried. */
  readonly retryable: boolean;
  /** Delay before a retry, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  /** Creates the error. */
  constructor(message: string, retryable: boolean, retryAfterMs: number | undefined) {
    super(message);
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Creates the model. */
export function toModel(call: ScriptedAgent): Model {
  return {
    getResponse: async (request) => {
      const response = await recordGeneration(request, call);
      if ("malformed" in response) return toMalformed(response.malformed);
      const { content, finishReason, usage } = response;
      rejectTasks(content, call);
      if (finishReason === "error" || finishReason === "content-filter") {
        throw call.rejectUnsupported(`a model response cannot express "${finishReason}"`);
      }
      // The items of a truncated response have the status `incomplete`.
      const isComplete = finishReason === "stop" || finishReason === "tool-calls";
      return { output: toItems(content, isComplete), usage: toUsageCounts(usage) };
    },
    getStreamedResponse: () => {
      throw new Error("streaming is not supported");
    },
    // Providers report whether an error is retryable. A retry delay of 1 ms keeps the case short.
    getRetryAdvice: ({ error }) => ({
      suggested: error instanceof ModelFailure && error.retryable,
      replaySafety: "safe",
      retryAfterMs: error instanceof ModelFailure && error.retryAfterMs !== undefined
        ? error.retryAfterMs
        : 1,
    }),
  };
}

/**
 * Rejects a case that passes a task to an agent's tool but does not define the tool's input schema.
 */
function rejectTasks(content: readonly Fields[], call: ScriptedAgent): void {
  const names = call.tools().filter(({ agent, hasInputSchema }) => agent && !hasInputSchema)
    .map(({ name }) => name);
  const hasTask = ({ input }: Fields) => Object.hasOwn(Object(parseInput(input)), "task");
  if (content.some((part) => names.includes(String(part.toolName)) && hasTask(part))) {
    throw call.rejectUnsupported('the default input of an agent\'s tool has no member "task"');
  }
}

/** Calls the scripted model in a span, as the SDK's models do. */
async function recordGeneration(
  request: ModelRequest,
  call: ScriptedAgent,
): Promise<ScriptedResponse | MalformedResponse> {
  return await withGenerationSpan(async ({ spanData }) => {
    spanData.model = call.text("model") ?? "";
    const sent = toRequest(request);
    if (request.tracing === true) spanData.input = [...sent.messages];
    const response = await call.generate(sent, request.signal).catch(throwModelFailure);
    if ("malformed" in response) return response;
    const { inputTokens: input_tokens, outputTokens: output_tokens } = response.usage ?? {};
    if (input_tokens !== undefined && output_tokens !== undefined) {
      spanData.usage = { input_tokens, output_tokens };
    }
    if (request.tracing === true) spanData.output = [...response.content];
    return response;
  });
}

/**
 * Converts an invalid response. The casts are unchecked, because the response is deliberately
 * invalid.
 */
function toMalformed(value: unknown): ModelResponse {
  if (!isFields(value)) return value as ModelResponse;
  const { content } = value;
  const output = Array.isArray(content) ? toItems(content, true) : content;
  return { output: output as ModelResponse["output"], usage: new Usage() };
}

function throwModelFailure(error: unknown): never {
  if (!(error instanceof HostError)) throw error;
  const { message, retryable, retryAfterMs } = error;
  throw new ModelFailure(message, retryable, retryAfterMs);
}

function toRequest(
  { systemInstructions, input, tools, modelSettings, outputType }: ModelRequest,
): Fields & { readonly messages: readonly Fields[] } {
  const { temperature, topP, maxTokens } = modelSettings;
  const items = typeof input === "string" ? [{ role: "user", content: input } as const] : input;
  return {
    messages: toConversation(systemInstructions, items),
    tools: tools.map((tool) => toDefinition({ ...tool })),
    options: {
      temperature,
      topP,
      maxOutputTokens: maxTokens,
      ...(outputType === "text"
        ? {}
        : { responseFormat: { type: "json", name: outputType.name, schema: outputType.schema } }),
    },
  };
}

function toDefinition({ type, name, description, parameters, providerData }: Fields): Fields {
  if (type === "hosted_tool") {
    const { id, args } = isFields(providerData) ? providerData : {};
    return { type: "provider", id, name, args };
  }
  return { name, description, inputSchema: parameters };
}

function toUsageCounts(usage: ScriptedResponse["usage"]): Usage {
  if (usage === undefined) return new Usage();
  const { inputTokens, outputTokens } = usage;
  return new Usage({ inputTokens, outputTokens, totalTokens: inputTokens + outputTokens });
}
