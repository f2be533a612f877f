import { assertEquals, assertRejects } from "@std/assert";
import { Writable } from "node:stream";
import { type TextSink, writeText } from "./write_text.ts";

type Done = (error?: Error | null) => void;

/** A stream that takes texts when it is told to, and what it has taken. */
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

Deno.test("writeText() has nothing to wait for when a stream takes a text at once", () => {
  const { stream, taken } = sink(true);
  assertEquals([writeText(stream, "a"), writeText(stream, "b")], [undefined, undefined]);
  assertEquals(taken, ["a", "b"]);
});

Deno.test("writeText() waits until the text has been taken, and all before it", async () => {
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

Deno.test("writeText() rejects with what breaks the stream", async () => {
  const { stream, settle } = sink(false);
  const writes = ["a", "b"].map((text) => writeText(stream, text));
  settle.shift()?.(new Error("cut off"));
  for (const write of writes) await assertRejects(async () => await write, Error, "cut off");
  await assertRejects(async () => await writeText(stream, "c"), Error);
});

Deno.test("writeText() rejects when the stream is destroyed or at its end", async () => {
  for (const end of ["destroy", "end"] as const) {
    const { stream } = sink(true);
    stream[end]();
    await assertRejects(async () => await writeText(stream, "a"), Error);
  }
});

Deno.test("writeText() rejects when a stream breaks at once", async () => {
  const stream = new Writable({ write: (_text, _encoding, done) => done(new Error("cut off")) });
  stream.on("error", () => {});
  await assertRejects(async () => await writeText(stream, "a"), Error, "cut off");
});

/** A stream as Bun has them: what waits is not counted, and what is taken is said before `write` returns. */
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

Deno.test("writeText() waits where a stream says that there is no room and nothing else", async () => {
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

Deno.test("writeText() rejects when a stream says that it is broken before it returns", async () => {
  for (const hasRoom of [true, false]) {
    const write = (_text: string, done: Done) => (done(new Error("cut off")), hasRoom);
    const stream = { writable: false, writableLength: 0, write };
    await assertRejects(async () => await writeText(stream, "a"), Error, "cut off");
  }
});

Deno.test("writeText() takes the word of a stream that has taken a text and has no room left", () => {
  const write = (_text: string, done: Done) => (done(), false);
  assertEquals(writeText({ writable: true, writableLength: 0, write }, "a"), undefined);
});
