import { assertEquals } from "@std/assert";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import { openSessions } from "../session/open_sessions.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import { CALLS_NOTE, NOTE, slowTool, withoutIds } from "./testdata/agents.ts";
import { openEditor, resultOf } from "./testdata/test_editor.ts";

Deno.test("initialize returns the version and the capabilities of the options", async () => {
  const editor = openEditor({ image: true, mcpOverHttp: true });
  const result = await editor.ask("initialize", { protocolVersion: 7, clientCapabilities: {} });
  assertEquals(result, {
    protocolVersion: 1,
    agentInfo: { name: "clerk", version: "1.0.0" },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: false },
      sessionCapabilities: { resume: {}, close: {}, additionalDirectories: {} },
    },
    authMethods: [],
  });
  await editor.end();
});

Deno.test("initialize is required once, with a version", async () => {
  const editor = openEditor();
  assertEquals(await editor.ask("session/new", { cwd: "/w" }), {
    code: -32600,
    message: 'Invalid Request: "initialize" must be the first request',
  });
  assertEquals(await editor.ask("initialize", { protocolVersion: "1" }), {
    code: -32602,
    message: 'Invalid params: "protocolVersion" must be an integer',
  });
  await editor.ask("initialize", { protocolVersion: 1 });
  assertEquals(await editor.ask("initialize", { protocolVersion: 1 }), {
    code: -32600,
    message: "Invalid Request: the connection is already initialized",
  });
  await editor.end();
});

Deno.test("a session has one prompt at a time, and other sessions continue", async () => {
  const { gate, tool } = slowTool();
  const editor = openEditor({
    script: [...CALLS_NOTE.slice(0, 1), { text: "Other." }],
    agent: () => ({ tools: [tool], graceMs: 0 }),
  });
  const sessionId = await editor.open();
  const other = await editor.ask("session/new", { cwd: "/w", mcpServers: [] });
  const prompt = editor.prompt(sessionId, "Hi");
  await gate.reached;
  const busy = {
    code: -32600,
    message: "Invalid Request: a prompt of the session is in progress",
  };
  assertEquals(await editor.prompt(sessionId, "Again"), busy);
  assertEquals(await editor.ask("session/load", { sessionId, cwd: "/w" }), busy);
  assertEquals(await editor.prompt(other.sessionId, "Hello"), { stopReason: "end_turn" });
  assertEquals(await editor.ask("session/close", { sessionId }), {});
  assertEquals(await prompt, { stopReason: "cancelled" });
  await editor.end();
});

Deno.test("session/close is idempotent, and a closed session can be loaded", async () => {
  const editor = openEditor({ script: CALLS_NOTE, agent: () => ({ tools: [NOTE] }) });
  const sessionId = await editor.open();
  await editor.prompt(sessionId, "Hi");
  assertEquals(await editor.ask("session/close", { sessionId }), {});
  assertEquals(await editor.ask("session/close", { sessionId }), {});
  const unknown = { code: -32002, message: "Resource not found: no such session is open" };
  assertEquals(await editor.prompt(sessionId, "Again"), unknown);
  editor.takeUpdates();
  assertEquals(await editor.ask("session/load", { sessionId, cwd: "/w", mcpServers: [] }), {});
  assertEquals(withoutIds(editor), [
    { sessionUpdate: "user_message_chunk", content: { type: "text", text: "Hi" } },
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Let me see." } },
    {
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "note",
      name: "note",
      kind: "other",
      rawInput: { text: "a" },
      status: "pending",
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "noted a" } }],
    },
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } },
  ]);
  await editor.ask("session/close", { sessionId });
  assertEquals(await editor.ask("session/resume", { sessionId, cwd: "/w" }), {});
  assertEquals(editor.updates, []);
  await editor.end();
});

Deno.test("a prompt that directly follows session/close starts no run", async () => {
  const editor = openEditor({ script: [{ text: "Hello." }] });
  const sessionId = await editor.open();
  const prompt = [{ type: "text", text: "Hi" }];
  const lines = [
    { jsonrpc: "2.0", id: "close", method: "session/close", params: { sessionId } },
    { jsonrpc: "2.0", id: "prompt", method: "session/prompt", params: { sessionId, prompt } },
  ];
  await editor.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  assertEquals(resultOf(await editor.response("close")), {});
  assertEquals(resultOf(await editor.response("prompt")), {
    code: -32002,
    message: "Resource not found: no such session is open",
  });
  await editor.end();
  assertEquals(editor.errors, []);
});

Deno.test("a run of another process rejects the prompt, and its message is shown", async () => {
  const storage = memoryStorage();
  storage[Symbol.asyncDispose] = () => Promise.resolve();
  const { gate, tool } = slowTool();
  const other = openSessions({
    storage,
    agent: () =>
      new ToolLoopAgent({
        name: "clerk",
        model: scriptedModel(CALLS_NOTE),
        tools: [tool],
        graceMs: 0,
      }),
    drainMs: 0,
  });
  await other.send("acp/s1", "Hi");
  await gate.reached;
  const editor = openEditor({ storage, script: [{ text: "Hello" }] });
  await editor.ask("initialize", { protocolVersion: 1 });
  assertEquals(await editor.ask("session/load", { sessionId: "s1", cwd: "/w" }), {});
  const content = { type: "text", text: "Hi" };
  assertEquals(withoutIds(editor), [{ sessionUpdate: "user_message_chunk", content }]);
  assertEquals((await editor.prompt("s1", "Go on")).code, -32600);
  await other.stop("acp/s1");
  assertEquals(await editor.prompt("s1", "Go on"), { stopReason: "end_turn" });
  await editor.end();
  await other.close();
});

