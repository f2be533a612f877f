import {
  assert,
  assertEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { FakeTime } from "@std/testing/time";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { type AgentConfig, ToolLoopAgent } from "../agent/agent.ts";
import { compactHistory } from "../context.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { jsonSchema } from "../mod.ts";
import type { JournalStore } from "../journal/store.ts";
import { AgentSession, jsonlSessions, memorySessions, type SessionStore } from "../session.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { FilePart, LanguageModel, ModelMessage, ModelRequest } from "../shared/model.ts";
import { findTranscriptViolation } from "../shared/transcript.ts";
import { createGate, scriptedModel } from "../testing.ts";

type Turns = Parameters<typeof scriptedModel>[0];

async function startAgent(
  turns: Turns,
  config: Partial<AgentConfig> = {},
  pay: () => unknown = () => "paid",
): Promise<ToolLoopAgent> {
  const agent = new ToolLoopAgent({ name: "clerk", model: scriptedModel(turns), ...config });
  agent.registry.register({ name: "pay", inputSchema: { type: "object" }, execute: pay });
  await agent.initialize();
  return agent;
}

/** In-memory storage that yields to other tasks at each operation. */
function textStorage(): { readonly texts: Map<string, string>; open(id: string): JournalStore } {
  const texts = new Map<string, string>();
  return {
    texts,
    open: (id) => ({
      async read(): Promise<string> {
        await null;
        return texts.get(id) ?? "";
      },
      async append(text): Promise<void> {
        await null;
        texts.set(id, (texts.get(id) ?? "") + text);
        await null;
      },
    }),
  };
}

const STORES: readonly [string, () => SessionStore][] = [
  ["memorySessions()", () => memorySessions()],
  ["jsonlSessions()", () => jsonlSessions(textStorage().open)],
];

function textsOf(messages: readonly ModelMessage[]): readonly string[] {
  return messages.map(({ role, content }) =>
    `${role}: ${
      typeof content === "string"
        ? content
        : content.map((part) => part.type === "text" ? part.text : part.type).join()
    }`
  );
}

async function conflictOf(run: Promise<unknown>): Promise<AgentError> {
  const error = await assertRejects(() => run, AgentError);
  assertEquals(error.code, "session_conflict");
  return error;
}

for (const [name, createStore] of STORES) {
  Deno.test(`AgentSession continues the conversation of ${name}`, async () => {
    const store = createStore();
    const model = scriptedModel([
      { calls: [{ toolName: "pay" }] },
      { text: "One" },
      { text: "Two" },
    ]);
    const agent = await startAgent([], { model, systemPrompt: "Be brief." });
    await new AgentSession(agent, { id: "s", store }).run("First");
    await new AgentSession(agent, { id: "other", store }).messages();
    const output = await new AgentSession(agent, { id: "s", store }).run("Second");

    assertEquals(output.finalText, "Two");
    const expected = [
      "user: First",
      "assistant: tool-call",
      "tool: tool-result",
      "assistant: One",
      "user: Second",
    ];
    const sent = model.requests.at(-1)?.messages ?? [];
    // Only the first six messages are compared, because the array grows after the request.
    assertEquals(textsOf(sent).slice(0, 6), ["system: Be brief.", ...expected]);
    const messages = await new AgentSession(agent, { id: "s", store }).messages();
    assertEquals(textsOf(messages), [...expected, "assistant: Two"]);
    assertEquals(await store.load("s").then((records) => records.length), 2);
  });

  Deno.test(`AgentSession rejects the later of two concurrent runs on ${name} with its output`, async () => {
    const store = createStore();
    const gate = createGate();
    const slow = await startAgent(
      [{ calls: [{ toolName: "pay" }] }, { text: "Slow" }],
      {},
      () => gate.wait(),
    );
    const late = new AgentSession(slow, { id: "s", store }).run("Slow");
    await gate.reached;
    await new AgentSession(await startAgent([{ text: "Fast" }]), { id: "s", store }).run("Fast");
    gate.release();

    const error = await conflictOf(late);
    assert(error.is("session_conflict"));
    assertEquals(error.details, { sessionId: "s", expectedLength: 0 });
    assertEquals(error.partialOutput?.finalText, "Slow");
    assertEquals(error.partialOutput?.messages.length, 4);
    const messages = await new AgentSession(slow, { id: "s", store }).messages();
    assertEquals(textsOf(messages), ["user: Fast", "assistant: Fast"]);
  });

  Deno.test(`AgentSession adds a run that is executed concurrently once to ${name}`, async () => {
    const store = createStore();
    const stepRunner = recordSteps(new MemoryJournal());
    const gate = createGate();
    let executions = 0;
    const run = async () => {
      // Any of the executions calls the model after the tool.
      const turn = ({ messages }: ModelRequest) =>
        messages.length === 1 ? { calls: [{ toolName: "pay" }] } : { text: "Paid" };
      const agent = await startAgent([turn, turn], {}, () => (executions++, gate.wait()));
      return await new AgentSession(agent, { id: "s", store, stepRunner }).run("Pay");
    };
    const running = Array.from({ length: 5 }, run);
    await gate.reached;
    gate.release();
    const outputs = await Promise.all(running);
    assertEquals(outputs.map(({ finalText }) => finalText), outputs.map(() => "Paid"));
    assertEquals([executions, (await store.load("s")).length], [1, 1]);
  });

  Deno.test(`AgentSession rejects a run on ${name} if another run has the same messages but no journal`, async () => {
    const store = createStore();
    const gates = [createGate(), createGate()];
    const running = gates.map(async (gate) => {
      const turns = [{ calls: [{ toolName: "pay" }] }, { text: "Paid" }];
      const agent = await startAgent(turns, {}, () => gate.wait());
      return await new AgentSession(agent, { id: "s", store }).run("Pay");
    });
    await Promise.all(gates.map((gate) => gate.reached));
    for (const gate of gates) gate.release();
    const ends = await Promise.allSettled(running);
    assertEquals(ends.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assertEquals((await store.load("s")).length, 1);
  });

  Deno.test(`No run is lost if sessions run concurrently on ${name}`, async () => {
    const step = fc.record({ session: fc.nat({ max: 2 }), turns: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (writers) => {
        const store = createStore();
        const conflicts: string[] = [];
        const stored: string[] = [];
        await Promise.all(writers.map(async ({ session, turns }, writer) => {
          const agent = await startAgent(Array.from({ length: turns }, () => ({ text: "ok" })));
          const own = new AgentSession(agent, { id: `s${session}`, store });
          for (let turn = 0; turn < turns; turn++) {
            const text = `${writer}.${turn}`;
            try {
              await own.run(text);
              stored.push(text);
            } catch (error) {
              assert(AgentError.isAgentError(error) && error.is("session_conflict"));
              assertStringIncludes(JSON.stringify(error.partialOutput?.messages.at(-2)), text);
              conflicts.push(text);
            }
          }
        }));
        const agent = await startAgent([]);
        const found: string[] = [];
        for (const id of ["s0", "s1", "s2"]) {
          const messages = await new AgentSession(agent, { id, store }).messages();
          assertEquals(findTranscriptViolation(messages), undefined);
          found.push(...textsOf(messages).filter((text) => text.startsWith("user: ")));
        }
        assertEquals(found.sort(), stored.map((text) => `user: ${text}`).sort());
        const total = writers.reduce((sum, { turns }) => sum + turns, 0);
        assertEquals(stored.length + conflicts.length, total);
      }),
      propertyRuns(30),
    );
  });
}

Deno.test("AgentSession adds failed runs, and a run without a message continues the conversation", async () => {
  const store = memorySessions();
  const agent = await startAgent([
    { calls: [{ toolName: "pay" }] },
    { error: "the model is not available" },
    { text: "Done" },
  ]);
  const session = new AgentSession(agent, { id: "s", store });
  const error = await assertRejects(() => session.run("Pay"), AgentError);
  assertEquals(error.code, "model_error");
  assertEquals(textsOf(await session.messages()), [
    "user: Pay",
    "assistant: tool-call",
    "tool: tool-result",
  ]);
  assertEquals((await session.run()).finalText, "Done");
  assertEquals((await session.messages()).length, 4);
});

Deno.test("AgentSession adds aborted runs, with either value of onAbort", async () => {
  for (const reason of [new Error("stop"), "a string"]) {
    for (const onAbort of ["return", "throw"] as const) {
      const controller = new AbortController();
      const agent = await startAgent([{ calls: [{ toolName: "pay" }] }], { onAbort }, () => {
        controller.abort(reason);
        return "paid";
      });
      const session = new AgentSession(agent, { id: "s", store: memorySessions() });
      const [end] = await Promise.allSettled([session.run("Pay", { signal: controller.signal })]);
      if (end.status === "fulfilled") assertEquals(end.value.stopReason, "aborted");
      else assertEquals(end.reason, reason);
      assertEquals(end.status === "fulfilled", onAbort === "return");
      assertEquals(textsOf(await session.messages()), [
        "user: Pay",
        "assistant: tool-call",
        "tool: tool-result",
      ]);
    }
  }
});

Deno.test("AgentSession resumes a pending run under the same run id", async () => {
  const store = memorySessions();
  const stepRunner = recordSteps(new MemoryJournal());
  const approvalHandler = () => ({ decision: "defer" }) as const;
  const first = await startAgent(
    [{ text: "Hello" }, { calls: [{ toolName: "pay" }] }],
    { approvalHandler },
  );
  const runIds = new Set<string>();
  const onEvent = ({ runId }: { readonly runId: string }): void => {
    runIds.add(runId);
  };
  await new AgentSession(first, { id: "a/b", store, stepRunner }).run("Hi", { onEvent });
  const { pending, stopReason } = await new AgentSession(first, { id: "a/b", store, stepRunner })
    .run("Pay", { onEvent });
  assertEquals([stopReason, (await store.load("a/b")).length], ["approval_pending", 1]);

  const second = await startAgent([{ text: "Done" }], { approvalHandler });
  const session = new AgentSession(second, { id: "a/b", store, stepRunner });
  const [approval] = pending?.approvals ?? [];
  const decisions = { [approval?.key ?? ""]: { decision: "approve" } as const };
  assertEquals((await session.run(undefined, { decisions, onEvent })).finalText, "Done");
  assertEquals([...runIds], ["a%2Fb/0", "a%2Fb/1"]);
  assertEquals(textsOf(await session.messages()).slice(2), [
    "user: Pay",
    "assistant: tool-call",
    "tool: tool-result",
    "assistant: Done",
  ]);
});

for (const hasOutput of [false, true]) {
  Deno.test(`AgentSession rejects decisions for a run that has ended (output schema: ${hasOutput})`, async () => {
    const store = memorySessions();
    const stepRunner = recordSteps(new MemoryJournal());
    const answer = hasOutput
      ? { calls: [{ toolName: "final_answer", input: { total: 5 } }] }
      : { text: "Paid" };
    const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, answer, { text: "Spurious" }]);
    const agent = await startAgent([], {
      model,
      approvalHandler: () => ({ decision: "defer" }),
      ...hasOutput && { output: jsonSchema({ type: "object", required: ["total"] }) },
    });
    const session = new AgentSession(agent, { id: "s", store, stepRunner });
    const { pending } = await session.run("Pay");
    const decisions = { [pending?.approvals[0]?.key ?? ""]: { decision: "approve" } as const };
    assertEquals((await session.run(undefined, { decisions })).stopReason, "model_stop");

    const late = await assertRejects(() => session.run(undefined, { decisions }), AgentError);
    assertEquals(late.code, "core");
    assertStringIncludes(late.message, "the run does not wait for a decision");
    const [end] = await Promise.allSettled([
      Array.fromAsync(session.stream(undefined, { decisions })),
    ]);
    assertStringIncludes(
      end.status === "rejected" ? String(end.reason) : "",
      "the run does not wait for a decision",
    );
    const error = await assertRejects(() => session.run());
    assertStringIncludes(String(error), '"userMessage" must be set');
    assertEquals([model.requests.length, (await store.load("s")).length], [2, 1]);
  });
}

