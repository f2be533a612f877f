/**
 * The input of a tool call as JSON text.
 *
 * @module
 */

import type { ToolCall } from "./model.ts";

/**
 * Parses the input of a tool call. Intended for model adapters that receive the input as JSON text.
 *
 * @param text Input, as written by the model. An empty string is read as `{}`, because some servers
 * send an empty string for a call without arguments.
 * @returns The parsed input, or `{}` with the text in `rawInput` if it is not valid JSON.
 *
 * @example Parse valid and invalid JSON
 * ```ts
 * import { readToolInput } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readToolInput('{"a":1}'), { input: { a: 1 } });
 * assertEquals(readToolInput('{"a":'), { input: {}, rawInput: '{"a":' });
 * ```
 */
export function readToolInput(text: string): Pick<ToolCall, "input" | "rawInput"> {
  if (!text.trim()) return { input: {} };
  try {
    return { input: JSON.parse(text) };
  } catch {
    // Do not throw: the loop reports invalid input to the model in the tool result.
    return { input: {}, rawInput: text };
  }
}
