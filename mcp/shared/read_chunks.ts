/**
 * The chunks of a stream of Node's kind, one after the other.
 *
 * @module
 */

/**
 * Takes a chunk and returns nothing when there is room for the next one at once, as there mostly is. Otherwise it returns
 * a promise that settles once there is room, with `false` when no more chunks are wanted.
 */
export type TakeChunk = (chunk: Uint8Array) => Promise<boolean> | undefined;

/** Gives somebody one chunk after the other. Resolves at the end of the chunks; rejects with what broke them off. */
export type ChunkReader = (take: TakeChunk) => Promise<void>;

/** As much of a readable stream as it takes to read it. */
export interface ChunkSource {
  /** Calls a listener with each chunk. */
  on(event: "data", listener: (chunk: Uint8Array) => void): unknown;
  /** Calls a listener when no more chunks come. */
  on(event: "end" | "close", listener: () => void): unknown;
  /** Calls a listener when the stream breaks. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Asks for no more chunks. */
  pause(): unknown;
  /** Asks for chunks again. */
  resume(): unknown;
}

/**
 * Reads a stream by its events: its own iterator takes more steps for each chunk than a quick answer takes. The stream is
 * paused as long as there is no room for its chunks; when none are wanted any more, it flows on and they are dropped.
 *
 * @param stream where the chunks come from
 * @param reasonOf what to reject with at the end, given what broke the stream if anything did. Default: that
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
      // With a flag of its own that says no more than `error` did.
      stream.on("close", () => end());
    });
}

/** The way from a stream to whoever takes its chunks. */
class Chunks {
  readonly #stream: ChunkSource;
  readonly #take: TakeChunk;
  #isWanted = true;
  #held: Promise<void> | undefined;

  constructor(stream: ChunkSource, take: TakeChunk) {
    this.#stream = stream;
    this.#take = take;
  }

  /** Settles once all chunks are taken: a stream that is paused may end, and must not take them along. */
  get held(): Promise<void> | undefined {
    return this.#held;
  }

  give(chunk: Uint8Array): void {
    if (!this.#isWanted) return;
    if (this.#held !== undefined) {
      // Some streams have chunks on the way when they are paused.
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
