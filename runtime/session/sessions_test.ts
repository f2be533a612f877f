/**
 * Tests for sessions whose runs do not belong to a connection.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { abortable } from "@parley/internal/abortable";
import type { LanguageModel } from "../shared/model.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { AgentError } from "../shared/error.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { LiveEvent, LiveRun } from "../log/live_run.ts";
import { memoryStorage } from "./memory_storage.ts";
import { openSessions } from "./open_sessions.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions_options.ts";
import type { SessionStorage } from "./storage.ts";
import { replaceMethods } from "./testdata/replace_methods.ts";

/** Keeps the storage when the sessions of one "process" are closed. */
function shared(storage: SessionStorage): SessionStorage {
  return {
    records: storage.records,
    log: storage.log,
    ...storage.steps && { steps: storage.steps },
    ...storage.commit && { commit: storage.commit.bind(storage) },
    delete: storage.delete.bind(storage),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** A model that streams words and waits at the gate before the given word. */
function slowModel(words: readonly string[], gate: Gate, gateBefore: number): LanguageModel {
  return {
    modelId: "slow",
    generate: () => Promise.reject(new Error("only streams")),
    async *stream({ signal }) {
      for (const [index, word] of words.entries()) {
        if (index === gateBefore) await abortable(gate.wait(), signal);
        yield { type: "text-delta", delta: `${word} ` };
      }
      const text = words.map((word) => `${word} `).join("");
      yield {
        type: "finish",
        response: {
          message: { role: "assistant", content: [{ type: "text", text }] },
          finishReason: "stop",
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        },
      };
    },
  };
}

function open(model: LanguageModel, options: Partial<SessionsOptions> = {}): Sessions {
  return openSessions({
    storage: memoryStorage(),
    agent: () => new ToolLoopAgent({ name: "shop", model }),
    flushMs: 0,
    ...options,
  });
}

async function readAll(run: LiveRun | undefined): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of run ?? []) events.push(event);
  return events;
}

function textOf(events: readonly LiveEvent[]): string {
  return events.map(({ event }) => event.type === "text_delta" ? event.text : "").join("");
}

/** Reads until the text contains the word. */
async function readUntil(run: LiveRun | undefined, word: string): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for await (const event of run ?? []) {
    events.push(event);
    if (textOf(events).includes(word)) break;
  }
  return events;
}

Deno.test("a run without readers continues, and a second reader receives the whole response", async () => {
  const gate = createGate();
  await using sessions = open(slowModel(["one", "two", "three"], gate, 2));
  const first = await sessions.send("chat", "Count");
  assertEquals(textOf(await readUntil(first, "two")), "one two ");
  const reader = readAll(await sessions.attach("chat"));
  gate.release();
  const events = await reader;
  assertEquals(textOf(events), "one two three ");
  assertEquals(events.at(0)?.event.type, "run_state");
  const { runs, status } = await sessions.state("chat");
  assertEquals([status, runs.length, runs[0]?.stopReason], ["idle", 1, "model_stop"]);
  assertEquals(runs[0]?.messages.at(-1)?.content, [{ type: "text", text: "one two three " }]);
});

Deno.test("a reader continues after the cursor of the last event that it has received", async () => {
  const gate = createGate();
  await using sessions = open(slowModel(["one", "two", "three"], gate, 2));
  const received = await readUntil(await sessions.send("chat", "Count"), "two");
  const after = received.at(-1)?.cursor ?? "";
  const reader = readAll(await sessions.attach("chat", { after }));
  gate.release();
  assertEquals(textOf(received) + textOf(await reader), "one two three ");
});

Deno.test("a second message during a run is rejected, and the same message attaches", async () => {
  const gate = createGate();
  await using sessions = open(slowModel(["one", "two"], gate, 1));
  const first = await sessions.send("chat", "Count", { turnId: "m1" });
  const error = await assertRejects(() => sessions.send("chat", "Other"), AgentError);
  assertEquals([error.code, error.details], [
    "session_busy",
    { sessionId: "chat", runId: "chat/0" },
  ]);
  // The same id with a different message is not a repetition.
  await assertRejects(() => sessions.send("chat", "Other", { turnId: "m1" }), AgentError);
  const again = await sessions.send("chat", "Count", { turnId: "m1" });
  assertEquals([again.runId, again.epoch], [first.runId, first.epoch]);
  gate.release();
  assertEquals(textOf(await readAll(again)), "one two ");
  // A repetition after the end replays the answer.
  const late = await sessions.send("chat", "Count", { turnId: "m1" });
  assertEquals(textOf(await readAll(late)), "one two ");
  assertEquals((await sessions.state("chat")).runs.length, 1);
});

