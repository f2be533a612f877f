/**
 * Conversion between the kit's message parts and the OpenAI Agents SDK's items.
 *
 * The SDK uses a flat list of items. In the kit, the items of one response form one message, and
 * the tool results form another.
 *
 * @module
 */

import type { AgentInputItem, ModelResponse } from "@openai/agents";
import { type Fields, isFields } from "../../../conformance/drivers/typescript/operation.ts";

type Message = { readonly role: string; readonly content: Fields[] };

/**
 * Converts a model response to items. Consecutive text parts become one message.
 *
 * @param isComplete Whether the response is complete. The last item of an incomplete response has
 *   the status `incomplete`.
 */
export function toItems(content: readonly unknown[], isComplete: boolean): ModelResponse["output"] {
  const output: unknown[] = [];
  for (const [index, part] of content.entries()) {
    const last = output.at(-1);
    const text = isFields(part) && part.type === "text" ? part.text : undefined;
    if (text !== undefined && isMessage(last)) {
      last.content.push({ type: "output_text", text });
    } else if (isFields(part) && part.type === "tool-result" && isHostedCall(last)) {
      // One item contains the call of a hosted tool and its result, which is a string.
      output[output.length - 1] = { ...last, output: JSON.stringify(part.result) };
    } else {
      const status = isComplete || index < content.length - 1 ? "completed" : "incomplete";
      output.push(isFields(part) ? toItem(part, status) : part);
    }
  }
  // The object has the required members, but the values from the kit are not validated, so the cast
  // is unchecked.
  return output as unknown as ModelResponse["output"];
}

function isMessage(item: unknown): item is { readonly content: unknown[] } {
  return isFields(item) && item.type === "message" && Array.isArray(item.content);
}

function isHostedCall(item: unknown): item is Fields {
  return isFields(item) && item.type === "hosted_tool_call";
}

function toItem(
  { type, text, toolCallId, toolName, input, providerExecuted, providerOptions, ...rest }: Fields,
  status: string,
): Record<string, unknown> {
  const data = providerOptions === undefined ? {} : { providerData: providerOptions };
  switch (type) {
    case "tool-call":
      if (providerExecuted === true) {
        return {
          type: "hosted_tool_call",
          id: toolCallId,
          name: toolName,
          arguments: input,
          status,
        };
      }
      return {
        type: "function_call",
        callId: toolCallId,
        name: toolName,
        // Models return the input of a call as text, but malformed responses in cases contain the
        // parsed input.
        arguments: isFields(input) ? JSON.stringify(input) : input,
        status,
        ...data,
      };
    case "reasoning":
      return { type: "reasoning", content: [{ type: "input_text", text }], ...data };
    case "text":
      return {
        type: "message",
        role: "assistant",
        status,
        content: [{ type: "output_text", text }],
        ...data,
      };
    default:
      return { type, text, ...rest, ...data };
  }
}

/** Converts the messages of a conversation to items. */
export function toInputItems(messages: readonly Fields[]): AgentInputItem[] {
  // The objects have the required members, but the values from the kit are not validated, so the
  // cast is unchecked.
  return messages.flatMap(toItemsOfMessage) as unknown as AgentInputItem[];
}

function toItemsOfMessage({ role, content }: Fields): readonly Fields[] {
  if (role === "system") return [{ role, content }];
  const parts: readonly Fields[] = typeof content === "string"
    ? [{ type: "text", text: content }]
    : Array.isArray(content)
    ? content.filter(isFields)
    : [];
  if (role === "user") return [{ role, content: parts.map(toInputPart) }];
  return parts.map((part) =>
    part.type === "tool-result" ? toResultItem(part) : toItem(part, "completed")
  );
}

function toInputPart({ type, text, mediaType, data }: Fields): Fields {
  if (type !== "file") return { type: "input_text", text };
  const { data: base64 } = isFields(data) ? data : {};
  return { type: "input_image", image: `data:${mediaType};base64,${base64}` };
}

function toResultItem({ toolCallId, toolName, output }: Fields): Fields {
  const { value } = isFields(output) ? output : {};
  return {
    type: "function_call_result",
    callId: toolCallId,
    name: toolName,
    status: "completed",
    output: { type: "text", text: typeof value === "string" ? value : JSON.stringify(value) },
  };
}

/**
 * Converts items to messages. The items of one response form one message, and its tool results form
 * another.
 */
export function toConversation(
  instructions: string | undefined,
  items: readonly AgentInputItem[],
): readonly Fields[] {
  const messages: Message[] = [];
  for (const item of items) {
    const fields: Fields = { ...item };
    const role = roleOf(fields);
    const last = messages.at(-1);
    const parts = toParts(fields);
    if (last !== undefined && last.role === role && role !== "user") last.content.push(...parts);
    else messages.push({ role, content: parts });
  }
  // The SDK represents missing instructions as an empty string, and providers omit an empty system
  // message.
  return instructions === undefined || instructions === ""
    ? messages
    : [{ role: "system", content: instructions }, ...messages];
}

function roleOf({ type, role }: Fields): string {
  if (type === "function_call_result") return "tool";
  return role === "user" || role === "system" ? role : "assistant";
}

/** Converts an item to message parts. */
export function toParts({ type, name, callId, content, providerData, ...item }: Fields): Fields[] {
  const options = providerData === undefined ? {} : { providerOptions: providerData };
  if (type === "function_call") {
    const input = parseInput(item.arguments);
    return [{ type: "tool-call", toolCallId: callId, toolName: name, input, ...options }];
  }
  if (type === "hosted_tool_call") {
    const call = { toolCallId: item.id, toolName: name };
    return [
      { type: "tool-call", ...call, input: parseInput(item.arguments), providerExecuted: true },
      { type: "tool-result", ...call, output: { type: "text", value: item.output } },
    ];
  }
  if (type === "function_call_result") {
    return [{
      type: "tool-result",
      toolCallId: callId,
      toolName: name,
      output: toResultOutput(item.output),
    }];
  }
  const kind = type === "reasoning" ? "reasoning" : "text";
  if (typeof content === "string") return [{ type: kind, text: content, ...options }];
  const list: readonly unknown[] = Array.isArray(content) ? content : [];
  return list.filter(isFields).map(({ text, image }) => ({
    ...(image === undefined ? { type: kind, text } : toFilePart(String(image))),
    ...options,
  }));
}

/** Converts an image, given as a data URL, to a file part. */
function toFilePart(url: string): Fields {
  const [, mediaType, data] = /^data:(.*?);base64,(.*)$/.exec(url) ?? [];
  return { type: "file", mediaType, data: { type: "data", data } };
}

/** Converts a tool result to a text result, because the SDK supports only text. */
function toResultOutput(output: unknown): Fields {
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "text", value: isFields(output) ? output.text : JSON.stringify(output) };
}

/** Parses the input of a call. Returns the text unchanged if it is not valid JSON. */
export function parseInput(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    // Invalid JSON is returned unchanged, because cases test whether the loop detects it.
    return text;
  }
}
