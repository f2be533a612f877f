import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type Journal,
  type JournalEntry,
  type JournalStore,
  JsonlJournal,
  MemoryJournal,
  recordSteps,
  type StepRunner,
} from "../journal.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { asTool } from "../agent/agent_tool.ts";
import type { ApprovalDecision } from "../loop/approval.ts";
import { AgentSession, memorySessions } from "../session.ts";
import { runToolLoop } from "../loop/loop.ts";
import type { ToolLoopConfig } from "../loop/options.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { ModelRequest } from "../shared/model.ts";
import { createGate, type Gate, scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { readUiTurn, uiMessageResponse } from "../ui/ai_sdk.ts";

const REQUESTS = 50;

/** Calls the tool, and ends the run after the result of the tool. */
function callOrEnd({ messages }: ModelRequest): unknown {
  return messages.at(-1)?.role === "tool" ? { text: "done" } : { calls: [{ toolName: "work" }] };
}

/** Waits for several turns of the event loop, so that concurrent executions interleave. */
async function waitForOthers(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise<void>((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        port2.close();
        resolve();
      };
      port2.postMessage(null);
    });
  }
}

function textStore(): JournalStore {
  let text = "";
  return {
    read: () => Promise.resolve(text),
    async append(line) {
      await waitForOthers();
      text += line;
    },
  };
}

/** A journal like a table in a database: `append` inserts a row with a unique key. */
function tableJournal(rows: Map<string, JournalEntry>): Journal {
  return {
    get: (key) => rows.get(key),
    async append(entry) {
      await waitForOthers();
      if (rows.has(entry.key)) throw new Error("duplicate key value violates unique constraint");
      rows.set(entry.key, entry);
    },
  };
}

/** A chat server that calls one tool, which requires an approval. */
class ChatServer {
  payments = 0;
  /** Pauses the tool, if set. */
  gate: Gate | undefined;
  readonly store = memorySessions();
  readonly #open: () => Promise<StepRunner>;

  constructor(open: () => Promise<StepRunner>) {
    this.#open = open;
  }

  async post(message: unknown, signal?: AbortSignal): Promise<string> {
    const body = JSON.stringify({ id: "chat-1", messages: [message] });
    const request = new Request("http://localhost/", { method: "POST", body });
    const { decisions, threadId, turn } = readUiTurn(await request.json());
    const agent = new ToolLoopAgent({
      name: "clerk",
      model: scriptedModel([callOrEnd, callOrEnd]),
      tools: [{
        name: "work",
        inputSchema: { type: "object" },
        execute: async () => {
          this.payments++;
          await (this.gate?.wait() ?? waitForOthers(10));
          return "paid";
        },
      }],
      approvalHandler: () => ({ decision: "defer" }),
      onError: () => {},
    });
    const stepRunner = await this.#open();
    const session = new AgentSession(agent, { id: threadId, store: this.store, stepRunner });
    const events = session.stream(turn, { decisions, ...signal && { signal } });
    const options = { sendRecorded: turn !== undefined, onError: () => {} };
    return await uiMessageResponse(events, options).text();
  }

  /** Sends a message and returns a function that sends the user's approval of the call. */
  async start(): Promise<(signal?: AbortSignal) => Promise<string>> {
    const text = await this.post({ role: "user", parts: [{ type: "text", text: "Pay" }] });
    const [, id = ""] = /"approvalId":"([^"]+)"/.exec(text) ?? [];
    assert(id !== "");
    const part = {
      type: "tool-work",
      toolCallId: "call_0_0",
      state: "approval-responded",
      input: {},
    };
    const parts = [{ ...part, approval: { id, approved: true } }];
    return (signal) => this.post({ role: "assistant", parts }, signal);
  }
}

const memory = new MemoryJournal();
const shared = recordSteps(new MemoryJournal());
const rows = new Map<string, JournalEntry>();
const file = textStore();
const jsonl = JsonlJournal.open(textStore());
const table = tableJournal(new Map());

const JOURNALS: Readonly<Record<string, () => Promise<StepRunner>>> = {
  "one step runner": () => Promise.resolve(shared),
  "one step runner per request on one journal": () => Promise.resolve(recordSteps(memory)),
  "one JSONL journal": async () => recordSteps(await jsonl),
  "one JSONL journal per request on one file": async () =>
    recordSteps(await JsonlJournal.open(file)),
  "one journal of an application": () => Promise.resolve(recordSteps(table)),
  "one journal of an application per request on one table": () =>
    Promise.resolve(recordSteps(tableJournal(rows))),
};

