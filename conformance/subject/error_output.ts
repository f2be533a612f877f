/**
 * Standard error of a subject's process.
 *
 * @module
 */

import { excerptErrors } from "../kit/error_lines.ts";

const MAX_CHARACTERS = 65_536;

/** Stores what a process writes to standard error during one case, up to a maximum length. */
export class ErrorOutput {
  readonly #decoder = new TextDecoder();
  #text = "";

  /** Adds a chunk. */
  add(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.decode(chunk, { stream: true }))
      .slice(-MAX_CHARACTERS);
  }

  /** Starts a case: removes the output of earlier cases. */
  begin(): void {
    this.#text = "";
  }

  /** Returns the first lines, the last lines, and the lines in between that name an error. */
  excerpt(): string {
    return excerptErrors(this.#text);
  }
}
