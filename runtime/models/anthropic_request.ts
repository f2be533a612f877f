/**
 * Converts model requests to Anthropic Messages API requests.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { GenerationOptions, ProviderTool } from "../shared/generation_options.ts";
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  ModelRequest,
  ReasoningPart,
  TextPart,
  ToolCall,
  ToolResult,
} from "../shared/model.ts";
import { moveAssistantFiles } from "./assistant_files.ts";
import { callerFieldsOf } from "./provider_data.ts";
import {
  readRecord,
  readText,
  toJsonText,
  type WireObject,
  withoutAbsent,
} from "./response_fields.ts";
import {
  assertNewFiles,
  type FileRules,
  IMAGE_TYPES,
  isWebUrl,
  type SendableFile,
  toSendableFile,
} from "./sendable_file.ts";
import { ANTHROPIC_CALL_IDS, toWireCallId } from "./tool_call_ids.ts";
import { toProviderType, toWireName } from "./tool_names.ts";
import { NO_MESSAGE, toResultText } from "./tool_result_text.ts";
import type { WireTool, WireTools } from "./wire_tools.ts";

/** Options for {@linkcode toMessagesBody}. */
export interface MessagesDialect {
  /** Id of the model. */
  readonly model: string;
  /** Key in `providerOptions` for the request fields that the caller sets. */
  readonly provider: string;
  /** Key in `providerOptions` for the data that the server has sent. */
  readonly server: string;
  /**
   * Maximum length of the response, in tokens, for requests that set no limit. The Anthropic API
   * requires a token limit in every request.
   */
  readonly maxOutputTokens: number;
}

/**
 * Key under which a reasoning part stores a content block of an unsupported type, so that the block
 * can be sent back unchanged.
 */
export const BLOCK = "block";

/**
 * Key under which a reasoning part stores its signature. The API rejects thinking blocks without a
 * signature.
 */
export const SIGNATURE = "signature";

const FILE_RULES: FileRules = {
  acceptsData: (type) => IMAGE_TYPES.has(type) || type === "application/pdf",
  acceptsUrl: (type, url) =>
    isWebUrl(url) && (type.startsWith("image/") || type === "application/pdf"),
};

/** First user message of a conversation that starts with an assistant message. */
const OPENING = "(The conversation starts with a message from the assistant.)";

/** Settings that the API does not support. */
const UNKNOWN_SETTINGS = ["seed", "presencePenalty", "frequencyPenalty"] as const;

interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly WireObject[];
}

/**
 * Returns the request body.
 *
 * @param request Conversation, tools and settings.
 * @param tools The tools of the request.
 * @param dialect Model and provider name.
 * @throws {AgentError} With code `model_error` if the API does not support a file, or if the
 * request is not serializable as JSON.
 */
export function toMessagesBody(
  request: ModelRequest,
  tools: WireTools,
  dialect: MessagesDialect,
): WireObject {
  const { messages, options } = request;
  const { model, provider, maxOutputTokens } = dialect;
  const own = options.providerOptions?.[provider] ?? {};
  assertNewFiles(messages, FILE_RULES);
  return {
    ...own,
    model,
    max_tokens: options.maxOutputTokens ?? maxOutputTokens,
    ...toSystem(messages, provider),
    messages: toWireMessages(moveAssistantFiles(messages), dialect),
    ...withoutAbsent(toSettings(options, own)),
    ...toToolFields(tools, options, own),
  };
}

/** Returns a warning for each requested setting that the API does not support. */
export function unknownSettings(options: GenerationOptions): string[] {
  const { responseFormat } = options;
  const isLoose = responseFormat?.type === "json" && responseFormat.schema === undefined;
  return [
    ...UNKNOWN_SETTINGS.filter((name) => options[name] !== undefined),
    ...isLoose ? ["responseFormat without a schema"] : [],
  ].map((name) => `unsupported setting, not sent: ${name}`);
}

function toSystem(messages: readonly ModelMessage[], provider: string): WireObject {
  const blocks = messages.flatMap((message) =>
    message.role === "system" && message.content.trim() !== ""
      ? [{ ...callerFieldsOf(message, provider), type: "text", text: message.content }]
      : []
  );
  return blocks.length === 0 ? {} : { system: blocks };
}

