/**
 * Conversion between the kit's message parts and the OpenAI Agents SDK's items.
 *
 * The SDK uses a flat list of items. In the kit, the items of one response form one message, and the tool results form
 * another.
 *
 * @module
 */

import type { AgentInputItem, ModelResponse } from "@openai/agents";
import { type Fields, isFields } from "../typescript/operation.ts";

type Message = { readonly role: string; readonly content: Fields[] };

/** Converts a model response to items. Consecutive text parts become one message. */
export function toItems(content: readonly Fields[]): ModelResponse["output"] {
  const output: Record<string, unknown>[] = [];
  for (const part of content) {
    const last = output.at(-1);
    if (part.type === "text" && last?.type === "message" && Array.isArray(last.content)) {
      last.content.push({ type: "output_text", text: part.text });
    } else output.push(toItem(part));
  }
  // The object has the required members, but the values from the kit are not validated, so the cast is unchecked.
  return output as unknown as ModelResponse["output"];
}

function toItem(
  { type, text, toolCallId, toolName, input, providerOptions }: Fields,
): Record<string, unknown> {
  const data = providerOptions === undefined ? {} : { providerData: providerOptions };
  switch (type) {
    case "tool-call":
      return {
        type: "function_call",
        callId: toolCallId,
        name: toolName,
        arguments: input,
        status: "completed",
        ...data,
      };
    case "reasoning":
      return { type: "reasoning", content: [{ type: "input_text", text }], ...data };
    default:
      return {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text }],
        ...data,
      };
  }
}

/** Converts items to messages. The items of one response form one message, and its tool results form another. */
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
  // The SDK represents missing instructions as an empty string, which providers omit.
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
  return list.filter(isFields).map(({ text }) => ({ type: kind, text, ...options }));
}

/** Converts a tool result. The SDK supports only text. */
function toResultOutput(output: unknown): Fields {
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "text", value: isFields(output) ? output.text : JSON.stringify(output) };
}

/** Parses the input of a call. Returns the text unchanged if it is not valid JSON. */
export function parseInput(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text; // Invalid JSON is returned unchanged, because cases test whether the loop detects it.
  }
}
