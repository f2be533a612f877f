import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  type Journal,
  type JournalEntry,
  type JournalStore,
  JsonlJournal,
  MemoryJournal,
  readJournalEntry,
  recordSteps,
} from "../journal.ts";
import { runToolLoop } from "../loop/loop.ts";
import type { ToolLoopConfig } from "../loop/options.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { fromStepValue, toStepValue } from "../shared/step_value.ts";

/**
 * Suffix of approval keys for a call to `work` without input. Digest computed with Python's
 * `hashlib` from `["work",{},{"inputSchema":{"type":"object"},"name":"work"}]`.
 */
const WORK_DIGEST = "#Ly9kb13qNCFQG85Q_SU0YQ";
const CALLS: ScriptedTurn = { calls: [{ toolName: "work" }, { toolName: "work" }] };

function run(
  turns: readonly ScriptedTurn[],
  journal: Journal,
  execute: () => unknown = () => "ok",
  more: Partial<ToolLoopConfig> = {},
): Promise<ToolLoopOutput> {
  const registry = new ToolRegistry([{ name: "work", inputSchema: { type: "object" }, execute }]);
  const stepRunner = recordSteps(journal);
  return runToolLoop(
    { model: scriptedModel(turns), registry, stepRunner, runId: "r", ...more },
    "go",
  );
}

Deno.test("runToolLoop() does not execute recorded steps again and returns the same output", async () => {
  const journal = new MemoryJournal();
  const first = await run([CALLS, { text: "done" }], journal);
  const keys = journal.toText().trim().split("\n").map((line) => JSON.parse(line).key);
  assertEquals(keys, [
    "r/start",
    "r/i0/model",
    "r/i0/begin/0.0",
    "r/i0/begin/1.0",
    "r/i0/tool/0",
    "r/i0/tool/1",
    "r/i1/model",
  ]);
  const second = await run([], journal, () => {
    throw new Error("not again");
  });
  assertEquals(second, first);
});

Deno.test('runToolLoop() resumes an aborted run and executes unfinished tools again if `onUnknownOutcome` is "repeat"', async () => {
  const journal = new MemoryJournal();
  const stuck = createGate();
  const controller = new AbortController();
  let executions = 0;
  const aborted = run([CALLS], journal, () => ++executions === 2 ? stuck.wait() : executions, {
    signal: controller.signal,
    graceMs: 0,
    onUnknownOutcome: "repeat",
  });
  await stuck.reached;
  controller.abort();
  assertEquals((await aborted).stopReason, "aborted");
  const output = await run([{ text: "done" }], journal, () => ++executions, {
    onUnknownOutcome: "repeat",
  });
  assertEquals([output.finalText, executions], ["done", 3]);
  assertEquals(
    output.iterations[0]?.toolResults.map(({ output: { type, ...rest } }) => [type, rest]),
    [
      ["json", { value: 1 }],
      ["json", { value: 3 }],
    ],
  );
  stuck.release();
});

Deno.test("runToolLoop() records approval decisions, except deferred ones", async () => {
  const journal = new MemoryJournal();
  let asked = 0;
  const approvalHandler = (): boolean | { decision: "defer" } =>
    ++asked === 1 ? false : { decision: "defer" };
  const open = await run([CALLS], journal, undefined, { approvalHandler });
  assertEquals(open.pending?.approvals.map(({ key }) => key), [`r/i0/approval/1${WORK_DIGEST}`]);
  const output = await run([{ text: "done" }], journal, undefined, {
    approvalHandler,
    decisions: {
      [`r/i0/approval/1${WORK_DIGEST}`]: { decision: "approve", input: { edited: true } },
    },
  });
  assertEquals([output.finalText, asked], ["done", 2]);
  assertEquals(output.iterations[0]?.toolResults.map(({ code }) => code), [
    "approval_denied",
    undefined,
  ]);
  assertEquals(await run([], journal, undefined, { approvalHandler }), output);
});