function toSettings(options: GenerationOptions, own: JsonObject): WireObject {
  const { reasoning, responseFormat } = options;
  const isThinking = reasoning !== undefined && reasoning !== "none";
  const output = withoutAbsent({
    effort: isThinking ? toEffort(reasoning) : undefined,
    format: responseFormat?.type === "json" && responseFormat.schema !== undefined
      ? { type: "json_schema", schema: responseFormat.schema }
      : undefined,
  });
  return {
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    stop_sequences: options.stopSequences,
    thinking: reasoning === undefined
      ? undefined
      : { type: isThinking ? "adaptive" : "disabled", ...readRecord(own.thinking) },
    output_config: Object.keys(output).length === 0
      ? undefined
      : { ...output, ...readRecord(own.output_config) },
  };
}

function toEffort(reasoning: string): string {
  return reasoning === "minimal" ? "low" : reasoning;
}

/**
 * Returns the definitions of the registered tools, of the provider-executed tools, and of the tools
 * in `providerOptions`.
 */
function toToolFields(
  { definitions }: WireTools,
  { toolChoice, providerTools = [] }: GenerationOptions,
  own: JsonObject,
): WireObject {
  const others = Array.isArray(own.tools) ? own.tools : [];
  const all = [...definitions.map(toDefinition), ...providerTools.map(toServerTool), ...others];
  if (all.length === 0) return {};
  return withoutAbsent({
    tools: all,
    tool_choice: toolChoice === undefined ? undefined : toToolChoice(toolChoice),
  });
}

function toServerTool({ id, name, args }: ProviderTool): WireObject {
  return { ...args, type: toProviderType(id), name };
}

function toDefinition({ name, description, inputSchema, options }: WireTool): WireObject {
  const fields = { name, description, input_schema: inputSchema };
  return withoutAbsent({ ...options, ...fields });
}

function toToolChoice(choice: NonNullable<GenerationOptions["toolChoice"]>): WireObject {
  if (typeof choice === "object") return { type: "tool", name: toWireName(choice.toolName) };
  return { type: choice === "required" ? "any" : choice };
}

/**
 * Merges adjacent messages with the same role. Omits empty messages, which the API rejects, and
 * adds a user message to the beginning of a conversation without one, which the API requires.
 */
function toWireMessages(
  messages: readonly ModelMessage[],
  dialect: MessagesDialect,
): WireMessage[] {
  const merged: WireMessage[] = [];
  const pending = pendingCallsOf(messages, dialect.server);
  for (const message of messages) {
    const next = withoutCalls(toWireMessage(message, dialect), pending);
    if (next === undefined || next.content.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role !== next.role) merged.push(next);
    else merged.splice(-1, 1, { ...last, content: [...last.content, ...next.content] });
  }
  if (merged[0]?.role !== "assistant") return merged;
  return [{ role: "user", content: [{ type: "text", text: OPENING }] }, ...merged];
}

/**
 * Returns the calls of server tools that have no result and will have none, for example because the
 * response was truncated. The API rejects such a call. A call after which the user has not written
 * yet is still in progress: the response was paused, or the server waits for other tool results.
 */
function pendingCallsOf(messages: readonly ModelMessage[], server: string): ReadonlySet<unknown> {
  const end = messages.findLastIndex(({ role }) => role === "user");
  const blocks = messages.map((message) =>
    message.role === "assistant" ? message.content.map((part) => blockOf(part, server)) : []
  );
  const results = new Set(blocks.flat().map(({ tool_use_id }) => tool_use_id));
  const calls = blocks.slice(0, Math.max(end, 0)).flat().filter(isServerCall);
  return new Set(calls.map(({ id }) => id).filter((id) => !results.has(id)));
}

function blockOf(part: AssistantMessage["content"][number], server: string): WireObject {
  return part.type === "reasoning" ? readRecord(part.providerOptions?.[server]?.[BLOCK]) : {};
}

function isServerCall({ type }: WireObject): boolean {
  return type !== "tool_use" && String(type).endsWith("_tool_use");
}

function withoutCalls(
  message: WireMessage | undefined,
  ids: ReadonlySet<unknown>,
): WireMessage | undefined {
  if (message === undefined || ids.size === 0) return message;
  return {
    ...message,
    content: message.content.filter((block) => !isServerCall(block) || !ids.has(block.id)),
  };
}

