/**
 * Converts model requests to OpenAI Responses API requests.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { GenerationOptions } from "../shared/generation_options.ts";
import type { ModelMessage, ModelRequest, SystemMessage, ToolResult } from "../shared/model.ts";
import { moveAssistantFiles } from "./assistant_files.ts";
import { toContent } from "./openai_responses_files.ts";
import { isOwnFile, type ItemTarget, toAssistantItems } from "./openai_responses_items.ts";
import { toToolFields } from "./openai_responses_tools.ts";
import { callerFieldsOf } from "./provider_data.ts";
import { readRecord, type WireObject, withoutAbsent } from "./response_fields.ts";
import { RESPONSES_CALL_IDS, toWireCallId } from "./tool_call_ids.ts";
import { toWireName } from "./tool_names.ts";
import { NO_MESSAGE, toResultText } from "./tool_result_text.ts";
import type { WireTools } from "./wire_tools.ts";

/** Options for {@linkcode toResponsesBody}. */
export interface ResponsesDialect extends ItemTarget {
  /** Id of the model. */
  readonly model: string;
}

/** Value of `include` that requests encrypted reasoning. */
const ENCRYPTED_REASONING = "reasoning.encrypted_content";

/** Settings that the API does not support. */
const UNKNOWN_SETTINGS = [
  "topK",
  "seed",
  "stopSequences",
  "presencePenalty",
  "frequencyPenalty",
] as const;

/**
 * Returns the request body.
 *
 * @param request Conversation, tools and settings.
 * @param tools The tools of the request.
 * @param dialect Model, provider, server and features.
 * @throws {AgentError} With code `model_error` if the request is not serializable as JSON.
 */
export function toResponsesBody(
  request: ModelRequest,
  tools: WireTools,
  dialect: ResponsesDialect,
): WireObject {
  const { messages, options } = request;
  const own = options.providerOptions?.[dialect.provider] ?? {};
  return {
    store: false,
    ...own,
    ...toInclude(own.include, dialect),
    model: dialect.model,
    input: toInput(messages, dialect),
    ...withoutAbsent(toSettings(options, own)),
    ...toToolFields(tools, options, own),
  };
}

/** Returns a warning for each requested setting that the API does not support. */
export function unsupportedSettings(options: GenerationOptions): string[] {
  return UNKNOWN_SETTINGS.filter((name) => options[name] !== undefined)
    .map((name) => `unsupported setting, not sent: ${name}`);
}

function toInclude(own: unknown, { encryptedReasoning }: ResponsesDialect): WireObject {
  const others: readonly unknown[] = Array.isArray(own) ? own : [];
  if (!encryptedReasoning || others.includes(ENCRYPTED_REASONING)) return {};
  return { include: [ENCRYPTED_REASONING, ...others] };
}

function toSettings(options: GenerationOptions, own: WireObject): WireObject {
  const { reasoning, responseFormat } = options;
  const format = toFormat(responseFormat);
  return {
    temperature: options.temperature,
    top_p: options.topP,
    max_output_tokens: options.maxOutputTokens,
    reasoning: reasoning && { ...readRecord(own.reasoning), effort: reasoning },
    text: format && { ...readRecord(own.text), format },
  };
}

function toFormat(format: GenerationOptions["responseFormat"]): WireObject | undefined {
  if (format?.type !== "json") return undefined;
  const { schema, name = "answer", description } = format;
  if (schema === undefined) return { type: "json_object" };
  return withoutAbsent({
    type: "json_schema",
    name: toWireName(name),
    description,
    schema,
    strict: false,
  });
}

function toInput(messages: readonly ModelMessage[], target: ItemTarget): WireObject[] {
  const all = moveAssistantFiles(messages, (part) => isOwnFile(part, target));
  const items = all.flatMap((message) => toItems(message, target));
  const calls = new Map(
    items.flatMap((item) =>
      item.type === "function_call" || item.type === "custom_tool_call"
        ? [[item.call_id, item] as const]
        : []
    ),
  );
  return items.map((item) =>
    item.type === "function_call_output" ? toOutputOf(calls.get(item.call_id), item) : item
  );
}

/**
 * Completes the output of a tool call. The output of a custom tool has its own type, and the API
 * requires the `caller` of a call that a program made.
 */
function toOutputOf(call: WireObject | undefined, output: WireObject): WireObject {
  const type = call?.type === "custom_tool_call" ? { type: "custom_tool_call_output" } : {};
  return { ...output, ...type, ...withoutAbsent({ caller: call?.caller }) };
}

/** Converts a message. Omits messages without content, which the API rejects. */
function toItems(message: ModelMessage, target: ItemTarget): WireObject[] {
  switch (message.role) {
    case "system":
      return message.content.trim() === "" ? [] : [toSystemItem(message, target.provider)];
    case "user": {
      const content = toContent(message.content, target.provider);
      return content.length === 0 ? [] : [{ role: "user", content }];
    }
    case "assistant":
      return toAssistantItems(message.content, target);
    case "tool":
      return message.content.map((result) => toOutputItem(result, target.provider));
    default:
      throw AgentError.modelError(`unknown message role "${String(message satisfies never)}"`);
  }
}

function toSystemItem(message: SystemMessage, provider: string): WireObject {
  const options = callerFieldsOf(message, provider);
  const isPlain = Object.keys(options).length === 0;
  const parts = [{ type: "input_text", text: message.content, ...options }];
  return { role: "system", content: isPlain ? message.content : parts };
}

function toOutputItem(result: ToolResult, provider: string): WireObject {
  return {
    type: "function_call_output",
    ...callerFieldsOf(result, provider),
    call_id: toWireCallId(result.toolCallId, RESPONSES_CALL_IDS),
    output: toOutput(result, provider),
  };
}

/**
 * Returns the output of a tool. An error without a message is described, so that it is not lost.
 */
function toOutput({ output, isError }: ToolResult, provider: string): string | WireObject[] {
  const content = output.type === "content"
    ? toContent(output.value, provider)
    : toResultText(output);
  return content.length === 0 && isError ? NO_MESSAGE : content;
}