Deno.test("AgentSession rejects decisions for an abandoned run", async () => {
  const store = memorySessions();
  const stepRunner = recordSteps(new MemoryJournal());
  const agent = await startAgent(
    [{ calls: [{ toolName: "pay" }] }, { calls: [{ toolName: "pay" }] }],
    { approvalHandler: () => ({ decision: "defer" }) },
  );
  const session = new AgentSession(agent, { id: "s", store, stepRunner });
  const { pending } = await session.run("Pay");
  await session.run("Pay the other bill");
  const decisions = { [pending?.approvals[0]?.key ?? ""]: { decision: "approve" } as const };
  const late = () => session.run(undefined, { decisions });
  await assertRejects(late, AgentError, "the run does not wait for a decision");
  assertEquals((await session.run()).stopReason, "approval_pending");
});

Deno.test("AgentSession rejects decisions if the journal does not contain the waiting run", async () => {
  const store = memorySessions();
  const agent = await startAgent([
    { calls: [{ toolName: "pay" }] },
    { error: "the model is not available" },
    { text: "Spurious" },
  ]);
  for (const journal of [undefined, { stepRunner: recordSteps(new MemoryJournal()) }]) {
    const session = new AgentSession(agent, { id: "s", store, ...journal });
    if (journal === undefined) await assertRejects(() => session.run("Pay"), AgentError);
    const decisions = { "s/1/i0/approval/0#digest": { decision: "approve" } as const };
    const lost = () => session.run(undefined, { decisions });
    const reason = journal === undefined
      ? 'the session has no "stepRunner", so its run cannot continue'
      : "the run does not wait for a decision";
    await assertRejects(
      lost,
      AgentError,
      `Cannot apply the decisions in session "s": ${reason}`,
    );
  }
});

