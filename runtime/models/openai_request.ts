/**
 * Converts model requests to OpenAI Chat Completions API requests.
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
import { toBase64, toUrl } from "./file_data.ts";
import {
  readRecord,
  readText,
  toJsonText,
  type WireObject,
  withoutAbsent,
} from "./response_fields.ts";
import { toProviderType, toWireName } from "./tool_names.ts";
import { toResultText } from "./tool_result_text.ts";

/** Options for {@linkcode toChatBody}. */
export interface ChatDialect {
  /** Id of the model. */
  readonly model: string;
  /** Key for the provider's data in `providerOptions`. */
  readonly provider: string;
  /** Name of the request field for `maxOutputTokens`. */
  readonly maxTokensField: "max_tokens" | "max_completion_tokens";
}

/**
 * Key under which a reasoning part stores the name of its response field, so that the reasoning can
 * be sent back in that field.
 */
export const REASONING_FIELD = "reasoningField";

/** Key under which a tool call stores unknown fields so that they can be sent back unchanged. */
export const CALL_FIELDS = "callFields";

/** Format names for `input_audio` content parts, keyed by media type. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ["audio/mp3", "mp3"],
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
  ["audio/x-wav", "wav"],
]);

/**
 * Returns the request body.
 *
 * @param request Conversation, tools and settings.
 * @param dialect Model, provider name and field names.
 * @throws {AgentError} With code `model_error` if the API does not support a file, or if the
 * request is not serializable as JSON.
 */
export function toChatBody(request: ModelRequest, dialect: ChatDialect): WireObject {
  const { messages, tools, options } = request;
  return {
    ...options.providerOptions?.[dialect.provider],
    model: dialect.model,
    messages: messages.flatMap((message) => toWireMessages(message, dialect.provider)),
    ...withoutAbsent(toSettings(options, dialect)),
    ...toToolFields(tools, options),
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
  { toolChoice: choice, providerTools = [] }: GenerationOptions,
): WireObject {
  if (tools.length + providerTools.length === 0) return {};
  return withoutAbsent({
    tools: [
      ...tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        function: withoutAbsent({ name: toWireName(name), description, parameters: inputSchema }),
      })),
      ...providerTools.map(({ id, args }) => ({ ...args, type: toProviderType(id) })),
    ],
    tool_choice: typeof choice === "object"
      ? { type: "function", function: { name: toWireName(choice.toolName) } }
      : choice,
  });
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
      throw AgentError.modelError(`unknown message role "${String(message satisfies never)}"`);
  }
}

/**
 * Converts text and file parts. Plain text is sent as a string, because some servers do not support
 * content parts.
 */
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
    throw AgentError.modelError(`files of type "${mediaType}" must be sent as data, not as a URL`);
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
 * Returns the reasoning that the API sent, in the field that contained it, because some servers
 * require the field after tool calls. If the API sent no reasoning, returns an empty object,
 * because some servers reject reasoning fields that they did not send.
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

/** Converts a tool call. Includes unknown fields that the server sent, such as a signature. */
function toWireCall(call: ToolCall, provider: string): WireObject {
  const { toolCallId, toolName, input, rawInput } = call;
  return {
    ...readRecord(call.providerOptions?.[provider]?.[CALL_FIELDS]),
    id: toolCallId,
    type: "function",
    function: { name: toWireName(toolName), arguments: rawInput ?? toJsonText(input) },
  };
}

/**
 * Converts tool results. Tool messages can contain only text, so files follow in a separate user
 * message.
 */
function toWireResults({ content }: ToolMessage): WireObject[] {
  const files = content.flatMap(({ output, toolCallId }) =>
    output.type !== "content" ? [] : output.value.flatMap((part) =>
      part.type !== "file" ? [] : [
        { type: "text", text: `File from the result of tool call ${toolCallId}:` },
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
    part.type === "text" ? part.text : `[File of type ${part.mediaType}: see the next message]`
  ).join("\n");
}
