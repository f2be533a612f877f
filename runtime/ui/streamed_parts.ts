/**
 * The parts of a response that were streamed before the response was complete.
 *
 * @module
 */

import type { AssistantMessage } from "../shared/model.ts";

/** The streamed parts of the current iteration. */
export class StreamedParts {
  text = "";
  reasoning = "";
  readonly toolCallIds: Set<string> = new Set<string>();
  /** The text or reasoning part that has not ended. */
  open: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined;

  get isEmpty(): boolean {
    return this.text === "" && this.reasoning === "" && this.toolCallIds.size === 0;
  }

  /**
   * Returns true if the response consists of exactly the streamed text and reasoning, and contains
   * the streamed tool calls.
   */
  matches({ content }: AssistantMessage): boolean {
    const missing = new Set(this.toolCallIds);
    let text = "";
    let reasoning = "";
    for (const part of content) {
      if (part.type === "text") text += part.text;
      else if (part.type === "reasoning") reasoning += part.text;
      else if (part.type === "tool-call") missing.delete(part.toolCallId);
    }
    return text === this.text && reasoning === this.reasoning && missing.size === 0;
  }
}
