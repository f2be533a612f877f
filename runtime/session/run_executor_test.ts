/**
 * Tests for the limits on runs, and for the end of a process that is claiming runs.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { abortable } from "@parley/internal/abortable";
import { sleep } from "@parley/internal/timers";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel } from "../shared/model.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { LiveRun } from "../log/live_run.ts";
import { memoryStorage } from "./memory_storage.ts";
import { openSessions } from "./open_sessions.ts";
import { claimOf } from "../log/checks/log_steps.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions_options.ts";
import type { SessionStorage } from "./storage.ts";
import { replaceMethods } from "./testdata/replace_methods.ts";

function gatedModel(gate: Gate): LanguageModel {
  return {
    modelId: "gated",
    generate: () => Promise.reject(new Error("only streams")),
    async *stream({ signal }) {
      await abortable(gate.wait(), signal);
      yield { type: "text-delta", delta: "Hello" };
      yield {
        type: "finish",
        response: {
          message: { role: "assistant", content: [{ type: "text", text: "Hello" }] },
          finishReason: "stop",
        },
      };
    },
  };
}

function open(model: LanguageModel, options: Partial<SessionsOptions> = {}): Sessions {
  return openSessions({
    storage: memoryStorage(),
    agent: () => new ToolLoopAgent({ name: "a", model }),
    flushMs: 0,
    drainMs: 0,
    ...options,
  });
}

async function textOf(run: LiveRun | undefined): Promise<string> {
  let text = "";
  for await (const { event } of run ?? []) if (event.type === "text_delta") text += event.text;
  return text;
}

/** Lets the timers of a call of close() run. */
async function timers(): Promise<void> {
  for (let n = 0; n < 3; n++) await sleep(0, new AbortController().signal);
}

/** Returns the code and the details of the error that a call rejects with. */
async function refusal(call: () => Promise<unknown>): Promise<unknown> {
  const { code, details } = await assertRejects(call, AgentError);
  return [code, details];
}

const TOO_MANY_RUNS = ["capacity_exceeded", { resource: "runs", limit: 1 }];

/** A storage that waits at a gate within one method, and notes the calls that follow. */
function gated(
  { log, records, steps }: SessionStorage,
  method: "claim" | "count",
  gate: Gate,
): { readonly storage: SessionStorage; readonly calls: string[] } {
  const calls: string[] = [];
  const wait = async <T>(call: () => Promise<T>): Promise<T> => {
    const result = await call();
    await gate.wait();
    calls.push(method);
    return result;
  };
  const storage: SessionStorage = {
    records: {
      ...records,
      count: (id) => method === "count" ? wait(() => records.count(id)) : records.count(id),
    },
    log: replaceMethods(log, {
      claim: (key, claim) =>
        method === "claim" ? wait(() => log.claim(key, claim)) : log.claim(key, claim),
      finish: (key, epoch, finish) => {
        calls.push(finish.phase);
        return log.finish(key, epoch, finish);
      },
    }),
    ...steps && { steps },
    delete: () => Promise.reject(new Error("not used")),
    [Symbol.asyncDispose]: () => {
      calls.push("disposed");
      return Promise.resolve();
    },
  };
  return { storage, calls };
}

Deno.test("a claim that succeeds while the sessions are closed is released immediately", async () => {
  const memory = memoryStorage();
  const gate = createGate();
  const { calls, storage } = gated(memory, "claim", gate);
  const first = open(scriptedModel([{ text: "Hello" }]), { storage });
  const sending = refusal(() => first.send("chat", "Hi"));
  await gate.reached;
  const closing = first.close();
  await timers();
  gate.release();
  assertEquals(await sending, ["sessions_closed", {}]);
  await closing;
  assertEquals(calls, ["claim", "released", "disposed"]);
  // Another process continues the run.
  await using second = open(scriptedModel([{ text: "Hello" }]), { storage: memory });
  assertEquals(await textOf(await second.attach("chat")), "Hello");
  const { runs } = await second.state("chat");
  assertEquals(runs.map(({ runId, stopReason }) => [runId, stopReason]), [[
    "chat/0",
    "model_stop",
  ]]);
});

