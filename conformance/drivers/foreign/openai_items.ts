/**
 * From the parts of the kit's messages to the items of the OpenAI Agents SDK, and back.
 *
 * A conversation is a flat list of items there; what one answer holds becomes one message here, and what its tools return
 * another.
 *
 * @module
 */

import type { AgentInputItem, ModelResponse } from "@openai/agents";
import { type Fields, isFields } from "../typescript/operation.ts";

type Message = { readonly role: string; readonly content: Fields[] };

/** The items of a model's answer; texts that follow each other are one message. */
export function toItems(content: readonly Fields[]): ModelResponse["output"] {
  const output: Record<string, unknown>[] = [];
  for (const part of content) {
    const last = output.at(-1);
    if (part.type === "text" && last?.type === "message" && Array.isArray(last.content)) {
      last.content.push({ type: "output_text", text: part.text });
    } else output.push(toItem(part));
  }
  // The items have the shapes of the interface; only the kit's words in them are not checked.
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

/** Joins the items of one answer, and those of one round of tools. */
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
  // None is an empty text here, which providers leave out.
  return instructions === undefined || instructions === ""
    ? messages
    : [{ role: "system", content: instructions }, ...messages];
}

function roleOf({ type, role }: Fields): string {
  if (type === "function_call_result") return "tool";
  return role === "user" || role === "system" ? role : "assistant";
}

/** What an item says, as the parts of a message. */
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

/** All that this library knows is text. */
function toResultOutput(output: unknown): Fields {
  if (typeof output === "string") return { type: "text", value: output };
  return { type: "text", value: isFields(output) ? output.text : JSON.stringify(output) };
}

/** A call's input; what is not JSON stays what the model wrote. */
export function parseInput(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text; // The model's fault, for the loop to find.
  }
}
