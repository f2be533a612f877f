/**
 * A file of recorded steps, written by hand for one process: one line of JSON per step, in a file
 * that stays open. Each step has a unique key, is written completely, and is stored on the disk
 * before the next one. A change of the file by another process is detected by its size.
 *
 * @module
 */

import type { FileHandle } from "node:fs/promises";

/** A recorded step. */
interface Step {
  readonly key: string;
}

/** A file of recorded steps. */
export class HandMadeSteps {
  readonly #file: FileHandle;
  readonly #steps = new Map<string, Step>();
  #bytes = 0;

  /** Creates an object for an open, empty file. */
  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Number of recorded steps. */
  get size(): number {
    return this.#steps.size;
  }

  /** Records a step. */
  async append(step: Step): Promise<void> {
    if (this.#steps.has(step.key)) throw new Error("The step is recorded already");
    if ((await this.#file.stat()).size !== this.#bytes) throw new Error("The file has changed");
    const bytes = new TextEncoder().encode(`${JSON.stringify(step)}\n`);
    const { bytesWritten } = await this.#file.write(bytes);
    if (bytesWritten < bytes.length) throw new Error("The disk is full");
    await this.#file.datasync();
    this.#bytes += bytes.length;
    this.#steps.set(step.key, step);
  }

  /** Closes the file. */
  async close(): Promise<void> {
    await this.#file.close();
  }
}