Deno.test("runToolLoop() rejects a journal of a different run, message, agent or version", async () => {
  const journal = new MemoryJournal();
  await run([CALLS, { text: "done" }], journal);
  const text = journal.toText();
  const resume = (changed: string): Promise<ToolLoopOutput> =>
    run([], MemoryJournal.fromText(changed));
  const cases: readonly [string, string][] = [
    [
      text.replace('"turn":"go"', '"turn":"stop"'),
      "different version, agent name, user message or history",
    ],
    [
      text.replace('"agentName":"agent"', '"agentName":"spy"'),
      "different version, agent name, user message or history",
    ],
    [
      text.replace('"version":4', '"version":3'),
      "different version, agent name, user message or history",
    ],
    [text.replace('"kind":"model"', '"kind":"tool"'), "is a tool step, not a model step"],
    [
      text.replace(
        '"toolCallId":"call_0_0","toolName":"work","output"',
        '"toolCallId":"x","toolName":"work","output"',
      ),
      "damaged or belongs to a different run",
    ],
    [text.replace('"message":{', '"massage":{'), "malformed"],
  ];
  for (const [changed, message] of cases) {
    assert(changed !== text);
    await assertRejects(() => resume(changed), AgentError, message);
  }
});

Deno.test("MemoryJournal.fromText() rejects damaged text and ignores a truncated last line", async () => {
  const journal = new MemoryJournal();
  await run([{ text: "done" }], journal);
  const text = journal.toText();
  assertEquals(MemoryJournal.fromText(text).toText(), text);
  assertEquals(MemoryJournal.fromText(text.slice(0, -5)).size, journal.size - 1);
  for (
    const damaged of [
      `{"oops\n${text}`,
      text.replaceAll('"v":1', '"v":2'),
      `[]\n`,
      '{"v":1}\n',
      '{"v":1,"key":"k"}\n',
    ]
  ) {
    assertEquals(assertThrows(() => MemoryJournal.fromText(damaged), AgentError).code, "core");
  }
});

function memoryStore(text = ""): JournalStore & { text: string } {
  return {
    text,
    read(): Promise<string> {
      return Promise.resolve(this.text);
    },
    append(line): Promise<void> {
      this.text += line;
      return Promise.resolve();
    },
  };
}

Deno.test("JsonlJournal.open() accepts a store with a truncated last line, any number of times", async () => {
  const whole = memoryStore();
  const journal = await JsonlJournal.open(whole);
  for (const key of ["a", "b", "c"]) await journal.append({ v: 1, key, kind: "tool", value: key });
  assertEquals(journal.size, 3);
  for (let length = 0; length <= whole.text.length; length++) {
    const store = memoryStore(whole.text.slice(0, length));
    const reopened = await JsonlJournal.open(store);
    // The first line of the journal declares the owner.
    const complete = Math.max(store.text.slice(0, length).split("\n").length - 2, 0);
    assertEquals(reopened.size, complete);
    await reopened.append({ v: 1, key: "d", kind: "tool", value: "d" });
    const again = await JsonlJournal.open(memoryStore(store.text));
    assertEquals([again.size, again.get("d")?.value], [complete + 1, "d"]);
  }
});

function entry(key: string, value: JsonValue = null): JournalEntry {
  return { v: 1, key, kind: "tool", value };
}

Deno.test("JsonlJournal.append() rejects steps after another journal was opened in the store", async () => {
  const store = memoryStore();
  const first = await JsonlJournal.open(store);
  await first.append(entry("a"));
  const second = await JsonlJournal.open(store);
  const error = await assertRejects(() => first.append(entry("b")), AgentError);
  assertEquals([error.code, error.message], [
    "core",
    "Cannot record a step: another process has opened the journal; use one journal per process",
  ]);
  await assertRejects(() => first.append(entry("c")), AgentError);
  await second.append(entry("d"));
  assertEquals([second.size, first.size, (await JsonlJournal.open(store)).size], [2, 1, 2]);
});

Deno.test("JsonlJournal.append() rejects steps if the store contains lines of another process", async () => {
  const store = memoryStore();
  const journal = await JsonlJournal.open(store);
  // Simulate another process that appends a line without opening the journal, or after checking the
  // owner.
  await store.append('{"v":1,"key":"x","kind":"tool","value":null}\n');
  await assertRejects(() => journal.append(entry("a")), AgentError, "another process");
  const reopened = await JsonlJournal.open(store);
  await reopened.append(entry("a"));
  assertEquals(reopened.size, 2);
});