Deno.test("AgentSession.hasUnfinishedRun() is true while a run waits for a decision or is interrupted", async () => {
  const store = memorySessions();
  const stepRunner = recordSteps(new MemoryJournal());
  const agent = await startAgent([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }], {
    approvalHandler: () => ({ decision: "defer" }),
  });
  const session = new AgentSession(agent, { id: "s", store, stepRunner });
  assertEquals(await session.hasUnfinishedRun(), false);
  const { pending } = await session.run("Pay");
  const restarted = new AgentSession(agent, { id: "s", store, stepRunner });
  assertEquals(await restarted.hasUnfinishedRun(), true);
  assertEquals((await restarted.run()).pending?.approvals, pending?.approvals);
  const decisions = { [pending?.approvals[0]?.key ?? ""]: { decision: "approve" } as const };
  await restarted.run(undefined, { decisions });
  assertEquals(await restarted.hasUnfinishedRun(), false);
  assertEquals(await new AgentSession(agent, { id: "s", store }).hasUnfinishedRun(), false);
});

Deno.test("AgentSession keeps the finished iterations of an interrupted run if a different message is sent", async () => {
  const store = memorySessions();
  const stepRunner = recordSteps(new MemoryJournal());
  let payments = 0;
  const agent = await startAgent(
    [
      { calls: [{ toolName: "pay", input: { n: 1 } }] },
      { calls: [{ toolName: "pay", input: { n: 2 } }] },
      { text: "It rains" },
    ],
    {
      approvalHandler: ({ iteration }) =>
        iteration === 0 ? { decision: "approve" } : { decision: "defer" },
    },
    () => `payment ${++payments}`,
  );
  const session = new AgentSession(agent, { id: "s", store, stepRunner });
  assertEquals((await session.run("Pay")).stopReason, "approval_pending");
  assertEquals((await session.run("Never mind. What is the weather?")).finalText, "It rains");
  assertEquals(textsOf(await session.messages()), [
    "user: Pay",
    "assistant: tool-call",
    "tool: tool-result",
    "user: Never mind. What is the weather?",
    "assistant: It rains",
  ]);
  assertEquals([payments, (await store.load("s")).length], [1, 2]);
});