function toWireMessage(message: ModelMessage, dialect: MessagesDialect): WireMessage | undefined {
  const { provider } = dialect;
  switch (message.role) {
    case "system":
      return undefined;
    case "user":
      return {
        role: "user",
        content: message.content.flatMap((part) => toBlocks(part, provider)),
      };
    case "assistant":
      return {
        role: "assistant",
        content: message.content.flatMap((part) => toAssistantBlocks(part, dialect)),
      };
    case "tool":
      return {
        role: "user",
        content: [
          ...message.content.map((result) => toResultBlock(result, provider)),
          ...message.content.flatMap((result) => toErrorFiles(result, provider)),
        ],
      };
    default:
      throw AgentError.modelError(`unknown message role "${String(message satisfies never)}"`);
  }
}

function toAssistantBlocks(
  part: AssistantMessage["content"][number],
  { provider, server }: MessagesDialect,
): WireObject[] {
  if (part.type === "reasoning") return toThinkingBlocks(part, server);
  return part.type === "tool-call" ? [toCallBlock(part, provider)] : toBlocks(part, provider);
}

/**
 * Converts a reasoning part. Omits reasoning from other providers, because the API rejects thinking
 * blocks without a signature.
 */
function toThinkingBlocks(part: ReasoningPart, server: string): WireObject[] {
  const { [BLOCK]: block, [SIGNATURE]: own } = part.providerOptions?.[server] ?? {};
  if (isRecord(block)) return [block];
  const signature = readText(own);
  return signature === undefined ? [] : [{ type: "thinking", thinking: part.text, signature }];
}

function toCallBlock(part: ToolCall, provider: string): WireObject {
  const { toolCallId, toolName, input, rawInput } = part;
  return {
    ...callerFieldsOf(part, provider),
    type: "tool_use",
    id: toWireCallId(toolCallId, ANTHROPIC_CALL_IDS),
    name: toWireName(toolName),
    // The API accepts only objects as tool input. Input that is not an object is wrapped in an
    // object so that the model receives its original input.
    input: rawInput === undefined && isRecord(input)
      ? input
      : { rawInput: rawInput ?? toJsonText(input) },
  };
}

function toResultBlock(result: ToolResult, provider: string): WireObject {
  return {
    ...callerFieldsOf(result, provider),
    type: "tool_result",
    tool_use_id: toWireCallId(result.toolCallId, ANTHROPIC_CALL_IDS),
    content: toResultContent(result, provider),
    ...result.isError ? { is_error: true } : {},
  };
}

function toResultContent(
  { isError, output }: ToolResult,
  provider: string,
): string | WireObject[] {
  if (output.type !== "content") return toResultText(output);
  const blocks = output.value.flatMap((part) => toBlocks(part, provider));
  if (!isError) return blocks;
  const texts = blocks.filter(isTextBlock);
  return texts.length === 0 ? NO_MESSAGE : texts;
}

/**
 * Returns the files of an error, with a label. They follow all results, because the API accepts
 * only text in the result of a call that failed, and no other block between results.
 */
function toErrorFiles({ isError, output, toolCallId }: ToolResult, provider: string): WireObject[] {
  if (!isError || output.type !== "content") return [];
  const blocks = output.value.flatMap((part) => toBlocks(part, provider));
  const files = blocks.filter((block) => !isTextBlock(block));
  const id = toWireCallId(toolCallId, ANTHROPIC_CALL_IDS);
  const label = { type: "text", text: `Files from the result of tool call ${id}:` };
  return files.length === 0 ? [] : [label, ...files];
}

function isTextBlock({ type }: WireObject): boolean {
  return type === "text";
}

/**
 * Converts a text or file part to content blocks. Blank text is omitted, because the API rejects
 * blank text.
 */
function toBlocks(part: TextPart | FilePart, provider: string): WireObject[] {
  if (part.type === "file") return [{ ...callerFieldsOf(part, provider), ...toFileBlock(part) }];
  if (part.text.trim() === "") return [];
  return [{ ...callerFieldsOf(part, provider), type: "text", text: part.text }];
}

function toFileBlock(part: FilePart): WireObject {
  const file = toSendableFile(part, FILE_RULES);
  if (file.type === "note") return { type: "text", text: file.text };
  const isImage = file.type !== "text" && file.mediaType.startsWith("image/");
  const title = isImage || file.filename === undefined ? {} : { title: file.filename };
  return { type: isImage ? "image" : "document", source: toSource(file), ...title };
}

function toSource(file: Exclude<SendableFile, { type: "note" }>): WireObject {
  switch (file.type) {
    case "text":
      return { type: "text", media_type: "text/plain", data: file.text };
    case "url":
      return { type: "url", url: file.url };
    case "data":
      return { type: "base64", media_type: file.mediaType, data: file.data };
    default:
      return file satisfies never;
  }
}
