import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { claimOf } from "../log/checks/log_steps.ts";
import type { LiveEvent, LiveRun } from "../log/live_run.ts";
import type { RunContext } from "../session.ts";
import { createGate, scriptedModel } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";
import { memoryStorage } from "./memory_storage.ts";
import { openSessions } from "./open_sessions.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions_options.ts";
import { replaceMethods } from "./testdata/replace_methods.ts";

const HELLO = [{ text: "Hello" }] as const;
const PAY: Tool = { name: "pay", inputSchema: { type: "object" }, execute: () => "ok" };

function open(options: Partial<SessionsOptions> = {}): Sessions {
  return openSessions({
    storage: memoryStorage(),
    agent: () => new ToolLoopAgent({ name: "shop", model: scriptedModel(HELLO) }),
    flushMs: 0,
    ...options,
  });
}

/** An agent that waits for the approval of a tool call. */
function payer(): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "shop",
    model: scriptedModel([{ calls: [{ toolName: "pay" }] }]),
    tools: [PAY],
    approvalHandler: () => ({ decision: "defer" }),
  });
}

async function readAll(run: LiveRun | undefined): Promise<readonly LiveEvent[]> {
  return await Array.fromAsync(run ?? []);
}

Deno.test("metadata is stored with a run, and passed to the agent of each process", async () => {
  let now = 0;
  const storage = memoryStorage({ now: () => now });
  const made: (readonly [string, RunContext])[] = [];
  const agent: SessionsOptions["agent"] = (sessionId, run) => {
    made.push([sessionId, run]);
    return new ToolLoopAgent({ name: "shop", model: scriptedModel(HELLO) });
  };
  const metadata = { tenant: "a", roles: ["x"] };
  await storage.log.claim("chat", claimOf({ runId: "chat/0", metadata, leaseMs: 1000 }));
  now = 1000;
  await using sessions = open({ storage, agent });
  await readAll(await sessions.attach("chat"));
  await readAll(await sessions.send("chat", "Again", { metadata: { tenant: "b" } }));
  await readAll(await sessions.send("chat", "Again"));
  assertEquals(made, [
    ["chat", { runId: "chat/0", metadata }],
    ["chat", { runId: "chat/1", metadata: { tenant: "b" } }],
    ["chat", { runId: "chat/2", metadata: {} }],
  ]);
});

Deno.test("changes of the metadata by the agent or a caller do not change the run", async () => {
  const metadata = { tenant: "a", roles: ["x"] };
  const agent: SessionsOptions["agent"] = (_, run) => {
    Object.assign(run.metadata, { tenant: "b" });
    return payer();
  };
  await using sessions = open({ agent });
  const sent = { turnId: "m1", metadata };
  const { epoch, runId } = await sessions.send("chat", "Hi", sent);
  await readAll(await sessions.attach("chat"));
  const run = await sessions.run(runId);
  assertEquals(run?.metadata, metadata);
  Object.assign(run?.metadata ?? {}, { tenant: "c" });
  const [listed] = await sessions.runs();
  assertEquals(listed?.metadata, metadata);
  assertEquals((await sessions.send("chat", "Hi", sent)).epoch, epoch);
});

Deno.test("a message with the same id and other metadata is another message", async () => {
  const gate = createGate();
  const model = { modelId: "m", generate: async () => await gate.wait() as never };
  await using sessions = open({
    agent: () => new ToolLoopAgent({ name: "shop", model }),
    drainMs: 0,
  });
  const first = await sessions.send("chat", "Hi", { turnId: "m1", metadata: { a: 1, b: 2 } });
  const same = await sessions.send("chat", "Hi", { turnId: "m1", metadata: { b: 2, a: 1 } });
  assertEquals(same.runId, first.runId);
  for (const metadata of [{ a: 1 }, {}, undefined]) {
    const options = { turnId: "m1", ...metadata && { metadata } };
    const error = await assertRejects(() => sessions.send("chat", "Hi", options));
    assertEquals(Reflect.get(Object(error), "code"), "session_busy");
  }
  await sessions.stop("chat");
});

Deno.test("a message is rejected if its sender has not seen the newest run", async () => {
  await using sessions = open();
  const first = await sessions.send("chat", "Hi", { seenEpoch: 0 });
  await readAll(first);
  const error = await assertRejects(() => sessions.send("chat", "Hi", { seenEpoch: 0 }));
  assertEquals(Reflect.get(Object(error), "code"), "session_busy");
  assertEquals((await sessions.state("chat")).runs.length, 1);
  await readAll(await sessions.send("chat", "Hi", { seenEpoch: first.epoch }));
  assertEquals((await sessions.state("chat")).runs.length, 2);
  await assertRejects(() => sessions.send("chat", "Hi", { seenEpoch: -1 }), RangeError);
});

