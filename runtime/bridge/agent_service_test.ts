import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { ToolLoopAgent } from "../agent/agent.ts";
import { agentService, type AgentServiceOptions } from "../bridge.ts";
import { memoryRuns, openRuns, type RunEngine, type Runs } from "../runs.ts";
import { type ServedAgent, type ServedRun, serveRuns, serveSessions } from "../serve.ts";
import { memoryStorage } from "../session.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { createGate, scriptedModel, type ScriptedTurn } from "../testing.ts";
import type { Tool } from "../tools/tool.ts";

const ANN = "did:web:ann.example";
const TASK = { taskId: "t1", content: "Go" };
const CALL: ScriptedTurn = { calls: [{ toolName: "work" }] };
const DONE: ScriptedTurn = { text: "Done" };

interface Served {
  readonly runs: Runs;
  /** Updates that the service has sent. */
  readonly updates: JsonValue[];
  ask(payload: unknown, signal?: AbortSignal, sender?: string): Promise<JsonValue>;
  /** Returns the run of the task `t1` of Ann. */
  find(): Promise<ServedRun | undefined>;
}

interface Setup {
  readonly turns?: readonly ScriptedTurn[];
  readonly execute?: Tool["execute"];
  readonly defers?: boolean;
  readonly output?: { readonly type: string };
  readonly options?: AgentServiceOptions;
  readonly engine?: RunEngine;
}

/** Serves an agent whose model returns the scripted turns, and calls the test function. */
async function withService(setup: Setup, test: (served: Served) => Promise<void>): Promise<void> {
  const { turns = [DONE], execute = () => "ok", defers = false, output } = setup;
  const model = scriptedModel(turns);
  const make = (): ToolLoopAgent =>
    new ToolLoopAgent({
      name: "clerk",
      model,
      modelRetries: 0,
      tools: [{ name: "work", inputSchema: { type: "object" }, execute }],
      approvalHandler: () => ({ decision: defers ? "defer" : "approve" }),
      onError: () => {},
      ...output && { output },
    });
  const onError = (error: unknown): void => assert(AgentError.isAgentError(error), String(error));
  const runs = openRuns(setup.engine ?? memoryRuns(), { clerk: { version: "1", make } }, {
    onError,
  });
  const working = runs.work();
  const updates: JsonValue[] = [];
  const served = serveRuns(runs, { agent: "clerk" });
  const service = agentService(served, setup.options);
  const update = (payload: JsonValue): Promise<void> => {
    updates.push(payload);
    return Promise.resolve();
  };
  try {
    await test({
      runs,
      updates,
      ask: (payload, signal = new AbortController().signal, sender = ANN) =>
        service({ sender, payload }, { signal, update }),
      find: async () => {
        const page = await served.list({ subject: ANN });
        return page.runs.find(({ metadata }) => metadata.taskId === "t1");
      },
    });
  } finally {
    await runs.close();
    await working;
  }
}

Deno.test("agentService() executes a task as a run of its sender", async () => {
  await withService({}, async ({ ask, find, runs, updates }) => {
    assertEquals(await ask(TASK), {
      status: "model_stop",
      text: "Done",
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    });
    const [run] = await runs.list();
    assertEquals([run?.agent, run?.input, run?.status], ["clerk", "Go", "done"]);
    assertEquals([run?.runId.startsWith(`=${ANN}/`), run?.party], [true, `=${ANN}`]);
    assertEquals((await find())?.metadata, { taskId: "t1" });
    assertEquals(updates.map((update) => Object(update).type), ["progress"]);
  });
});

Deno.test("agentService() returns the recorded result of a task that is sent again", async () => {
  await withService({ turns: [DONE, { text: "Again" }] }, async ({ ask }) => {
    const first = await ask(TASK);
    assertEquals(await ask(TASK), first);
    const other = await ask(TASK, undefined, "did:web:bob.example");
    assertEquals(other, { ...Object(first), text: "Again" });
  });
});

Deno.test("agentService() returns the value of an agent with an output schema", async () => {
  const turns = [{ text: '{"n":1}' }, { calls: [{ toolName: "final_answer", input: { n: 1 } }] }];
  await withService({ turns, output: { type: "object" } }, async ({ ask }) => {
    const response = await ask(TASK);
    assertEquals(Object(response).value, { n: 1 });
  });
});

Deno.test("agentService() rejects payloads that are not tasks and starts no run", async () => {
  const invalid: readonly unknown[] = [
    null,
    "Go",
    [],
    {},
    { content: "Go" },
    { taskId: "", content: "Go" },
    { taskId: "a/b", content: "Go" },
    { taskId: "a\n", content: "Go" },
    { taskId: "x".repeat(129), content: "Go" },
    { taskId: 1, content: "Go" },
    { taskId: "t", content: "" },
    { taskId: "t", content: ["Go"] },
    { taskId: "t", content: "123456" },
  ];
  await withService({ options: { maxContentChars: 5 } }, async ({ ask, runs }) => {
    for (const payload of invalid) {
      const { reason, status, text } = Object(await ask(payload));
      assertEquals([status, text, typeof reason], ["rejected", "", "string"]);
    }
    for (const sender of ["x".repeat(254), "x".repeat(200), "%".repeat(67), "x\0"]) {
      assertEquals(Object(await ask(TASK, undefined, sender)).status, "rejected");
    }
    assertEquals(await runs.list(), []);
  });
});

