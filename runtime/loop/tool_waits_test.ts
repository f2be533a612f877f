import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { runSubAgentTask } from "../agent/sub_agent.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";

const CALL: ScriptedTurn = { calls: [{ toolName: "work" }] };

function run(
  journal: MemoryJournal,
  execute: Tool["execute"],
  more: Partial<ToolLoopConfig> = {},
  turns: readonly ScriptedTurn[] = [CALL, { text: "done" }],
): Promise<ToolLoopOutput> {
  const registry = new ToolRegistry([{ name: "work", inputSchema: { type: "object" }, execute }]);
  const model = scriptedModel(turns);
  return runToolLoop(
    { model, registry, runId: "r", stepRunner: recordSteps(journal), ...more },
    "go",
  );
}

function resultOf(output: ToolLoopOutput): unknown {
  return output.iterations[0]?.toolResults[0]?.output;
}

Deno.test("ToolContext.wait() ends the run with stop reason waiting, and returns the signal to the resumed run", async () => {
  const journal = new MemoryJournal();
  const work = async (_: unknown, { wait }: ToolContext): Promise<unknown> => await wait("paid");
  const open = await run(journal, work);
  assertEquals([open.stopReason, open.pending?.approvals], ["waiting", []]);
  const [wait, ...more] = open.pending?.waits ?? [];
  assertEquals([wait?.kind, wait?.key, wait?.path, wait?.due, more], [
    "signal",
    "paid",
    ["agent"],
    undefined,
    [],
  ]);
  assertEquals(wait?.toolCall.toolName, "work");
  const still = await run(journal, work, { signals: { other: 1 } }, []);
  assertEquals(still.stopReason, "waiting");
  const end = await run(journal, work, { signals: { paid: { euros: 5 } } }, [{ text: "done" }]);
  assertEquals([end.stopReason, end.finalText], ["model_stop", "done"]);
  assertEquals(resultOf(end), { type: "json", value: { euros: 5 } });
});

Deno.test("ToolContext.sleep() records the time once, and returns when the clock reaches it", async () => {
  const journal = new MemoryJournal();
  let now = 1000;
  const clock = { now: () => now };
  // The tool computes a new time in each execution, but only the first time takes effect.
  const work = async (_: unknown, { sleep }: ToolContext): Promise<string> => {
    await sleep("night", new Date(now + 500));
    return "slept";
  };
  const open = await run(journal, work, clock);
  assertEquals(open.pending?.waits?.map(({ due, kind }) => [kind, due]), [
    ["time", "1970-01-01T00:00:01.500Z"],
  ]);
  now = 1499;
  assertEquals((await run(journal, work, clock, [])).stopReason, "waiting");
  now = 1500;
  const end = await run(journal, work, clock, [{ text: "done" }]);
  assertEquals(resultOf(end), { type: "text", value: "slept" });
});

Deno.test("the run fails if a tool sleeps while the clock is invalid", async () => {
  let awake = 0;
  const work = async (_: unknown, { sleep }: ToolContext): Promise<string> => {
    await sleep("night", new Date(500));
    awake++;
    return "slept";
  };
  for (const time of [Infinity, NaN, -Infinity, null, undefined, "1000"]) {
    const journal = new MemoryJournal();
    assertEquals((await run(journal, work, { now: () => 0 })).stopReason, "waiting");
    // The types do not permit some times, but clocks in JavaScript can return them.
    const now = (): number => time as number;
    await assertRejects(() => run(journal, work, { now }, []), AgentError, '"now()"');
  }
  assertEquals(awake, 0);
});

Deno.test("a tool that waits does not lose the results of the other tools in the batch", async () => {
  const journal = new MemoryJournal();
  let executions = 0;
  const work = async (_: unknown, context: ToolContext): Promise<unknown> =>
    context.toolCallId === "a" ? ++executions : await context.wait("x");
  const calls = ["a", "b"].map((toolCallId) => ({ toolName: "work", toolCallId }));
  const turns: ScriptedTurn[] = [{ calls }];
  assertEquals((await run(journal, work, {}, turns)).pending?.toolResults.length, 1);
  const end = await run(journal, work, { signals: { x: 2 } }, [{ text: "done" }]);
  assertEquals(end.iterations[0]?.toolResults.map(({ output }) => output), [
    { type: "json", value: 1 },
    { type: "json", value: 2 },
  ]);
  assertEquals(executions, 1);
});

