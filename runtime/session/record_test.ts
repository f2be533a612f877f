import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import type { JournalStore } from "../journal.ts";
import { AgentSession, jsonlSessions, memorySessions, type SessionStore } from "../session.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { LanguageModel, ModelMessage } from "../shared/model.ts";
import { scriptedModel } from "../testing.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** A model that responds `n` to the n-th call. `onCall` receives the messages of each call. */
function counter(onCall: (messages: readonly ModelMessage[]) => void = () => {}): LanguageModel {
  let count = 0;
  return {
    modelId: "counter",
    generate({ messages }) {
      onCall(messages);
      const content = [{ type: "text" as const, text: String(++count) }];
      const message = { role: "assistant" as const, content };
      return Promise.resolve({ message, finishReason: "stop" as const, usage: USAGE });
    },
  };
}

function sessionOf(store: SessionStore, model: LanguageModel = counter()): AgentSession {
  return new AgentSession(new ToolLoopAgent({ name: "a", model }), { id: "s", store });
}

function textsOf(messages: readonly ModelMessage[]): readonly string[] {
  return messages.map(({ content }) =>
    typeof content === "string"
      ? content
      : content.map((part) => part.type === "text" ? part.text : part.type).join()
  );
}

/** Storage that counts the bytes that are read. */
class CountingStorage implements JournalStore {
  bytes: Uint8Array = new Uint8Array();
  bytesRead = 0;
  isClosed = false;

  read(): Promise<string> {
    return Promise.reject(new Error("The whole text must not be read"));
  }

  readBytes(start: number): Promise<Uint8Array> {
    const result = this.bytes.slice(start);
    this.bytesRead += result.length;
    return Promise.resolve(result);
  }

  append(text: string): Promise<void> {
    this.bytes = new Uint8Array([...this.bytes, ...new TextEncoder().encode(text)]);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.isClosed = true;
    return Promise.resolve();
  }
}

Deno.test("AgentSession reads each record of a store once", async () => {
  const { load, append } = memorySessions();
  const reads = new Map<object, number>();
  const store: SessionStore = {
    load,
    append(id, record, length) {
      const counted = new Proxy(Object(record), {
        get(target, name) {
          if (name === "messages") reads.set(target, (reads.get(target) ?? 0) + 1);
          return Reflect.get(target, name);
        },
      });
      return append(id, counted, length);
    },
  };
  const session = sessionOf(store);
  for (let turn = 0; turn < 20; turn++) await session.run("Hi");
  assertEquals((await session.messages()).length, 40);
  // Each record is read once to measure its length, and once for its messages.
  assertEquals([...reads.values()], Array(20).fill(2));
});

Deno.test("AgentSession loads the last known record and the new ones with `loadFrom`", async () => {
  const { append, load, loadFrom } = memorySessions();
  const calls: string[] = [];
  const store: SessionStore = {
    append,
    load: (id) => (calls.push("load"), load(id)),
    loadFrom: (id, start) => (calls.push(`from ${start}`), loadFrom?.(id, start) ?? load(id)),
  };
  const session = sessionOf(store);
  for (let turn = 0; turn < 4; turn++) await session.run("Hi");
  await sessionOf(store).run("from another session");
  assertEquals(textsOf(await session.messages()).slice(-2), ["from another session", "1"]);
  assertEquals(calls, ["load", "load", "from 0", "from 1", "load", "from 2"]);
});

Deno.test("AgentSession loads the whole session if the known records are no longer stored", async () => {
  for (const hasLoadFrom of [true, false]) {
    const records: JsonValue[] = [];
    const store: SessionStore = {
      load: () => Promise.resolve(structuredClone(records)),
      append: (_, record) => Promise.resolve(records.push(record) > 0),
      ...hasLoadFrom
        ? { loadFrom: (_: string, start: number) => Promise.resolve(records.slice(start)) }
        : {},
    };
    const session = sessionOf(store);
    for (const turn of ["a", "b", "c"]) await session.run(turn);
    assertEquals(textsOf(await session.messages()), ["a", "1", "b", "2", "c", "3"]);
    records.length = 1;
    assertEquals(textsOf(await session.messages()), ["a", "1"]);
    records.length = 0;
    await sessionOf(store).run("x");
    assertEquals(textsOf(await session.messages()), ["x", "1"]);
    await session.run("y");
    assertEquals(textsOf(await session.messages()), ["x", "1", "y", "4"]);
  }
});

