import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { JournalStore } from "../journal/store.ts";
import { jsonlSessions, memorySessions } from "../session.ts";
import { AgentError } from "../shared/error.ts";

/** Storage for the lines of one session, which appends each line atomically. */
class TextStore implements JournalStore {
  text: string;
  /** Called before a line is appended. */
  beforeAppend: () => void = () => {};

  constructor(text = "") {
    this.text = text;
  }

  read(): Promise<string> {
    return Promise.resolve(this.text);
  }

  append(text: string): Promise<void> {
    this.beforeAppend();
    this.text += text;
    return Promise.resolve();
  }
}

function lineOf(n: number, record: string): string {
  return `${JSON.stringify({ v: 1, n, id: `id of ${record}`, record })}\n`;
}

Deno.test("memorySessions() removes the least recently used session", async () => {
  const store = memorySessions({ maxSessions: 2 });
  await store.append("a", 1, 0);
  await store.append("b", 1, 0);
  await store.load("a");
  await store.append("c", 1, 0);
  assertEquals([await store.load("a"), await store.load("b")], [[1], []]);
  assertEquals(await store.append("b", 2, 1), false);
  assertThrows(() => memorySessions({ maxSessions: 0 }), RangeError);
});

Deno.test("memorySessions() returns records that later appends do not change", async () => {
  const store = memorySessions();
  await store.append("a", 1, 0);
  const records = await store.load("a");
  await store.append("a", 2, 1);
  assertEquals([records, await store.load("a")], [[1], [1, 2]]);
});

Deno.test("jsonlSessions() rejects the later of two lines with the same number", async () => {
  const storage = new TextStore();
  const store = jsonlSessions(() => storage);
  storage.beforeAppend = () => {
    storage.text += lineOf(0, "other");
  };
  assertEquals(await store.append("s", "own", 0), false);
  storage.beforeAppend = () => {};
  assertEquals(await store.load("s"), ["other"]);
  assertEquals(await store.append("s", "own", 0), false);
  assertEquals(await store.append("s", "own", 1), true);
  assertEquals(await store.load("s"), ["other", "own"]);
});

Deno.test("jsonlSessions() ignores a truncated line, and keeps a line that was being written", async () => {
  const truncated = new TextStore(lineOf(0, "a") + lineOf(1, "b").slice(0, -5));
  const store = jsonlSessions(() => truncated);
  assertEquals(await store.load("s"), ["a"]);
  assertEquals(await store.append("s", "c", 1), true);
  assertEquals(await store.append("s", "d", 2), true);
  assertEquals(await store.load("s"), ["a", "c", "d"]);

  // The reader saw the start of the line, and the writer completed the line before the reader
  // appended its mark.
  const line = lineOf(0, "a");
  const written = new TextStore(line.slice(0, 10));
  written.beforeAppend = () => {
    written.text = line;
  };
  assertEquals(await jsonlSessions(() => written).append("s", "b", 0), false);
  assertEquals(await jsonlSessions(() => written).load("s"), ["a"]);
});

Deno.test("jsonlSessions() rejects damaged lines and invalid arguments", async () => {
  const cases: readonly [string, string][] = [
    ["{\n", "line 1:"],
    ["[]\n", "line 1: not a JSON object"],
    [`${lineOf(0, "a")}{"v":2}\n`, 'line 2: "v" must be 1, got 2'],
    ['{"v":1}\n', '"id" must be a string'],
    ['{"v":1,"id":"a"}\n', '"n" must be a non-negative integer'],
    ['{"v":1,"id":"a","n":-1,"record":1}\n', '"n" must be a non-negative integer'],
    ['{"v":1,"id":"a","n":0.5,"record":1}\n', '"n" must be a non-negative integer'],
    ['{"v":1,"id":"a","n":0}\n', '"record" is missing'],
    [lineOf(1, "b"), "line 1: record 0 is missing before record 1"],
    [lineOf(0, "a") + lineOf(2, "c"), "line 2: record 1 is missing before record 2"],
    [`${lineOf(0, "a")}${lineOf(1, "b")}${lineOf(3, "d")}${lineOf(2, "c")}`, "line 3: record 2"],
  ];
  for (const [text, message] of cases) {
    const store = jsonlSessions(() => new TextStore(text));
    await assertRejects(() => store.load("s"), AgentError, message);
    await assertRejects(() => store.append("s", 1, 0), AgentError, message);
  }
  assertThrows(() => Reflect.apply(jsonlSessions, undefined, [{}]), TypeError, '"open" must be');
  const wrong = jsonlSessions(() => Object.create(null));
  await assertRejects(() => wrong.load("s"), TypeError, "must be a JournalStore");
});
