/**
 * Tests for the limits on readers.
 *
 * @module
 */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import { liveEventResponse } from "../log/live_event_response.ts";
import type { LiveRun } from "../log/live_run.ts";
import { memoryStorage } from "./memory_storage.ts";
import { openSessions } from "./open_sessions.ts";
import { ReaderPlaces } from "../log/reader_places.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions_options.ts";

function open(options: Partial<SessionsOptions>): Sessions {
  const model = scriptedModel([{ text: "Hello" }, { text: "Hello" }]);
  return openSessions({
    storage: memoryStorage(),
    agent: () => new ToolLoopAgent({ name: "a", model }),
    ...options,
  });
}

/** Returns the resource and the limit of the error. */
function limitOf(error: unknown): unknown {
  return AgentError.isAgentError(error) && error.is("capacity_exceeded")
    ? [error.details.resource, error.details.limit]
    : error;
}

function refused(call: () => unknown): unknown {
  return limitOf(assertThrows(call));
}

async function count(run: LiveRun): Promise<number> {
  let events = 0;
  for await (const _ of run) events++;
  return events;
}

Deno.test("a place is taken when a loop starts, and freed when it is left or has ended", async () => {
  await using sessions = open({ maxReaders: 1 });
  const run = await sessions.send("chat", "Hi");
  const iterator = run[Symbol.asyncIterator]();
  assertEquals(refused(() => run[Symbol.asyncIterator]()), ["readers", 1]);
  await iterator.next();
  assertEquals(refused(() => run[Symbol.asyncIterator]()), ["readers", 1]);
  await iterator.return?.();
  const events = await count(run);
  assertEquals(await count(run), events);
  for await (const _ of run) break;
  assertEquals(await count(run), events);
});

Deno.test("a response that is cancelled unread frees its place", async () => {
  await using sessions = open({ maxReaders: 1 });
  const run = await sessions.send("chat", "Hi");
  const response = liveEventResponse(run);
  assertEquals(refused(() => liveEventResponse(run)), ["readers", 1]);
  await response.body?.cancel();
  const text = await liveEventResponse(run).text();
  assertEquals(text.endsWith("event: end\ndata: {}\n\n"), true);
});

Deno.test("the readers of a session use at most its share", () => {
  const places = new ReaderPlaces({ maxReaders: 3, maxOwnerReaders: 1, owner: "session" });
  const first = places.reserve("a");
  assertEquals(refused(() => places.reserve("a")), ["readers of one session", 1]);
  places.reserve("b").start();
  places.reserve("c");
  assertEquals(refused(() => places.reserve("d")), ["readers", 3]);
  first.start();
  assertEquals(refused(() => places.reserve("a")), ["readers", 3]);
  first.leave();
  first.leave();
  places.reserve("a");
  assertEquals(refused(() => places.reserve("d")), ["readers", 3]);
});

Deno.test("a session has a tenth of the readers, and at least 10", async () => {
  for (
    const [maxReaders, share] of [[200, 20], [50, 10], [5, 5]] as const
  ) {
    await using sessions = open({ maxReaders });
    const run = await sessions.send("chat", "Hi");
    const iterators = Array.from({ length: share }, () => run[Symbol.asyncIterator]());
    const resource = share < maxReaders ? "readers of one session" : "readers";
    assertEquals(refused(() => run[Symbol.asyncIterator]()), [resource, share]);
    for (const iterator of iterators) await iterator.return?.();
  }
  await using sessions = open({ maxSessionReaders: 1 });
  const run = await sessions.send("chat", "Hi");
  const iterator = run[Symbol.asyncIterator]();
  assertEquals(refused(() => run[Symbol.asyncIterator]()), ["readers of one session", 1]);
  await iterator.return?.();
});

Deno.test("a place whose reader does not start is given to another reader after 30 seconds", () => {
  using time = new FakeTime();
  const places = new ReaderPlaces({ maxReaders: 2, maxOwnerReaders: 2, owner: "session" });
  places.reserve("a").start();
  const late = places.reserve("a");
  time.tick(29_999);
  assertEquals(refused(() => places.reserve("b")), ["readers", 2]);
  time.tick(1);
  const next = places.reserve("b");
  // The late reader needs a place of its own.
  assertEquals(refused(() => late.start()), ["readers", 2]);
  late.leave();
  assertEquals(refused(() => late.start()), ["readers", 2]);
  next.leave();
  const leave = late.start();
  assertEquals(refused(() => places.reserve("b")), ["readers", 2]);
  leave();
  places.reserve("b");
});

Deno.test("with reserveReader, a run starts only if there is a place for its reader", async () => {
  await using sessions = open({ maxReaders: 1 });
  const run = await sessions.send("a", "Hi", { reserveReader: true });
  const error = await assertRejects(() => sessions.send("b", "Hi", { reserveReader: true }));
  assertEquals(limitOf(error), ["readers", 1]);
  assertEquals((await sessions.state("b")).runs.length, 0);
  assertEquals((await sessions.list()).map(({ sessionId }) => sessionId), ["a"]);
  // The first loop uses the place, and each further one needs another.
  const iterator = run[Symbol.asyncIterator]();
  assertEquals(refused(() => run[Symbol.asyncIterator]()), ["readers", 1]);
  await iterator.return?.();
  const events = await count(run);
  assertEquals(await count(run), events);
  // A message that is rejected keeps no place.
  const { decisions } = { decisions: { k: { decision: "approve" } as const } };
  await assertRejects(
    () => sessions.send("b", undefined, { decisions, reserveReader: true }),
    AgentError,
  );
  assertEquals(await count(await sessions.send("b", "Hi", { reserveReader: true })) > 0, true);
});