Deno.test("JsonlJournal.open() reads the lines that the previous owner appends until the owner line is stored", async () => {
  const store = memoryStore();
  const racing: JournalStore = {
    read: () => store.read(),
    async append(line) {
      await store.append('{"v":1,"key":"x","kind":"tool","value":null}\n');
      await store.append(line);
    },
  };
  assertEquals((await JsonlJournal.open(racing)).size, 1);
});

Deno.test("JsonlJournal.append() reads a long text only before every 64th line", async () => {
  const store = memoryStore();
  let reads = 0;
  const journal = await JsonlJournal.open({
    read: () => (reads++, store.read()),
    append: (line) => store.append(line),
  });
  await journal.append(entry("long", "x".repeat(1_048_576)));
  reads = 0;
  for (let index = 0; index < 256; index++) await journal.append(entry(`k${index}`));
  assertEquals(reads, 4);
  await JsonlJournal.open(store);
  await assertRejects(
    async () => {
      for (let index = 0; index < 64; index++) await journal.append(entry(`l${index}`));
    },
    AgentError,
    "another process",
  );
});

/** A store that can read the end of its text, and counts the bytes that are read. */
class BytesStore implements JournalStore {
  bytes: Uint8Array = new Uint8Array();
  bytesRead = 0;

  read(): Promise<string> {
    return Promise.reject(new Error("The whole text must not be read"));
  }

  readBytes(start: number): Promise<Uint8Array> {
    const result = this.bytes.slice(start);
    this.bytesRead += result.length;
    return Promise.resolve(result);
  }

  append(text: string): Promise<void> {
    this.bytes = new Uint8Array([...this.bytes, ...new TextEncoder().encode(text)]);
    return Promise.resolve();
  }
}

Deno.test("JsonlJournal.append() reads only the last line of a store with `readBytes`", async () => {
  const store = new BytesStore();
  const journal = await JsonlJournal.open(store);
  await journal.append(entry("k00", "x".repeat(1_048_576)));
  await journal.append(entry("k01", "é€😀"));
  store.bytesRead = 0;
  for (let index = 10; index < 20; index++) await journal.append(entry(`k${index}`, "é€😀"));
  // Before each line, the previous line is read, which has 60 bytes, or 61 if `n` is 10.
  assertEquals(store.bytesRead, 10 * 60 + 1);
  await JsonlJournal.open(store);
  await assertRejects(() => journal.append(entry("k20")), AgentError, "another process");
});

Deno.test("JsonlJournal.append() detects every change to the end of a store with `readBytes`", async () => {
  const store = new BytesStore();
  const journal = await JsonlJournal.open(store);
  await journal.append(entry("a"));
  const { bytes } = store;
  const changes: readonly Uint8Array[] = [
    bytes.slice(0, -1),
    bytes.slice(0, 40),
    new Uint8Array(),
    new Uint8Array([...bytes, 10]),
    bytes.with(-3, 48),
    new Uint8Array([...bytes, ...bytes]),
  ];
  for (const changed of changes) {
    store.bytes = bytes;
    const reopened = await JsonlJournal.open(store);
    await reopened.append(entry("b"));
    const before = store.bytes;
    store.bytes = changed;
    await assertRejects(() => reopened.append(entry("c")), AgentError, "another process");
    store.bytes = before;
  }
});

Deno.test("JsonlJournal.open() in two processes gives the store to the one that wrote its line last", async () => {
  const store = new BytesStore();
  let second: Promise<JsonlJournal> | undefined;
  const first = await JsonlJournal.open({
    read: () => store.read(),
    readBytes: (start) => store.readBytes(start),
    async append(line) {
      await store.append(line);
      second ??= JsonlJournal.open(store);
      await second;
    },
  });
  await assertRejects(() => first.append(entry("a")), AgentError, "another process");
  await (await second)?.append(entry("b"));
  assertEquals((await JsonlJournal.open(store)).size, 1);
});

