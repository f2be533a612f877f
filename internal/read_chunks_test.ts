import { assertEquals, assertRejects } from "@std/assert";
import { EventEmitter } from "node:events";
import { type ChunkReader, readChunks, type TakeChunk } from "./read_chunks.ts";

/** A stream that counts how many times it is paused. */
class Source extends EventEmitter {
  paused = 0;
  resumed = 0;

  pause(): void {
    this.paused++;
  }

  resume(): void {
    this.resumed++;
  }

  give(...values: readonly number[]): void {
    for (const value of values) this.emit("data", Uint8Array.of(value));
  }
}

/** A consumer that always has capacity. */
async function collect(read: ChunkReader): Promise<number[]> {
  const all: number[] = [];
  await read((chunk) => void all.push(...chunk));
  return all;
}

/** A consumer that gains capacity for one chunk with each call to `let()`. */
class Slow {
  readonly taken: number[] = [];
  readonly #waiting: ((isWanted: boolean) => void)[] = [];

  readonly take: TakeChunk = (chunk) => {
    this.taken.push(...chunk);
    return new Promise((resolve) => this.#waiting.push(resolve));
  };

  /** Adds capacity for one chunk or, if `isWanted` is `false`, stops consuming. */
  async let(isWanted = true): Promise<void> {
    this.#waiting.shift()?.(isWanted);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }
}

Deno.test("readChunks() delivers all chunks before the end or close event", async () => {
  for (const event of ["end", "close"]) {
    const source = new Source();
    const chunks = collect(readChunks(source));
    source.give(1, 2);
    source.emit(event, false);
    source.emit("close", false);
    assertEquals(await chunks, [1, 2]);
    assertEquals([source.paused, source.resumed], [0, 0]);
  }
});

Deno.test("readChunks() does not end before a held chunk has been consumed", async () => {
  const source = new Source();
  const slow = new Slow();
  let isOver = false;
  const read = readChunks(source)(slow.take).then(() => isOver = true);
  source.give(1, 2);
  source.emit("end");
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  assertEquals([slow.taken, isOver], [[1], false]);
  await slow.let();
  assertEquals([slow.taken, isOver], [[1, 2], false]);
  await slow.let();
  await read;
});

Deno.test("readChunks() rejects with the stream error or the given reason", async () => {
  const gone = () => Promise.resolve(new RangeError("gone"));
  for (const [reasonOf, message] of [[undefined, "cut off"], [gone, "gone"]] as const) {
    const source = new Source();
    const chunks: number[] = [];
    const reading = readChunks(source, reasonOf)((chunk) => void chunks.push(...chunk));
    source.give(1);
    source.emit("error", new Error("cut off"));
    source.emit("close", true);
    await assertRejects(() => reading, Error, message);
    assertEquals(chunks, [1]);
  }
});

Deno.test("readChunks() pauses the stream while the consumer has no capacity", async () => {
  const source = new Source();
  const slow = new Slow();
  const reading = readChunks(source)(slow.take);
  source.give(1);
  assertEquals([source.paused, source.resumed], [1, 0]);
  await slow.let();
  assertEquals([source.paused, source.resumed], [1, 1]);
  source.give(2);
  assertEquals([source.paused, source.resumed], [2, 1]);
  await slow.let();
  source.emit("end");
  await reading;
  assertEquals([slow.taken, source.resumed], [[1, 2], 2]);
});

Deno.test("readChunks() delivers all chunks of a stream that ends while paused", async () => {
  for (const error of [undefined, new Error("cut off")]) {
    const source = new Source();
    const slow = new Slow();
    const reading = readChunks(source)(slow.take).catch((reason) => reason);
    source.give(1, 2, 3);
    source.emit(error === undefined ? "end" : "error", error);
    assertEquals([slow.taken, source.paused], [[1], 1]);
    for (const _chunk of [1, 2, 3]) await slow.let();
    assertEquals(await reading, error);
    assertEquals([slow.taken, source.resumed], [[1, 2, 3], 1]);
  }
});

Deno.test("readChunks() drops the remaining chunks after the consumer has returned false", async () => {
  const source = new Source();
  const slow = new Slow();
  const reading = readChunks(source)(slow.take);
  source.give(1, 2);
  await slow.let(false);
  source.give(3);
  assertEquals([slow.taken, source.paused, source.resumed], [[1], 1, 1]);
  source.emit("end");
  await reading;
});
