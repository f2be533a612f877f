/** Tests conversations that are reloaded, stopped and taken over, with `@ag-ui/client`. */

import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { memoryStorage, openSessions } from "@parley/runtime/session";
import { createGate, type Gate } from "@parley/runtime/testing";
import { agUiHandler } from "@parley/runtime/ui/ag-ui";
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { AgentTab } from "./ag_ui_tab.ts";
import { countCalls, startServer, until } from "./chat_tabs.ts";

/** A server in this process. */
interface Fixture extends AsyncDisposable {
  readonly origin: string;
  readonly errors: readonly unknown[];
  /** Number of messages that were answered. */
  readonly calls: () => number;
}

/** A response of the model. */
interface Turn {
  readonly reasoning?: string;
  readonly text?: string;
  /** Name of the tool to call. */
  readonly call?: string;
  readonly error?: string;
}

/** A model that streams words and waits at the gate before the word "gate". */
function gatedModel(gate: Gate, turns: readonly Turn[], onCall: () => void): LanguageModel {
  const left = [...turns];
  return {
    modelId: "gated",
    generate: () => Promise.reject(new Error("The model is streamed")),
    async *stream({ signal }) {
      onCall();
      const { call: toolName, error, reasoning, text = "" } = left.shift() ?? {};
      if (error !== undefined) throw new Error(error);
      const content = [];
      if (reasoning !== undefined) {
        yield { type: "reasoning-delta", delta: reasoning };
        content.push({ type: "reasoning", text: reasoning } as const);
      }
      for (const delta of text.split(/(?<= )/)) {
        if (delta === "gate ") await Promise.race([gate.wait(), aborted(signal)]);
        signal?.throwIfAborted();
        yield { type: "text-delta", delta };
      }
      content.push({ type: "text", text } as const);
      if (toolName !== undefined) {
        content.push({ type: "tool-call", toolCallId: "c1", toolName, input: {} } as const);
      }
      const finishReason = toolName === undefined ? "stop" : "tool-calls";
      const message = { role: "assistant", content } as const;
      yield { type: "finish", response: { message, finishReason } };
    },
  };
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}

function serve(turns: readonly Turn[], gate: Gate = createGate()): Fixture {
  let calls = 0;
  const model = gatedModel(gate, turns, () => calls++);
  const errors: unknown[] = [];
  const sessions = openSessions({
    storage: memoryStorage(),
    flushMs: 0,
    onError: (error) => errors.push(error),
    agent: () =>
      new ToolLoopAgent({
        name: "clerk",
        model,
        tools: ["look", "pay", "fail"].map((name) => ({
          name,
          inputSchema: { type: "object" } as const,
          execute: () => {
            if (name === "fail") throw new Error("connect ECONNREFUSED 10.0.0.3");
            return "5 euros";
          },
        })),
        approvalHandler: ({ toolCall }) => toolCall.toolName !== "pay" || { decision: "defer" },
      }),
  });
  const handle = agUiHandler(sessions, {
    path: "/agent",
    authorize: () => true,
    onError: (error) => errors.push(error),
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handle);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    errors,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      await sessions.close();
      await server.shutdown();
    },
  };
}

Deno.test("an AG-UI page is reloaded in the middle of a response", async () => {
  const gate = createGate();
  await using server = serve([
    { reasoning: "The user wants tea", text: "One moment", call: "look" },
    { text: "It costs gate 5 euros" },
    { text: "You are welcome" },
  ], gate);
  const first = new AgentTab(server.origin, "chat");
  const sent = first.send("How much is the tea?");
  await first.shows("It costs");
  const second = AgentTab.open(server.origin, "chat");
  await second.shows("It costs");
  assertEquals(second.messages, first.messages);
  gate.release();
  await Promise.all([sent, second.connected]);
  assertEquals(first.lines, [
    "user: How much is the tea?",
    "reasoning: The user wants tea",
    "assistant: One moment",
    "tool: 5 euros",
    "assistant: It costs gate 5 euros",
  ]);
  assertEquals(second.messages, first.messages);
  // The run can still be read, so the page receives its events.
  const third = AgentTab.open(server.origin, "chat");
  await third.connected;
  assertEquals([third.messages, third.last], [first.messages, "RUN_FINISHED"]);
  await third.send("Thanks");
  assertEquals(third.lines.slice(-2), ["user: Thanks", "assistant: You are welcome"]);
  const fourth = AgentTab.open(server.origin, "chat");
  await fourth.connected;
  assertEquals(fourth.messages, third.messages);
  assertEquals((await fourth.load()).messages, JSON.parse(JSON.stringify(third.messages)));
  assertEquals([server.calls(), server.errors], [3, []]);
});

