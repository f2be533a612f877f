import { assertEquals, assertRejects } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import type { LiveRun } from "../log/live_run.ts";
import { AgentError } from "../shared/error.ts";
import { createGate, scriptedModel } from "../testing.ts";
import type { Tool, ToolContext } from "../tools/tool.ts";
import { memoryStorage } from "./memory_storage.ts";
import { openSessions } from "./open_sessions.ts";
import { sqliteStorage } from "./open_sqlite_storage.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionStorage } from "./storage.ts";

/** A tool that waits for two signals, one after the other. */
const ASK: Tool = {
  name: "ask",
  inputSchema: { type: "object" },
  execute: async (_: unknown, { wait }: ToolContext) => [await wait("first"), await wait("second")],
};

function open(storage: SessionStorage = memoryStorage()): Sessions {
  const model = scriptedModel([{ calls: [{ toolName: "ask" }] }, { text: "Done" }]);
  return openSessions({
    storage,
    agent: () => new ToolLoopAgent({ name: "shop", model, tools: [ASK] }),
    flushMs: 0,
  });
}

async function readAll(run: LiveRun): Promise<void> {
  for await (const _ of run);
}

async function waitsOf(sessions: Sessions): Promise<readonly string[] | undefined> {
  return (await sessions.state("chat")).current?.pending?.waits?.map(({ key }) => key);
}

for (
  const [name, create] of [["memory", memoryStorage], [
    "SQLite",
    () => sqliteStorage(":memory:"),
  ]] as const
) {
  Deno.test(`a run in ${name} keeps the signals that it has received`, async () => {
    await using sessions = open(create());
    await readAll(await sessions.send("chat", "Go"));
    assertEquals(await waitsOf(sessions), ["first"]);
    await readAll(await sessions.send("chat", undefined, { signals: { first: 1 } }));
    assertEquals(await waitsOf(sessions), ["second"]);
    const signals = { second: { two: 2 }, first: "other" };
    await readAll(await sessions.send("chat", undefined, { signals, runId: "chat/0" }));
    const { runs } = await sessions.state("chat");
    const outputs = runs.flatMap(({ messages }) => messages).flatMap((message) =>
      message.role === "tool" ? message.content.map(({ output }) => output) : []
    );
    assertEquals(outputs, [{ type: "json", value: [1, { two: 2 }] }]);
  });
}

Deno.test("signals are sent to a run that waits, and not with a message", async () => {
  await using sessions = open();
  const signals = { first: 1 };
  const idle = await assertRejects(() => sessions.send("chat", undefined, { signals }), AgentError);
  assertEquals(idle.code, "session_not_waiting");
  await readAll(await sessions.send("chat", "Go"));
  const other = { signals, runId: "chat/1" };
  const wrong = await assertRejects(() => sessions.send("chat", undefined, other), AgentError);
  assertEquals([wrong.code, await waitsOf(sessions)], ["session_not_waiting", ["first"]]);
  for (const options of [{ signals }, { runId: "chat/0" }]) {
    await assertRejects(() => sessions.send("chat", "Go", options), TypeError, "omitted");
  }
});

Deno.test("only the run with the given id is stopped", async () => {
  await using sessions = open();
  await readAll(await sessions.send("chat", "Go"));
  assertEquals(await sessions.stop("chat", { runId: "chat/1" }), "not_running");
  assertEquals((await sessions.state("chat")).status, "waiting");
  assertEquals(await sessions.stop("chat", { runId: "chat/0" }), "stopped");
  assertEquals((await sessions.run("chat/0"))?.result, undefined);
});

Deno.test("the state of an ended run contains its result, with the last message", async () => {
  const content = [
    { type: "text", text: "Here" },
    { type: "file", mediaType: "image/png", data: { type: "data", data: new Uint8Array([1, 2]) } },
  ] as const;
  await using sessions = openSessions({
    storage: sqliteStorage(":memory:"),
    agent: () =>
      new ToolLoopAgent({ name: "shop", model: scriptedModel([{ content: [...content] }]) }),
    flushMs: 0,
  });
  await readAll(await sessions.send("chat", "Draw"));
  const { result } = await sessions.run("chat/0") ?? {};
  assertEquals([result?.finalText, result?.hasAnswer], ["Here", true]);
  assertEquals(result?.message, { role: "assistant", content: [...content] });
  assertEquals(result?.totalUsage.totalTokens, 2);
});

Deno.test("a result that is too large is stored without its message", async () => {
  await using sessions = openSessions({
    storage: memoryStorage(),
    agent: () =>
      new ToolLoopAgent({ name: "shop", model: scriptedModel([{ text: "x".repeat(5000) }]) }),
    flushMs: 0,
    maxRunChars: 4000,
  });
  await readAll(await sessions.send("chat", "Go"));
  const { result } = await sessions.run("chat/0") ?? {};
  assertEquals([result?.finalText.length, result?.message], [5000, undefined]);
});

Deno.test("a process that takes over a run has the signals that the run has received", async () => {
  let now = 0;
  const storage = memoryStorage({ now: () => now });
  const gate = createGate();
  const received: unknown[] = [];
  const openProcess = (isHanging: boolean): Sessions => {
    const tool: Tool = {
      ...ASK,
      execute: async (_: unknown, { wait }: ToolContext) => {
        received.push(await wait("first"));
        if (isHanging) await gate.wait();
        return await wait("second");
      },
    };
    const model = scriptedModel([{ calls: [{ toolName: "ask" }] }, { text: "Done" }]);
    return openSessions({
      storage,
      agent: () => new ToolLoopAgent({ name: "shop", model, tools: [tool] }),
      flushMs: 0,
      drainMs: 0,
      onError: () => {},
    });
  };
  await using first = openProcess(true);
  await readAll(await first.send("chat", "Go"));
  await first.send("chat", undefined, { signals: { first: 1 } });
  await gate.reached;
  now = 15_000;
  await using second = openProcess(false);
  await readAll(await second.attach("chat") ?? fail());
  assertEquals(await waitsOf(second), ["second"]);
  assertEquals(received, [1, 1]);
  gate.release();
});

function fail(): never {
  throw new Error("there is no run to read");
}