Deno.test("agentService() accepts a task of the maximum length and ignores unknown members", async () => {
  await withService({ options: { maxContentChars: 5 } }, async ({ ask }) => {
    const response = await ask({ taskId: "x".repeat(128), content: "12345", extra: 1 });
    assertEquals(Object(response).status, "model_stop");
  });
});

Deno.test("agentService() rejects a task with the id of a different task", async () => {
  await withService({}, async ({ ask }) => {
    await ask(TASK);
    assertEquals(await ask({ ...TASK, content: "Stop" }), {
      status: "rejected",
      text: "",
      reason: '"taskId" is the id of a different task',
    });
  });
});

Deno.test("agentService() returns the key of a deferred approval, and after the decision the result", async () => {
  await withService({ turns: [CALL, DONE], defers: true }, async ({ ask, find }) => {
    const { pending, ...response } = Object(await ask(TASK));
    assertEquals(response, { status: "approval_pending", text: "" });
    assertEquals([pending.length, Object.keys(pending[0])], [1, ["kind", "key"]]);
    const run = await find();
    assertEquals(run?.state.waitingFor.map(({ key }) => key), [pending[0].key]);
    assertEquals(Object(await ask(TASK)).pending, pending);
    assertEquals(await run?.input(pending[0].key, { decision: "approve" }), true);
    assertEquals(Object(await ask(TASK)).text, "Done");
  });
});

Deno.test("agentService() ignores decisions in the payload of a request", async () => {
  const executed: string[] = [];
  const execute = (): string => `${executed.push("work")}`;
  await withService({ turns: [CALL, DONE], defers: true, execute }, async ({ ask }) => {
    const { pending: [{ key }] } = Object(await ask(TASK));
    const decisions = { [key]: { decision: "approve" } };
    const again = await ask({ ...TASK, decisions, signals: decisions, approved: true });
    assertEquals([Object(again).status, executed], ["approval_pending", []]);
  });
});

Deno.test("agentService() returns the key of a signal that a tool waits for", async () => {
  const execute: Tool["execute"] = (_input, { wait }) => wait("payment");
  await withService({ turns: [CALL, DONE], execute }, async ({ ask, find }) => {
    const pending = [{ kind: "signal", key: "payment" }];
    assertEquals(await ask(TASK), { status: "waiting", text: "", pending });
    await (await find())?.input("payment", "ok");
    assertEquals(Object(await ask(TASK)).text, "Done");
  });
});

Deno.test("agentService() sends no details of a failed run", async () => {
  const turns = [{ error: new Error("password is hunter2") }];
  await withService({ turns }, async ({ ask, find }) => {
    assertEquals(await ask(TASK), { status: "failed", text: "" });
    assert((await find())?.state.error?.message.includes("hunter2"));
  });
});

for (
  const [onCancel, reason, status] of [
    ["cancel", new DOMException("Canceled", "AbortError"), "cancelled"],
    ["continue", new DOMException("Canceled", "AbortError"), "model_stop"],
    ["cancel", new Error("the connection is lost"), "model_stop"],
  ] as const
) {
  Deno.test(`agentService() with onCancel "${onCancel}" gives a task the status "${status}" after a request was aborted with ${reason.name}`, async () => {
    const gate = createGate();
    const execute = async (): Promise<string> => {
      await gate.wait();
      return "ok";
    };
    const setup = { turns: [CALL, DONE], execute, options: { onCancel } };
    await withService(setup, async ({ ask }) => {
      const controller = new AbortController();
      const asking = ask(TASK, controller.signal);
      await gate.reached;
      controller.abort(reason);
      await assertRejects(() => asking);
      gate.release();
      assertEquals(Object(await ask(TASK)).status, status);
    });
  });
}

Deno.test("agentService() cancels a task when the last of its equal requests is cancelled", async () => {
  for (const aborted of [1, 2]) {
    const gate = createGate();
    const execute = () => gate.wait().then(() => "ok");
    await withService({ turns: [CALL, DONE], execute }, async ({ ask, find }) => {
      const controllers = [new AbortController(), new AbortController()];
      const asking = controllers.map(({ signal }) => ask(TASK, signal));
      await gate.reached;
      for (const index of [0, 1].slice(0, aborted)) {
        controllers[index]?.abort();
        await assertRejects(async () => await asking[index]);
      }
      gate.release();
      const status = aborted === 1 ? "model_stop" : "cancelled";
      if (aborted === 1) assertEquals(Object(await asking[1]).status, status);
      assertEquals(Object(await ask(TASK)).status, status);
      assertEquals((await find())?.state.status, aborted === 1 ? "done" : "cancelled");
    });
  }
});