Deno.test("of several concurrent messages, exactly one starts a run", async () => {
  const gate = createGate();
  await using sessions = open(slowModel(["one"], gate, 0));
  const sent = await Promise.allSettled(
    Array.from({ length: 6 }, (_, n) => sessions.send("chat", `Message ${n}`)),
  );
  assertEquals(sent.filter(({ status }) => status === "fulfilled").length, 1);
  gate.release();
  await readAll(await sessions.attach("chat"));
  assertEquals((await sessions.state("chat")).runs.length, 1);
});

Deno.test("stop keeps the text that was streamed, and the conversation continues", async () => {
  const gate = createGate();
  const model = slowModel(["one", "two", "three"], gate, 2);
  await using sessions = open(model);
  await readUntil(await sessions.send("chat", "Count"), "two");
  assertEquals(await sessions.stop("chat"), "stopped");
  assertEquals(await sessions.stop("chat"), "not_running");
  const { runs } = await sessions.state("chat");
  assertEquals(runs[0]?.stopReason, "aborted");
  assertEquals(runs[0]?.isPartial, true);
  assertEquals(runs[0]?.messages.map(({ content, role }) => ({ content, role })), [
    { role: "user", content: [{ type: "text", text: "Count" }] },
    { role: "assistant", content: [{ type: "text", text: "one two " }] },
  ]);
  gate.release();
  await readAll(await sessions.send("chat", "Again"));
  assertEquals((await sessions.state("chat")).runs.map(({ stopReason }) => stopReason), [
    "aborted",
    "model_stop",
  ]);
});

