/**
 * A source of skill files whose calls have a timeout.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { McpError } from "../shared/error.ts";
import type { SkillFiles } from "./skill_files.ts";

/** A source of skill files. A call to the source rejects if it takes too long. */
export class BoundedFiles implements SkillFiles {
  readonly #files: SkillFiles;
  readonly #timeoutMs: number;
  #hasTimedOut = false;

  /** Creates a source with a timeout for each call, in milliseconds. */
  constructor(files: SkillFiles, timeoutMs: number) {
    this.#files = files;
    this.#timeoutMs = timeoutMs;
  }

  /** Whether a call has timed out. */
  get hasTimedOut(): boolean {
    return this.#hasTimedOut;
  }

  /** Calls `list` of the source. */
  list(): Promise<readonly string[]> {
    return this.#call('"files.list"', () => this.#files.list());
  }

  /** Calls `read` of the source. */
  read(path: string): Promise<Uint8Array> {
    return this.#call('"files.read"', () => this.#files.read(path));
  }

  async #call<T>(name: string, call: () => Promise<T>): Promise<T> {
    const timer = new AbortController();
    const timeoutMs = this.#timeoutMs;
    const id = setTimeout(() => {
      this.#hasTimedOut = true;
      timer.abort(McpError.core(`${name} timed out after ${timeoutMs} ms`));
    }, Math.min(timeoutMs, MAX_TIMER_MS));
    try {
      return await abortable(Promise.resolve(call()), timer.signal);
    } finally {
      clearTimeout(id);
    }
  }
}
