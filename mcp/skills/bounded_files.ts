/**
 * A source of skill files whose calls have a timeout.
 *
 * @module
 */

import { callWithin } from "@parley/internal/call-within";
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
    const timeoutMs = this.#timeoutMs;
    const late = (): McpError => {
      this.#hasTimedOut = true;
      return McpError.core(`${name} timed out after ${timeoutMs} ms`);
    };
    return await callWithin(call, { signal: undefined, timeoutMs, late });
  }
}