Deno.test("AgentSession resumes an interrupted run if the same message is sent again", async () => {
  const store = memorySessions();
  const journal = recordSteps(new MemoryJournal());
  let payments = 0;
  let isBroken = true;
  const agent = await startAgent(
    [{ calls: [{ toolName: "pay" }] }, { text: "Lost" }, { text: "Done" }],
    {},
    () => `payment ${++payments}`,
  );
  const session = new AgentSession(agent, {
    id: "s",
    store,
    stepRunner: {
      run: async (key, kind, step) => {
        const value = await journal.run(key, kind, async () => {
          const value = await step();
          if (isBroken && key.endsWith("/i1/model")) throw new Error("the disk is full");
          return value;
        });
        return value;
      },
    },
  });
  const error = await assertRejects(() => session.run("Pay"), AgentError);
  assertStringIncludes(error.message, "the disk is full");
  assertEquals((await store.load("s")).length, 0);
  isBroken = false;
  assertEquals((await session.run("Pay")).finalText, "Done");
  assertEquals([payments, (await store.load("s")).length], [1, 1]);
});

Deno.test("AgentSession rejects with an AgentError if the step runner fails before the run starts", async () => {
  const agent = await startAgent([{ text: "Done" }]);
  const cause = new Error("the disk is full");
  const stepRunner = { run: () => Promise.reject(cause) };
  const session = new AgentSession(agent, { id: "s", store: memorySessions(), stepRunner });
  const error = await assertRejects(() => session.run("Hi"), AgentError);
  assertEquals([error.code, error.cause], ["core", cause]);
  assertStringIncludes(error.message, "the disk is full");
});

