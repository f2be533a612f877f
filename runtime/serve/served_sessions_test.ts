import { assert, assertEquals, assertRejects } from "@std/assert";
import { claimOf } from "../log/checks/log_steps.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import { sqliteStorage } from "../session/open_sqlite_storage.ts";
import type { SessionStorage } from "../session/storage.ts";
import { replaceMethods } from "../session/testdata/replace_methods.ts";
import { AgentError } from "../shared/error.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import { serveSessions } from "./serve_sessions.ts";
import type { ServedRunContext, ServeSessionsOptions } from "./serve_sessions_options.ts";
import type { ServedSessions } from "./served_sessions.ts";
import { createCheckAgent } from "./testdata/check_agent.ts";

const ANN = { subject: "ann" };
const BOB = { subject: "bob" };

function open(gate: Gate, options: Partial<ServeSessionsOptions> = {}): ServedSessions {
  return serveSessions({
    storage: memoryStorage(),
    make: (run) => createCheckAgent(run, gate),
    flushMs: 0,
    drainMs: 0,
    onError: () => {},
    ...options,
  });
}

/** Keeps the storage when one "process" is closed. */
function shared(storage: SessionStorage): SessionStorage {
  const { log, records, steps } = storage;
  return {
    log,
    records,
    ...steps && { steps },
    ...storage.commit && { commit: storage.commit.bind(storage) },
    delete: storage.delete.bind(storage),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function assertLimit(work: () => Promise<unknown>, resource: string): Promise<void> {
  const error = await assertRejects(work, AgentError);
  assert(error.is("capacity_exceeded"), error.code);
  assertEquals(error.details.resource, resource);
}

Deno.test("a caller has a share of the runs, and all callers have a limit", async () => {
  const gate = createGate();
  await using served = open(gate, { maxOpenRunsPerCaller: 2, maxRuns: 3 });
  const start = (caller: typeof ANN | undefined) => served.start(caller, { turn: "slow" });
  const runs = [await start(ANN), await start(ANN)];
  await assertLimit(() => start(ANN), "runs of one party");
  runs.push(await start(undefined));
  await assertLimit(() => start(BOB), "runs");
  gate.release();
  for (const run of runs) await run.settled();
  await (await start(ANN)).settled();
});

Deno.test("a repeated request starts no run if the first one ends while it is read", async () => {
  const storage = memoryStorage();
  const { log } = storage;
  const [reading, end] = [createGate(), createGate()];
  let reads = 0;
  const slow = replaceMethods(log, {
    head: async (key: string) => {
      if (++reads === 2) {
        reading.release();
        await end.wait();
      }
      return await log.head(key);
    },
  });
  await using first = open(createGate(), { storage: shared(storage) });
  await using second = open(createGate(), { storage: { ...shared(storage), log: slow } });
  const request = { turn: "hi", requestId: "q1" };
  const repeating = second.start(ANN, { ...request, metadata: { attempt: 2 } });
  await reading.wait();
  const run = await first.start(ANN, { ...request, metadata: { attempt: 1 } });
  await run.settled();
  end.release();
  const repeated = await repeating;
  assertEquals([repeated.id, repeated.metadata], [run.id, { attempt: 1 }]);
  assertEquals((await first.list(ANN)).runs.length, 1);
});

Deno.test("calls reject because the sessions are closed, and not because the storage is", async () => {
  const gate = createGate();
  const served = open(gate, { storage: sqliteStorage(":memory:") });
  const slow = await served.start(ANN, { turn: "slow" });
  const waiting = await served.start(ANN, { turn: "pay" });
  await waiting.settled({ until: "waiting" });
  const calls = [slow.settled(), waiting.settled()].map((call) => assertRejects(() => call));
  await gate.reached;
  await served.close();
  const messages = [{ role: "user", content: "A" }] as const;
  const later = [
    () => served.start(ANN, { turn: "hi", messages }),
    () => served.get(ANN, slow.id),
    () => served.list(ANN),
    () => served.messages(ANN, slow.sessionId),
  ].map((call) => assertRejects(call));
  for (const call of [...calls, ...later]) {
    assertEquals(Reflect.get(Object(await call), "code"), "sessions_closed");
  }
});

Deno.test("a run that is cancelled when it continues is cancelled, and has not failed", async () => {
  const storage = memoryStorage();
  const { log, steps } = storage;
  assert(steps !== undefined);
  const [reading, stopped] = [createGate(), createGate()];
  let reads = 0;
  const slow = replaceMethods(steps, {
    load: async (key: string) => {
      if (++reads === 2) {
        reading.release();
        await stopped.wait();
      }
      return await steps.load(key);
    },
  });
  let isRequested = false;
  const watched = replaceMethods(log, {
    requestStop: async (key: string, epoch: number) => {
      isRequested = await log.requestStop(key, epoch);
      return isRequested;
    },
    // Called when the run has received the request.
    changed: (...args: Parameters<typeof log.changed>) => {
      if (isRequested) stopped.release();
      return log.changed(...args);
    },
  });
  await using served = open(createGate(), {
    storage: { ...shared(storage), log: watched, steps: slow },
  });
  const run = await served.start(ANN, { turn: "pay", sessionId: "s1" });
  const { waitingFor: [wait] } = await run.settled({ until: "waiting" });
  assertEquals(await run.input(wait?.key ?? "", { decision: "approve" }), true);
  await reading.wait();
  assertEquals(await run.cancel(), true);
  const { error, status } = await run.settled();
  assertEquals([status, error], ["cancelled", undefined]);
  await (await served.start(ANN, { turn: "hi", sessionId: "s1" })).settled();
});

Deno.test("a list reads the newest runs first, and more runs only if they are needed", async () => {
  const storage = memoryStorage();
  const { log } = storage;
  const limits: number[] = [];
  const counted = replaceMethods(log, {
    history: (filter: Parameters<typeof log.history>[0]) => {
      limits.push(filter.limit);
      return log.history(filter);
    },
  });
  await using served = open(createGate(), { storage: { ...shared(storage), log: counted } });
  for (let index = 0; index < 15; index++) {
    await (await served.start(ANN, { turn: "hi", sessionId: "s1" })).settled();
  }
  const { runs: [newest] } = await served.list(ANN, { sessionId: "s1", limit: 1 });
  assertEquals([newest?.sessionId, limits], ["s1", [10]]);
  const { runs } = await served.list(ANN, { sessionId: "s1" });
  assertEquals(new Set(runs.map(({ id }) => id)).size, 15);
  assertEquals(limits, [10, 10, 100]);
});

Deno.test("a request with an id gives up a run that waits", async () => {
  await using served = open(createGate());
  const waiting = await served.start(ANN, { turn: "pay", sessionId: "s1" });
  await waiting.settled({ until: "waiting" });
  const run = await served.start(ANN, { turn: "hi", sessionId: "s1", requestId: "q1" });
  assertEquals((await run.settled()).status, "done");
  assertEquals((await waiting.settled()).status, "cancelled");
});

Deno.test("callers of one party use one share, also to continue their runs", async () => {
  const gate = createGate();
  await using served = open(gate, { maxOpenRunsPerCaller: 1 });
  const [one, other] = ["u1", "u2"].map((subject) => ({ subject, party: "mallory.example" }));
  const waiting = await served.start(one, { turn: "pay" });
  const { waitingFor: [wait] } = await waiting.settled({ until: "waiting" });
  const slow = await served.start(other, { turn: "slow" });
  await assertLimit(() => served.start(one, { turn: "hi" }), "runs of one party");
  const decision = { decision: "approve" } as const;
  await assertLimit(() => waiting.input(wait?.key ?? "", decision), "runs of one party");
  assertEquals(await served.get(other, waiting.id), undefined);
  gate.release();
  await slow.settled();
  assertEquals(await waiting.input(wait?.key ?? "", decision), true);
  const invalid = { subject: "u1", party: "" };
  await assertRejects(() => served.start(invalid, { turn: "hi" }), TypeError, "caller.party");
});

Deno.test("the starts that wait are limited, for a session and for a caller", async () => {
  const gate = createGate();
  await using served = open(gate, { maxQueuedStarts: 2, maxOpenRunsPerCaller: 3, maxRuns: 4 });
  const queue = (caller: typeof ANN, sessionId: string) =>
    served.start(caller, { turn: "hi", sessionId, ifBusy: "queue" });
  for (const sessionId of ["s1", "s2"]) await served.start(ANN, { turn: "slow", sessionId });
  await served.start(BOB, { turn: "slow", sessionId: "s1" });
  const queued = [queue(ANN, "s1"), queue(ANN, "s1")];
  await assertLimit(() => queue(ANN, "s1"), "starts of one session");
  queued.push(queue(ANN, "s2"));
  await assertLimit(() => queue(ANN, "s2"), "starts of one caller");
  queued.push(queue(BOB, "s1"));
  await assertLimit(() => queue(BOB, "s1"), "starts");
  gate.release();
  for (const start of queued) await (await start).settled();
  await (await queue(ANN, "s1")).settled();
});

Deno.test("closing rejects the starts and the waits, and another process continues", async () => {
  const storage = memoryStorage();
  const gate = createGate();
  const first = open(gate, { storage: shared(storage) });
  const run = await first.start(ANN, { turn: "slow", sessionId: "s1" });
  const ends = Promise.allSettled([
    run.settled(),
    first.start(ANN, { turn: "hi", sessionId: "s1", ifBusy: "queue" }),
  ]);
  await first.close();
  const codes = (await ends).map((end) => end.status === "rejected" && end.reason.code);
  assertEquals(codes, ["sessions_closed", "sessions_closed"]);
  await assertRejects(() => first.start(ANN, { turn: "hi" }), AgentError);
  gate.release();
  await using second = open(gate, { storage: shared(storage) });
  assertEquals(await second.recover(), 1);
  const found = await second.get(ANN, run.id);
  assertEquals((await found?.settled())?.result?.finalText, "ann: slow 1");
});

Deno.test("a run whose process has stopped continues in the process that waits for it", async () => {
  let now = 0;
  const storage = memoryStorage({ now: () => now });
  const made: ServedRunContext[] = [];
  await using served = open(createGate(), {
    storage,
    make: (run) => {
      made.push(run);
      return createCheckAgent(run, createGate());
    },
  });
  const metadata = {
    caller: { subject: "ann", scopes: ["read"] },
    sessionId: "a b",
    metadata: { task: 1 },
  };
  const claim = { runId: "%3Dann%2Fa%20b/0", turn: "hi", metadata, leaseMs: 1000 };
  await storage.log.claim("=ann/a b", claimOf(claim));
  const run = await served.get(ANN, "a%20b.0");
  assertEquals([run?.state.status, run?.metadata], ["running", { task: 1 }]);
  now = 1000;
  assertEquals((await run?.settled())?.result?.finalText, "ann: hi 1");
  assertEquals(made, [{
    caller: { subject: "ann", scopes: ["read"] },
    sessionId: "a b",
    runId: "a%20b.0",
    metadata: { task: 1 },
  }]);
});

Deno.test("two processes continue and cancel the runs of each other", async () => {
  const storage = memoryStorage();
  const gate = createGate();
  await using first = open(gate, { storage: shared(storage) });
  await using second = open(gate, { storage: shared(storage) });
  const asking = await first.start(ANN, { turn: "ask", sessionId: "s1" });
  await asking.settled({ until: "waiting" });
  const [one, other] = [await first.get(ANN, asking.id), await second.get(ANN, asking.id)];
  const sent = [other?.input("sure", "yes"), one?.input("answer", { text: "42" })];
  assertEquals(await Promise.all(sent), [true, true]);
  assertEquals((await asking.settled()).result?.finalText, "ann: ask 3 json text");
  const slow = await first.start(ANN, { turn: "slow", sessionId: "s2" });
  assertEquals(await (await second.get(ANN, slow.id))?.cancel(), true);
  assertEquals((await slow.settled()).status, "cancelled");
});

Deno.test("the subject of a caller and the id of a session cannot name another session", async () => {
  await using served = open(createGate());
  const pairs = [["a/b", "c"], ["a", "b/c"], ["a%2Fb", "c"], ["a%252Fb", "c"], ["a", "b%2Fc"]];
  for (const [subject = "", sessionId = ""] of pairs) {
    const run = await served.start({ subject }, { turn: "hi", sessionId });
    assertEquals((await run.settled()).result?.finalText, `${subject}: hi 1`);
  }
  for (const [subject = "", sessionId = ""] of pairs) {
    assertEquals((await served.messages({ subject }, sessionId)).length, 2);
    assertEquals((await served.list({ subject }, { sessionId })).runs.length, 1);
  }
});

Deno.test("a session is deleted for its caller only", async () => {
  await using served = open(createGate());
  const run = await served.start(ANN, { turn: "pay", sessionId: "s1" });
  await run.settled({ until: "waiting" });
  await served.delete(BOB, "s1");
  assertEquals((await served.get(ANN, run.id))?.state.status, "waiting");
  await served.delete(ANN, "s1");
  assertEquals(await served.get(ANN, run.id), undefined);
  const error = await assertRejects(() => run.settled(), AgentError);
  assertEquals(error.code, "run_not_found");
});

Deno.test("the scopes and the metadata of a run have a limit", async () => {
  await using served = open(createGate());
  const scopes = ["x".repeat(40_000)];
  const metadata = { text: "y".repeat(40_000) };
  const start = () => served.start({ ...ANN, scopes }, { turn: "hi", metadata });
  await assertRejects(start, RangeError, "65536 bytes");
  assertEquals(await served.list(ANN), { runs: [] });
});
