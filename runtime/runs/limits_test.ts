import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import { sqliteRuns } from "../sqlite.ts";
import { scriptedModel } from "../testing.ts";
import type { LanguageModel } from "../mod.ts";
import type { RunEngine, RunJournal } from "./contracts.ts";
import { createManualClock, type ManualClock } from "./manual_clock.ts";
import { memoryRuns } from "./memory.ts";
import { openRuns } from "./open_runs.ts";

interface Limits {
  readonly maxPartyRuns?: number;
  readonly maxSignals?: number;
}

/** Engines whose limits are tested. */
const ENGINES: Readonly<Record<string, (limits: Limits, clock: ManualClock) => RunEngine>> = {
  memoryRuns: (limits, clock) => memoryRuns({ ...limits, clock, maxRuns: 100 }),
  sqliteRuns: (limits, clock) => sqliteRuns(":memory:", { ...limits, clock }),
};

async function create(journal: RunJournal, runId: string, party?: string): Promise<boolean> {
  const run = { runId, agent: "clerk", version: "1", input: "Go" };
  return await journal.create(party === undefined ? run : { ...run, party });
}

async function finish(journal: RunJournal, runId: string): Promise<void> {
  const open = await journal.open(runId);
  await journal.close(runId, open?.run.epoch ?? 0, { status: "done", result: "ok" });
}

async function idsOf(journal: RunJournal): Promise<string[]> {
  return (await journal.list()).map(({ runId }) => runId);
}

/** Makes a run wait for signals. */
async function wait(journal: RunJournal, runId: string, keys: readonly string[]): Promise<void> {
  const open = await journal.open(runId);
  const waitingFor = keys.map((key) => ({
    kind: "signal" as const,
    key,
    path: ["clerk"],
    toolName: "t",
  }));
  const outcome = await journal.close(runId, open?.run.epoch ?? 0, {
    status: "waiting",
    waitingFor,
  });
  assertEquals(outcome, "closed");
}

for (const [name, open] of Object.entries(ENGINES)) {
  Deno.test(`${name}() makes room for the runs of a party with the party's run that ended first`, async () => {
    const clock = createManualClock();
    await using engine = open({ maxPartyRuns: 2 }, clock);
    const { journal } = engine;
    for (const runId of ["b", "a"]) {
      clock.advance(1);
      await create(journal, runId, "eve");
      await journal.append(runId, 1, { v: 1, key: "k", kind: "tool", value: 1 });
      await finish(journal, runId);
    }
    assertEquals(await create(journal, "a", "eve"), false);
    assertEquals(await idsOf(journal), ["a", "b"]);
    assertEquals(await create(journal, "c", "eve"), true);
    assertEquals(await idsOf(journal), ["a", "c"]);
    assertEquals(await Array.fromAsync(journal.steps("b")), []);
    await create(journal, "d", "eve");
    const error = await assertRejects(() => create(journal, "e", "eve"), AgentError);
    assertEquals([error.code, error.message], [
      "run_limit",
      'Cannot start run "e": "eve" has 2 runs that have not ended, the maximum',
    ]);
    assertEquals(await create(journal, "e", "ann"), true);
    assertEquals(await create(journal, "f"), true);
    assertEquals((await journal.get("e"))?.party, "ann");
    assertEquals(await idsOf(journal), ["c", "d", "e", "f"]);
    await journal.cancel("c");
    assertEquals(await create(journal, "g", "eve"), true);
  });

  Deno.test(`${name}() stores the signals and decisions that a run waits for if it has too many others`, async () => {
    await using engine = open({ maxSignals: 2 }, createManualClock());
    const { journal } = engine;
    await create(journal, "r1");
    await wait(journal, "r1", ["paid", "r1/c1"]);
    const outcomes: string[] = [];
    const keys = ["j1", "j2", "j3", "r1/x", "r1/y", "r1/z", "paid", "r1/c1", "j1"];
    for (const key of keys) outcomes.push(await journal.signal("r1", key, 1));
    assertEquals(outcomes, [
      "stored",
      "stored",
      "full",
      "stored",
      "stored",
      "full",
      "stored",
      // The run waited for both when it was closed.
      "stored",
      "present",
    ]);
    await wait(journal, "r1", ["r1/c2", "r1/c3", "r1/c4"]);
    assertEquals(await journal.signal("r1", "r1/c2", 1), "stored");
    const { status, waitingFor } = await journal.get("r1") ?? {};
    assertEquals([status, waitingFor], ["queued", []]);
    const opened = await journal.open("r1");
    assertEquals(opened?.signals.size, 7);
    assertEquals(await journal.signal("r1", "r1/c3", 1), "stored");
    assertEquals((await journal.get("r1"))?.status, "running");
    const error = { code: "core", message: "no" };
    await journal.close("r1", opened?.run.epoch ?? 0, { status: "queued", error });
    assertEquals(await journal.signal("r1", "r1/c4", 1), "stored");
    await wait(journal, "r1", []);
    assertEquals(await journal.signal("r1", "r1/c5", 1), "full");
  });

  Deno.test(`${name}() stores a decision of a run that has too many signals of tools`, async () => {
    await using engine = open({ maxSignals: 2 }, createManualClock());
    const { journal } = engine;
    await create(journal, "r1");
    for (const key of ["j1", "j2", "r2/x"]) await journal.signal("r1", key, 1);
    assertEquals(await journal.signal("r1", "r1/c1", 1), "stored");
  });
}