Deno.test("AgentSession stores files as base64 and restores their bytes", async () => {
  const storage = textStorage();
  const store = jsonlSessions(storage.open);
  const agent = await startAgent([{ text: "A cat" }]);
  const file: FilePart = {
    type: "file",
    mediaType: "image/png",
    data: { type: "data", data: new Uint8Array([1, 2, 255]) },
  };
  const link: FilePart = {
    type: "file",
    mediaType: "image/png",
    data: { type: "url", url: new URL("https://example.org/cat.png") },
  };
  const session = new AgentSession(agent, { id: "s", store });
  await session.run([{ type: "text", text: "What is this?" }, file, link]);
  assertStringIncludes(storage.texts.get("s") ?? "", '{"$bytes":"AQL/"}');
  const [first] = await session.messages();
  assertEquals(first?.content.slice(1), [file, link]);
});

const PAID: readonly JsonValue[] = [
  { role: "user", content: "Pay" },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} }],
  },
  {
    role: "tool",
    content: [{
      type: "tool-result",
      toolCallId: "c1",
      toolName: "pay",
      output: { type: "text", value: "paid" },
      isError: false,
      durationMs: 0,
    }],
  },
];

Deno.test("AgentSession does not wait for a store that does not load if the run is aborted", async () => {
  const store: SessionStore = {
    load: () => new Promise(() => {}),
    append: () => Promise.reject(new Error("must not be called")),
  };
  using time = new FakeTime();
  const session = new AgentSession(await startAgent([]), { id: "s", store });
  const controller = new AbortController();
  const run = assertRejects(
    () => session.run("Hi", { signal: controller.signal }),
    Error,
    "enough",
  );
  controller.abort(new Error("enough"));
  const stream = session.stream("Hi");
  const first = assertRejects(() => stream.next(), DOMException, "closed");
  const closed = stream.return?.();
  await time.tickAsync(250);
  await Promise.all([run, first]);
  assertEquals(await closed, { done: true, value: undefined });
});

