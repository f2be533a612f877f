/**
 * Converts tool results to text, for APIs that accept only text.
 *
 * @module
 */

import type { ToolResultOutput } from "../shared/model.ts";
import { toJsonText } from "./response_fields.ts";

/** Text of an error without a message. Some APIs reject an error without text. */
export const NO_MESSAGE = "The tool reported an error without a message";

/** Returns the text of a tool output. The `content` output type is not supported. */
export function toResultText(output: Exclude<ToolResultOutput, { type: "content" }>): string {
  switch (output.type) {
    case "text":
      return output.value;
    case "error-text":
      return output.value.trim() === "" ? NO_MESSAGE : output.value;
    case "json":
    case "error-json":
      return toJsonText(output.value);
    case "execution-denied":
      return output.reason === undefined
        ? "The call was not approved"
        : `The call was not approved: ${output.reason}`;
    default:
      return output satisfies never;
  }
}