for (const [name, open] of Object.entries(JOURNALS)) {
  Deno.test(`An approval that is sent ${REQUESTS} times executes a tool once with ${name}`, async () => {
    const server = new ChatServer(open);
    const approve = await server.start();
    const responses = await Promise.all(Array.from({ length: REQUESTS }, () => approve()));
    await approve();
    assertEquals(server.payments, 1);
    if (!name.includes("per request on one")) {
      for (const text of responses) assert(text.includes('"output":"paid"'), text);
      for (const text of responses) assert(!text.includes('"type":"error"'), text);
    }
    assertEquals((await server.store.load("chat-1")).length, 1);
  });
}

Deno.test("An aborted request does not affect other requests with the same approval", async () => {
  for (const isExecuting of [true, false]) {
    const stepRunner = recordSteps(new MemoryJournal());
    const server = new ChatServer(() => Promise.resolve(stepRunner));
    const approve = await server.start();
    const gate = server.gate = createGate();
    const controller = new AbortController();
    const { signal } = controller;
    const executing = approve(isExecuting ? signal : undefined);
    await gate.reached;
    const waiting = [approve(isExecuting ? undefined : signal), approve()];
    await waitForOthers(5);
    controller.abort();
    await (isExecuting ? executing : waiting[0]);
    gate.release();
    const texts = await Promise.all([executing, ...waiting]);
    assertEquals(server.payments, 1);
    assertEquals(texts.map((text) => text.includes('"output":"paid"')), [
      !isExecuting,
      false,
      !isExecuting,
    ]);
    // A request that waited for another one does not record the run as aborted.
    const [record] = await server.store.load("chat-1");
    assertEquals(Object(record).stopReason, isExecuting ? "aborted" : "model_stop");
  }
});

function work(execute: () => unknown): ToolRegistry {
  return new ToolRegistry([{ name: "work", inputSchema: { type: "object" }, execute }]);
}

function configWith(stepRunner: StepRunner, execute: () => unknown): ToolLoopConfig {
  return {
    model: scriptedModel([callOrEnd, callOrEnd]),
    registry: work(execute),
    stepRunner,
    runId: "r",
    graceMs: 0,
    onError: () => {},
  };
}

Deno.test("A process executes a tool whose start it has recorded if another process records an unknown outcome first", async () => {
  const rows = new Map<string, JournalEntry>();
  const executed: string[] = [];
  const run = (name: string, journal: Journal) =>
    runToolLoop(configWith(recordSteps(journal), () => executed.push(name)), "go");
  const first = tableJournal(rows);
  const { iterations: [iteration] } = await run("first", {
    get: first.get,
    async append(entry) {
      await first.append(entry);
      // The second process runs completely between the start of the tool and its execution.
      if (entry.kind === "begin") await run("second", tableJournal(rows));
    },
  });
  assertEquals([iteration?.toolResults[0]?.code, executed], ["outcome_unknown", ["first"]]);
});

Deno.test("A tool whose result is recorded without its start is not executed", async () => {
  const rows = new Map<string, JournalEntry>();
  let executions = 0;
  const run = () =>
    runToolLoop(configWith(recordSteps(tableJournal(rows)), () => executions++), "go");
  await run();
  assert(rows.delete("r/i0/begin/0.0"));
  const { finalText } = await run();
  assertEquals([finalText, executions], ["done", 1]);
});

Deno.test("Concurrent executions of a run that asks about unknown outcomes execute a tool once", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  const asked: string[] = [];
  let executions = 0;
  const run = () =>
    runToolLoop({
      ...configWith(stepRunner, async () => {
        executions++;
        await waitForOthers(5);
        return "ok";
      }),
      onUnknownOutcome: "ask",
      approvalHandler: ({ reason }) => asked.push(reason) > 0,
    }, "go");
  const running: ReturnType<typeof run>[] = [];
  for (let index = 0; index < 10; index++) {
    running.push(run());
    await waitForOthers(1);
  }
  const outputs = await Promise.all(running);
  assertEquals(outputs.map(({ finalText }) => finalText), running.map(() => "done"));
  assertEquals([executions, asked], [1, ["approval"]]);
});

Deno.test("Concurrent executions with the same approval of a sub-agent's call execute it once", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  let executions = 0;
  const start = async (decisions?: Record<string, ApprovalDecision>) => {
    const agent = new ToolLoopAgent({
      name: "boss",
      model: scriptedModel([
        ({ messages }) =>
          messages.at(-1)?.role === "tool"
            ? { text: "done" }
            : { calls: [{ toolName: "helper", input: { task: "work" } }] },
        { text: "done" },
      ]),
      tools: [
        asTool({
          name: "helper",
          description: "Helps",
          model: scriptedModel([callOrEnd, callOrEnd]),
          allowedTools: ["work"],
        }),
        {
          name: "work",
          inputSchema: { type: "object" },
          execute: async () => {
            executions++;
            await waitForOthers(5);
          },
        },
      ],
      approvalHandler: ({ toolCall }) =>
        toolCall.toolName === "helper" ? true : { decision: "defer" },
    });
    return await agent.run("go", { runId: "r", stepRunner, ...decisions && { decisions } });
  };
  const { pending } = await start();
  const decisions = { [pending?.approvals[0]?.key ?? ""]: { decision: "approve" } as const };
  const outputs = await Promise.all(Array.from({ length: 10 }, () => start(decisions)));
  assertEquals(outputs.map(({ finalText }) => finalText), outputs.map(() => "done"));
  assertEquals(executions, 1);
});