Deno.test("JsonlJournal() without open() continues the text that it was created with", async () => {
  const store = memoryStore('{"v":1,"key":"a","kind":"tool","value":null}\n');
  const journal = new JsonlJournal(store, store.text);
  await journal.append(entry("b"));
  await journal.append(entry("c"));
  assertEquals((await JsonlJournal.open(store)).size, 3);
  const other = new JsonlJournal(store, store.text);
  await store.append("\n");
  await assertRejects(() => other.append(entry("d")), AgentError, "another process");
});

Deno.test("JsonlJournal.open() rejects a store with a wrong optional method or result", async () => {
  const store = memoryStore();
  for (const wrong of [{ readBytes: 1 }, { close: true }, { readBytes: null }]) {
    const open = () => Reflect.apply(JsonlJournal.open, undefined, [{ ...store, ...wrong }]);
    await assertRejects(open, TypeError, "must be a JournalStore");
  }
  for (const result of ["", [], undefined]) {
    const readBytes = () => Promise.resolve(result);
    const open = () => Reflect.apply(JsonlJournal.open, undefined, [{ ...store, readBytes }]);
    await assertRejects(open, TypeError, "must be a Uint8Array");
  }
});

Deno.test("JsonlJournal does not mistake recorded values for owner lines", async () => {
  const store = memoryStore();
  const journal = await JsonlJournal.open(store);
  const values = ['\n{"v":1,"owner":"x"}\n', { v: 1, owner: "x" }];
  for (const value of values) await journal.append(entry(JSON.stringify(value), value));
  await journal.append(entry("last"));
  assertEquals((await JsonlJournal.open(store)).size, 3);
  await assertRejects(() => JsonlJournal.open(memoryStore('{"v":1,"owner":5}\n')), AgentError);
});

Deno.test("JsonlJournal.append() rejects further steps after its store has failed, which makes the run fail", async () => {
  const store = memoryStore();
  let isFull = false;
  const journal = await JsonlJournal.open({
    read: () => store.read(),
    append: (line) => isFull ? Promise.reject(new Error("disk full")) : store.append(line),
  });
  await journal.append({ v: 1, key: "a", kind: "tool", value: null });
  isFull = true;
  const failing = {
    model: scriptedModel([{ text: "hi" }]),
    registry: new ToolRegistry(),
    stepRunner: recordSteps(journal),
  };
  await assertRejects(() => runToolLoop(failing, "go"), AgentError, "disk full");
  isFull = false;
  await assertRejects(
    () => journal.append({ v: 1, key: "b", kind: "tool", value: null }),
    Error,
    "disk full",
  );
  assertEquals(journal.get("b"), undefined);
});

/** Failures of a store when the start of a tool is recorded: title, `append`, and later `read`. */
const FAILING_STORES: readonly {
  readonly title: string;
  readonly append?: (store: JournalStore, line: string) => unknown;
  readonly read?: (store: JournalStore) => unknown;
}[] = [
  {
    title: "append throws",
    append: () => {
      throw new Error("disk full");
    },
  },
  { title: "append rejects", append: () => Promise.reject(new Error("disk full")) },
  { title: "append stores nothing", append: () => Promise.resolve() },
  {
    title: "append stores half of the line",
    append: (store, line) => store.append(line.slice(0, line.length / 2)),
  },
  {
    title: "read throws",
    read: () => {
      throw new Error("unreadable");
    },
  },
  { title: "read rejects", read: () => Promise.reject(new Error("unreadable")) },
  { title: "read returns an older text", read: async (store) => (await store.read()).slice(0, -1) },
  ...[undefined, null, 5, "", {}, []].map((text) => ({
    title: `read returns ${Deno.inspect(text)}`,
    read: () => Promise.resolve(text),
  })),
];

for (const { title, append, read } of FAILING_STORES) {
  Deno.test(`a tool is not executed if its start is recorded in a store whose ${title}`, async () => {
    const store = memoryStore();
    let isBroken = false;
    const journal = await JsonlJournal.open({
      // The types do not permit some results, but stores in JavaScript can return them.
      read: () => (isBroken && read !== undefined ? read(store) : store.read()) as Promise<string>,
      append: (line) => {
        isBroken ||= line.includes('"kind":"begin"');
        if (!isBroken || append === undefined) return store.append(line);
        return append(store, line) as Promise<void>;
      },
    });
    let executions = 0;
    const turns = [{ calls: [{ toolName: "work" }] }, { text: "done" }];
    await assertRejects(() => run(turns, journal, () => ++executions), AgentError);
    assertEquals([isBroken, executions], [true, 0]);
  });
}

