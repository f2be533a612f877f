/**
 * Message log for one case, limited to the most recent messages, each truncated to a readable
 * length.
 *
 * @module
 */

import { excerpt } from "../kit/escape_text.ts";

const MAX_ENTRIES = 200;
const MAX_CHARACTERS = 2000;

/** Collects lines such as `12 ms → {"type":"op"}`. */
export class Trace {
  readonly #start: number = performance.now();
  #lines: string[] = [];
  #received = 0;
  #lastSent: string | undefined;

  /** Number of messages from the subject. */
  get received(): number {
    return this.#received;
  }

  /**
   * Adds a line: `→` for messages from the kit, `←` for messages from the subject, `!` for other
   * events.
   */
  add(direction: "→" | "←" | "!", text: string): void {
    if (direction === "←") this.#received++;
    if (direction === "→") this.#lastSent = text;
    const cut = excerpt(text, MAX_CHARACTERS);
    this.#lines.push(`${Math.round(performance.now() - this.#start)} ms ${direction} ${cut}`);
    if (this.#lines.length > 2 * MAX_ENTRIES) this.#lines = this.#lines.slice(-MAX_ENTRIES);
  }

  /** Text of the last message from the kit, or `undefined` if the kit has sent none. */
  get lastSent(): string | undefined {
    return this.#lastSent;
  }

  /** Returns the lines, in order. */
  lines(): readonly string[] {
    return this.#lines.slice(-MAX_ENTRIES);
  }
}
