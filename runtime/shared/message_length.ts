/**
 * Lengths of messages, for estimates of their tokens.
 *
 * @module
 */

import type { ModelMessage } from "../shared/model.ts";

/** Estimated length of a file, in characters. */
const FILE_CHARS = 4_000;

/**
 * Returns the length of messages in characters. Each file counts as a fixed number of characters.
 */
export function lengthOf(messages: readonly ModelMessage[]): number {
  let length = 0;
  for (const { content } of messages) {
    if (typeof content === "string") length += content.length;
    else for (const part of content) length += lengthOfPart(part);
  }
  return length;
}

/** Returns the length of a part in characters. */
export function lengthOfPart(part: Exclude<ModelMessage["content"], string>[number]): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text.length;
    case "file":
      return FILE_CHARS;
    case "tool-call":
      return part.toolName.length + (part.rawInput ?? jsonText(part.input)).length;
    case "tool-result":
      return part.output.type === "content"
        ? lengthOfParts(part.output.value)
        : jsonText(part.output).length;
    default:
      return part satisfies never;
  }
}

function lengthOfParts(parts: readonly Parameters<typeof lengthOfPart>[0][]): number {
  return parts.reduce((sum, part) => sum + lengthOfPart(part), 0);
}

function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? "";
}