for (
  const [name, call] of [
    ["attach", (sessions: Sessions) => sessions.attach("chat")],
    ["send", (sessions: Sessions) => sessions.send("chat", "Other")],
    ["stop", (sessions: Sessions) => sessions.stop("chat")],
    ["recover", (sessions: Sessions) => sessions.recover()],
  ] as const
) {
  Deno.test(`close waits until ${name} no longer uses the storage`, async () => {
    const memory = memoryStorage();
    await memory.log.claim("chat", claimOf({ runId: "chat/0", leaseMs: 0 }));
    const gate = createGate();
    const { calls, storage } = gated(memory, "count", gate);
    const sessions = open(scriptedModel([]), { storage });
    const calling = refusal(() => call(sessions));
    await gate.reached;
    const closing = sessions.close();
    await timers();
    gate.release();
    assertEquals(await calling, ["sessions_closed", {}]);
    await closing;
    assertEquals(calls, ["count", "disposed"]);
  });
}

Deno.test("concurrent messages do not exceed the maximum number of runs", async () => {
  const gate = createGate();
  await using sessions = open(gatedModel(gate), { maxRuns: 2 });
  const sent = await Promise.allSettled(
    ["a", "b", "c", "d"].map((id) => sessions.send(id, "Hi")),
  );
  assertEquals(sent.map(({ status }) => status), [
    "fulfilled",
    "fulfilled",
    "rejected",
    "rejected",
  ]);
  assertEquals((await sessions.list()).map(({ sessionId }) => sessionId), ["a", "b"]);
  gate.release();
});

Deno.test("a claim that fails frees its place, and so does the end of a run", async () => {
  const memory = memoryStorage();
  const results = [Promise.reject(new Error("disk full")), Promise.resolve(undefined)];
  const storage = replaceMethods(memory, {
    log: replaceMethods(memory.log, {
      claim: (key, claim) => results.shift() ?? memory.log.claim(key, claim),
    }),
  });
  await using sessions = open(scriptedModel([{ text: "One" }, { text: "Two" }]), {
    storage,
    maxRuns: 1,
  });
  await assertRejects(() => sessions.send("chat", "Hi"), Error, "disk full");
  assertEquals(await textOf(await sessions.send("chat", "Hi")), "One");
  assertEquals(await textOf(await sessions.send("chat", "Hi")), "Two");
});

Deno.test("runs that are taken over or given up count as runs", async () => {
  const storage = memoryStorage();
  await storage.log.claim("old", claimOf({ runId: "old/0", leaseMs: 0 }));
  const gate = createGate();
  await using sessions = open(gatedModel(gate), { storage, maxRuns: 1 });
  const run = await sessions.send("new", "Hi");
  assertEquals(await refusal(() => sessions.attach("old")), TOO_MANY_RUNS);
  assertEquals(await refusal(() => sessions.stop("old")), TOO_MANY_RUNS);
  assertEquals(await sessions.recover(), 0);
  gate.release();
  await textOf(run);
  assertEquals(await sessions.stop("old"), "stopped");
});

Deno.test("a party executes at most its share of the runs", async () => {
  const gate = createGate();
  await using sessions = open(gatedModel(gate), { maxRuns: 20 });
  const ann = { party: "ann" };
  const first = await sessions.send("a1", "Hi", ann);
  await sessions.send("a2", "Hi", ann);
  assertEquals(await refusal(() => sessions.send("a3", "Hi", ann)), [
    "capacity_exceeded",
    { resource: "runs of one party", limit: 2 },
  ]);
  await sessions.send("b1", "Hi", { party: "bob" });
  await sessions.send("c1", "Hi");
  gate.release();
  await textOf(first);
  assertEquals(await textOf(await sessions.send("a3", "Hi", ann)), "Hello");
});

Deno.test("maxPartyRuns sets the share of a party, and parties are checked", async () => {
  const gate = createGate();
  await using sessions = open(gatedModel(gate), { maxPartyRuns: 1 });
  await sessions.send("a1", "Hi", { party: "a".repeat(256) });
  assertEquals(await refusal(() => sessions.send("a2", "Hi", { party: "a".repeat(256) })), [
    "capacity_exceeded",
    { resource: "runs of one party", limit: 1 },
  ]);
  for (const party of ["", "a".repeat(257), 1]) {
    await assertRejects(
      () => sessions.send("a2", "Hi", Object({ party })),
      TypeError,
      '"party" must be a string of 1 to 256 characters',
    );
  }
  gate.release();
});

