import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { memoryStorage } from "../session/memory_storage.ts";
import type { SessionStorage } from "../session/storage.ts";
import { replaceMethods } from "../session/testdata/replace_methods.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import { serveSessions } from "./serve_sessions.ts";
import type { ServeSessionsOptions } from "./serve_sessions_options.ts";
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
    ...options,
  });
}

/** Returns the ids of all sessions and runs in a storage. */
async function idsIn({ log }: SessionStorage): Promise<readonly string[]> {
  return (await log.history({ limit: 100 })).map(({ runId }) => runId);
}

Deno.test("a temporary run is never stored, and is deleted a moment after its end", async () => {
  using time = new FakeTime();
  const storage = memoryStorage();
  await using served = open(createGate(), { storage, keepEndedMs: 1000 });
  const messages = [{ role: "user", content: "A" }, { role: "assistant", content: "B" }] as const;
  const start = { turn: "hi", messages, isTemporary: true } as const;
  const run = await served.start(ANN, start);
  const types: string[] = [];
  const reading = (async () => {
    for await (const { event } of run.events()) types.push(event.type);
  })();
  await time.runMicrotasks();
  await time.tickAsync(10);
  await reading;
  assertEquals((await run.settled()).result?.finalText, "ann: hi 3");
  assertEquals(types.at(-1), "run_state");
  assertEquals(await idsIn(storage), []);
  assertEquals(await served.list(ANN), { runs: [] });
  assertEquals((await served.get(ANN, run.id))?.state.status, "done");
  assertEquals(await served.get(BOB, run.id), undefined);
  await time.tickAsync(1001);
  assertEquals(await served.get(ANN, run.id), undefined);
});

Deno.test("temporary runs have a share per caller", async () => {
  const gate = createGate();
  await using served = open(gate, { maxOpenRunsPerCaller: 1, maxRuns: 2 });
  const start = { turn: "pay", isTemporary: true } as const;
  const run = await served.start(ANN, start);
  await run.settled({ until: "waiting" });
  await assertRejects(() => served.start(ANN, start), Error, "temporary runs of one caller");
  await served.start(BOB, start);
  await assertRejects(() => served.start({ subject: "c" }, start), Error, "temporary runs");
  await run.cancel();
  await (await served.start(ANN, { ...start, turn: "hi" })).settled();
});

Deno.test("temporary and stored runs use the same share", async () => {
  const gate = createGate();
  await using served = open(gate, { maxOpenRunsPerCaller: 1 });
  const slow = await served.start(ANN, { turn: "slow", isTemporary: true });
  await assertRejects(() => served.start(ANN, { turn: "hi" }), Error, "runs of one party");
  gate.release();
  await slow.settled();
});

Deno.test("the messages of a start that is rejected are not stored", async () => {
  const gate = createGate();
  const storage = memoryStorage();
  await using served = open(gate, { storage, maxOpenRunsPerCaller: 1 });
  const slow = await served.start(ANN, { turn: "slow" });
  const messages = [{ role: "user", content: "A" }] as const;
  const start = { turn: "hi", messages, requestId: "q1" };
  await assertRejects(() => served.start(ANN, start), Error, "runs of one party");
  gate.release();
  await slow.settled();
  const run = await served.start(ANN, { ...start, messages: [{ role: "user", content: "B" }] });
  assertEquals((await run.settled()).result?.finalText, "ann: hi 2");
  const [first] = await served.messages(ANN, run.sessionId);
  assertEquals(first?.content, [{ type: "text", text: "B" }]);
});

Deno.test("a repeated start that is rejected keeps the messages of the first one", async () => {
  const storage = memoryStorage();
  const { log } = storage;
  const [claiming, end] = [createGate(), createGate()];
  const slow = replaceMethods(log, {
    claim: async (...args: Parameters<typeof log.claim>) => {
      claiming.release();
      await end.wait();
      return await log.claim(...args);
    },
  });
  await using served = open(createGate(), {
    storage: replaceMethods(storage, { log: slow }),
    maxOpenRunsPerCaller: 1,
  });
  const messages = [{ role: "user", content: "A" }] as const;
  const start = { turn: "hi", messages, requestId: "q1" };
  const first = served.start(ANN, start);
  await claiming.wait();
  await assertRejects(() => served.start(ANN, start), Error, "runs of one party");
  end.release();
  assertEquals((await (await first).settled()).result?.finalText, "ann: hi 2");
});

Deno.test("a temporary run has a new session", async () => {
  await using served = open(createGate());
  const start = { turn: "hi", isTemporary: true, sessionId: "s1" } as const;
  await assertRejects(() => served.start(ANN, start), TypeError, "sessionId");
  const messages = [{ role: "system", content: "A" }] as unknown as [];
  await assertRejects(() => served.start(ANN, { turn: "hi", messages }), TypeError, "messages");
});