Deno.test("a run is not started if the journal returns no entry or fails", async () => {
  const gets: readonly (() => unknown)[] = [
    () => {
      throw new Error("no database");
    },
    ...[null, true, "recorded", {}, Promise.resolve(undefined), { kind: "model", value: 1 }]
      .map((entry) => () => entry),
  ];
  for (const get of gets) {
    const journal = { get, append: () => Promise.resolve() };
    // The types do not permit some results, but journals in JavaScript can return them.
    const model = scriptedModel([{ calls: [{ toolName: "work" }] }, { text: "done" }]);
    let executions = 0;
    const running = run([], journal as Journal, () => ++executions, { model });
    await assertRejects(() => running, Error);
    assertEquals([model.requests.length, executions], [0, 0]);
  }
});

Deno.test("fromStepValue() restores bytes, URLs and objects that resemble encoded bytes or URLs", () => {
  const values: readonly unknown[] = [
    null,
    [1, "two", { three: true }],
    { data: new Uint8Array([0, 127, 255]) },
    { url: new URL("https://example.com/x?y") },
    { $bytes: "AA==" },
    { $url: "x" },
    { $plain: { $plain: 1 } },
    { $other: 1, more: new Uint8Array(20_000) },
    { $: {} },
  ];
  for (const value of values) {
    assertEquals(fromStepValue(JSON.parse(JSON.stringify(toStepValue(value)))), value);
  }
  for (const live of [() => 1, 1n, Symbol("x"), NaN]) {
    assertThrows(() => toStepValue(live), TypeError);
  }
});

Deno.test("toStepValue() converts dates to strings and throws for values that are not serializable", () => {
  assertEquals(toStepValue({ when: new Date(0) }), { when: "1970-01-01T00:00:00.000Z" });
  for (const lost of [new Map([[1, 2]]), Promise.resolve(1), new ArrayBuffer(1), /x/]) {
    assertThrows(() => toStepValue({ lost }), TypeError, "Cannot record a step: values of type ");
  }
});

Deno.test("runToolLoop() accepts a custom step runner without a journal", async () => {
  const steps = new Map<string, string>();
  const engine = {
    async run(key: string, _kind: string, step: () => Promise<unknown>): Promise<unknown> {
      if (!steps.has(key)) steps.set(key, JSON.stringify(await step()));
      return JSON.parse(steps.get(key) ?? "null");
    },
  };
  const model = scriptedModel([{ text: "once" }]);
  const config = { model, registry: new ToolRegistry(), stepRunner: engine, runId: "r" };
  await runToolLoop(config, "go");
  assertEquals([(await runToolLoop(config, "go")).finalText, model.requests.length], ["once", 1]);
});

Deno.test("runToolLoop() keeps concurrent executions of the same tool step independent", async () => {
  const [slow, quick] = [createGate(), createGate()];
  const gates = [slow, quick];
  const execute = async (): Promise<string> => {
    const gate = gates.shift();
    await gate?.wait();
    return gate === slow ? "first" : "second";
  };
  const engine = {
    async run(_key: string, kind: string, step: () => Promise<unknown>): Promise<unknown> {
      if (kind !== "tool") return await step();
      const first = step();
      await slow.reached;
      const second = step();
      await quick.reached;
      slow.release();
      assertEquals(JSON.stringify(await first).includes("first"), true);
      quick.release();
      return await second;
    },
  };
  const turns = [{ calls: [{ toolName: "work" }] }, { text: "done" }];
  const more = { stepRunner: engine, toolTimeoutMs: 0, modelTimeoutMs: 0 };
  const { iterations } = await run(turns, new MemoryJournal(), execute, more);
  assertEquals(iterations[0]?.toolResults[0]?.output, { type: "text", value: "second" });
});

