/**
 * Converts model requests to Anthropic Messages API requests.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type {
  AssistantMessage,
  FilePart,
  GenerationOptions,
  ModelMessage,
  ModelRequest,
  ProviderOptions,
  ProviderTool,
  ReasoningPart,
  TextPart,
  ToolCall,
  ToolDefinition,
  ToolResult,
} from "../shared/model.ts";
import { toBase64, toText } from "./file_data.ts";
import { readRecord, toJsonText, type WireObject, withoutAbsent } from "./response_fields.ts";
import { toProviderType, toWireName } from "./tool_names.ts";
import { toResultText } from "./tool_result_text.ts";

/** Options for {@linkcode toMessagesBody}. */
export interface MessagesDialect {
  /** Id of the model. */
  readonly model: string;
  /** Key for the provider's data in `providerOptions`. */
  readonly provider: string;
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
 * @param dialect Model and provider name.
 * @throws {AgentError} With code `model_error` if the API does not support a file, or if the
 * request is not serializable as JSON.
 */
export function toMessagesBody(request: ModelRequest, dialect: MessagesDialect): WireObject {
  const { messages, tools, options } = request;
  const { model, provider, maxOutputTokens } = dialect;
  const own = options.providerOptions?.[provider] ?? {};
  return {
    ...own,
    model,
    max_tokens: options.maxOutputTokens ?? maxOutputTokens,
    ...toSystem(messages, provider),
    messages: toWireMessages(messages, provider),
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
      ? [{ ...optionsOf(message, provider), type: "text", text: message.content }]
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
  tools: readonly ToolDefinition[],
  { toolChoice, providerTools = [] }: GenerationOptions,
  own: JsonObject,
): WireObject {
  const others = Array.isArray(own.tools) ? own.tools : [];
  const all = [...tools.map(toWireTool), ...providerTools.map(toServerTool), ...others];
  if (all.length === 0) return {};
  return withoutAbsent({
    tools: all,
    tool_choice: toolChoice === undefined ? undefined : toToolChoice(toolChoice),
  });
}

function toServerTool({ id, name, args }: ProviderTool): WireObject {
  return { ...args, type: toProviderType(id), name };
}

function toWireTool({ name, description, inputSchema }: ToolDefinition): WireObject {
  const input_schema = { type: "object", ...inputSchema };
  return withoutAbsent({ name: toWireName(name), description, input_schema });
}

function toToolChoice(choice: NonNullable<GenerationOptions["toolChoice"]>): WireObject {
  if (typeof choice === "object") return { type: "tool", name: toWireName(choice.toolName) };
  return { type: choice === "required" ? "any" : choice };
}

/** Merges adjacent messages with the same role. Omits empty messages, which the API rejects. */
function toWireMessages(messages: readonly ModelMessage[], provider: string): WireMessage[] {
  const merged: WireMessage[] = [];
  for (const message of messages) {
    const next = toWireMessage(message, provider);
    if (next === undefined || next.content.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role !== next.role) merged.push(next);
    else merged.splice(-1, 1, { ...last, content: [...last.content, ...next.content] });
  }
  return merged;
}

function toWireMessage(message: ModelMessage, provider: string): WireMessage | undefined {
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
        content: message.content.flatMap((part) => toAssistantBlocks(part, provider)),
      };
    case "tool":
      return {
        role: "user",
        content: message.content.map((result) => toResultBlock(result, provider)),
      };
    default:
      throw AgentError.modelError(`unknown message role "${String(message satisfies never)}"`);
  }
}

function toAssistantBlocks(
  part: AssistantMessage["content"][number],
  provider: string,
): WireObject[] {
  if (part.type === "reasoning") return toThinkingBlocks(part, provider);
  return part.type === "tool-call" ? [toCallBlock(part, provider)] : toBlocks(part, provider);
}

/**
 * Converts a reasoning part. Omits reasoning from other providers, because the API rejects thinking
 * blocks without a signature.
 */
function toThinkingBlocks(part: ReasoningPart, provider: string): WireObject[] {
  const { [BLOCK]: block, [SIGNATURE]: signature } = optionsOf(part, provider);
  if (isRecord(block)) return [block];
  return signature === undefined ? [] : [{ type: "thinking", thinking: part.text, signature }];
}

function toCallBlock(part: ToolCall, provider: string): WireObject {
  const { toolCallId, toolName, input, rawInput } = part;
  return {
    ...optionsOf(part, provider),
    type: "tool_use",
    id: toolCallId,
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
    ...optionsOf(result, provider),
    type: "tool_result",
    tool_use_id: result.toolCallId,
    content: toResultContent(result, provider),
    ...result.isError ? { is_error: true } : {},
  };
}

function toResultContent({ output }: ToolResult, provider: string): string | WireObject[] {
  if (output.type !== "content") return toResultText(output);
  return output.value.flatMap((part) => toBlocks(part, provider));
}

/**
 * Converts a text or file part to content blocks. Blank text is omitted, because the API rejects
 * blank text.
 */
function toBlocks(part: TextPart | FilePart, provider: string): WireObject[] {
  if (part.type === "file") return [{ ...optionsOf(part, provider), ...toFileBlock(part) }];
  if (part.text.trim() === "") return [];
  return [{ ...optionsOf(part, provider), type: "text", text: part.text }];
}

function toFileBlock({ mediaType, data, filename }: FilePart): WireObject {
  const isImage = mediaType.startsWith("image/");
  const isText = mediaType.startsWith("text/");
  const type = isImage ? "image" : "document";
  const title = isImage || filename === undefined ? {} : { title: filename };
  if (!isImage && !isText && mediaType !== "application/pdf") {
    throw AgentError.modelError(`files of type "${mediaType}" are not supported`);
  }
  if (data.type === "url") {
    if (isText) throw AgentError.modelError("text files must be sent as data, not as a URL");
    return { type, source: { type: "url", url: data.url.href }, ...title };
  }
  const source = isText
    ? { type: "text", media_type: "text/plain", data: toText(data.data) }
    : { type: "base64", media_type: mediaType, data: toBase64(data.data) };
  return { type, source, ...title };
}

function optionsOf(
  { providerOptions }: { readonly providerOptions?: ProviderOptions },
  provider: string,
): JsonObject {
  return providerOptions?.[provider] ?? {};
}
