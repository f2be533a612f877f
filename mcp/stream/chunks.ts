/**
 * The chunks of a stream of Node's kind, one after the other.
 *
 * @module
 */

import { Queue } from "./queue.ts";

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

/** How many chunks may wait before the stream is paused. */
const MAX_CHUNKS = 16;

/**
 * Reads a stream by its events: its own iterator takes more steps for each chunk than a quick answer takes. For one
 * consumer, which holds up the stream as long as many chunks wait for it.
 *
 * @param stream where the chunks come from; it flows from now on
 * @param reasonOf what the consumer is to throw at the end, given what broke the stream if anything did. Default: that
 */
export function readChunks(
  stream: ChunkSource,
  reasonOf: (error?: Error) => Promise<Error | undefined> = (error) => Promise.resolve(error),
): AsyncIterable<Uint8Array> {
  const chunks = new Queue<Uint8Array>({ capacity: MAX_CHUNKS });
  // Settles when there is room for the last chunk: a stream that is paused may end, and must not take that along.
  let held: Promise<unknown> = Promise.resolve();
  stream.on("data", (chunk) => {
    if (chunks.tryPush(chunk)) return;
    stream.pause();
    held = chunks.push(chunk).then(() => stream.resume());
  });
  let isOver = false;
  const end = async (error?: Error): Promise<void> => {
    if (isOver) return;
    isOver = true;
    const reason = await reasonOf(error);
    await held;
    chunks.end(reason);
  };
  stream.on("end", () => end());
  stream.on("error", end);
  // With a flag of its own that says no more than `error` did.
  stream.on("close", () => end());
  return chunks;
}
