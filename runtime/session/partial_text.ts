/**
 * The text of an iteration that has not ended.
 *
 * @module
 */

import type { LogEntry } from "../log/log_entry.ts";

/**
 * Collects the text that the outermost agent has written since its last finished iteration: the
 * text that was streamed, or the text of a complete response whose tool calls have not ended.
 */
export class PartialText {
  #pieces: string[] = [];

  /** The text, or `""`. */
  get text(): string {
    return this.#pieces.join("");
  }

  /** Sets the text that another process has streamed. */
  restore(text: string): void {
    this.#pieces = [text];
  }

  /** Adds an event. */
  add(event: LogEntry): void {
    if (event.path.length !== 1) return;
    switch (event.type) {
      case "text_delta":
        this.#pieces.push(event.text);
        break;
      case "model_finished":
        this.#pieces = event.message.content.map((part) => part.type === "text" ? part.text : "");
        break;
      case "model_started":
      case "model_retry":
      case "iteration_finished":
        this.#pieces = [];
    }
  }
}