Deno.test("memoryRuns() deletes ended runs if it is full, and rejects if no run has ended", async () => {
  const clock = createManualClock();
  await using engine = memoryRuns({ clock, maxRuns: 3, maxPartyRuns: 3 });
  const { journal } = engine;
  for (const [runId, party] of [["a", "eve"], ["b", "ann"], ["c", "eve"]] as const) {
    await create(journal, runId, party);
    await finish(journal, runId);
  }
  // The party makes room with its own run.
  await create(journal, "d", "ann");
  assertEquals(await idsOf(journal), ["a", "c", "d"]);
  await create(journal, "e", "bob");
  await create(journal, "f");
  assertEquals(await idsOf(journal), ["d", "e", "f"]);
  await assertRejects(() => create(journal, "g", "bob"), AgentError, "maximum number of runs (3)");
  await journal.cancel("d");
  assertEquals(await journal.purge(new Date(clock.now() + 1)), 1);
  assertEquals(await create(journal, "g", "bob"), true);
});

Deno.test("memoryRuns() deletes runs that ended long ago", async () => {
  const clock = createManualClock();
  await using engine = memoryRuns({ clock, retentionMs: 1000 });
  const { journal } = engine;
  await create(journal, "a", "eve");
  await create(journal, "b", "eve");
  await finish(journal, "a");
  clock.advance(999);
  await create(journal, "c");
  assertEquals(await idsOf(journal), ["a", "b", "c"]);
  clock.advance(1);
  await create(journal, "d");
  assertEquals(await idsOf(journal), ["b", "c", "d"]);
});

Deno.test("memoryRuns() limits a party to a tenth of the runs by default", async () => {
  await using engine = memoryRuns({ maxRuns: 20 });
  await create(engine.journal, "a", "eve");
  await create(engine.journal, "b", "eve");
  await assertRejects(() => create(engine.journal, "c", "eve"), AgentError, "2 runs");
});

Deno.test("memoryRuns() limits the bytes of all runs and of each party", async () => {
  const limits = { maxBytes: 1000, maxRuns: 10, maxPartyRuns: 5 };
  await using engine = memoryRuns({ ...limits, clock: createManualClock() });
  const { journal } = engine;
  const start = (runId: string, bytes: number, party: string) =>
    journal.create({ runId, agent: "clerk", version: "1", input: "x".repeat(bytes - 2), party });
  const record = async (runId: string, key: string, bytes: number) => {
    const epoch = (await journal.get(runId))?.epoch ?? NaN;
    const entry = { v: 1, key, kind: "tool", value: "x".repeat(bytes) } as const;
    return await journal.append(runId, epoch, entry);
  };
  await start("a", 300, "eve");
  await finish(journal, "a");
  await start("b", 100, "eve");
  await journal.open("b");
  // The party makes room with its own run, and not with those of others.
  await start("ann", 400, "ann");
  await finish(journal, "ann");
  assertEquals(await start("c", 200, "eve"), true);
  assertEquals(await idsOf(journal), ["ann", "b", "c"]);
  const error = await assertRejects(() => record("b", "k", 200), AgentError);
  assertEquals([error.code, error.message], [
    "run_limit",
    'Cannot continue run "b": the runs of "eve" that have not ended use the maximum number of bytes',
  ]);
  await assertRejects(() => start("d", 300, "eve"), AgentError, 'Cannot start run "d"');
  assertEquals(await record("b", "k", 100), "stored");
  assertEquals(await record("b", "k", 100), "present");
  // If all parties together have reached the maximum, the run that ended first makes room.
  assertEquals(await start("bob", 450, "bob"), true);
  assertEquals(await idsOf(journal), ["b", "bob", "c"]);
  await journal.cancel("b");
  assertEquals(await start("e", 290, "eve"), true);
  assertEquals(await idsOf(journal), ["bob", "c", "e"]);
});

