import { assertEquals, assertRejects } from "@std/assert";
import { EventEmitter } from "node:events";
import { readChunks } from "./chunks.ts";

/** A stream that counts how often it is held up. */
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

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<number[]> {
  const all: number[] = [];
  for await (const chunk of chunks) all.push(...chunk);
  return all;
}

const COUNT = 17;
const MANY = Array.from({ length: COUNT }, (_, index) => index);

Deno.test("readChunks() gives what came before the end, be it that or the close", async () => {
  for (const event of ["end", "close"]) {
    const source = new Source();
    const chunks = readChunks(source);
    source.give(1, 2);
    source.emit(event, false);
    source.emit("close", false);
    assertEquals(await collect(chunks), [1, 2]);
  }
});

Deno.test("readChunks() throws what broke the stream after the last chunk, unless told why it ended", async () => {
  const gone = () => Promise.resolve(new RangeError("gone"));
  for (const [reasonOf, message] of [[undefined, "cut off"], [gone, "gone"]] as const) {
    const source = new Source();
    const chunks = readChunks(source, reasonOf)[Symbol.asyncIterator]();
    source.give(1);
    source.emit("error", new Error("cut off"));
    source.emit("close", true);
    assertEquals((await chunks.next()).done, false);
    await assertRejects(() => chunks.next(), Error, message);
  }
});

Deno.test("readChunks() pauses the stream while too many chunks wait, and goes on then", async () => {
  const source = new Source();
  const chunks = readChunks(source)[Symbol.asyncIterator]();
  source.give(...MANY.slice(1));
  assertEquals([source.paused, source.resumed], [0, 0]);
  source.give(COUNT);
  assertEquals([source.paused, source.resumed], [1, 0]);
  await chunks.next();
  assertEquals([source.paused, source.resumed], [1, 1]);
});

Deno.test("readChunks() loses no chunk of a stream that ends while it is paused", async () => {
  const source = new Source();
  const chunks = readChunks(source);
  source.give(...MANY);
  source.emit("end");
  await Promise.resolve();
  assertEquals(await collect(chunks), MANY);
});