Deno.test("metadata that cannot be stored, or of a run that continues, is rejected", async () => {
  await using sessions = open({ agent: payer });
  for (const metadata of [[], "x", { at: new Date(0) }, { f: () => 1 }, { n: NaN }]) {
    const options = { metadata: metadata as never };
    await assertRejects(() => sessions.send("chat", "Hi", options), TypeError, '"metadata"');
  }
  const large = { metadata: { text: "x".repeat(65_536) } };
  await assertRejects(() => sessions.send("chat", "Hi", large), RangeError, "65536 bytes");
  assertEquals((await sessions.list()).length, 0);
  await readAll(await sessions.send("chat", "Hi"));
  const continued = { metadata: { a: 1 } };
  await assertRejects(() => sessions.send("chat", undefined, continued), TypeError, "continues");
});

Deno.test("run() returns the state of the newest and of earlier runs", async () => {
  let isFailing = false;
  const agent = () =>
    new ToolLoopAgent({ name: "shop", model: scriptedModel(isFailing ? [] : HELLO) });
  await using sessions = open({ agent, keepRuns: 2, onError: () => {} });
  for (let n = 0; n < 3; n++) {
    await readAll(await sessions.send("chat", `${n}`, { turnId: `m${n}`, metadata: { n } }));
  }
  isFailing = true;
  await readAll(await sessions.send("chat", "3"));
  assertEquals(await sessions.run("chat/0"), undefined);
  assertEquals(await sessions.run("chat/4"), undefined);
  const { changedAt, startedAt, ...second } = await sessions.run("chat/1") ?? {};
  assertEquals([typeof changedAt, typeof startedAt], ["number", "number"]);
  assertEquals(second, {
    runId: "chat/1",
    sessionId: "chat",
    status: "ended",
    metadata: { n: 1 },
    turnId: "m1",
    stopReason: "model_stop",
    result: {
      finalText: "Hello",
      message: { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      hasAnswer: true,
      stopReason: "model_stop",
      totalUsage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    },
  });
  const failed = await sessions.run("chat/3");
  assertEquals([failed?.status, failed?.stopReason, failed?.error?.code], [
    "ended",
    "failed",
    "model_error",
  ]);
  const runs = await sessions.runs();
  assertEquals(new Set(runs.map(({ runId }) => runId)), new Set(["chat/1", "chat/2", "chat/3"]));
});

Deno.test("runs() lists the runs of several sessions by prefix, in pages", async () => {
  await using sessions = open();
  for (const id of ["ann/a", "ann/b", "bob/a"]) await readAll(await sessions.send(id, "Hi"));
  await readAll(await sessions.send("ann/a", "Again"));
  const all = await sessions.runs({ prefix: "ann/" });
  assertEquals(all.map(({ runId, sessionId }) => `${sessionId} ${runId}`).sort(), [
    "ann/a ann%2Fa/0",
    "ann/a ann%2Fa/1",
    "ann/b ann%2Fb/0",
  ]);
  const paged: string[] = [];
  let after: Parameters<Sessions["runs"]>[0] = { prefix: "ann/", limit: 1 };
  for (;;) {
    const [run] = await sessions.runs(after);
    if (run === undefined) break;
    paged.push(run.runId);
    after = { prefix: "ann/", limit: 1, after: run };
  }
  assertEquals(paged, all.map(({ runId }) => runId));
  await assertRejects(() => sessions.runs({ after: "x" as never }), TypeError, '"filter.after"');
  await assertRejects(() => sessions.runs({ order: 1 } as never), TypeError, "order");
});

Deno.test("a waiting run is found, and a run that replaces another has its id", async () => {
  await using sessions = open({ agent: payer });
  const { runId } = await sessions.send("chat", "Hi");
  await readAll(await sessions.attach("chat"));
  assertEquals((await sessions.run(runId))?.status, "waiting");
  await sessions.stop("chat");
  assertEquals((await sessions.run(runId))?.stopReason, "abandoned");
  await readAll(await sessions.send("chat", undefined, { regenerate: true, metadata: { n: 2 } }));
  const again = await sessions.run(runId);
  assertEquals([again?.status, again?.metadata], ["waiting", { n: 2 }]);
});

Deno.test("a run that stops its processes again and again is ended as failed", async () => {
  let now = 0;
  const storage = memoryStorage({ now: () => now });
  const reports: string[] = [];
  let made = 0;
  const options: Partial<SessionsOptions> = {
    storage,
    maxTakeovers: 2,
    agent: () => {
      made++;
      return new ToolLoopAgent({ name: "shop", model: scriptedModel(HELLO) });
    },
    onError: (error) => reports.push(error instanceof Error ? error.message : String(error)),
  };
  const lease = { runId: "chat/0", leaseMs: 1000 };
  let head = await storage.log.claim("chat", claimOf(lease));
  // Two processes take over the run, and stop.
  for (let count = 0; count < 2; count++) {
    now += 1000;
    const { epoch = 0 } = head ?? {};
    head = await storage.log.claim("chat", claimOf({ ...lease, isNew: false, seenEpoch: epoch }));
  }
  now += 1000;
  await using sessions = open(options);
  const events = await readAll(await sessions.attach("chat"));
  assertEquals(events.map(({ event }) => event.type), ["run_state", "run_failed", "run_state"]);
  const reason = 'Cannot continue run "chat/0": its process has stopped 3 times, and the run may ' +
    "be the cause";
  assertEquals(reports, [reason]);
  const run = await sessions.run("chat/0");
  assertEquals([run?.status, run?.error?.code], ["ended", "run_limit"]);
  const { runs } = await sessions.state("chat");
  const content = [{ type: "text" as const, text: "Hi" }];
  assertEquals(runs.map(({ messages }) => messages), [[{ role: "user", content }]]);
  assertEquals(made, 1);
  await readAll(await sessions.send("chat", "Other"));
  assertEquals((await sessions.state("chat")).runs.length, 2);
});

Deno.test("a run that stops the process that ends it is ended without its agent", async () => {
  let now = 0;
  const storage = memoryStorage({ now: () => now });
  const lease = { runId: "chat/0", leaseMs: 1000 };
  let { epoch = 0 } = await storage.log.claim("chat", claimOf(lease)) ?? {};
  for (let count = 0; count < 2; count++) {
    now += 1000;
    const claim = claimOf({ ...lease, isNew: false, seenEpoch: epoch });
    ({ epoch = 0 } = await storage.log.claim("chat", claim) ?? {});
  }
  now += 1000;
  const agent = () => Promise.reject(new Error("the agent must not be created"));
  await using sessions = open({ storage, agent, maxTakeovers: 0, onError: () => {} });
  await readAll(await sessions.attach("chat"));
  assertEquals((await sessions.run("chat/0"))?.error?.code, "run_limit");
  assertEquals((await sessions.state("chat")).runs.length, 1);
});

Deno.test("the readers of a deleted session do not read the session that begins again", async () => {
  let now = 0;
  const memory = memoryStorage({ now: () => now++ });
  const { log } = memory;
  const gate = createGate();
  const storage = replaceMethods(memory, {
    log: replaceMethods(log, {
      changed: async (seen, signal) => {
        if (seen.phase === "waiting") await gate.wait();
        await log.changed(seen, signal);
      },
    }),
  });
  await using sessions = open({ storage, agent: payer });
  await readAll(await sessions.send("chat", "Hi"));
  const reading = readAll(await sessions.attach("chat", { until: "ended" }));
  await gate.reached;
  await sessions.delete("chat");
  await readAll(await sessions.send("chat", "Other"));
  gate.release();
  await sessions.stop("chat");
  const types = (await reading).map(({ event }) => event.type);
  assertEquals([types.includes("log_reset"), types.at(-1)], [false, "run_state"]);
});

Deno.test("delete() removes a session with its waiting run, but not while a run is in progress", async () => {
  const gate = createGate();
  const model = { modelId: "m", generate: async () => await gate.wait() as never };
  let agent = payer;
  await using sessions = open({ agent: () => agent(), drainMs: 0 });
  await sessions.delete("none");
  const { runId } = await sessions.send("chat", "Hi");
  await readAll(await sessions.attach("chat"));
  const reading = readAll(await sessions.attach("chat", { until: "ended" }));
  await sessions.delete("chat");
  assertEquals((await reading).length > 0, true, "the reader of the deleted session ends");
  assertEquals(await sessions.state("chat"), { status: "idle", runs: [] });
  assertEquals(await sessions.run(runId), undefined);
  assertEquals(await sessions.list(), []);
  agent = () => new ToolLoopAgent({ name: "shop", model });
  await sessions.send("chat", "Hi");
  const error = await assertRejects(() => sessions.delete("chat"));
  assertEquals(Reflect.get(Object(error), "code"), "session_busy");
  await sessions.stop("chat");
  await sessions.delete("chat");
  assertEquals((await sessions.state("chat")).runs, []);
  await sessions.close();
  const closed = await assertRejects(() => sessions.delete("chat"));
  assertEquals(Reflect.get(Object(closed), "code"), "sessions_closed");
});