Deno.test("a tool of a sub-agent waits, and the whole run waits and resumes with the signal", async () => {
  const journal = new MemoryJournal();
  const options = { runId: "r", stepRunner: recordSteps(journal) };
  const model = scriptedModel([{ calls: [{ toolName: "ask" }] }, { text: "done" }]);
  const child = scriptedModel([{ calls: [{ toolName: "work" }] }, { text: "fine" }]);
  const boss: ToolLoopAgent = new ToolLoopAgent({
    name: "boss",
    model,
    tools: [{
      name: "work",
      inputSchema: { type: "object" },
      execute: async (_: unknown, { wait }: ToolContext) => await wait("key"),
    }, {
      name: "ask",
      inputSchema: { type: "object" },
      execute: async (_: unknown, context: ToolContext) => {
        const config = { name: "child", model: child, allowedTools: ["work"] };
        return (await runSubAgentTask(boss, config, "Work", { context })).finalText;
      },
    }],
  });
  const open = await boss.run("go", options);
  assertEquals([open.stopReason, open.pending?.waits?.[0]?.path], ["waiting", ["boss", "child"]]);
  const end = await boss.run("go", { ...options, signals: { key: true } });
  assertEquals([end.finalText, model.requests.length, child.requests.length], ["done", 2, 2]);
});

Deno.test("ToolContext.wait() and sleep() reject invalid arguments, and runs without a step runner", async () => {
  const errors: string[] = [];
  const onError = (error: unknown): void => {
    errors.push(String(error));
  };
  const invalid: readonly Tool["execute"][] = [
    (_, { wait }) => wait(""),
    (_, { wait }) => wait("r/i0"),
    (_, { sleep }) => sleep("a", new Date(NaN)),
  ];
  for (const work of invalid) {
    assertEquals((await run(new MemoryJournal(), work, { onError })).stopReason, "model_stop");
  }
  const registry = new ToolRegistry([
    { name: "work", inputSchema: { type: "object" }, execute: (_, { wait }) => wait("a") },
  ]);
  const model = scriptedModel([CALL, { text: "done" }]);
  assertEquals((await runToolLoop({ model, registry, onError }, "go")).finalText, "done");
  const reasons = ['"key" must be', '"key" must be', '"until" must be', "no step runner"];
  assertEquals(errors.map((text, index) => text.includes(reasons[index] ?? "?")), [
    true,
    true,
    true,
    true,
  ]);
});

Deno.test("the run fails if the step runner cannot record the time of a sleep", async () => {
  const inner = recordSteps(new MemoryJournal());
  const stepRunner: typeof inner = {
    run: (key, kind, step) =>
      kind === "wait" ? Promise.reject(new Error("disk full")) : inner.run(key, kind, step),
  };
  const work: Tool["execute"] = (_, { sleep }) => sleep("a", new Date(5));
  await assertRejects(
    () => run(new MemoryJournal(), work, { stepRunner }),
    AgentError,
    "disk full",
  );
});

Deno.test("runToolLoop() converts the values of signals to JSON, and rejects other values", async () => {
  const run = async (value: unknown) => {
    let received: unknown;
    const registry = new ToolRegistry([{
      name: "ship",
      inputSchema: { type: "object" },
      execute: async (_input, { wait }) => {
        received = await wait("paid");
        return "ok";
      },
    }]);
    const config: ToolLoopConfig = {
      model: scriptedModel([{ calls: [{ toolName: "ship" }] }, { text: "done" }]),
      registry,
      runId: "r",
      stepRunner: recordSteps(new MemoryJournal()),
    };
    const { stopReason } = await runToolLoop(Object.assign(config, { signals: value }), "go");
    return { stopReason, received };
  };
  const signals = { paid: { euros: 5, note: undefined, at: new Date(0) } };
  assertEquals(await run(signals), {
    stopReason: "model_stop",
    received: { euros: 5, at: "1970-01-01T00:00:00.000Z" },
  });
  assertEquals((await run({ paid: undefined })).stopReason, "waiting");
  for (const paid of [5n, NaN, () => {}, new Map([["a", 1]])]) {
    await assertRejects(() => run({ paid }), TypeError, "must be serializable as JSON");
  }
  await assertRejects(() => run(new Map([["paid", 1]])), TypeError, "a plain object");
});
