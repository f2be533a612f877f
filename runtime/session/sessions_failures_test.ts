/**
 * Tests for sessions whose storage, process or limits fail.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { abortable } from "@parley/internal/abortable";
import { sleep } from "@parley/internal/timers";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import type { LanguageModel } from "../shared/model.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { LiveEvent, LiveRun } from "../log/live_run.ts";
import { claimOf } from "../log/checks/log_steps.ts";
import { memoryStorage } from "./memory_storage.ts";
import { openSessions } from "./open_sessions.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions_options.ts";
import type { SessionStorage } from "./storage.ts";
import { replaceMethods } from "./testdata/replace_methods.ts";
import type { Tool } from "../tools/tool.ts";

async function readAll(run: LiveRun | undefined): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of run ?? []) events.push(event);
  return events;
}

function textOf(events: readonly LiveEvent[]): string {
  return events.map(({ event }) => event.type === "text_delta" ? event.text : "").join("");
}

const NEVER = new AbortController().signal;

/** A model that streams single characters, and waits at the gate before the last one. */
function typingModel(text: string, gate?: Gate): LanguageModel {
  return {
    modelId: "typing",
    generate: () => Promise.reject(new Error("only streams")),
    async *stream({ signal }) {
      for (const [index, delta] of [...text].entries()) {
        // Lets the timers of the log run between two deltas.
        await sleep(0, signal ?? NEVER);
        if (index === text.length - 1) await abortable(gate?.wait() ?? Promise.resolve(), signal);
        yield { type: "text-delta", delta };
      }
      yield {
        type: "finish",
        response: {
          message: { role: "assistant", content: [{ type: "text", text }] },
          finishReason: "stop",
        },
      };
    },
  };
}

interface Opened extends AsyncDisposable {
  readonly sessions: Sessions;
  readonly errors: string[];
}

function open(
  storage: SessionStorage,
  model: LanguageModel,
  options: Partial<SessionsOptions> = {},
): Opened {
  const errors: string[] = [];
  const sessions = openSessions({
    storage,
    agent: () => new ToolLoopAgent({ name: "a", model }),
    flushMs: 0,
    onError: (error) => errors.push(error instanceof Error ? error.message : String(error)),
    ...options,
  });
  return { sessions, errors, [Symbol.asyncDispose]: () => sessions.close() };
}