Deno.test("close ends a call of stop that waits for another process", async () => {
  const memory = memoryStorage();
  const waiting = createGate();
  const claim = { turn: "Hi", turnId: undefined, isNew: true, leaseMs: 60_000, seenEpoch: 0 };
  await memory.log.claim("chat", claimOf({ ...claim, runId: "chat/0" }));
  const storage = replaceMethods(memory, {
    log: replaceMethods(memory.log, {
      // A storage whose disposal does not end waits.
      changed: async (_, signal) => await abortable(waiting.wait(), signal).catch(() => {}),
    }),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  });
  const sessions = open(scriptedModel([]), { storage });
  const stopping = refusal(() => sessions.stop("chat", { waitMs: 3_600_000 }));
  await waiting.reached;
  await sessions.close();
  assertEquals(await stopping, ["sessions_closed", {}]);
});

Deno.test("recover takes over as many runs as there are places", async () => {
  const storage = memoryStorage();
  const claim = { turn: "Hi", turnId: undefined, isNew: true, leaseMs: 0, seenEpoch: 0 };
  for (const key of ["a", "b", "c"]) {
    await storage.log.claim(key, claimOf({ ...claim, runId: `${key}/0` }));
  }
  const gate = createGate();
  await using sessions = open(gatedModel(gate), { storage, maxRuns: 3 });
  // A message takes a place while the first run is taken over.
  const recovering = sessions.recover();
  await sessions.send("d", "Hi");
  assertEquals(await recovering, 2);
  gate.release();
});

/** An agent that waits for a decision, except in the session "busy", whose model waits. */
function clerk(gate: Gate): SessionsOptions["agent"] {
  return (sessionId) =>
    new ToolLoopAgent({
      name: "clerk",
      model: sessionId === "busy"
        ? gatedModel(gate)
        : scriptedModel([{ calls: [{ toolName: "pay" }] }]),
      tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => "ok" }],
      approvalHandler: () => ({ decision: "defer" }),
    });
}

Deno.test("a decision or a message counts for its party if the session waits", async () => {
  const gate = createGate();
  await using sessions = open(scriptedModel([]), { agent: clerk(gate), maxPartyRuns: 1 });
  await textOf(await sessions.send("chat", "Pay"));
  const { current } = await sessions.state("chat");
  const [approval] = current?.pending?.approvals ?? [];
  const decisions = { [approval?.key ?? ""]: { decision: "approve" as const } };
  const ann = { party: "ann" };
  await sessions.send("busy", "Hi", ann);
  const limit = ["capacity_exceeded", { resource: "runs of one party", limit: 1 }];
  assertEquals(await refusal(() => sessions.send("chat", undefined, { ...ann, decisions })), limit);
  assertEquals(await refusal(() => sessions.send("chat", "Other", ann)), limit);
  assertEquals((await sessions.state("chat")).status, "waiting");
  // The place of the party is free again.
  gate.release();
  await textOf(await sessions.attach("busy"));
  const { runId } = await sessions.send("chat", undefined, { ...ann, decisions });
  assertEquals(runId, "chat/0");
});

for (const end of ["commit", "finish"] as const) {
  Deno.test(`the place of a run is free before ${end} shows the end of the run`, async () => {
    const memory = memoryStorage();
    const { log } = memory;
    const next: Promise<LiveRun>[] = [];
    /** Sends a message as soon as another process can see the end of the run. */
    const then = async <T>(ending: Promise<T>): Promise<T> => {
      const result = await ending;
      if (next.length === 0) next.push(sessions.send("next", "Hi"));
      await Promise.allSettled(next);
      return result;
    };
    const storage: SessionStorage = {
      records: memory.records,
      log: replaceMethods(log, {
        finish: (...args) => end === "finish" ? then(log.finish(...args)) : log.finish(...args),
      }),
      ...end === "commit" && {
        commit: (...args) => then(memory.commit?.(...args) ?? Promise.resolve("fenced")),
      },
      delete: (...args) => memory.delete(...args),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const gate = createGate();
    gate.release();
    const agent = end === "finish"
      ? clerk(gate)
      : () => new ToolLoopAgent({ name: "a", model: gatedModel(gate) });
    await using sessions = open(scriptedModel([]), { storage, agent, maxRuns: 1 });
    await textOf(await sessions.send("chat", "Hi"));
    assertEquals((await Promise.all(next)).map(({ runId }) => runId), ["next/0"]);
  });
}
