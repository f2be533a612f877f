/**
 * Converts output items of the OpenAI Responses API to the parts of a message.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @module
 */

import { isRecord } from "@parley/internal/json";
import { isJsonValue } from "../shared/json.ts";
import type { AssistantMessage } from "../shared/model.ts";
import { readToolInput } from "../shared/read_tool_input.ts";
import { type ItemOwner, storeFields, storeItem } from "./openai_responses_items.ts";
import { expectList, malformed, readRecord, readText, type WireObject } from "./response_fields.ts";
import type { WireTools } from "./wire_tools.ts";

/** Data from the request that is needed to convert the output. */
export interface OutputOptions extends ItemOwner {
  /** The tools of the request. */
  readonly tools: WireTools;
}

/** Part of an assistant message. */
export type OutputPart = AssistantMessage["content"][number];

/** Fields of a message that are converted. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["content", "id", "role", "status", "type"]);

/** Fields of a tool call that are converted. */
const CALL_FIELDS: ReadonlySet<string> = new Set([
  "arguments",
  "call_id",
  "id",
  "input",
  "name",
  "status",
]);

/** Returns the type of an item. Some servers omit the type of a message. */
export function typeOf({ type, role }: WireObject): string {
  return readText(type) ?? (role === "assistant" ? "message" : "");
}

/** Returns true if an item is a tool call that the loop executes. */
export function isToolCall(item: WireObject): boolean {
  return item.type === "function_call" || item.type === "custom_tool_call";
}

/** Returns true if an item is a message in which the model refuses to respond. */
export function isRefusal(item: WireObject): boolean {
  return typeOf(item) === "message" && partsOf(item).some(({ type }) => type === "refusal");
}

/**
 * Converts an item to parts. Reasoning and items of unknown types become reasoning parts that store
 * the item, so that it can be sent back.
 *
 * @throws {AgentError} With code `model_error` if the item is malformed.
 */
export function toParts(item: WireObject, options: OutputOptions): OutputPart[] {
  switch (typeOf(item)) {
    case "message":
      return toTextParts(item, options);
    case "function_call":
    case "custom_tool_call":
      return [toToolCall(item, options)];
    case "image_generation_call":
      return toImageParts(item, options);
    default:
      return toReasoningParts(item, options);
  }
}

/** Returns the text of an item: its content, its reasoning, or the input of a tool call. */
export function textOf(item: WireObject): string {
  switch (typeOf(item)) {
    case "message":
      return partsOf(item).map(({ text, refusal }) => readText(text) ?? readText(refusal) ?? "")
        .join("");
    case "reasoning":
      return joinTexts(item.summary) || joinTexts(item.content);
    case "function_call":
      return readInputText(item.arguments);
    case "custom_tool_call":
      return readInputText(item.input);
    default:
      return "";
  }
}

/** Returns the id and the name of a tool call. The name is empty if it is missing. */
export function callOf(
  item: WireObject,
  { tools }: OutputOptions,
): { toolCallId: string; toolName: string } {
  const name = readText(item.name) ?? "";
  return {
    toolCallId: readText(item.call_id) ?? readText(item.id) ?? "",
    toolName: tools.nameOf(name),
  };
}

/** Converts a message. Citations and unknown fields of the message are stored in the text part. */
function toTextParts(item: WireObject, options: OutputOptions): OutputPart[] {
  const text = textOf(item);
  if (text === "") return [];
  const annotations = partsOf(item).flatMap(({ annotations }) =>
    Array.isArray(annotations) ? annotations : []
  );
  const other = annotations.length > 0 && isJsonValue(annotations) ? { annotations } : {};
  return [{
    type: "text",
    text,
    ...storeFields(fieldsExcept(item, MESSAGE_FIELDS), other, options),
  }];
}

function toToolCall(item: WireObject, options: OutputOptions): OutputPart {
  const call = callOf(item, options);
  if (call.toolName === "") throw malformed("a tool call has no name");
  const { type, ...fields } = fieldsExcept(item, CALL_FIELDS);
  const isCustom = type === "custom_tool_call";
  const read = isCustom ? { input: textOf(item) } : readToolInput(textOf(item));
  return {
    type: "tool-call",
    ...call,
    ...read,
    input: options.tools.inputOf(call.toolName, read.input),
    ...storeFields(isCustom ? { type, ...fields } : fields, {}, options),
  };
}

/** Converts a generated image. The part stores the item without the image, which is its data. */
function toImageParts({ result, ...item }: WireObject, options: OutputOptions): OutputPart[] {
  const data = readText(result);
  if (data === undefined || !isJsonValue(item)) return toReasoningParts(item, options);
  const mediaType = `image/${readText(item.output_format) ?? "png"}`;
  return [{ type: "file", mediaType, data: { type: "data", data }, ...storeItem(item, options) }];
}

function toReasoningParts(item: WireObject, options: OutputOptions): OutputPart[] {
  if (!isJsonValue(item)) return [];
  const text = typeOf(item) === "reasoning" ? textOf(item) : "";
  return [{ type: "reasoning", text, ...storeItem(item, options) }];
}

/** Returns the fields of an item that are not converted, so that they can be sent back. */
function fieldsExcept(item: WireObject, known: ReadonlySet<string>): WireObject {
  return Object.fromEntries(
    Object.entries(item).filter(([name, value]) =>
      !known.has(name) && value !== null && isJsonValue(value)
    ),
  );
}

function partsOf({ content }: WireObject): WireObject[] {
  if (typeof content === "string") return [{ type: "output_text", text: content }];
  return expectList(content, '"content"').map((part) =>
    typeof part === "string" ? { type: "output_text", text: part } : readRecord(part)
  );
}

/** Joins the texts of the parts of reasoning. */
function joinTexts(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts.flatMap((part) => isRecord(part) ? readText(part.text) ?? [] : []).join("\n\n");
}

/** Returns the input as text. Some servers send an object instead of a string. */
function readInputText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (!isJsonValue(value)) throw malformed("the input of a tool call is nested too deeply");
  return JSON.stringify(value);
}
