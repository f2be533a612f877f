/**
 * Tool results as text, for interfaces that have nothing better.
 *
 * @module
 */

import type { ToolResultOutput } from "../shared/model.ts";
import { toJsonText } from "./response_fields.ts";

/** The words of an output that is not made of parts. */
export function toResultText(output: Exclude<ToolResultOutput, { type: "content" }>): string {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
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
