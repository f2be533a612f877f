/**
 * What went over a wire in the course of one case: the end of it, cut to a readable size.
 *
 * @module
 */

const MAX_ENTRIES = 200;
const MAX_CHARACTERS = 2000;

/** Collects lines such as `12 ms → {"type":"op"}`. */
export class Trace {
  readonly #start: number = performance.now();
  #lines: string[] = [];

  /** Adds one line: who wrote (`→` the kit, `←` the subject, `!` neither) and what. */
  add(direction: "→" | "←" | "!", text: string): void {
    const cut = text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`;
    this.#lines.push(`${Math.round(performance.now() - this.#start)} ms ${direction} ${cut}`);
    if (this.#lines.length > 2 * MAX_ENTRIES) this.#lines = this.#lines.slice(-MAX_ENTRIES);
  }

  /** The lines so far, oldest first. */
  lines(): readonly string[] {
    return this.#lines.slice(-MAX_ENTRIES);
  }
}