Deno.test("an AG-UI page connects again without being reloaded", async () => {
  const gate = createGate();
  await using server = serve([
    { reasoning: "Short", text: "First" },
    { reasoning: "The user waits", text: "Second gate done" },
  ], gate);
  const tab = new AgentTab(server.origin, "chat");
  await tab.send("One");
  const sent = tab.send("Two");
  await tab.shows("Second");
  tab.abortRun();
  await sent;
  const before = tab.lines;
  const connected = tab.connectAgent();
  await until("the snapshot", () => tab.last === "TEXT_MESSAGE_CONTENT");
  gate.release();
  await connected;
  assertEquals(tab.lines, [
    "user: One",
    "reasoning: Short",
    "assistant: First",
    "user: Two",
    "reasoning: The user waits",
    "assistant: Second gate done",
  ]);
  assertEquals(before.slice(0, 5), tab.lines.slice(0, 5));
  await tab.connectAgent();
  assertEquals(tab.lines.length, 6);
});

Deno.test("an AG-UI page without earlier reasoning connects again", async () => {
  await using server = serve([{ reasoning: "The user waits", text: "Done" }]);
  const tab = new AgentTab(server.origin, "chat");
  await tab.send("One");
  await tab.connectAgent();
  assertEquals(tab.lines, ["user: One", "reasoning: The user waits", "assistant: Done"]);
});

Deno.test("AG-UI tabs: a second message is rejected, and stop keeps the text", async () => {
  const gate = createGate();
  await using server = serve([{ text: "One two gate three" }, { text: "Again" }], gate);
  const first = new AgentTab(server.origin, "chat");
  const sent = first.send("Count");
  await first.shows("two");
  const second = AgentTab.open(server.origin, "chat");
  await second.shows("two");
  const third = new AgentTab(server.origin, "chat");
  await third.send("Another");
  assertMatch(third.failure?.message ?? "", /^HTTP 409: .*session_busy/);
  assertEquals(await second.stopRun(), { outcome: "stopped" });
  await Promise.all([sent, second.connected]);
  const reloaded = AgentTab.open(server.origin, "chat");
  await reloaded.connected;
  assertEquals(reloaded.lines, ["user: Count", "assistant: One two "]);
  assertEquals(reloaded.messages, first.messages);
  assertEquals(first.events.at(-1)?.outcome, { type: "cancelled" });
  assertEquals(await second.stopRun(), { outcome: "not_running" });
  gate.release();
  await reloaded.send("Go on");
  assertEquals(reloaded.text, "Again");
});

Deno.test("an AG-UI page approves and denies calls after a reload", async () => {
  for (const isApproved of [true, false]) {
    await using server = serve([
      { text: "I pay", call: "pay" },
      { text: "Done" },
    ]);
    const first = new AgentTab(server.origin, "chat");
    await first.send("Pay");
    const second = AgentTab.open(server.origin, "chat");
    await second.connected;
    assertEquals(second.messages, first.messages);
    assertEquals(second.pendingInterrupts, first.pendingInterrupts);
    assertEquals(second.pendingInterrupts.length, 1);
    await assertRejects(() => second.connectAgent(), Error, "not addressed by resume");
    second.pendingInterrupts = [];
    await second.connectAgent();
    assertEquals(second.messages, first.messages);
    assertEquals(second.pendingInterrupts, first.pendingInterrupts);
    await second.decide(isApproved);
    assertEquals(second.lines, [
      "user: Pay",
      "assistant: I pay",
      isApproved ? "tool: 5 euros" : "tool: too expensive",
      "assistant: Done",
    ]);
    assertEquals(second.pendingInterrupts, []);
    const third = AgentTab.open(server.origin, "chat");
    await third.connected;
    assertEquals(third.messages, second.messages);
  }
});