Deno.test("runToolLoop() defers calls without a decision if there is no approval handler", async () => {
  const journal = new MemoryJournal();
  const deny = { decision: "deny", reason: "no" } as const;
  const open = await run([CALLS], journal, undefined, {
    decisions: { [`r/i0/approval/1${WORK_DIGEST}`]: deny },
  });
  assertEquals(open.pending?.approvals.map(({ key }) => key), [`r/i0/approval/0${WORK_DIGEST}`]);
  const output = await run([{}], journal, undefined, {
    decisions: { [`r/i0/approval/0${WORK_DIGEST}`]: { decision: "approve" } },
  });
  assertEquals(output.iterations[0]?.toolResults.map(({ code }) => code), [
    undefined,
    "approval_denied",
  ]);
});

Deno.test("recordSteps() records the time of each step, which does not affect a resumed run", async () => {
  const journal = new MemoryJournal();
  let time = 1_000;
  const runAt = (now: () => number) => {
    const stepRunner = recordSteps(journal, { now });
    const config = { model: scriptedModel([{ text: "Hi" }]), registry: new ToolRegistry() };
    return runToolLoop({ ...config, stepRunner, runId: "r" }, "Hello");
  };
  await runAt(() => time++);
  const text = journal.toText();
  assertEquals([journal.get("r/start")?.at, journal.get("r/i0/model")?.at], [1_000, 1_001]);
  assertEquals(MemoryJournal.fromText(text).get("r/start")?.at, 1_000);
  assertEquals((await runAt(() => 5_000)).finalText, "Hi");
  assertEquals(journal.toText(), text);
});

Deno.test("readJournalEntry() accepts entries without a time and rejects a time that is not a number", () => {
  const entry = { v: 1, key: "k", kind: "tool", value: null };
  assertEquals(readJournalEntry(entry), { ...entry, v: 1, kind: "tool" });
  assertEquals(readJournalEntry({ ...entry, at: 5 }), { ...entry, v: 1, kind: "tool", at: 5 });
  assertEquals(readJournalEntry({ ...entry, at: "5" }), '"at" must be a number');
});

Deno.test("a journal without some of its lines is rejected, even if other lines are repeated", async () => {
  const stored = memoryStore();
  const whole = new MemoryJournal();
  const turns: readonly ScriptedTurn[] = [{ calls: [{ toolName: "work" }] }, { text: "done" }];
  await run(turns, whole);
  await run(turns, await JsonlJournal.open(stored));
  for (const text of [whole.toText(), stored.text]) {
    const lines = text.split("\n").slice(0, -1);
    const first = lines.findIndex((line) => line.includes('"key":"r/i0/begin/0.0"'));
    const kept = lines.toSpliced(first, 2);
    const repeated = lines.toSpliced(first, 2, ...Array(2).fill(lines[first - 1]));
    for (const damaged of [kept, repeated]) {
      const error = assertThrows(
        () => MemoryJournal.fromText(`${damaged.join("\n")}\n`),
        AgentError,
      );
      assert(error.message.includes("is missing before entry"), error.message);
    }
    // Repeated lines alone are not an error, and do not change the numbers of later lines.
    const doubled = lines.flatMap((line) => [line, line]);
    const journal = MemoryJournal.fromText(`${doubled.join("\n")}\n`);
    assertEquals(journal.toText(), MemoryJournal.fromText(text).toText());
  }
});

Deno.test("a journal does not accept entries that it cannot read again", async () => {
  for (const at of [NaN, Infinity, -Infinity]) {
    const store = memoryStore();
    const journal = await JsonlJournal.open(store);
    const before = store.text;
    const entry = { v: 1, key: "k", kind: "tool", value: 1, at } as const;
    for (const each of [journal, new MemoryJournal()]) {
      await assertRejects(() => each.append(entry), TypeError, '"at" must be a number');
    }
    const steps = recordSteps(journal, { now: () => at });
    const step = () => Promise.resolve(1);
    await assertRejects(() => steps.run("k", "tool", step), TypeError, '"now()" must be a finite');
    assertEquals(store.text, before);
    assertEquals(await recordSteps(journal).run("k", "tool", step), 1);
    assertEquals((await JsonlJournal.open(store)).size, 1);
  }
});