Deno.test("AgentSession rejects a `loadFrom` that returns no array", async () => {
  const { append, load } = memorySessions();
  const loadFrom = () => Promise.resolve(undefined);
  const session = sessionOf({ append, load, loadFrom } as unknown as SessionStore);
  await session.run("Hi");
  await session.messages();
  await assertRejects(() => session.run("Hi"), AgentError, '"store.loadFrom" must return an array');
});

Deno.test("AgentSession does not let a model, a caller or an output change its messages", async () => {
  const failures: unknown[] = [];
  const change = (messages: readonly ModelMessage[]) => {
    for (const { content } of messages.slice(0, -1)) {
      try {
        Object.assign(content[0] ?? {}, { text: "changed" });
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const session = sessionOf(memorySessions(), counter(change));
  await session.run("a");
  const { messages } = await session.run("b");
  change(messages.slice(0, 3));
  const own = await session.messages();
  Reflect.apply(Array.prototype.pop, own, []);
  assertEquals(textsOf(await session.messages()), ["a", "1", "b", "2"]);
  await session.run("c");
  assertEquals(textsOf(await session.messages()), ["a", "1", "b", "2", "c", "3"]);
  // The model has tried to change 2 and 4 messages, and the caller 2.
  assertEquals(failures.map((error) => error instanceof TypeError), Array(8).fill(true));
});

Deno.test("AgentSession applies its limits to the sum of known and new records", async () => {
  const store = memorySessions();
  const agent = new ToolLoopAgent({ name: "a", model: counter() });
  await new AgentSession(agent, { id: "s", store }).run("a");
  const [record] = await store.load("s");
  // The records of the first three turns have the same length: each text has one character.
  const maxChars = 3 * JSON.stringify(record).length;
  const session = new AgentSession(agent, { id: "s", store, maxChars });
  for (const turn of ["b", "c", "d"]) await session.run(turn);
  await assertRejects(() => session.run("e"), AgentError, `more than ${maxChars}`);
});

Deno.test("AgentSession gives repeated tool call ids of all turns different suffixes", async () => {
  const call = { calls: [{ toolName: "pay", toolCallId: "c" }] };
  const model = scriptedModel([call, { text: "1" }, call, { text: "2" }, call, { text: "3" }]);
  const session = sessionOf(memorySessions(), model);
  const ids: string[] = [];
  for (let turn = 0; turn < 3; turn++) await session.run("Pay");
  for (const message of await session.messages()) {
    if (message.role !== "tool") continue;
    ids.push(...message.content.map(({ toolCallId }) => toolCallId));
  }
  assertEquals(ids, ["c", "c_2", "c_3"]);
});

Deno.test("jsonlSessions() reads only the lines after the last known record", async () => {
  const storage = new CountingStorage();
  await using store = jsonlSessions(() => storage);
  const session = sessionOf(store);
  for (let turn = 0; turn < 20; turn++) await session.run("Hi");
  storage.bytesRead = 0;
  const before = storage.bytes.length;
  await session.run("Hi");
  const added = storage.bytes.length - before;
  // The session reads the last two records, because it has not read its own record yet. `append`
  // reads the last record before it adds a record, and both records afterwards. The records of
  // turns 10 to 99 differ by at most one character.
  assertEquals(Math.round(storage.bytesRead / added), 5);
  assertEquals((await jsonlSessions(() => storage).load("s")).length, 21);
});

Deno.test("jsonlSessions() reads the whole text again after it was truncated or replaced", async () => {
  const storage = new CountingStorage();
  const store = jsonlSessions(() => storage);
  const encode = (text: string) => new TextEncoder().encode(text);
  const lineOf = (n: number, id: string) =>
    `${JSON.stringify({ v: 1, n, id, record: `${id}${n}` })}\n`;
  const texts: readonly [string, readonly string[]][] = [
    [lineOf(0, "a") + lineOf(1, "b"), ["a0", "b1"]],
    [lineOf(0, "a"), ["a0"]],
    ["", []],
    [lineOf(0, "c") + lineOf(1, "d") + lineOf(2, "e"), ["c0", "d1", "e2"]],
    [lineOf(0, "f") + lineOf(1, "g") + lineOf(2, "h") + lineOf(3, "i"), ["f0", "g1", "h2", "i3"]],
    [`${lineOf(0, "éé")}${lineOf(1, "x").slice(0, -4)}`, ["éé0"]],
  ];
  for (const [text, expected] of texts) {
    storage.bytes = encode(text);
    for (const start of [3, 2, 1, 0, 5]) {
      assertEquals(await store.loadFrom("s", start), expected.slice(start));
    }
    assertEquals(await store.append("s", "own", expected.length + 1), false);
    const before = storage.bytes;
    assertEquals(await store.append("s", "own", expected.length), true);
    assertEquals(await store.load("s"), [...expected, "own"]);
    storage.bytes = before;
  }
});

Deno.test("jsonlSessions() finds the records of other processes, before and after its own", async () => {
  const storage = new CountingStorage();
  const [first, second] = [jsonlSessions(() => storage), jsonlSessions(() => storage)];
  assertEquals(await first.append("s", "a", 0), true);
  assertEquals(await second.append("s", "b", 1), true);
  assertEquals(await first.append("s", "lost", 1), false);
  const racing = jsonlSessions(() => ({
    read: () => storage.read(),
    readBytes: (start) => storage.readBytes(start),
    async append(line) {
      await second.append("s", "c", 2);
      await storage.append(line);
    },
  }));
  await racing.load("s");
  assertEquals(await racing.append("s", "late", 2), false);
  assertEquals(await first.loadFrom("s", 1), ["b", "c"]);
  assertEquals(await first.append("s", "d", 3), true);
  assertEquals(await racing.load("s"), ["a", "b", "c", "d"]);
});

Deno.test("jsonlSessions() names the damaged line in the whole text", async () => {
  const storage = new CountingStorage();
  const store = jsonlSessions(() => storage);
  for (let n = 0; n < 3; n++) await store.append("s", n, n);
  await storage.append("{\n");
  await assertRejects(() => store.loadFrom("s", 2), AgentError, "line 4:");
  await assertRejects(() => store.append("s", 3, 3), AgentError, "line 4:");
});

Deno.test("jsonlSessions() rejects text that is not UTF-8, except for a truncated character", async () => {
  const storage = new CountingStorage();
  const store = jsonlSessions(() => storage);
  for (let n = 0; n < 2; n++) await store.append("s", n, n);
  const { bytes } = storage;
  for (
    const [end, isValid] of [[[0x61, 0xe2, 0x82], true], [[0xff], false], [[0x80], false]] as const
  ) {
    storage.bytes = new Uint8Array([...bytes, ...end]);
    for (const load of [() => store.load("s"), () => store.loadFrom("s", 0)]) {
      if (isValid) assertEquals(await load(), [0, 1]);
      else await assertRejects(load, TypeError);
    }
  }
});

Deno.test("jsonlSessions() keeps at most `maxOpen` storages, and closes the others", async () => {
  const opened: [string, CountingStorage][] = [];
  const open = (id: string): JournalStore => {
    const storage = new CountingStorage();
    opened.push([id, storage]);
    return storage;
  };
  const store = jsonlSessions(open, { maxOpen: 2 });
  for (const id of ["a", "b", "a", "c", "a", "b"]) await store.load(id);
  const closed = () => opened.filter(([, { isClosed }]) => isClosed).map(([id]) => id);
  assertEquals(opened.map(([id]) => id), ["a", "b", "c", "b"]);
  assertEquals(closed(), ["b", "c"]);
  await store.close();
  await store.close();
  assertEquals(closed(), ["a", "b", "c", "b"]);
});