Deno.test("agentService() limits the tasks of each sender", async () => {
  const setup = { turns: Array(7).fill(DONE), engine: memoryRuns({ maxRuns: 50 }) };
  await withService(setup, async ({ ask, runs }) => {
    for (let index = 0; index < 6; index++) {
      await ask({ ...TASK, taskId: `t${index}` }, undefined, "did:web:eve.example");
    }
    assertEquals((await runs.list()).length, 5);
    assertEquals(Object(await ask(TASK)).status, "model_stop");
  });
  const gate = createGate();
  const execute = () => gate.wait().then(() => "ok");
  const busy = { turns: [CALL, DONE], execute, engine: memoryRuns({ maxPartyRuns: 1 }) };
  await withService(busy, async ({ ask }) => {
    const asking = ask(TASK);
    await gate.reached;
    const reason = "the sender has too many tasks in progress";
    assertEquals(await ask({ ...TASK, taskId: "t2" }), { status: "rejected", text: "", reason });
    gate.release();
    await asking;
  });
});

Deno.test("agentService() rejects when a request ends, even if the agent does not respond", async () => {
  const never = new Promise<never>(() => {});
  const hanging: Pick<ServedAgent, "get" | "start"> = {
    get: () => never,
    start: async (caller, start) => {
      const run = await idle.start(caller, start);
      return Object.assign(Object.create(run), { settled: () => never });
    },
  };
  await using idle = serveSessions({
    storage: memoryStorage(),
    make: () => new ToolLoopAgent({ name: "a", model: scriptedModel([DONE]) }),
  });
  for (const methods of [{}, { start: () => never }]) {
    const service = agentService({ ...hanging, ...methods });
    const controller = new AbortController();
    const { signal } = controller;
    const asking = service({ sender: ANN, payload: TASK }, { signal, update: () => never });
    controller.abort(new Error("the connection is lost"));
    await assertRejects(() => asking, Error, "the connection is lost");
  }
});

Deno.test("agentService() serves an agent whose conversations are sessions", async () => {
  await using served = serveSessions({
    storage: memoryStorage(),
    make: () => new ToolLoopAgent({ name: "a", model: scriptedModel([DONE]) }),
  });
  const service = agentService(served);
  const context = { signal: new AbortController().signal, update: () => Promise.resolve() };
  const request = { sender: ANN, payload: TASK };
  const response = await service(request, context);
  assertEquals([response.status, response.text], ["model_stop", "Done"]);
  assertEquals(await service(request, context), response);
});

Deno.test("agentService() responds without text if a run ends without a final answer", async () => {
  const turns = [{ text: "half of", finishReason: "length" as const }];
  await withService({ turns }, async ({ ask }) => {
    const { status, text } = Object(await ask(TASK));
    assertEquals([status, text], ["output_truncated", ""]);
  });
});

Deno.test("agentService() sends updates with the status until it returns", async () => {
  using time = new FakeTime();
  const gate = createGate();
  const execute = async (): Promise<string> => {
    await gate.wait();
    return "ok";
  };
  const setup = { turns: [CALL, DONE], execute, options: { updateMs: 100 } };
  await withService(setup, async ({ ask, updates }) => {
    const asking = ask(TASK);
    await time.tickAsync(1);
    await gate.reached;
    for (let sent = 0; sent < 3; sent++) await time.tickAsync(100);
    gate.release();
    await asking;
    const sent = updates.length;
    assert(sent >= 3, `${sent} updates`);
    assertEquals(updates.at(-1), { type: "progress", status: "running" });
    await time.tickAsync(1000);
    assertEquals(updates.length, sent);
  });
});

Deno.test("agentService() throws if an argument is invalid", () => {
  const served: unknown = {};
  assertThrows(() => agentService(served as ServedAgent), TypeError, '"served" must be');
  const good = serveRuns(openRuns(memoryRuns(), {}), { agent: "a" });
  for (const options of [{ updateMs: 0 }, { updateMs: 2 ** 31 }, { maxContentChars: 0 }]) {
    assertThrows(() => agentService(good, options), RangeError);
  }
});

Deno.test("agentService() counts all senders of a domain as one party", async () => {
  const setup = {
    engine: memoryRuns({ maxPartyRuns: 1 }),
    defers: true,
    turns: [CALL, CALL, CALL],
  };
  await withService(setup, async ({ ask, runs }) => {
    const statusOf = async (sender: string) => Object(await ask(TASK, undefined, sender)).status;
    assertEquals(await statusOf("did:web:mallory.example:u1"), "approval_pending");
    for (const sender of ["did:web:mallory.example:u2", "did:web:x.Mallory.example%3A80"]) {
      assertEquals(await statusOf(sender), "rejected");
    }
    assertEquals(await statusOf(ANN), "approval_pending");
    assertEquals(await statusOf("did:key:z6Mk"), "approval_pending");
    assertEquals((await runs.list({ prefix: `=${ANN}/` }))[0]?.party, `=${ANN}`);
  });
});
