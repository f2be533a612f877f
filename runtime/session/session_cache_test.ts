/**
 * Tests for the sessions that a process has read.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import type { JsonValue } from "../shared/json.ts";
import { type ScriptedModel, scriptedModel } from "../testing/scripted_model.ts";
import { memoryStorage } from "./memory_storage.ts";
import { openSessions } from "./open_sessions.ts";
import { SessionCache } from "./session_cache.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions_options.ts";
import type { SessionRecords, SessionStorage } from "./storage.ts";

/** A storage that several processes use. */
interface Shared {
  readonly storage: SessionStorage;
  /** Number of records that each call has returned. */
  readonly loaded: number[];
}

/** Returns copies of the records, like a database. */
function shared(hasLoadFrom: boolean): Shared {
  const memory = memoryStorage();
  const { log, records, steps } = memory;
  const loaded: number[] = [];
  const read = async (id: string, start: number): Promise<readonly JsonValue[]> => {
    const values = (await records.load(id)).slice(start);
    loaded.push(values.length);
    return structuredClone(values);
  };
  const copies: SessionRecords = {
    ...records,
    load: (id) => read(id, 0),
    ...hasLoadFrom && { loadFrom: read },
  };
  const storage: SessionStorage = {
    records: copies,
    log,
    ...steps && { steps },
    delete: (...session) => memory.delete(...session),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return { storage, loaded };
}

function open(
  storage: SessionStorage,
  model: ScriptedModel,
  options: Partial<SessionsOptions> = {},
): Sessions {
  return openSessions({
    storage,
    agent: () => new ToolLoopAgent({ name: "a", model }),
    flushMs: 0,
    ...options,
  });
}

function answering(...texts: readonly string[]): ScriptedModel {
  return scriptedModel(texts.map((text) => ({ text })));
}

async function send(sessions: Sessions, text?: string): Promise<void> {
  const run = await sessions.send("chat", text, { regenerate: text === undefined });
  for await (const _ of run);
}

/** Returns the texts that the last request to a model contains. */
function lastRequest({ requests }: ScriptedModel): readonly string[] {
  const text = JSON.stringify(requests.at(-1)?.messages);
  return [...text.matchAll(/"text":"([^"]*)"/g)].map(([, found]) => found ?? "");
}

Deno.test("a turn reads the last known record and the new ones", async () => {
  const { loaded, storage } = shared(true);
  const model = answering("A1", "A2", "A3", "A4");
  await using sessions = open(storage, model);
  for (const text of ["Q1", "Q2", "Q3"]) await send(sessions, text);
  loaded.length = 0;
  await send(sessions, "Q4");
  assertEquals(loaded, [2]);
  assertEquals(lastRequest(model), ["Q1", "A1", "Q2", "A2", "Q3", "A3", "Q4"]);
  assertEquals((await sessions.state("chat")).runs.length, 4);
  assertEquals(loaded, [2, 2]);
  await sessions.state("chat");
  assertEquals(loaded, [2, 2, 1]);
});

for (const hasLoadFrom of [true, false]) {
  Deno.test(`a record that another process has replaced is read again (loadFrom: ${hasLoadFrom})`, async () => {
    const { storage } = shared(hasLoadFrom);
    const model = answering("A1", "A2", "A4");
    await using first = open(storage, model);
    await using second = open(storage, answering("B2", "B3"));
    await send(first, "Q1");
    await send(first, "Q2");
    await first.state("chat");
    await send(second);
    const { runs } = await first.state("chat");
    assertEquals(runs.at(-1)?.messages.at(-1)?.content, [{ type: "text", text: "B2" }]);
    await send(second, "Q3");
    await send(first, "Q4");
    assertEquals(lastRequest(model), ["Q1", "A1", "Q2", "B2", "Q3", "B3", "Q4"]);
  });
}

Deno.test("the response that this process replaces is not sent to the model", async () => {
  const { storage } = shared(true);
  const model = answering("A1", "A2", "B2", "A3");
  await using sessions = open(storage, model);
  await send(sessions, "Q1");
  await send(sessions, "Q2");
  await send(sessions);
  assertEquals(lastRequest(model), ["Q1", "A1", "Q2"]);
  await send(sessions, "Q3");
  assertEquals(lastRequest(model), ["Q1", "A1", "Q2", "B2", "Q3"]);
});

Deno.test("changes of a returned state do not change the session", async () => {
  const { storage } = shared(true);
  const model = answering("A1", "A2");
  await using sessions = open(storage, model);
  await send(sessions, "Q1");
  const { runs } = await sessions.state("chat");
  for (const message of runs[0]?.messages ?? []) {
    for (const part of message.content) Object.assign(part, { text: "changed" });
    Object.assign(message, { content: [] });
  }
  await send(sessions, "Q2");
  assertEquals(lastRequest(model), ["Q1", "A1", "Q2"]);
});

Deno.test("with maxCachedSessions: 0, each turn reads all records", async () => {
  const { loaded, storage } = shared(true);
  await using sessions = open(storage, answering("A1", "A2", "A3"), { maxCachedSessions: 0 });
  await send(sessions, "Q1");
  await send(sessions, "Q2");
  loaded.length = 0;
  await send(sessions, "Q3");
  assertEquals(loaded, [2]);
  await sessions.state("chat");
  assertEquals(loaded, [2, 3]);
});

/** Returns a record whose length is the same for all ids of one letter. */
function recordOf(id: string): JsonValue {
  const content = [{ type: "text", text: "aaaaaaaa" }];
  return { v: 1, runId: `${id}/0`, messages: [{ role: "user", content }] };
}

const LIMITS = { maxCachedSessions: 10, maxCachedChars: 1000, maxRecords: 10, maxChars: 1000 };

async function knownAfter(
  limits: Partial<typeof LIMITS>,
  ids: readonly string[],
): Promise<string> {
  const records = { load: (id: string) => Promise.resolve([recordOf(id)]) };
  const store = { ...records, append: () => Promise.resolve(true) };
  const cache = new SessionCache(store, { ...LIMITS, ...limits });
  for (const id of ids) await cache.load(id);
  const isKnown = (id: string): boolean => cache.known(id).values.length === 1;
  return [...new Set(ids)].filter(isKnown).toSorted().join("");
}

Deno.test("the least recently used sessions beyond the limits are removed", async () => {
  const { length } = JSON.stringify(recordOf("a"));
  const cases: readonly (readonly [Partial<typeof LIMITS>, string, string])[] = [
    [{}, "abc", "abc"],
    [{ maxCachedSessions: 2 }, "abc", "bc"],
    [{ maxCachedSessions: 2 }, "abac", "ac"],
    [{ maxCachedSessions: 1 }, "aab", "b"],
    [{ maxCachedSessions: 0 }, "ab", ""],
    [{ maxCachedChars: 2 * length }, "abc", "bc"],
    [{ maxCachedChars: 2 * length }, "aabbaac", "ac"],
    [{ maxCachedChars: 2 * length - 1 }, "abc", "c"],
    [{ maxCachedChars: length - 1 }, "abc", ""],
    // The limits of a session apply when it is read, so a session beyond them is read again.
    [{ maxChars: length - 1 }, "abc", ""],
    [{ maxRecords: 0 }, "abc", ""],
  ];
  for (const [limits, ids, expected] of cases) {
    assertEquals(await knownAfter(limits, [...ids]), expected, JSON.stringify([limits, ids]));
  }
});

Deno.test("a damaged record is not kept", async () => {
  const values: JsonValue[] = [{ v: 9 }];
  const store = { load: () => Promise.resolve(values), append: () => Promise.resolve(true) };
  const cache = new SessionCache(store, LIMITS);
  await assertRejects(() => cache.load("a"), TypeError, 'record 0: "v" must be 1, got 9');
  assertEquals(cache.known("a").values, []);
  values[0] = recordOf("a");
  assertEquals((await cache.load("a")).values, [recordOf("a")]);
});

for (const hasLoadFrom of [true, false]) {
  Deno.test(`a deleted session that begins again is read again (loadFrom: ${hasLoadFrom})`, async () => {
    const { storage } = shared(hasLoadFrom);
    const model = answering("Old", "Same", "New");
    await using reader = open(storage, model);
    await using writer = open(storage, answering("First", "Same"));
    await send(reader, "Q1");
    await send(reader, "Q2");
    await reader.state("chat"); // reads both records
    await writer.delete("chat");
    await send(writer, "Q1");
    // The second record has the content of the second record of the deleted session.
    await send(writer, "Q2");
    await send(reader, "Q3");
    const texts = model.requests.at(-1)?.messages.flatMap(({ content }) =>
      typeof content === "string"
        ? []
        : content.map((part) => part.type === "text" ? part.text : "")
    );
    assertEquals(texts, ["Q1", "First", "Q2", "Same", "Q3"]);
  });
}
