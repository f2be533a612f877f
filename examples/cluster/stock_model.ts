/**
 * The model used in the example: a deterministic language model that needs neither an API key nor
 * network access. Like any model, the stock model sees only the conversation and the tools.
 *
 * @module
 */

import { setTimeout as delay } from "node:timers/promises";
import type { LanguageModel, ModelMessage, ModelResponse, ToolResult } from "@parley/runtime";

/** Duration of a model call, in milliseconds. */
export const THINKING_MS = 200;

/**
 * Creates a model that looks up the prices of an order, reserves the items, and returns the total.
 */
export function createStockModel(): LanguageModel {
  return {
    modelId: "stock-1",
    provider: "embedded",
    async generate({ messages, signal }) {
      await delay(THINKING_MS, undefined, signal && { signal });
      return withUsage(messages, respond(messages));
    },
  };
}

function respond(messages: readonly ModelMessage[]): ModelResponse {
  const [, order = "", list = ""] = /^Order (\d+): (.*)$/.exec(questionIn(messages)) ?? [];
  const items = [...list.matchAll(/(\d+) x (\w+)/g)]
    .map(([, quantity, item]) => ({ quantity: Number(quantity), item }));
  const results = messages.flatMap((message) => message.role === "tool" ? message.content : []);
  const prices = results.filter(({ toolName }) => toolName === "price").map(textOf).map(Number);
  if (prices.length === 0) return toCalls("price", items.map(({ item }) => ({ item })));
  const reserved = results.filter(({ toolName }) => toolName === "reserve").map(textOf);
  if (reserved.length === 0) return toCalls("reserve", items);
  const failed = reserved.find((text) => !text.startsWith("Reserved"));
  const total = items.reduce(
    (sum, { quantity }, index) => sum + quantity * (prices[index] ?? 0),
    0,
  );
  return toText(failed ?? `Order ${order} is reserved and costs ${total} euros.`);
}

/** Adds the token usage, estimated from the number of characters. */
function withUsage(messages: readonly ModelMessage[], response: ModelResponse): ModelResponse {
  const tokensOf = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);
  const [inputTokens, outputTokens] = [tokensOf(messages), tokensOf(response.message)];
  const totalTokens = inputTokens + outputTokens;
  return { ...response, usage: { inputTokens, outputTokens, totalTokens } };
}

function questionIn(messages: readonly ModelMessage[]): string {
  const user = messages.find(({ role }) => role === "user");
  const parts = user?.role === "user" ? user.content : [];
  return parts.map((part) => part.type === "text" ? part.text : "").join("");
}

function textOf({ output }: ToolResult): string {
  return "value" in output ? String(output.value) : "";
}

function toCalls(toolName: string, inputs: readonly object[]): ModelResponse {
  const content = inputs.map((input, index) => ({
    type: "tool-call" as const,
    toolCallId: `${toolName}-${index}`,
    toolName,
    input: { ...input },
  }));
  return { message: { role: "assistant", content }, finishReason: "tool-calls" };
}

function toText(text: string): ModelResponse {
  return {
    message: { role: "assistant", content: [{ type: "text", text }] },
    finishReason: "stop",
  };
}
