/**
 * Reads a Node.js readable stream in chunks, with backpressure.
 *
 * @module
 */

/**
 * Function that consumes a chunk. Returns `undefined` if the consumer has capacity for the next
 * chunk. A consumer without capacity returns a promise that resolves when it has capacity, or
 * resolves to `false` if it does not want more chunks.
 */
export type TakeChunk = (chunk: Uint8Array) => Promise<boolean> | undefined;

/**
 * Passes chunks to a consumer in order. Resolves at the end of the input and rejects if reading
 * fails.
 */
export type ChunkReader = (take: TakeChunk) => Promise<void>;

/** The subset of a Node.js readable stream that {@linkcode readChunks} uses. */
export interface ChunkSource {
  /** Adds a listener that is called with each chunk. */
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  /** Adds a listener that is called when the stream ends or closes. */
  on(event: "end" | "close", listener: () => void): unknown;
  /** Adds a listener that is called when the stream fails. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Pauses the stream. */
  pause(): unknown;
  /** Resumes the stream. */
  resume(): unknown;
}

/**
 * Creates a reader for a stream. The reader uses events, because the stream's async iterator takes
 * longer per chunk than an entire fast response. The stream is paused while the consumer has no
 * capacity. If the consumer does not want more chunks, the remaining chunks are dropped.
 *
 * @param stream Stream to read.
 * @param reasonOf Function that is called at the end of the stream with the stream error, if any.
 * Returns the error to reject with, or `undefined` to resolve. If `reasonOf` is omitted, the
 * promise rejects with the stream error, if any.
 */
export function readChunks(
  stream: ChunkSource,
  reasonOf: (error?: Error) => Promise<Error | undefined> = (error) => Promise.resolve(error),
): ChunkReader {
  return (take) =>
    new Promise((resolve, reject) => {
      const chunks = new Chunks(stream, take);
      let isOver = false;
      const end = async (error?: Error): Promise<void> => {
        if (isOver) return;
        isOver = true;
        const reason = await reasonOf(error);
        await chunks.held;
        if (reason === undefined) resolve();
        else reject(reason);
      };
      stream.on("data", (chunk) => chunks.give(chunk));
      stream.on("end", () => end());
      stream.on("error", end);
      // Some streams pass an argument to `close` listeners. The listener ignores this argument,
      // because it adds nothing to the information in the `error` event.
      stream.on("close", () => end());
    });
}

/** Passes the chunks of a stream to a consumer. */
class Chunks {
  readonly #stream: ChunkSource;
  readonly #take: TakeChunk;
  #isWanted = true;
  #held: Promise<void> | undefined;

  constructor(stream: ChunkSource, take: TakeChunk) {
    this.#stream = stream;
    this.#take = take;
  }

  /**
   * Settles when all chunks received before the pause have been consumed. The stream can end before
   * its last chunks have been consumed, and those chunks must not be lost.
   */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  give(chunk: Uint8Array): void {
    if (!this.#isWanted) return;
    if (this.#held !== undefined) {
      // Some streams emit more chunks after `pause()`.
      this.#hold(this.#held.then(() => this.#isWanted && (this.#take(chunk) ?? true)));
      return;
    }
    const waited = this.#take(chunk);
    if (waited !== undefined) this.#hold(waited);
  }

  #hold(until: Promise<boolean>): void {
    if (this.#held === undefined) this.#stream.pause();
    const held = until.then((isWanted) => {
      this.#isWanted = isWanted;
      if (this.#held !== held) return;
      this.#held = undefined;
      this.#stream.resume();
    });
    this.#held = held;
  }
}
