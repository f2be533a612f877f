/**
 * A server on a byte pipe.
 *
 * @module
 */

import { assert } from "@std/assert";
import { servePipe } from "../../server.ts";
import { LinePipe } from "../../transport/ndjson_pipe.ts";
import type { ChunkReader } from "@parley/internal/read-chunks";
import { splitLines } from "@parley/internal/split-lines";
import { Queue } from "../../shared/bounded_queue.ts";
import { type Cut, pieces } from "./frames.ts";
import { everythingServer } from "./subject.ts";

/** Response members that tests read. */
export interface Answer {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const LINE_FEED = new Uint8Array([0x0a]);

/** A server on a byte pipe. */
export class ServedLine {
  readonly #bytes = new Queue<Uint8Array>({ capacity: 100_000 });
  readonly #read: ChunkReader = async (take) => {
    for await (const chunk of this.#bytes) await take(chunk);
  };
  readonly #serving: Promise<void>;

  /** Starts the server. */
  constructor(hear: (answer: Answer) => void) {
    const writer = { writeLine: (line: string) => Promise.resolve(hear(JSON.parse(line))) };
    this.#serving = servePipe(everythingServer(), new LinePipe(splitLines(this.#read), writer));
  }

  /** Writes a line in chunks. */
  write(line: Cut): void {
    for (const piece of [...pieces(line), LINE_FEED]) {
      assert(this.#bytes.tryPush(piece), "the input queue is full");
    }
  }

  /** Ends the input and waits until the server stops. */
  async end(): Promise<void> {
    this.#bytes.end();
    await this.#serving;
  }
}