/** Replaces methods of a storage in memory. */
function withFaults(
  storage: SessionStorage,
  faults: {
    readonly log?: Partial<SessionStorage["log"]>;
    readonly commit?: NonNullable<SessionStorage["commit"]>;
    readonly records?: Partial<SessionStorage["records"]>;
    readonly steps?: Partial<NonNullable<SessionStorage["steps"]>>;
  },
): SessionStorage {
  const { steps } = storage;
  return {
    records: { ...storage.records, ...faults.records },
    log: replaceMethods(storage.log, faults.log),
    ...steps && { steps: { ...steps, ...faults.steps } },
    delete: (...args) => storage.delete(...args),
    commit: faults.commit ?? ((...args) => storage.commit?.(...args) ?? Promise.resolve("fenced")),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

const PAY: Tool = { name: "pay", inputSchema: { type: "object" }, execute: () => "paid" };

function fail(): never {
  throw new Error("the model does not stream");
}

function broken(): Promise<never> {
  return Promise.reject(new Error("disk full"));
}

Deno.test("a storage that cannot be read starts nothing", async () => {
  const model = scriptedModel([{ text: "Hello" }]);
  for (const log of [{ head: broken }, { claim: broken }]) {
    await using opened = open(withFaults(memoryStorage(), { log }), model);
    await assertRejects(() => opened.sessions.send("chat", "Hi"), Error, "disk full");
  }
  assertEquals(model.requests.length, 0);
});

Deno.test("a run whose events cannot be written continues, and is recorded", async () => {
  let attempts = 0;
  const storage = withFaults(memoryStorage(), {
    log: {
      append: () => {
        attempts++;
        return broken();
      },
    },
  });
  await using opened = open(storage, scriptedModel([{ text: "Hello" }]), { leaseMs: 200 });
  await readAll(await opened.sessions.send("chat", "Hi"));
  const { runs } = await opened.sessions.state("chat");
  assertEquals(runs.map(({ stopReason }) => stopReason), ["model_stop"]);
  assert(attempts > 0);
  assertEquals(opened.errors, [
    'Cannot write the events of session "chat": disk full; the run continues, but readers do ' +
    "not receive its progress",
  ]);
});

Deno.test("a run that cannot be recorded is kept, and recorded by the next process", async () => {
  let now = 0;
  const storage = memoryStorage({ now: () => now });
  const model = scriptedModel([{ text: "Hello" }]);
  const first = open(withFaults(storage, { commit: broken }), model);
  const reading = readAll(await first.sessions.send("chat", "Hi"));
  // The run of the first process ends without a record. Its readers would take it over.
  await Promise.all([reading, first.sessions.close()]);
  assertEquals(
    first.errors.at(-1),
    'Cannot add the run to session "chat": Cannot add the run to session "chat": disk full',
  );
  const second = openSessions({ storage, agent: () => new ToolLoopAgent({ name: "a", model }) });
  assertEquals((await second.state("chat")).status, "running");
  now = 15_000;
  assertEquals((await second.state("chat")).status, "interrupted");
  const events = await readAll(await second.attach("chat"));
  assertEquals(events.at(-1)?.event.type, "run_state");
  const { runs } = await second.state("chat");
  assertEquals(runs[0]?.messages.at(-1)?.content, [{ type: "text", text: "Hello" }]);
  assertEquals(model.requests.length, 1, "the recorded model call is not repeated");
  await second.close();
});

Deno.test("a process that cannot renew its lease stops, and reports it", async () => {
  const gate = createGate();
  const storage = withFaults(memoryStorage(), { log: { renew: broken } });
  await using opened = open(storage, typingModel("Hello", gate), { leaseMs: 100 });
  await opened.sessions.send("chat", "Hi");
  while (opened.errors.length === 0) await sleep(1, NEVER);
  assertEquals(opened.errors[0], 'Cannot renew the lease of session "chat": disk full');
  gate.release();
});

Deno.test("an interrupted run of a storage without steps is recorded as failed", async () => {
  let now = 0;
  const memory = memoryStorage({ now: () => now });
  const storage: SessionStorage = {
    records: memory.records,
    log: memory.log,
    delete: (...args) => memory.delete(...args),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const gate = createGate();
  const model = typingModel("Hello", gate);
  const first = open(storage, model, { drainMs: 0, leaseMs: 1000 });
  await using second = open(storage, model);
  let text = "";
  for await (const { event } of await first.sessions.send("chat", "Hi")) {
    if (event.type === "text_delta") text += event.text;
    if (text === "Hell") break;
  }
  now = 5000;
  const events = await readAll(await second.sessions.attach("chat"));
  assert(events.some(({ event }) => event.type === "run_failed"));
  await first.sessions.close();
  const { runs } = await second.sessions.state("chat");
  assertEquals(runs.map(({ isPartial, stopReason }) => [stopReason, isPartial]), [[
    "failed",
    true,
  ]]);
  assertEquals(runs[0]?.messages.at(-1)?.content, [{ type: "text", text: "Hell" }]);
  gate.release();
});

Deno.test("a recorded step that is damaged fails the run, and keeps the user's message", async () => {
  const damaged = { v: 9 } as unknown as never;
  const storage = withFaults(memoryStorage(), {
    steps: { load: () => Promise.resolve([damaged]) },
  });
  await using opened = open(storage, scriptedModel([{ text: "Hello" }]));
  const events = await readAll(await opened.sessions.send("chat", "Hi"));
  const failed = events.find(({ event }) => event.type === "run_failed")?.event;
  assert(failed?.type === "run_failed" && failed.error instanceof Error);
  assertEquals(
    failed.error.message,
    'Cannot continue run "chat/0": a step is damaged: "v" must be 1, got 9',
  );
  const { runs } = await opened.sessions.state("chat");
  assertEquals(runs.map(({ messages, stopReason }) => [stopReason, messages.length]), [[
    "failed",
    1,
  ]]);
});

Deno.test("an entry that is damaged is named, and the session stays usable", async () => {
  const storage = withFaults(memoryStorage(), {
    log: { read: () => Promise.resolve([{ type: "text_delta", runId: "r", path: [], at: 0 }]) },
  });
  await using opened = open(storage, scriptedModel([{ text: "Hello" }]));
  const live = await opened.sessions.send("chat", "Hi");
  const error = await assertRejects(() => readAll(live), AgentError);
  assertEquals(
    error.message,
    'Cannot read event 1.0 of session "chat": "iteration" must be of type number, got undefined',
  );
  const { signal } = new AbortController();
  let head = await storage.log.head("chat");
  while (head !== undefined && head.phase !== "ended") {
    await storage.log.changed(head, signal);
    head = await storage.log.head("chat");
  }
  assertEquals((await opened.sessions.state("chat")).runs.length, 1);
});

Deno.test("a log that is full shows whole messages", async () => {
  const gate = createGate();
  const text = "abcdefghij";
  await using opened = open(memoryStorage(), typingModel(text, gate), { maxRunEvents: 6 });
  const live = await opened.sessions.send("chat", "Hi");
  await gate.reached;
  gate.release();
  const events = (await readAll(live)).map(({ event }) => event);
  const retry = events.findIndex(({ type }) => type === "model_retry");
  assert(retry > 0, "the readers are told to discard the beginning of the response");
  assertEquals(events.slice(retry).some(({ type }) => type === "text_delta"), false);
  const finished = events.find((event) => event.type === "model_finished");
  assertEquals(finished?.message.content, [{ type: "text", text }]);
  assertEquals(events.some(({ type }) => type === "run_finished"), true);
  const { runs } = await opened.sessions.state("chat");
  assertEquals(runs[0]?.messages.at(-1)?.content, [{ type: "text", text }]);
});

Deno.test("deltas that arrive together are joined", async () => {
  await using opened = open(memoryStorage(), typingModel("abcdefghij"), { flushMs: 1000 });
  const events = await readAll(await opened.sessions.send("chat", "Hi"));
  assertEquals(textOf(events), "abcdefghij");
  assertEquals(events.filter(({ event }) => event.type === "text_delta").length, 1);
});

Deno.test("a session with the maximum number of records rejects messages, and stays readable", async () => {
  const model = scriptedModel([{ text: "One" }, { text: "Two" }]);
  await using opened = open(memoryStorage(), model, { maxRecords: 1 });
  await readAll(await opened.sessions.send("chat", "Hi"));
  await assertRejects(
    () => opened.sessions.send("chat", "Again"),
    AgentError,
    "the session has reached the maximum number of records (1)",
  );
  assertEquals((await opened.sessions.state("chat")).runs.length, 1);
  // The newest answer can still be replaced.
  const live = await opened.sessions.send("chat", undefined, { regenerate: true });
  assertEquals(textOf(await readAll(live)), "Two");
});

Deno.test("list and recover find the runs of a process that has stopped", async () => {
  const storage = memoryStorage();
  const gate = createGate();
  const first = open(withFaults(storage, {}), typingModel("Hello", gate), { drainMs: 0 });
  await first.sessions.send("b", "Hi");
  await first.sessions.send("a", "Hi");
  await gate.reached;
  const kept = withFaults(storage, {});
  await first.sessions.close();
  gate.release();
  await using second = open(kept, typingModel("Hello"));
  const interrupted = await second.sessions.list({ status: "interrupted" });
  assertEquals(interrupted.map(({ runId, sessionId }) => [sessionId, runId]), [["a", "a/0"], [
    "b",
    "b/0",
  ]]);
  assertEquals(await second.sessions.recover({ limit: 1 }), 1);
  assertEquals(await second.sessions.recover(), 1);
  await Promise.all(["a", "b"].map(async (id) => readAll(await second.sessions.attach(id))));
  assertEquals((await second.sessions.list({ status: "idle" })).length, 2);
  assertEquals((await second.sessions.list({ after: "a", limit: 1 }))[0]?.sessionId, "b");
});

/** Releases a run that has executed a tool, and whose next model call has not ended. */
async function releaseAfterTool(storage: SessionStorage): Promise<void> {
  const gate = createGate();
  const agent = (): ToolLoopAgent => {
    const script = scriptedModel([{ calls: [{ toolName: "pay" }] }]);
    const waiting = typingModel("Paid", gate);
    const model: LanguageModel = {
      ...script,
      stream: (request) => {
        const isPaid = request.messages.some(({ role }) => role === "tool");
        return (isPaid ? waiting : script).stream?.(request) ?? fail();
      },
    };
    return new ToolLoopAgent({ name: "a", model, tools: [PAY] });
  };
  await using first = open(storage, typingModel(""), { agent, drainMs: 0 });
  await first.sessions.send("chat", "Pay");
  await gate.reached;
}

Deno.test("a run whose agent cannot be created after a takeover keeps its steps for the next one", async () => {
  let now = 0;
  const storage = memoryStorage({ now: () => now });
  const kept = replaceMethods(storage, { [Symbol.asyncDispose]: () => Promise.resolve() });
  await releaseAfterTool(kept);
  let isFailing = true;
  const agent = (): ToolLoopAgent => {
    if (isFailing) throw new Error("no connection");
    return new ToolLoopAgent({ name: "a", model: typingModel("Paid"), tools: [PAY] });
  };
  await using second = open(storage, typingModel(""), { agent, leaseMs: 60_000 });
  assertEquals(await second.sessions.recover(), 1);
  while ((await second.sessions.attach("chat", { onInterrupted: "report" })) !== undefined) {
    now += 30_000;
    await sleep(0, NEVER);
  }
  assertEquals(second.errors, ["no connection"]);
  isFailing = false;
  assertEquals(textOf(await readAll(await second.sessions.attach("chat"))), "Paid");
  const { runs } = await second.sessions.state("chat");
  assertEquals(runs.map(({ messages }) => messages.map(({ role }) => role)), [
    ["user", "assistant", "tool", "assistant"],
  ]);
});

Deno.test("a run that is stopped while its agent is created again keeps its iterations", async () => {
  const storage = memoryStorage();
  const kept = replaceMethods(storage, { [Symbol.asyncDispose]: () => Promise.resolve() });
  await releaseAfterTool(kept);
  const gate = createGate();
  let made = 0;
  const agent = async (): Promise<ToolLoopAgent> => {
    if (made++ === 0) await gate.wait();
    return new ToolLoopAgent({ name: "a", model: typingModel("Paid"), tools: [PAY] });
  };
  await using second = open(storage, typingModel(""), { agent, leaseMs: 60_000 });
  assertEquals(await second.sessions.recover(), 1);
  await gate.reached;
  assertEquals(await second.sessions.stop("chat"), "stopped");
  gate.release();
  const { runs } = await second.sessions.state("chat");
  assertEquals(runs.map(({ messages }) => messages.map(({ role }) => role)), [
    ["user", "assistant", "tool"],
  ]);
});

Deno.test("recover reports a session that is damaged, and continues with the next one", async () => {
  const storage = memoryStorage();
  const { log } = storage;
  await log.claim("a", claimOf({ runId: "a/0", turn: { damaged: true }, leaseMs: 0 }));
  await log.claim("b", claimOf({ runId: "b/0", leaseMs: 0 }));
  await using opened = open(storage, typingModel("Hello"));
  assertEquals(await opened.sessions.recover(), 1);
  assertEquals(opened.errors, ['Cannot read the message of session "a": it is damaged']);
  assertEquals(textOf(await readAll(await opened.sessions.attach("b"))), "Hello");
});

Deno.test("recover ends when messages have taken the last places", async () => {
  const storage = memoryStorage();
  const { log, records } = storage;
  await log.claim("a", claimOf({ runId: "a/0", leaseMs: 0 }));
  const gate = createGate();
  const count = async (id: string): Promise<number> => {
    if (id === "a") await opened.sessions.send("new", "Hi");
    return await records.count(id);
  };
  const faults = withFaults(storage, { records: { count } });
  await using opened = open(faults, typingModel("Hello", gate), { maxRuns: 1, drainMs: 0 });
  assertEquals(await opened.sessions.recover(), 0);
  assertEquals(opened.errors, []);
  assertEquals((await opened.sessions.state("a")).status, "interrupted");
  gate.release();
});

Deno.test("close is idempotent, and ends the readers of runs that it releases", async () => {
  const gate = createGate();
  const opened = open(memoryStorage(), typingModel("Hello", gate), { drainMs: 0 });
  const reading = readAll(await opened.sessions.send("chat", "Hi"));
  await gate.reached;
  await Promise.all([opened.sessions.close(), opened.sessions.close()]);
  assertEquals(textOf(await reading), "Hell");
  for (const call of ["attach", "stop", "recover"] as const) {
    const error = await assertRejects(async () => await opened.sessions[call](Object("chat")));
    assert(error instanceof Error);
  }
  gate.release();
});

Deno.test("close lets runs finish", async () => {
  const opened = open(memoryStorage(), typingModel("Hello"));
  const reading = readAll(await opened.sessions.send("chat", "Hi"));
  await opened.sessions.close();
  assertEquals(textOf(await reading), "Hello");
});

for (const call of ["stop", "send"] as const) {
  Deno.test(`${call}() rejects if an interrupted run cannot be ended, and keeps its tool calls`, async () => {
    const storage = memoryStorage();
    const kept = replaceMethods(storage, { [Symbol.asyncDispose]: () => Promise.resolve() });
    await releaseAfterTool(kept);
    let isFailing = true;
    const agent = (): ToolLoopAgent => {
      if (isFailing) throw new Error("no connection");
      return new ToolLoopAgent({ name: "a", model: typingModel("Hello"), tools: [PAY] });
    };
    await using opened = open(storage, typingModel(""), { agent });
    const { sessions } = opened;
    const end = () => call === "stop" ? sessions.stop("chat") : sessions.send("chat", "Other");
    await assertRejects(end, AgentError, 'Cannot end run "chat/0": its agent cannot be created');
    assertEquals(opened.errors, ["no connection"]);
    assertEquals((await sessions.state("chat")).status, "interrupted");
    isFailing = false;
    await end();
    const { runs } = await sessions.state("chat");
    assertEquals(runs[0]?.messages.map(({ role }) => role), ["user", "assistant", "tool"]);
    assertEquals(runs[0]?.stopReason, "abandoned");
  });
}

Deno.test("the events of a run that keeps its steps are written before its lease ends", async () => {
  const storage = memoryStorage();
  const kept = replaceMethods(storage, { [Symbol.asyncDispose]: () => Promise.resolve() });
  await releaseAfterTool(kept);
  const calls: string[] = [];
  const observed = withFaults(storage, {
    log: {
      append: (...args) => {
        calls.push("append");
        return storage.log.append(...args);
      },
      renew: (...args) => {
        calls.push("renew");
        return storage.log.renew(...args);
      },
    },
  });
  const agent = (): never => {
    throw new Error("no connection");
  };
  await using opened = open(observed, typingModel(""), { agent });
  await assertRejects(() => opened.sessions.stop("chat"), AgentError);
  assertEquals(calls, ["append", "renew"]);
});