Deno.test("stop reaches a silent tool in another process without a renewal of the lease", async () => {
  const gate = createGate();
  const storage = memoryStorage();
  const look = {
    name: "look",
    inputSchema: { type: "object" },
    execute: async (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      await abortable(gate.wait(), signal),
  };
  // The first renewal takes place after 20 minutes.
  await using first = openSessions({
    storage: shared(storage),
    leaseMs: 3_600_000,
    agent: () =>
      new ToolLoopAgent({
        name: "shop",
        model: scriptedModel([{ calls: [{ toolName: "look" }] }]),
        tools: [look],
      }),
  });
  await using second = open(scriptedModel([]), { storage });
  for await (const { event } of await first.send("chat", "Look")) {
    if (event.type === "tool_started") break;
  }
  await gate.reached;
  assertEquals(await second.stop("chat"), "stopped");
  const { runs } = await second.state("chat");
  assertEquals(runs.map(({ stopReason }) => stopReason), ["aborted"]);
});

Deno.test("stop does not stop the next run, which started before stop has seen the end", async () => {
  const gate = createGate();
  const storage = memoryStorage();
  await using first = open(slowModel(["one"], gate, 0), { storage: shared(storage), drainMs: 0 });
  const { log } = storage;
  let next: LiveRun | undefined;
  await using second = open(scriptedModel([]), {
    storage: replaceMethods(shared(storage), {
      log: replaceMethods(log, {
        changed: async (seen, signal) => {
          while ((await log.head("chat"))?.phase === "running") await log.changed(seen, signal);
          next ??= await first.send("chat", "Next");
        },
      }),
    }),
  });
  await first.send("chat", "First");
  assertEquals(await second.stop("chat"), "stopped");
  assertEquals(next?.runId, "chat/1");
  gate.release();
  await readAll(next);
  const { runs } = await second.state("chat");
  assertEquals(runs.map(({ stopReason }) => stopReason), ["aborted", "model_stop"]);
});

Deno.test("a run that cannot look for requests to stop it continues", async () => {
  const storage = memoryStorage();
  let looks = 0;
  const changed = (): Promise<never> => {
    looks++;
    return Promise.reject(new Error("disk full"));
  };
  await using sessions = open(scriptedModel([{ text: "Hello" }]), {
    storage: { ...shared(storage), log: replaceMethods(storage.log, { changed }) },
  });
  await sessions.send("chat", "Hi");
  await sessions.close();
  assertEquals((await storage.records.load("chat")).length, 1);
  assertEquals(looks, 1);
});

Deno.test("a stopped run can leave its text out of the session", async () => {
  const gate = createGate();
  await using sessions = open(slowModel(["one", "two"], gate, 1), { partialText: "discard" });
  await readUntil(await sessions.send("chat", "Count"), "one");
  await sessions.stop("chat");
  const { runs } = await sessions.state("chat");
  assertEquals(runs[0]?.messages.map(({ role }) => role), ["user"]);
});

Deno.test("a run that is stopped before its first step keeps the user's message", async () => {
  const gate = createGate();
  await using sessions = open(scriptedModel([{ text: "Hello" }]), {
    agent: async () => {
      await gate.wait();
      return new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
    },
  });
  await sessions.send("chat", "Hi");
  assertEquals(await sessions.stop("chat"), "stopped");
  gate.release();
  const { runs } = await sessions.state("chat");
  assertEquals([runs.length, runs[0]?.stopReason, runs[0]?.messages.length], [1, "aborted", 1]);
});

Deno.test("a factory that throws ends the run with its error, and keeps the user's message", async () => {
  await using sessions = open(scriptedModel([]), {
    agent: () => Promise.reject(new Error("no model today")),
  });
  const events = await readAll(await sessions.send("chat", "Hi"));
  const failed = events.find(({ event }) => event.type === "run_failed")?.event;
  assert(failed?.type === "run_failed" && failed.error instanceof Error);
  assertEquals(failed.error.message, "no model today");
  assertEquals((await sessions.state("chat")).runs[0]?.stopReason, "failed");
});

/** An agent with a tool that needs an approval. */
function clerk(calls: string[]): () => ToolLoopAgent {
  const model = scriptedModel([
    { text: "I pay.", calls: [{ toolName: "pay", input: { euros: 5 } }] },
    { text: "Paid" },
  ]);
  return () =>
    new ToolLoopAgent({
      name: "clerk",
      model,
      tools: [{
        name: "pay",
        inputSchema: { type: "object" },
        execute: () => {
          calls.push("pay");
          return "ok";
        },
      }],
      approvalHandler: () => ({ decision: "defer" }),
    });
}

Deno.test("a run waits for a decision, which any process can send", async () => {
  const storage = memoryStorage();
  const calls: string[] = [];
  const agent = clerk(calls);
  const first = openSessions({ storage: shared(storage), agent });
  await readAll(await first.send("chat", "Pay"));
  await first.close();
  await using second = openSessions({ storage, agent });
  const { current, status } = await second.state("chat");
  assertEquals([status, current?.turn, current?.pending?.approvals.length], ["waiting", "Pay", 1]);
  // A reloaded page receives the events up to the approval request, and the loop ends.
  const shown = (await readAll(await second.attach("chat"))).map(({ event }) => event.type);
  assert(shown.includes("approval_requested"), shown.join());
  const key = current?.pending?.approvals[0]?.key ?? "";
  const unasked = await assertRejects(
    () => second.send("other", undefined, { decisions: { [key]: { decision: "approve" } } }),
    AgentError,
    'Cannot apply the decisions in session "other": its run does not wait for a decision',
  );
  assertEquals([unasked.code, unasked.details], ["session_not_waiting", { sessionId: "other" }]);
  const live = await second.send("chat", undefined, {
    decisions: { [key]: { decision: "approve" } },
  });
  assertEquals(textOf(await readAll(live)), "Paid");
  assertEquals(calls, ["pay"]);
  const { runs } = await second.state("chat");
  assertEquals(runs.map(({ runId, stopReason }) => [runId, stopReason]), [[
    "chat/0",
    "model_stop",
  ]]);
});

Deno.test("a different message gives up a run that waits", async () => {
  const calls: string[] = [];
  await using sessions = openSessions({ storage: memoryStorage(), agent: clerk(calls) });
  await readAll(await sessions.send("chat", "Pay"));
  await readAll(await sessions.send("chat", "Never mind"));
  const { runs } = await sessions.state("chat");
  assertEquals(runs.map(({ runId, stopReason }) => [runId, stopReason]), [
    ["chat/0", "abandoned"],
    ["chat/1", "model_stop"],
  ]);
  assertEquals(calls, []);
});

Deno.test("close releases a run, and another process continues it for the readers", async () => {
  const storage = memoryStorage();
  const gates = [createGate(), createGate()];
  let starts = 0;
  const agent = () => {
    const gate = gates[starts++] ?? createGate();
    return new ToolLoopAgent({ name: "a", model: slowModel(["one", "two"], gate, 1) });
  };
  const first = openSessions({ storage: shared(storage), agent, drainMs: 0, flushMs: 0 });
  await using second = openSessions({ storage, agent, flushMs: 0 });
  await readUntil(await first.send("chat", "Count"), "one");
  const reader = readAll(await second.attach("chat"));
  await first.close();
  gates[1]?.release();
  const events = await reader;
  const reset = events.findIndex(({ event }) => event.type === "log_reset");
  assert(reset > 0, "the reader is told to discard what it has received");
  assertEquals(textOf(events.slice(reset)), "one two ");
  assertEquals((await second.state("chat")).runs.length, 1);
  const late = await assertRejects(() => first.send("chat", "Late"), AgentError);
  assertEquals([late.code, late.message], [
    "sessions_closed",
    "Cannot use the sessions: they are closed",
  ]);
});

Deno.test("a run whose lease has expired is taken over without repeating recorded steps", async () => {
  let now = 1_000_000;
  const storage = memoryStorage({ now: () => now });
  const calls: string[] = [];
  const gate = createGate();
  let isFirst = true;
  const agent = () => {
    const wait = isFirst;
    isFirst = false;
    const answer = slowModel(["done"], gate, wait ? 0 : -1);
    const script = scriptedModel([{ calls: [{ toolName: "look" }] }]);
    let turn = 0;
    return new ToolLoopAgent({
      name: "a",
      model: {
        modelId: "m",
        generate: () => Promise.reject(new Error("only streams")),
        stream: (request) => {
          const model = request.messages.some(({ role }) => role === "tool") ? answer : script;
          if (turn++ > 1) throw new Error("too many calls");
          return model.stream?.(request) ?? rejectStream();
        },
      },
      tools: [{
        name: "look",
        inputSchema: { type: "object" },
        execute: () => {
          calls.push("look");
          return "5";
        },
      }],
    });
  };
  const errors: unknown[] = [];
  const first = openSessions({
    storage: shared(storage),
    agent,
    flushMs: 0,
    drainMs: 0,
    leaseMs: 1000,
    onError: (error) => errors.push(error),
  });
  await using second = openSessions({ storage, agent, flushMs: 0 });
  for await (const { event } of await first.send("chat", "Look")) {
    if (event.type === "model_started" && event.iteration === 1) break;
  }
  now += 2000; // The first process is suspended for longer than its lease.
  assertEquals((await second.state("chat")).status, "interrupted");
  assertEquals(await second.attach("chat", { onInterrupted: "report" }), undefined);
  const events = await readAll(await second.attach("chat"));
  assertEquals(textOf(events), "done ");
  gate.release();
  await first.close();
  const { runs } = await second.state("chat");
  assertEquals([runs.length, calls], [1, ["look"]]);
});

function rejectStream(): never {
  throw new Error("the model does not stream");
}

Deno.test("regenerate replaces the newest response", async () => {
  const model = scriptedModel([{ text: "First" }, { text: "Second" }, { text: "Third" }]);
  await using sessions = open(model);
  await assertRejects(
    () => sessions.send("chat", undefined, { regenerate: true }),
    AgentError,
    'Cannot regenerate in session "chat": it has no answer',
  );
  await readAll(await sessions.send("chat", "A"));
  await readAll(await sessions.send("chat", "B"));
  const live = await sessions.send("chat", undefined, { regenerate: true });
  assertEquals([live.turn, textOf(await readAll(live))], [[{ type: "text", text: "B" }], "Third"]);
  const { runs } = await sessions.state("chat");
  assertEquals(runs.map(({ messages }) => messages.at(-1)?.content), [
    [{ type: "text", text: "First" }],
    [{ type: "text", text: "Third" }],
  ]);
});

Deno.test("a reader whose cursor the log does not have receives all events after a reset", async () => {
  let cursor = "";
  await using former = open(scriptedModel([{ text: "Hi" }, { text: "Bye" }]));
  for (const turn of ["One", "Two"]) {
    cursor = (await readAll(await former.send("chat", turn))).at(-1)?.cursor ?? "";
  }
  assertEquals(cursor.startsWith("2."), true);
  // Another process that stores its sessions in memory does not have the log of this process.
  await using sessions = open(scriptedModel([{ text: "Hello" }]));
  const all = await readAll(await sessions.send("chat", "Three"));
  for (const after of [cursor, "1.999", "7.1"]) {
    const [first, ...rest] = await readAll(await sessions.attach("chat", { after }));
    assertEquals([first?.cursor, first?.event.type], ["1.-1", "log_reset"]);
    assertEquals(rest, all);
  }
  const last = all.at(-1)?.cursor ?? "";
  assertEquals(await readAll(await sessions.attach("chat", { after: last })), []);
});

Deno.test("wrong arguments and cursors are rejected immediately", async () => {
  await using sessions = open(scriptedModel([{ text: "Hello" }]));
  await readAll(await sessions.send("chat", "Hi"));
  await assertRejects(
    () => sessions.attach("chat", { after: "newest" }),
    TypeError,
    '"after" must be the cursor of an event, such as "1.42", got "newest"',
  );
  await assertRejects(() => sessions.send("", "Hi"), TypeError, '"sessionId"');
  await assertRejects(
    () => sessions.send("chat", "Hi", { decisions: {} }),
    TypeError,
    '"options.decisions" must be omitted for a message',
  );
  assertThrows(
    () => openSessions({ storage: {} as SessionStorage, agent: () => clerk([])() }),
    TypeError,
    '"storage" must be a SessionStorage',
  );
});

Deno.test("times that no timer can wait for are rejected", async () => {
  const model = scriptedModel([]);
  const cases: readonly (readonly [keyof SessionsOptions, number, string])[] = [
    ["leaseMs", 2 ** 31, "an integer from 100 to 2147483647, got 2147483648"],
    ["leaseMs", 99, "an integer from 100 to 2147483647, got 99"],
    ["keepEndedMs", Infinity, "an integer from 0 to 2147483647, got Infinity"],
    ["drainMs", Infinity, "an integer from 0 to 2147483647, got Infinity"],
    ["agentTimeoutMs", 2 ** 31, "an integer from 1 to 2147483647, got 2147483648"],
  ];
  for (const [name, value, text] of cases) {
    assertThrows(() => open(model, { [name]: value }), RangeError, `"${name}" must be ${text}`);
  }
  await using sessions = open(model, { leaseMs: 100, keepEndedMs: 0, drainMs: 0 });
  for (const waitMs of [Infinity, 2 ** 31]) {
    await assertRejects(
      () => sessions.stop("chat", { waitMs }),
      RangeError,
      `"waitMs" must be an integer from 0 to 2147483647, got ${waitMs}`,
    );
  }
  assertEquals(await sessions.stop("chat", { waitMs: 2 ** 31 - 1 }), "not_running");
});

Deno.test("readers and runs of a process are limited", async () => {
  const gate = createGate();
  await using sessions = open(slowModel(["one"], gate, 0), { maxReaders: 1, maxRuns: 1 });
  const live = await sessions.send("chat", "Hi");
  const reader = readAll(live);
  const error = await assertRejects(() => readAll(live), AgentError);
  assertEquals([error.code, error.message], [
    "capacity_exceeded",
    "Too many readers: this process allows 1",
  ]);
  await assertRejects(() => sessions.send("chat-2", "Hi"), AgentError, "Too many runs");
  gate.release();
  await reader;
});

Deno.test("leaving the loop detaches immediately, even if nothing is streamed", async () => {
  const gate = createGate();
  await using sessions = open(slowModel(["one"], gate, 0));
  const live = await sessions.send("chat", "Hi");
  const iterator = live[Symbol.asyncIterator]();
  let next = await iterator.next();
  while (!next.done && next.value.event.type !== "model_started") next = await iterator.next();
  const waiting = iterator.next();
  await iterator.return?.();
  assertEquals((await waiting).done, true);
  gate.release();
  assertEquals(textOf(await readAll(await sessions.attach("chat"))), "one ");
});