Deno.test("runToolLoop() ends without waiting for another execution of the run after an abort", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  const gate = createGate();
  let executions = 0;
  const execute = () => (executions++, gate.wait());
  const first = runToolLoop(configWith(stepRunner, execute), "go");
  await gate.reached;
  const controller = new AbortController();
  const { signal } = controller;
  const waiting = runToolLoop({ ...configWith(stepRunner, execute), signal }, "go");
  await waitForOthers();
  controller.abort();
  assertEquals((await waiting).stopReason, "aborted");
  gate.release();
  assertEquals([(await first).finalText, executions], ["done", 1]);
});

Deno.test("runToolLoop() does not execute a tool whose execution it waited for and which was aborted", async () => {
  const stepRunner = recordSteps(new MemoryJournal());
  const gate = createGate();
  const controller = new AbortController();
  const { signal } = controller;
  let executions = 0;
  const execute = () => ++executions === 1 ? gate.wait() : "ok";
  const first = runToolLoop({ ...configWith(stepRunner, execute), signal }, "go");
  await gate.reached;
  const second = runToolLoop(configWith(stepRunner, execute), "go");
  await waitForOthers();
  controller.abort();
  assertEquals((await first).stopReason, "aborted");
  // The first execution has no result, so its outcome is unknown, and the tool is not repeated.
  const { iterations: [iteration] } = await second;
  assertEquals([iteration?.toolResults[0]?.code, executions], ["outcome_unknown", 1]);
  gate.release();
});

Deno.test("runToolLoop() ends after an abort if the step runner does not call a step", async () => {
  for (const stuckKey of ["r/start", "r/i0/model", "r/i0/begin/0.0", "r/i0/tool/0"]) {
    const inner = recordSteps(new MemoryJournal());
    const gate = createGate();
    const stepRunner: StepRunner = {
      async run(key, kind, step) {
        if (key === stuckKey) await gate.wait();
        return await inner.run(key, kind, step);
      },
    };
    const controller = new AbortController();
    let executions = 0;
    const config = configWith(stepRunner, () => executions++);
    const running = runToolLoop({ ...config, signal: controller.signal }, "go");
    await gate.reached;
    controller.abort();
    assertEquals((await running).stopReason, "aborted");
    gate.release();
    await waitForOthers();
    assertEquals(executions, 0);
  }
});

Deno.test("runToolLoop() continues a run that was aborted after a start was recorded and before the tool", async () => {
  const inner = recordSteps(new MemoryJournal());
  const gate = createGate();
  const stuck: StepRunner = {
    async run(key, kind, step) {
      if (key === "r/i0/tool/0") await gate.wait();
      return await inner.run(key, kind, step);
    },
  };
  const controller = new AbortController();
  const config = { ...configWith(stuck, () => "ok"), signal: controller.signal };
  const running = runToolLoop(config, "go");
  await gate.reached;
  controller.abort();
  assertEquals((await running).stopReason, "aborted");
  gate.release();
  await waitForOthers();
  const { iterations: [iteration] } = await runToolLoop(configWith(inner, () => "ok"), "go");
  assertEquals(iteration?.toolResults[0]?.output, { type: "text", value: "ok" });
});

Deno.test("recordSteps() returns the value of a step in progress to all callers", async () => {
  const journal = new MemoryJournal();
  const gate = createGate();
  let executions = 0;
  const step = async (): Promise<JsonValue> => {
    executions++;
    await gate.wait();
    return { n: 1 };
  };
  const runners = [recordSteps(journal), recordSteps(journal), recordSteps(journal)];
  const running = runners.map((runner) => runner.run("k", "tool", step));
  const other = recordSteps(journal).run("k", "model", step);
  gate.release();
  assertEquals(await Promise.all(running), [{ n: 1 }, { n: 1 }, { n: 1 }]);
  await assertRejects(() => other, AgentError, "is a tool step, not a model step");
  assertEquals(executions, 1);
});