Deno.test("the metadata of a run counts toward the bytes of memoryRuns()", async () => {
  await using engine = memoryRuns({ maxBytes: 1000, maxRuns: 10, maxPartyRuns: 10 });
  const start = (runId: string, bytes: number) => {
    // The JSON text {"a":"..."} has 8 bytes more than the string, and the message has 2 bytes.
    const metadata = { a: "x".repeat(bytes - 10) };
    return engine.journal.create({ runId, agent: "clerk", version: "1", input: "", metadata });
  };
  assertEquals(await start("a", 600), true);
  await assertRejects(() => start("b", 401), AgentError, "the maximum number of bytes");
  assertEquals(await start("b", 400), true);
});

Deno.test("a run whose steps exceed the bytes of its party fails", async () => {
  const make = () =>
    new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "x".repeat(200) }]) });
  const engine = memoryRuns({ maxBytes: 1000, maxRuns: 10, maxPartyRuns: 3 });
  const options = { onError: () => {} };
  await using runs = openRuns(engine, { clerk: { version: "1", make } }, options);
  const working = runs.work();
  await runs.start({ runId: "r1", agent: "clerk", input: "Go", party: "eve" });
  const { error, status } = await runs.result("r1");
  assertEquals([status, error?.code], ["failed", "run_limit"]);
  await runs.close();
  await working;
});

Deno.test("a run that waits for a key that no signal can have fails", async () => {
  for (const key of ["a\0", "\ud800", "x".repeat(5000)]) {
    const make = () =>
      new ToolLoopAgent({
        name: "clerk",
        model: scriptedModel([{ calls: [{ toolName: "wait" }] }]),
        tools: [{
          name: "wait",
          inputSchema: { type: "object" },
          execute: (_, { wait }) => wait(key),
        }],
      });
    await using runs = openRuns(memoryRuns(), { clerk: { version: "1", make } });
    const working = runs.work();
    await runs.start({ runId: "r1", agent: "clerk", input: "Go" });
    const { error, status } = await runs.result("r1", { until: "waiting" });
    assertEquals([status, error?.code], ["failed", "run_limit"]);
    assertStringIncludes(error?.message ?? "", 'tool "wait" waits for ');
    await runs.close();
    await working;
  }
});

Deno.test("a run whose step has a key that no database can store fails", async () => {
  for (const key of ["a\0", "\ud800"]) {
    const make = () =>
      new ToolLoopAgent({
        name: "clerk",
        model: scriptedModel([{ calls: [{ toolName: "wait" }] }, { text: "Done" }]),
        tools: [{
          name: "wait",
          inputSchema: { type: "object" },
          execute: (_, { sleep }) => sleep(key, new Date(0)),
        }],
      });
    const options = { onError: () => {} };
    await using runs = openRuns(memoryRuns(), { clerk: { version: "1", make } }, options);
    const working = runs.work();
    await runs.start({ runId: "r1", agent: "clerk", input: "Go" });
    const { error, status } = await runs.result("r1");
    assertEquals([status, error?.code], ["failed", "run_limit"]);
    assertStringIncludes(error?.message ?? "", "is not a text that can be stored");
    await runs.close();
    await working;
  }
});

Deno.test("a decision that is sent 50 times concurrently executes the tool once", async () => {
  for (const engine of [memoryRuns(), sqliteRuns(":memory:")]) {
    let executions = 0;
    const model: LanguageModel = {
      modelId: "payer",
      generate({ messages }) {
        const isPaid = messages.some(({ role }) => role === "tool");
        const call = { type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} } as const;
        return Promise.resolve({
          message: {
            role: "assistant",
            content: isPaid ? [{ type: "text", text: "Paid" }] : [call],
          },
          finishReason: isPaid ? "stop" : "tool-calls",
        });
      },
    };
    const make = () =>
      new ToolLoopAgent({
        name: "clerk",
        model,
        tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => ++executions }],
        approvalHandler: () => ({ decision: "defer" }),
      });
    await using runs = openRuns(engine, { clerk: { version: "1", make } });
    const workers = [runs.work(), runs.work()];
    await runs.start({ runId: "r1", agent: "clerk", input: "Go" });
    const { waitingFor: [wait] } = await runs.result("r1", { until: "waiting" });
    const sent = Array.from({ length: 50 }, () => runs.signal("r1", wait?.key ?? "", true));
    const outcomes = await Promise.all(sent);
    assertEquals(outcomes.filter(({ outcome }) => outcome === "stored").length, 1);
    assertEquals([(await runs.result("r1")).status, executions], ["done", 1]);
    await runs.close();
    await Promise.all(workers);
  }
});
