/**
 * A model request in the words of OpenAI's chat completions.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type {
  AssistantMessage,
  FilePart,
  GenerationOptions,
  ModelMessage,
  ModelRequest,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolCall,
  ToolDefinition,
  ToolMessage,
  ToolResult,
} from "../shared/model.ts";
import { toBase64, toUrl } from "./base64.ts";
import {
  readRecord,
  readText,
  toJsonText,
  type WireObject,
  withoutAbsent,
} from "./response_fields.ts";
import { toWireName } from "./tool_names.ts";
import { toResultText } from "./tool_result_text.ts";

/** What the request's form depends on beside the request. */
export interface ChatDialect {
  /** The model. */
  readonly model: string;
  /** Under which name the provider's own data stands in `providerOptions`. */
  readonly provider: string;
  /** How the limit on the answer's length is called. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
}

/** Where the name of the reasoning's wire field is kept, so that it goes back under the name it came by. */
export const REASONING_FIELD = "reasoningField";

/** Where fields of a tool call that mean nothing here are kept, so that they go back with it. */
export const CALL_FIELDS = "callFields";

/** Audio formats that have a content part of their own. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ["audio/mp3", "mp3"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
]);

/**
 * The body of the POST.
 *
 * @param request the conversation, tools and settings
 * @param dialect the model and its peculiarities
 * @throws {AgentError} `model_error` if a file has no form in this interface
 */
export function toChatBody(request: ModelRequest, dialect: ChatDialect): WireObject {
  const { messages, tools, options } = request;
  return {
    ...options.providerOptions?.[dialect.provider],
    model: dialect.model,
    messages: messages.flatMap((message) => toWireMessages(message, dialect.provider)),
    ...withoutAbsent(toSettings(options, dialect)),
    ...tools.length === 0 ? {} : withoutAbsent(toToolFields(tools, options.toolChoice)),
  };
}

function toSettings(options: GenerationOptions, { maxTokensField }: ChatDialect): WireObject {
  return {
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    [maxTokensField]: options.maxOutputTokens,
    stop: options.stopSequences,
    seed: options.seed,
    presence_penalty: options.presencePenalty,
    frequency_penalty: options.frequencyPenalty,
    reasoning_effort: options.reasoning,
    response_format: toResponseFormat(options.responseFormat),
  };
}

function toResponseFormat(format: GenerationOptions["responseFormat"]): WireObject | undefined {
  if (format?.type !== "json") return undefined;
  const { schema, name = "answer", description } = format;
  if (schema === undefined) return { type: "json_object" };
  return { type: "json_schema", json_schema: withoutAbsent({ name, description, schema }) };
}

function toToolFields(
  tools: readonly ToolDefinition[],
  choice: GenerationOptions["toolChoice"],
): WireObject {
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({
      type: "function",
      function: withoutAbsent({ name: toWireName(name), description, parameters: inputSchema }),
    })),
    tool_choice: typeof choice === "object"
      ? { type: "function", function: { name: toWireName(choice.toolName) } }
      : choice,
  };
}

function toWireMessages(message: ModelMessage, provider: string): WireObject[] {
  switch (message.role) {
    case "system":
      return [toWireSystem(message, provider)];
    case "user":
      return [{ role: "user", content: toUserContent(message.content, provider) }];
    case "assistant":
      return [toWireAssistant(message, provider)];
    case "tool":
      return toWireResults(message);
    default:
      throw AgentError.modelError(`there is no role "${String(message satisfies never)}"`);
  }
}

/** Plain text stays plain: small servers understand nothing else. */
function toUserContent(
  parts: readonly (TextPart | FilePart)[],
  provider: string,
): string | WireObject[] {
  const texts = parts.flatMap((part) => isPlain(part, provider) ? [part.text] : []);
  if (texts.length === parts.length) return texts.join("\n");
  return parts.map((part) => ({
    ...part.providerOptions?.[provider],
    ...part.type === "text" ? { type: "text", text: part.text } : toWireFile(part),
  }));
}

function isPlain(part: TextPart | FilePart, provider: string): part is TextPart {
  return part.type === "text" && part.providerOptions?.[provider] === undefined;
}

function toWireSystem({ content, providerOptions }: SystemMessage, provider: string): WireObject {
  const options = providerOptions?.[provider];
  const parts = options === undefined ? content : [{ ...options, type: "text", text: content }];
  return { role: "system", content: parts };
}

function toWireFile(part: FilePart): WireObject {
  const { mediaType, filename = "file", data } = part;
  if (mediaType.startsWith("image/")) {
    return { type: "image_url", image_url: { url: toUrl(part) } };
  }
  if (data.type === "url") {
    throw AgentError.modelError(`a file of type "${mediaType}" cannot be sent as a URL`);
  }
  const format = AUDIO_FORMATS.get(mediaType);
  return format === undefined
    ? { type: "file", file: { filename, file_data: toUrl(part) } }
    : { type: "input_audio", input_audio: { data: toBase64(data.data), format } };
}

function toWireAssistant({ content }: AssistantMessage, provider: string): WireObject {
  const text = content.flatMap((part) => part.type === "text" ? [part.text] : []).join("");
  const calls = content.flatMap((part) => part.type === "tool-call" ? [part] : []);
  return {
    role: "assistant",
    ...toReasoningField(content, provider),
    content: text === "" && calls.length > 0 ? null : text,
    ...calls.length === 0 ? {} : { tool_calls: calls.map((call) => toWireCall(call, provider)) },
  };
}

/**
 * Only reasoning that came from this kind of endpoint goes back, under the field's own name: some servers refuse a call
 * without it after tool calls, others refuse fields they did not send.
 */
function toReasoningField(content: AssistantMessage["content"], provider: string): WireObject {
  const own = content.filter((part): part is ReasoningPart =>
    part.type === "reasoning" && reasoningFieldOf(part, provider) !== undefined
  );
  const field = own[0] === undefined ? undefined : reasoningFieldOf(own[0], provider);
  return field === undefined ? {} : { [field]: own.map(({ text }) => text).join("") };
}

function reasoningFieldOf(part: ReasoningPart, provider: string): string | undefined {
  return readText(part.providerOptions?.[provider]?.[REASONING_FIELD]);
}

/** What the server sent beside the call (a signature, say) goes back with it, but never instead of it. */
function toWireCall(call: ToolCall, provider: string): WireObject {
  const { toolCallId, toolName, input, rawInput } = call;
  return {
    ...readRecord(call.providerOptions?.[provider]?.[CALL_FIELDS]),
    id: toolCallId,
    type: "function",
    function: { name: toWireName(toolName), arguments: rawInput ?? toJsonText(input) },
  };
}

/** A tool message holds text only, so files follow in a user message of their own. */
function toWireResults({ content }: ToolMessage): WireObject[] {
  const files = content.flatMap(({ output, toolCallId }) =>
    output.type !== "content" ? [] : output.value.flatMap((part) =>
      part.type !== "file" ? [] : [
        { type: "text", text: `A file from the result of tool call ${toolCallId}:` },
        toWireFile(part),
      ]
    )
  );
  return [
    ...content.map((result) => ({
      role: "tool",
      tool_call_id: result.toolCallId,
      content: toContentText(result),
    })),
    ...files.length === 0 ? [] : [{ role: "user", content: files }],
  ];
}

function toContentText({ output }: ToolResult): string {
  if (output.type !== "content") return toResultText(output);
  return output.value.map((part) =>
    part.type === "text" ? part.text : `[a file of type ${part.mediaType}: see below]`
  ).join("\n");
}
