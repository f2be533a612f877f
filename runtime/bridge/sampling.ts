/**
 * Responses to sampling requests from MCP servers.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { runToolLoop } from "../loop/loop.ts";
import { assertModel } from "../shared/option_checks.ts";
import { assertCount, assertFunction, rejectArgument } from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { asRecord, defined } from "@parley/internal/json";
import { optionsReader, required, withDefault } from "@parley/internal/options";
import type {
  AssistantMessage,
  FilePart,
  LanguageModel,
  TextPart,
  UserMessage,
} from "../shared/model.ts";
import { ToolRegistry } from "../tools/registry.ts";

/** Options for {@linkcode samplingFrom}. */
export interface SamplingOptions {
  /**
   * Called with the parameters of every request, which a user should review. The model is called
   * only if `approve` returns `true`.
   */
  readonly approve: (params: unknown) => boolean | Promise<boolean>;
  /**
   * Maximum length of a response, in tokens. A request for more tokens than the maximum is reduced
   * to the maximum.
   *
   * @default {4096}
   */
  readonly maxTokens?: number;
}

const readSamplingOptions = optionsReader<SamplingOptions>("options")({
  approve: required(assertFunction),
  maxTokens: withDefault(4096, assertCount),
});

/** Result of a sampling request. */
export type SamplingResult = {
  /** Role of the message's author. */
  readonly role: "assistant";
  /** The model's response. */
  readonly content: { readonly type: "text"; readonly text: string };
  /** Id of the model. */
  readonly model: string;
  /** Reason why the response ended: `endTurn` or `maxTokens`, or a stop reason of the run. */
  readonly stopReason: string;
};

/** Stop reasons in the Model Context Protocol, keyed by the stop reason of the run. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  model_stop: "endTurn",
  output_truncated: "maxTokens",
};

/**
 * Creates a handler that calls a model to respond to sampling requests from MCP servers. Pass the
 * handler to an `McpClient` as `handlers.createMessage`.
 *
 * Text, images and audio are sent to the model. Requests with tools are not supported, and an
 * `McpClient` does not declare support for them. The server's model preferences are ignored.
 *
 * @param model Model that generates the responses.
 * @param options Function that approves requests, and the maximum length of a response.
 * @returns A handler that rejects with a `TypeError` if the parameters are invalid, and with an
 * `Error` if the request is not approved.
 * @throws {TypeError} If `model` is not a `LanguageModel` or `approve` is not a function.
 * @throws {RangeError} If `maxTokens` is not a positive integer.
 *
 * @example Respond to a request
 * ```ts
 * import { samplingFrom } from "@parley/runtime/bridge";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const createMessage = samplingFrom(scriptedModel([{ text: "Bonjour" }]), { approve: () => true });
 * const result = await createMessage({
 *   messages: [{ role: "user", content: { type: "text", text: "Say hello in French" } }],
 *   maxTokens: 100,
 * }, new AbortController().signal);
 * assertEquals(result.content.text, "Bonjour");
 * assertEquals(result.stopReason, "endTurn");
 * ```
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function samplingFrom(
  model: LanguageModel,
  options: SamplingOptions,
): (params: unknown, signal: AbortSignal) => Promise<SamplingResult> {
  assertModel("model", model);
  const { approve, maxTokens } = readSamplingOptions(options);
  return async (params, signal) => {
    const { generateOptions, messages, systemPrompt } = readParams(params, maxTokens);
    signal.throwIfAborted();
    const asking: Promise<unknown> = Promise.resolve(params).then(approve);
    const isApproved = await abortable(asking, signal);
    if (isApproved !== true) throw new Error("The user rejected the sampling request");
    const { finalText, stopReason } = await runToolLoop(
      {
        model,
        registry: new ToolRegistry(),
        maxIterations: 1,
        onAbort: "throw",
        generateOptions,
        messages,
        signal,
        ...defined({ systemPrompt }),
      },
    );
    return {
      role: "assistant",
      content: { type: "text", text: finalText },
      model: model.modelId,
      stopReason: STOP_REASONS[stopReason] ?? stopReason,
    };
  };
}

interface SamplingParams {
  readonly messages: readonly (UserMessage | AssistantMessage)[];
  readonly systemPrompt: string | undefined;
  readonly generateOptions: {
    readonly maxOutputTokens: number;
    readonly temperature?: number;
    readonly stopSequences?: readonly string[];
  };
}

function readParams(params: unknown, maxTokens: number): SamplingParams {
  const { messages, stopSequences, systemPrompt, temperature, tools, ...rest } = asRecord(params);
  if (tools !== undefined) rejectArgument("tools", "absent", tools);
  if (!Array.isArray(messages)) rejectArgument("messages", "an array", messages);
  const requested = rest.maxTokens;
  if (typeof requested !== "number" || !(requested >= 1)) {
    rejectArgument("maxTokens", "a positive number", requested);
  }
  const isStrings = Array.isArray(stopSequences) &&
    stopSequences.every((stop): stop is string => typeof stop === "string");
  return {
    messages: messages.map(readMessage),
    systemPrompt: typeof systemPrompt === "string" ? systemPrompt : undefined,
    generateOptions: {
      maxOutputTokens: Math.min(Math.floor(requested), maxTokens),
      ...typeof temperature === "number" && { temperature },
      ...isStrings && { stopSequences },
    },
  };
}

function readMessage(message: unknown): UserMessage | AssistantMessage {
  const { content, role } = asRecord(message);
  if (role !== "user" && role !== "assistant") {
    throw new TypeError(`"role" must be "user" or "assistant", got ${formatValue(role)}`);
  }
  return { role, content: (Array.isArray(content) ? content : [content]).map(readPart) };
}

function readPart(part: unknown): TextPart | FilePart {
  const { data, mimeType, text, type } = asRecord(part);
  if (type === "text" && typeof text === "string") return { type, text };
  const isFile = (type === "image" || type === "audio") && typeof data === "string" &&
    typeof mimeType === "string";
  if (isFile) return { type: "file", mediaType: mimeType, data: { type: "data", data } };
  throw new TypeError(`"content" must be text, an image or audio, got ${formatValue(type)}`);
}
