import { assertEquals, assertRejects } from "@std/assert";
import { Writable } from "node:stream";
import { type TextSink, writeText } from "./write_text.ts";

type Done = (error?: Error | null) => void;

/**
 * A stream that flushes immediately or when the test settles a write, and the strings that were
 * written.
 */
function sink(takesAtOnce: boolean): {
  readonly stream: Writable;
  readonly taken: string[];
  readonly settle: ((error?: Error) => void)[];
} {
  const taken: string[] = [];
  const settle: ((error?: Error) => void)[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      taken.push(text);
      if (takesAtOnce) done();
      else settle.push(done);
    },
  });
  stream.on("error", () => {});
  return { stream, taken, settle };
}

Deno.test("writeText() returns undefined if the text is flushed synchronously", () => {
  const { stream, taken } = sink(true);
  assertEquals([writeText(stream, "a"), writeText(stream, "b")], [undefined, undefined]);
  assertEquals(taken, ["a", "b"]);
});

Deno.test("writeText() waits until the text and all earlier writes are flushed", async () => {
  const { stream, taken, settle } = sink(false);
  const done: string[] = [];
  const writes = ["a", "b"].map((text) => writeText(stream, text)?.then(() => done.push(text)));
  assertEquals([taken, done], [["a"], []]);
  settle.shift()?.();
  await writes[0];
  assertEquals([taken, done], [["a", "b"], ["a"]]);
  settle.shift()?.();
  await writes[1];
  assertEquals(done, ["a", "b"]);
});

Deno.test("writeText() rejects with the stream's error", async () => {
  const { stream, settle } = sink(false);
  const writes = ["a", "b"].map((text) => writeText(stream, text));
  settle.shift()?.(new Error("cut off"));
  for (const write of writes) await assertRejects(async () => await write, Error, "cut off");
  await assertRejects(async () => await writeText(stream, "c"), Error);
});

Deno.test("writeText() rejects if the stream is destroyed or has ended", async () => {
  for (const end of ["destroy", "end"] as const) {
    const { stream } = sink(true);
    stream[end]();
    await assertRejects(async () => await writeText(stream, "a"), Error);
  }
});

Deno.test("writeText() rejects if the stream fails synchronously", async () => {
  const stream = new Writable({ write: (_text, _encoding, done) => done(new Error("cut off")) });
  stream.on("error", () => {});
  await assertRejects(async () => await writeText(stream, "a"), Error, "cut off");
});

/**
 * A stream that behaves like Bun's streams: `writableLength` is 0, and `done` is called before
 * `write()` returns.
 */
function countless(...hasRoom: readonly boolean[]): TextSink & { readonly settle: Done[] } {
  const rooms = [...hasRoom];
  const settle: Done[] = [];
  return {
    settle,
    writable: true,
    writableLength: 0,
    write: (_text, done) => {
      if (rooms.shift()) return done(), true;
      settle.push(done);
      return false;
    },
  };
}

Deno.test("writeText() waits if write() returns false", async () => {
  const stream = countless(true, false, false);
  assertEquals(writeText(stream, "a"), undefined);
  const done: string[] = [];
  const writes = ["b", "c"].map((text) => writeText(stream, text)?.then(() => done.push(text)));
  await Promise.resolve();
  assertEquals([stream.settle.length, done], [2, []]);
  for (const settle of stream.settle) settle();
  await Promise.all(writes);
  assertEquals(done, ["b", "c"]);
});

Deno.test("writeText() rejects if done() receives an error before write() returns", async () => {
  for (const hasRoom of [true, false]) {
    const write = (_text: string, done: Done) => (done(new Error("cut off")), hasRoom);
    const stream = { writable: false, writableLength: 0, write };
    await assertRejects(async () => await writeText(stream, "a"), Error, "cut off");
  }
});

Deno.test("writeText() returns undefined if the text is flushed and write() returns false", () => {
  const write = (_text: string, done: Done) => (done(), false);
  assertEquals(writeText({ writable: true, writableLength: 0, write }, "a"), undefined);
});
