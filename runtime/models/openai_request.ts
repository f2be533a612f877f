/**
 * Converts model requests to OpenAI Chat Completions API requests.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type {
  AssistantMessage,
  FilePart,
  ModelMessage,
  ModelRequest,
  ReasoningPart,
  SystemMessage,
  TextPart,
  ToolCall,
  ToolMessage,
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
  toNamedText,
  toSendableFile,
} from "./sendable_file.ts";
import { type CallIdRules, toWireCallId } from "./tool_call_ids.ts";
import { toProviderType, toWireName } from "./tool_names.ts";
import { toResultText } from "./tool_result_text.ts";
import type { WireTools } from "./wire_tools.ts";

/** Options for {@linkcode toChatBody}. */
export interface ChatDialect {
  /** Id of the model. */
  readonly model: string;
  /** Key in `providerOptions` for the request fields that the caller sets. */
  readonly provider: string;
  /** Key in `providerOptions` for the data that the server has sent. */
  readonly server: string;
  /** Tool call ids that the server accepts. */
  readonly callIds: CallIdRules;
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

/**
 * Key under which a reasoning part stores `reasoning_details`, which some servers require in later
 * requests.
 *
 * @see https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
export const REASONING_DETAILS = "reasoningDetails";

/**
 * Key under which a reasoning part stores unknown fields of the message so that they can be sent
 * back unchanged.
 */
export const MESSAGE_FIELDS = "messageFields";

/** Format names for `input_audio` content parts, keyed by media type. */
const AUDIO_FORMATS: ReadonlyMap<string, string> = new Map([
  ["audio/mpeg", "mp3"],
  ["audio/wav", "wav"],
]);

const FILE_RULES: FileRules = {
  acceptsData: (type) =>
    IMAGE_TYPES.has(type) || AUDIO_FORMATS.has(type) || type === "application/pdf",
  acceptsUrl: (type, url) => type.startsWith("image/") && isWebUrl(url),
};

/**
 * Files in user messages. Servers differ in the documents that they accept, so a document that the
 * caller attaches is always sent.
 */
const USER_FILE_RULES: FileRules = {
  acceptsData: (type) =>
    FILE_RULES.acceptsData(type) || type.startsWith("application/vnd.") ||
    type === "application/msword" || type === "application/rtf",
  acceptsUrl: FILE_RULES.acceptsUrl,
};

/**
 * Returns the request body.
 *
 * @param request Conversation, tools and settings.
 * @param tools The tools of the request.
 * @param dialect Model, provider name and field names.
 * @throws {AgentError} With code `model_error` if the API does not support a file, or if the
 * request is not serializable as JSON.
 */
export function toChatBody(
  request: ModelRequest,
  tools: WireTools,
  dialect: ChatDialect,
): WireObject {
  const { messages, options } = request;
  assertNewFiles(messages, USER_FILE_RULES);
  return {
    ...options.providerOptions?.[dialect.provider],
    model: dialect.model,
    messages: moveAssistantFiles(messages).flatMap((message) => toWireMessages(message, dialect)),
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
  { definitions }: WireTools,
  { toolChoice: choice, providerTools = [] }: GenerationOptions,
): WireObject {
  if (definitions.length + providerTools.length === 0) return {};
  return withoutAbsent({
    tools: [
      ...definitions.map(({ name, description, inputSchema, options }) => ({
        type: "function",
        function: withoutAbsent({
          ...options,
          name,
          description,
          parameters: inputSchema,
        }),
      })),
      ...providerTools.map(({ id, args }) => ({ ...args, type: toProviderType(id) })),
    ],
    tool_choice: typeof choice === "object"
      ? { type: "function", function: { name: toWireName(choice.toolName) } }
      : choice,
  });
}

function toWireMessages(message: ModelMessage, dialect: ChatDialect): WireObject[] {
  switch (message.role) {
    case "system":
      return [toWireSystem(message, dialect.provider)];
    case "user":
      return [{ role: "user", content: toUserContent(message.content, dialect.provider) }];
    case "assistant":
      return toWireAssistant(message, dialect);
    case "tool":
      return toWireResults(message, dialect);
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
  const others = parts.filter(hasContent);
  return (others.length === 0 ? parts : others).map((part) => ({
    ...callerFieldsOf(part, provider),
    ...part.type === "text"
      ? { type: "text", text: part.text }
      : toWireFile(toSendableFile(part, USER_FILE_RULES)),
  }));
}

/** Returns `false` for an empty text, which some servers reject. */
function hasContent(part: TextPart | FilePart): boolean {
  return part.type === "file" || part.text !== "";
}

function isPlain(part: TextPart | FilePart, provider: string): part is TextPart {
  return part.type === "text" && !hasFields(callerFieldsOf(part, provider));
}

function hasFields(fields: WireObject): boolean {
  return Object.keys(fields).length > 0;
}

function toWireSystem(message: SystemMessage, provider: string): WireObject {
  const { content } = message;
  const fields = callerFieldsOf(message, provider);
  const parts = hasFields(fields) ? [{ ...fields, type: "text", text: content }] : content;
  return { role: "system", content: parts };
}

function toWireFile(file: SendableFile): WireObject {
  switch (file.type) {
    case "text":
      return { type: "text", text: toNamedText(file) };
    case "note":
      return { type: "text", text: file.text };
    case "url":
      return { type: "image_url", image_url: { url: file.url } };
    case "data": {
      const { mediaType, data, filename = "file" } = file;
      const format = AUDIO_FORMATS.get(mediaType);
      if (format !== undefined) return { type: "input_audio", input_audio: { data, format } };
      const url = `data:${mediaType};base64,${data}`;
      return mediaType.startsWith("image/")
        ? { type: "image_url", image_url: { url } }
        : { type: "file", file: { filename, file_data: url } };
    }
    default:
      return file satisfies never;
  }
}

/** Converts an assistant message. Omits a blank message, which some servers reject. */
function toWireAssistant({ content }: AssistantMessage, dialect: ChatDialect): WireObject[] {
  const text = content.flatMap((part) => part.type === "text" ? [part.text] : []).join("");
  const calls = content.flatMap((part) => part.type === "tool-call" ? [part] : []);
  const isBlank = text.trim() === "";
  if (isBlank && calls.length === 0) return [];
  return [{
    ...toMessageFields(content, dialect.server),
    role: "assistant",
    ...toReasoningField(content, dialect.server),
    ...toReasoningDetails(content, dialect.server),
    content: isBlank ? null : text,
    ...calls.length === 0 ? {} : { tool_calls: calls.map((call) => toWireCall(call, dialect)) },
  }];
}

/**
 * Returns the reasoning that the API sent, in the field that contained it, because some servers
 * require the field after tool calls. If the API sent no reasoning, returns an empty object,
 * because some servers reject reasoning fields that they did not send.
 */
function toReasoningField(content: AssistantMessage["content"], server: string): WireObject {
  const own = content.filter((part): part is ReasoningPart =>
    part.type === "reasoning" && reasoningFieldOf(part, server) !== undefined
  );
  const field = own[0] === undefined ? undefined : reasoningFieldOf(own[0], server);
  return field === undefined ? {} : { [field]: own.map(({ text }) => text).join("") };
}

function reasoningFieldOf(part: ReasoningPart, server: string): string | undefined {
  return readText(part.providerOptions?.[server]?.[REASONING_FIELD]);
}

/** Returns the fields of the message that the API sent in addition to those that are converted. */
function toMessageFields(content: AssistantMessage["content"], server: string): WireObject {
  const fields = content.flatMap((part) =>
    part.type === "reasoning" ? [readRecord(part.providerOptions?.[server]?.[MESSAGE_FIELDS])] : []
  );
  return Object.assign({}, ...fields);
}

/** Returns the entries of `reasoning_details` that the API sent, unchanged and in their order. */
function toReasoningDetails(content: AssistantMessage["content"], server: string): WireObject {
  const details = content.flatMap((part) => {
    const own = part.type === "reasoning" && part.providerOptions?.[server]?.[REASONING_DETAILS];
    return Array.isArray(own) ? own : [];
  });
  return details.length === 0 ? {} : { reasoning_details: details };
}

/** Converts a tool call. Includes unknown fields that the server sent, such as a signature. */
function toWireCall(call: ToolCall, { callIds, server }: ChatDialect): WireObject {
  const { toolCallId, toolName, input, rawInput } = call;
  return {
    ...readRecord(call.providerOptions?.[server]?.[CALL_FIELDS]),
    id: toWireCallId(toolCallId, callIds),
    type: "function",
    function: { name: toWireName(toolName), arguments: rawInput ?? toJsonText(input) },
  };
}

/**
 * Converts tool results. Tool messages can contain only text, so files follow in a separate user
 * message.
 */
function toWireResults({ content }: ToolMessage, { callIds }: ChatDialect): WireObject[] {
  const files: WireObject[] = [];
  const results = content.map((result) => {
    const toolCallId = toWireCallId(result.toolCallId, callIds);
    const texts = toContentTexts(result, (file) => {
      files.push({ type: "text", text: `File from the result of tool call ${toolCallId}:` });
      files.push(toWireFile(file));
    });
    return { role: "tool", tool_call_id: toolCallId, content: texts.join("\n") };
  });
  return [...results, ...files.length === 0 ? [] : [{ role: "user", content: files }]];
}

/** Returns the texts of a tool result, and calls a function with each file that is not text. */
function toContentTexts(
  { output }: ToolResult,
  onFile: (file: SendableFile) => void,
): readonly string[] {
  if (output.type !== "content") return [toResultText(output)];
  return output.value.map((part) => {
    if (part.type === "text") return part.text;
    const file = toSendableFile(part, FILE_RULES);
    if (file.type === "text") return toNamedText(file);
    if (file.type === "note") return file.text;
    onFile(file);
    return `[File of type ${file.mediaType}: see the next message]`;
  });
}