Deno.test("recordSteps() lets the next caller execute a step that has thrown", async () => {
  const runner = recordSteps(new MemoryJournal());
  let executions = 0;
  // deno-lint-ignore require-await -- a step returns a promise
  const step = async (): Promise<JsonValue> => {
    if (++executions < 3) throw new Error(`failure ${executions}`);
    return executions;
  };
  const running = Array.from({ length: 5 }, () => runner.run("k", "tool", step));
  const ended = await Promise.allSettled(running);
  assertEquals(
    ended.map((end) => end.status === "fulfilled" ? end.value : end.reason.message),
    ["failure 1", "failure 2", 3, 3, 3],
  );
});

Deno.test("recordSteps() rejects all callers if the journal cannot record a step", async () => {
  let executions = 0;
  const runner = recordSteps({
    get: () => undefined,
    append: () => Promise.reject(new Error("disk full")),
  });
  const running = Array.from({ length: 3 }, () =>
    runner.run("k", "tool", () => {
      executions++;
      return Promise.resolve(null);
    }));
  for (const end of await Promise.allSettled(running)) {
    assertEquals(end.status === "rejected" && end.reason.message, "disk full");
  }
  assertEquals(executions, 1);
});

Deno.test("Journals reject a second step with the same key and keep the first", async () => {
  const entry = (value: JsonValue) => ({ v: 1, key: "k", kind: "tool", value }) as const;
  const store = textStore();
  for (const journal of [new MemoryJournal(), await JsonlJournal.open(store)]) {
    await journal.append(entry("first"));
    const text = 'the journal already contains step "k"';
    await assertRejects(() => journal.append(entry("second")), AgentError, text);
    await journal.append({ ...entry("third"), key: "l" });
    assertEquals([journal.get("k")?.value, journal.size], ["first", 2]);
  }
  const lines = [entry("first"), entry("second")].map((one) => `${JSON.stringify(one)}\n`);
  assertEquals(MemoryJournal.fromText(lines.join("")).get("k")?.value, "first");
});

Deno.test("JsonlJournal.append() rejects the start of a tool if another journal was opened after the check of the store", async () => {
  const store = textStore();
  let openOther = (): Promise<unknown> => Promise.resolve();
  const first = await JsonlJournal.open({
    read: () => store.read(),
    async append(line) {
      await openOther();
      await store.append(line);
    },
  });
  // A long journal is not read before every line.
  await first.append({ v: 1, key: "long", kind: "tool", value: "x".repeat(1_048_576) });
  await first.append({ v: 1, key: "short", kind: "tool", value: "x" });
  openOther = () => JsonlJournal.open(store);
  await assertRejects(
    () => first.append({ v: 1, key: "r/i0/begin/0.0", kind: "begin", value: true }),
    AgentError,
    "another process",
  );
});

Deno.test("JsonlJournal.append() rejects a step if another journal without an owner has appended a line", async () => {
  const store = textStore();
  const journals = [new JsonlJournal(store, ""), new JsonlJournal(store, "")];
  const begin = { v: 1, key: "r/i0/begin/0.0", kind: "begin", value: true } as const;
  const ended = await Promise.allSettled(journals.map((journal) => journal.append(begin)));
  assert(ended.filter(({ status }) => status === "fulfilled").length <= 1);
});

Deno.test("JsonlJournal.open() rejects a journal from which a line is missing", async () => {
  let text = "";
  const store: JournalStore = {
    read: () => Promise.resolve(text),
    append: (line) => {
      text += line;
      return Promise.resolve();
    },
  };
  const entryOf = (key: string) => ({ v: 1, key, kind: "tool", value: key }) as const;
  const first = await JsonlJournal.open(store);
  for (const key of ["a", "b"]) await first.append(entryOf(key));
  const second = await JsonlJournal.open(store);
  await second.append(entryOf("c"));
  const lines = text.split("\n").slice(0, -1);
  const entries = lines.filter((line) => line.includes('"key"'));
  assertEquals(entries.map((line) => JSON.parse(line).n), [0, 1, 2]);
  for (const missing of entries) {
    text = lines.filter((line) => line !== missing).map((line) => `${line}\n`).join("");
    const isLast = missing === entries.at(-1);
    if (isLast) assertEquals((await JsonlJournal.open(store)).size, 2);
    else await assertRejects(() => JsonlJournal.open(store), AgentError, "is missing before entry");
  }
  // Lines without a number, and two lines with the same number, are accepted.
  const [a = "", b = "", c = ""] = entries;
  const unnumbered = JSON.stringify({ ...JSON.parse(a), n: undefined });
  text = [unnumbered, b, b.replaceAll('"b"', '"x"'), c].map((line) => `${line}\n`).join("");
  assertEquals((await JsonlJournal.open(store)).size, 4);
  for (const n of [-1, 0.5, "0", null]) {
    text = `${JSON.stringify({ ...JSON.parse(a), n })}\n`;
    await assertRejects(() => JsonlJournal.open(store), AgentError, '"n" must be');
  }
});