Deno.test("an AG-UI page is reloaded after a message with a file and a failed call", async () => {
  await using server = serve([
    { text: "I try", call: "fail" },
    { text: "It failed" },
    { text: "You are welcome" },
  ]);
  const first = new AgentTab(server.origin, "chat");
  const source = { type: "data", value: "AQID", mimeType: "image/png" } as const;
  first.addMessage({
    id: "m1",
    role: "user",
    content: [{ type: "text", text: "See" }, { type: "image", source }],
  });
  await first.runAgent();
  assertEquals(first.lines.slice(1), [
    "assistant: I try",
    "tool: An error occurred",
    "assistant: It failed",
  ]);
  // The second page receives the events of the run, and the third one only the conversation.
  const second = AgentTab.open(server.origin, "chat");
  await second.connected;
  assertEquals(second.messages, first.messages);
  await second.send("Thanks");
  const third = AgentTab.open(server.origin, "chat");
  await third.connected;
  assertEquals(third.messages, second.messages);
  assertEquals(third.messages.slice(0, 4), first.messages);
  assertEquals(third.messages.length, 6);
});

Deno.test("an AG-UI page sends a message instead of a decision", async () => {
  await using server = serve([
    { text: "I pay", call: "pay" },
    { text: "As you wish" },
  ]);
  const tab = new AgentTab(server.origin, "chat");
  await tab.send("Pay");
  const [interrupt] = tab.pendingInterrupts;
  tab.addMessage({ id: "m2", role: "user", content: "Never mind" });
  const interruptId = interrupt?.id ?? "";
  await tab.runAgent({ resume: [{ interruptId, status: "cancelled" }] });
  assertEquals(tab.text, "As you wish");
  const reloaded = AgentTab.open(server.origin, "chat");
  await reloaded.connected;
  assertEquals(reloaded.lines.filter((line) => line.startsWith("user")), [
    "user: Pay",
    "user: Never mind",
  ]);
});

Deno.test("an AG-UI page opens a session without messages, and an ended one", async () => {
  await using server = serve([{ error: "key sk-123 is invalid" }]);
  const tab = AgentTab.open(server.origin, "a/b %ü");
  await tab.connected;
  assertEquals([tab.events, tab.failure, tab.messages], [[], undefined, []]);
  await tab.send("Hi");
  assertEquals([tab.last, tab.events.at(-1)?.message], ["RUN_ERROR", "An error occurred"]);
  const reloaded = AgentTab.open(server.origin, "a/b %ü");
  await reloaded.connected;
  assertEquals(reloaded.lines, ["user: Hi"]);
  assertEquals(reloaded.messages, tab.messages);
  assertStringIncludes(String(server.errors[0]), "sk-123");
});

const ANSWER = Array.from({ length: 40 }, (_, index) => `word${index + 1} `).join("");

Deno.test("an AG-UI page continues on another server after a kill", async () => {
  const folder = await Deno.makeTempDir();
  const [file, calls] = [`${folder}/chats.db`, `${folder}/calls.txt`];
  await Deno.writeTextFile(calls, "");
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const [one, two] = await Promise.all([
    startServer({ file, calls }),
    startServer({ file, calls }),
  ]);
  stack.use(one);
  stack.use(two);
  const first = new AgentTab(one.origin, "chat");
  // The client cancels the body of the lost response, and does not handle the rejection.
  const onRejection = (event: PromiseRejectionEvent): void => event.preventDefault();
  addEventListener("unhandledrejection", onRejection);
  stack.defer(() => removeEventListener("unhandledrejection", onRejection));
  const sent = first.send("look up the tea");
  await first.shows("word3 ");
  const second = AgentTab.open(two.origin, "chat");
  await second.shows("word5 ");
  await one.kill();
  await sent;
  assert(first.failure !== undefined);
  // The page that is attached to the second server sees the answer go on.
  await second.connected;
  assertEquals(second.lines, [
    "user: look up the tea",
    "assistant: One moment. ",
    "tool: 5 euros",
    `assistant: ${ANSWER}`,
  ]);
  // The page of the first server connects to the second one.
  first.url = `${two.origin}/agent`;
  await first.connectAgent();
  assertEquals(first.messages, second.messages);
  const reloaded = AgentTab.open(two.origin, "chat");
  await reloaded.connected;
  assertEquals(reloaded.messages, second.messages);
  assertEquals(countCalls(await Deno.readTextFile(calls), "look"), 1);
});
