/**
 * Estimate of the tokens of a request before the request is sent.
 *
 * @module
 */

import type { ModelMessage, ModelRequest, ToolResultOutput } from "../shared/model.ts";

type MessagePart = Exclude<ModelMessage["content"], string>[number];

/**
 * Returns an estimate of the tokens of a request: a quarter of the characters of its messages,
 * without files, rounded up.
 */
export function estimateTokens({ messages }: ModelRequest): number {
  let chars = 0;
  for (const message of messages) {
    if (message.role === "system") chars += message.content.length;
    else for (const part of message.content) chars += charsOf(part);
  }
  return Math.ceil(chars / 4);
}

function charsOf(part: MessagePart): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length;
    case "tool-call":
      return (part.rawInput ?? JSON.stringify(part.input) ?? "").length;
    case "tool-result":
      return charsOfOutput(part.output);
    case "file":
      return 0;
    default:
      return part satisfies never;
  }
}

function charsOfOutput(output: ToolResultOutput): number {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value.length;
    case "json":
    case "error-json":
      return JSON.stringify(output.value).length;
    case "content":
      return output.value.reduce((sum, part) => sum + charsOf(part), 0);
    case "execution-denied":
      return output.reason?.length ?? 0;
    default:
      return output satisfies never;
  }
}