Deno.test("AgentSession rejects damaged records and names them in the error", async () => {
  const agent = await startAgent([]);
  const cases: readonly [unknown, string][] = [
    [[null], "record 0: not a JSON object"],
    [[{ v: 2, messages: [] }], '"v" must be 1, got 2'],
    [[{ v: 1, messages: {} }], '"messages" must be an array'],
    [[{ v: 1, messages: [] }, { v: 1, messages: [null] }], '"messages[0]" must be an object'],
    [[{ v: 1, messages: [{ role: "tool", content: [] }] }], "a tool message must follow"],
    [[{ v: 1, messages: [{ role: "user", content: [{ $bytes: "?" }] }] }], "Cannot load session"],
    [
      [{ v: 1, runId: "s/0", messages: [] }, { v: 1, runId: "s/2", messages: [] }],
      'record 1: "runId" must be "s/1", got "s/2": the record belongs to another session, or a record is missing or repeated',
    ],
    [[{ v: 1, runId: "s/0", messages: [] }, { v: 1, runId: "s/0", messages: [] }], "repeated"],
    [[{ v: 1, runId: 5, messages: [] }], '"runId" must be "s/0"'],
    [{}, "must return an array"],
    [[undefined], "record 0: not a JSON object"],
    [
      [{ v: 1, messages: [{ role: "user", content: [{ type: "text" }] }] }],
      'text" must be a string',
    ],
    [[{ v: 1, messages: [], history: null }], '"history" must be an object'],
    [
      [{ v: 1, messages: PAID, history: { head: [], from: 2 } }],
      "must select a valid conversation",
    ],
  ];
  for (const [records, text] of cases) {
    const store: SessionStore = {
      load: () => Promise.resolve(records as JsonValue[]),
      append: () => Promise.reject(new Error("must not be called")),
    };
    const error = await assertRejects(
      () => new AgentSession(agent, { id: "s", store }).run("Hi"),
      AgentError,
    );
    assertEquals(error.code, "core");
    assertStringIncludes(error.message, text);
  }
});

Deno.test("AgentSession attaches the run's output to the error if the store fails", async () => {
  const appends: readonly (() => unknown)[] = [
    () => {
      throw new Error("disk");
    },
    () => Promise.reject(new Error("disk")),
    ...[undefined, 1, "true", {}].map((value) => () => Promise.resolve(value)),
  ];
  for (const append of appends) {
    const store = { load: () => Promise.resolve([]), append } as unknown as SessionStore;
    const agent = await startAgent([{ text: "Hello" }]);
    const error = await assertRejects(
      () => new AgentSession(agent, { id: "s", store }).run("Hi"),
      AgentError,
    );
    assertEquals([error.code, error.partialOutput?.finalText], ["core", "Hello"]);
  }
});

Deno.test("AgentSession limits the number and the length of records", async () => {
  const store = memorySessions();
  const agent = await startAgent([{ text: "1" }, { text: "2" }, { text: "3" }]);
  const limited = new AgentSession(agent, { id: "s", store, maxRecords: 2 });
  await limited.run("a");
  await limited.run("b");
  const full = await assertRejects(() => limited.run("c"), AgentError);
  assertStringIncludes(full.message, "the session has reached the maximum number of records (2)");
  assertEquals((await limited.messages()).length, 4);

  const chars = (await store.load("s")).reduce<number>(
    (sum, record) => sum + JSON.stringify(record).length,
    0,
  );
  const short = new AgentSession(agent, { id: "s", store, maxChars: chars - 1 });
  const long = await assertRejects(() => short.run("c"), AgentError);
  assertStringIncludes(long.message, `more than ${chars - 1}`);
  assertEquals(
    (await new AgentSession(agent, { id: "s", store, maxChars: chars }).run("c")).finalText,
    "3",
  );
});

