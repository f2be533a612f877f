/**
 * Output of `parley-kit run` while cases are running.
 *
 * @module
 */

import type { CommandIo } from "../kit/command_io.ts";
import { excerpt } from "../kit/escape_text.ts";
import { type CaseResult, isFailure } from "../kit/verdict.ts";
import { formatResult, type TextOptions } from "../reporters/text.ts";

/** Assumed width of the terminal if the width is unknown. */
const COLUMNS = 80;

/** Prints failures when they occur, and the progress of the run on a single terminal line. */
export class ResultPrinter {
  readonly #io: CommandIo;
  readonly #options: TextOptions;
  readonly #out: (text: string) => void;
  #done = 0;
  #failed = 0;

  /** @param out Writes the failures. */
  constructor(io: CommandIo, options: TextOptions, out: (text: string) => void) {
    this.#io = io;
    this.#options = options;
    this.#out = out;
  }

  /** Prints a result if it is a failure, and updates the progress. */
  add(result: CaseResult): void {
    this.#done++;
    if (isFailure(result) && result.isRequired) this.#failed++;
    const text = formatResult(result, this.#options);
    if (text !== "") {
      this.clear();
      this.#out(text);
    }
    if (!this.#io.isTerminal) return;
    const line = `${this.#done} done, ${this.#failed} failed  ${result.id}`;
    this.#io.err(`\r\x1b[K${cutTo(this.#io.columns ?? COLUMNS, line)}`);
  }

  /** Removes the progress line. */
  clear(): void {
    if (this.#io.isTerminal) this.#io.err("\r\x1b[K");
  }
}

/**
 * Truncates a line to one column less than the terminal's width, because some terminals wrap full
 * lines.
 */
function cutTo(columns: number, line: string): string {
  return line.length < columns ? line : excerpt(line, Math.max(columns - 2, 0));
}