Deno.test("the signal of a session aborts when it is closed, opened again, or disconnected", async () => {
  const signals: AbortSignal[] = [];
  const editor = openEditor({
    modes: [{ id: "ask", name: "Ask" }],
    script: Array.from({ length: 5 }, () => ({ text: "Hello" })),
    agent: ({ signal }) => {
      signals.push(signal);
      return {};
    },
  });
  const sessionId = await editor.open();
  const aborted = async (): Promise<boolean[]> => {
    await editor.prompt(sessionId, "Hi");
    return signals.map((signal) => signal.aborted);
  };
  assertEquals(await aborted(), [false]);
  await editor.ask("session/set_mode", { sessionId, modeId: "ask" });
  assertEquals(await aborted(), [false, false]);
  assertEquals(signals[0], signals[1]);
  await editor.ask("session/resume", { sessionId, cwd: "/w" });
  assertEquals(await aborted(), [true, true, false]);
  await editor.ask("session/close", { sessionId });
  assertEquals(signals[2]?.aborted, true);
  await editor.ask("session/resume", { sessionId, cwd: "/w" });
  assertEquals(await aborted(), [true, true, true, false]);
  await editor.end();
  assertEquals(signals[3]?.aborted, true);
});

Deno.test("a session that is being loaded accepts no prompt", async () => {
  const editor = openEditor({ script: CALLS_NOTE, agent: () => ({ tools: [NOTE] }) });
  const sessionId = await editor.open();
  await editor.prompt(sessionId, "Hi");
  await editor.ask("session/close", { sessionId });
  const load = await editor.start("session/load", { sessionId, cwd: "/w" });
  const prompt = [{ type: "text", text: "Hi" }];
  const id = await editor.start("session/prompt", { sessionId, prompt });
  const { error } = await editor.response(id);
  assertEquals(error, { code: -32600, message: "Invalid Request: the session is being loaded" });
  assertEquals((await editor.response(load)).result, {});
  await editor.end();
});

Deno.test("a session without messages, or of another program, cannot be loaded", async () => {
  const storage = memoryStorage();
  storage[Symbol.asyncDispose] = () => Promise.resolve();
  const agent = (): ToolLoopAgent =>
    new ToolLoopAgent({ name: "shop", model: scriptedModel([{ text: "Hello" }]) });
  const sessions = openSessions({ storage, agent });
  for await (const _ of await sessions.send("chat-1", "Hi"));
  await sessions.close();
  const editor = openEditor({ storage });
  const sessionId = await editor.open();
  const unknown = { code: -32002, message: "Resource not found: no such session is open" };
  for (const id of [sessionId, "chat-1", "../chat-1"]) {
    const params = { sessionId: id, cwd: "/w" };
    assertEquals(await editor.ask("session/load", params), unknown);
  }
  await editor.end();
});

Deno.test("the modes of the options select the agent from the next prompt on", async () => {
  const modes = [{ id: "ask", name: "Ask" }, { id: "auto", name: "Auto", description: "Edits" }];
  const seen: unknown[] = [];
  const editor = openEditor({
    modes,
    script: [{ text: "1" }, { text: "2" }],
    agent: ({ modeId }) => {
      seen.push(modeId);
      return {};
    },
  });
  await editor.ask("initialize", { protocolVersion: 1 });
  const { modes: state, sessionId } = await editor.ask("session/new", { cwd: "/w" });
  assertEquals(state, { currentModeId: "ask", availableModes: modes });
  await editor.prompt(sessionId, "Hi");
  assertEquals(await editor.ask("session/set_mode", { sessionId, modeId: "auto" }), {});
  await editor.prompt(sessionId, "Hi");
  assertEquals(seen, ["ask", "auto"]);
  const error = { code: -32602, message: 'Invalid params: "modeId" must be the id of a mode' };
  assertEquals(await editor.ask("session/set_mode", { sessionId, modeId: "x" }), error);
  await editor.end();
});

Deno.test("the number of open sessions is limited", async () => {
  const editor = openEditor({ maxSessions: 1 });
  const sessionId = await editor.open();
  const error = { code: -32603, message: "Too many sessions are open: the maximum is 1" };
  assertEquals(await editor.ask("session/new", { cwd: "/w" }), error);
  await editor.ask("session/close", { sessionId });
  assertEquals(typeof (await editor.ask("session/new", { cwd: "/w" })).sessionId, "string");
  await editor.end();
});

Deno.test("unknown methods receive an error, and unknown notifications are ignored", async () => {
  const editor = openEditor();
  const sessionId = await editor.open();
  const error = { code: -32601, message: "Method not found" };
  assertEquals(await editor.ask("session/list"), error);
  await editor.post({ method: "session/unknown", params: {} });
  await editor.post({ method: "session/cancel", params: { sessionId: "x" } });
  await editor.post({ method: "session/cancel", params: { sessionId } });
  await editor.post({ method: "$/cancel_request", params: {} });
  assertEquals((await editor.ask("session/new", { cwd: "w" })).code, -32602);
  await editor.end();
});