Deno.test("AgentSession checks its options", async () => {
  const agent = await startAgent([]);
  const store = memorySessions();
  const cases: readonly [unknown, unknown, string][] = [
    [{}, { id: "s", store }, '"agent" must be a ToolLoopAgent'],
    [agent, { id: "", store }, '"id" must be a non-empty string'],
    [agent, { id: "\ud800", store }, '"id" must be a string without lone surrogates'],
    [agent, { id: "s", store: {} }, '"store" must be a SessionStore'],
    [agent, { id: "s", store, stepRunner: {} }, '"stepRunner" must be a StepRunner'],
    [agent, { id: "s", store, maxRecords: 0 }, '"maxRecords" must be a positive integer'],
    [agent, { id: "s", store, maxChars: 1.5 }, '"maxChars" must be a positive integer'],
  ];
  for (const [wrongAgent, options, text] of cases) {
    const error = assertThrows(() =>
      Reflect.construct(AgentSession, [wrongAgent, options])
    ) as Error;
    assertStringIncludes(error.message, text);
  }
  const session = new AgentSession(agent, { id: "s", store });
  await assertRejects(() => Reflect.apply(session.run, session, [5]), TypeError, "userMessage");
});

Deno.test("AgentSession.stream() yields run_finished after the run was added", async () => {
  const store = memorySessions();
  const agent = await startAgent([{ text: "Hello" }, { text: "Again" }]);
  const session = new AgentSession(agent, { id: "s", store });
  const types: string[] = [];
  const stream = session.stream("Hi", { maxQueued: 1 });
  let step = await stream.next();
  for (; !step.done; step = await stream.next()) {
    types.push(step.value.type);
    const records = await store.load("s");
    assertEquals(records.length, step.value.type === "run_finished" ? 1 : 0);
  }
  assertEquals([types.at(0), types.at(-1)], ["run_started", "run_finished"]);
  assertEquals(step.value?.finalText, "Hello");
});

Deno.test("AgentSession.stream() ends with run_failed if the run cannot be added", async () => {
  const store = memorySessions();
  const agent = await startAgent([{ text: "Hello" }]);
  const session = new AgentSession(agent, { id: "s", store });
  const types: string[] = [];
  const error = await conflictOf((async () => {
    for await (const event of session.stream("Hi")) {
      if (types.length === 0) await store.append("s", { v: 1, messages: [] }, 0);
      types.push(event.type);
    }
  })());
  assertEquals([types.at(-1), types.includes("run_finished")], ["run_failed", false]);
  assertEquals(error.partialOutput?.finalText, "Hello");
});

Deno.test("AgentSession.stream() adds the run if the reader leaves the loop", async () => {
  for (const onAbort of ["return", "throw"] as const) {
    const store = memorySessions();
    const agent = await startAgent([{ calls: [{ toolName: "pay" }] }, { text: "Done" }], {
      onAbort,
    });
    const session = new AgentSession(agent, { id: "s", store });
    for await (const event of session.stream("Pay")) {
      if (event.type === "iteration_finished") break;
    }
    assertEquals(textsOf(await session.messages()).slice(0, 3), [
      "user: Pay",
      "assistant: tool-call",
      "tool: tool-result",
    ]);
    const unused = session.stream("Hi");
    assertEquals(await unused.return(), { done: true, value: undefined });
    assertEquals(await unused.next(), { done: true, value: undefined });
  }
});

Deno.test("AgentSession.stream() rejects with the reason of the caller's signal", async () => {
  const controller = new AbortController();
  const agent = await startAgent([{ text: "Hello" }], { onAbort: "throw" });
  const session = new AgentSession(agent, { id: "s", store: memorySessions() });
  controller.abort("enough");
  const stream = session.stream("Hi", { signal: controller.signal });
  const [end] = await Promise.allSettled([Array.fromAsync(stream)]);
  assertEquals(end.status === "rejected" && end.reason, "enough");
});

Deno.test("AgentSession returns the value of an agent with an output schema", async () => {
  const agent = new ToolLoopAgent({
    name: "till",
    model: scriptedModel([{ calls: [{ toolName: "final_answer", input: { total: 5 } }] }]),
    output: jsonSchema<{ total: number }>({ type: "object", required: ["total"] }),
  });
  const session = new AgentSession(agent, { id: "s", store: memorySessions() });
  const { value } = await session.run("What does it cost?");
  const total: number | undefined = value?.total;
  assertEquals(total, 5);
});

for (const systemPrompt of [undefined, "Be brief."]) {
  Deno.test(`a session keeps the summary of earlier messages (system prompt: ${systemPrompt})`, async () => {
    const sent: string[][] = [];
    const model: LanguageModel = {
      modelId: "m",
      generate: ({ messages }) => {
        sent.push(messages.map(({ role }) => role));
        const content = [{ type: "text" as const, text: "x".repeat(400) }];
        return Promise.resolve({
          message: { role: "assistant", content },
          finishReason: "stop" as const,
        });
      },
    };
    const agent = new ToolLoopAgent({
      name: "a",
      model,
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
      prepareIteration: compactHistory({
        model: scriptedModel([{ text: "summary" }]),
        maxInputTokens: 150,
        keepTurns: 1,
      }),
    });
    const session = new AgentSession(agent, { id: "s", store: memorySessions() });
    for (const turn of ["one", "two", "three", "four"]) await session.run(turn);
    const system = systemPrompt === undefined ? [] : ["system"];
    assertEquals(sent[0], [...system, "user"]);
    assertEquals(sent[1], [...system, "user", "assistant", "user"]);
    // The third run writes a summary of the first two turns. The fourth run sends the summary that
    // the third run wrote.
    assertEquals(sent[2], [...system, "user", "user"]);
    assertEquals(sent[3], [...system, "user", "user", "assistant", "user"]);
    assertEquals((await session.messages()).length, 8);
  });
}

Deno.test("AgentSession does not read the records of another session", async () => {
  const rows = new Map<string, JsonValue>();
  // A store that compares only the beginning of the id.
  const store: SessionStore = {
    load: (id) =>
      Promise.resolve([...rows].filter(([key]) => key.startsWith(id)).map(([, row]) => row)),
    append(id, record, n) {
      rows.set(`${id} ${n}`, record);
      return Promise.resolve(true);
    },
  };
  const createSession = (id: string) =>
    new AgentSession(new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "42" }]) }), {
      id,
      store,
    });
  await createSession("team budget").run("The secret?");
  for (const id of ["team", "team ", "t"]) {
    const error = await assertRejects(() => createSession(id).messages(), AgentError);
    assertStringIncludes(error.message, "the record belongs to another session");
    await assertRejects(() => createSession(id).run("What is it?"), AgentError);
  }
  assertEquals((await createSession("team budget").messages()).length, 2);
});

Deno.test("AgentSession executes no tool if the lock of the step runner throws or returns no promise", async () => {
  const locks: readonly (() => unknown)[] = [
    () => {
      throw new Error("no lock");
    },
    () => Promise.reject(new Error("no lock")),
    () => undefined,
    () => Promise.resolve(undefined),
  ];
  for (const lock of locks) {
    let payments = 0;
    const agent = await startAgent(
      [{ calls: [{ toolName: "pay" }] }, { text: "done" }],
      {},
      () => ++payments,
    );
    const stepRunner = { ...recordSteps(new MemoryJournal()), lock: lock as never };
    const session = new AgentSession(agent, { id: "s", store: memorySessions(), stepRunner });
    await assertRejects(() => session.run("Hi"), AgentError);
    assertEquals(payments, 0);
    await agent.terminate();
  }
});
