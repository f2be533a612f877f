import { assertEquals } from "@std/assert";
import { asRecord } from "@parley/internal/json";
import { asTool } from "../agent/agent_tool.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import { CALLS_NOTE, NOTE, slowTool, withoutIds } from "./testdata/agents.ts";
import { openEditor, resultOf, select } from "./testdata/test_editor.ts";

const DEFER = { decision: "defer" } as const;

Deno.test("a prompt sends its updates before its response", async () => {
  const editor = openEditor({ script: CALLS_NOTE, agent: () => ({ tools: [NOTE] }) });
  const sessionId = await editor.open();
  assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "end_turn" });
  assertEquals(withoutIds(editor), [
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Let me see." } },
    {
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "note",
      name: "note",
      kind: "other",
      rawInput: { text: "a" },
      status: "in_progress",
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "noted a" } }],
    },
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } },
  ]);
  const last = editor.received.at(-1);
  assertEquals(resultOf(last ?? {}), { stopReason: "end_turn" });
  assertEquals(editor.errors, []);
  await editor.end();
});

Deno.test("a deferred approval asks for a permission, which executes the call", async () => {
  const editor = openEditor({
    script: CALLS_NOTE,
    agent: () => ({ tools: [NOTE], approvalHandler: () => DEFER }),
    answers: { "session/request_permission": select("allow") },
  });
  const sessionId = await editor.open();
  assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "end_turn" });
  const toolCall = {
    toolCallId: "c1",
    title: "note",
    name: "note",
    kind: "other",
    rawInput: { text: "a" },
    status: "pending",
  };
  assertEquals(editor.requests, [["session/request_permission", {
    sessionId,
    toolCall,
    options: [
      { optionId: "allow", name: "Allow", kind: "allow_once" },
      { optionId: "reject", name: "Reject", kind: "reject_once" },
    ],
  }]]);
  assertEquals(withoutIds(editor), [
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Let me see." } },
    { sessionUpdate: "tool_call", ...toolCall },
    { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "in_progress" },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "completed",
      content: [{ type: "content", content: { type: "text", text: "noted a" } }],
    },
    { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "Done." } },
  ]);
  await editor.end();
});

for (
  const [name, answer] of [
    ["rejects", select("reject")],
    ["selects an unknown option of", select("allow_always")],
    ["fails to answer", () => ({ error: { code: -32603, message: "closed" } })],
    ["sends nonsense for", () => ({ result: ["allow"] })],
  ] as const
) {
  Deno.test(`a call is denied if the user ${name} a permission`, async () => {
    let calls = 0;
    const editor = openEditor({
      script: CALLS_NOTE,
      agent: () => ({
        tools: [{ ...NOTE, execute: () => `${calls++}` }],
        approvalHandler: () => DEFER,
      }),
      answers: { "session/request_permission": answer },
    });
    const sessionId = await editor.open();
    assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "end_turn" });
    const result = editor.updates.find(({ status }) => status === "failed");
    assertEquals(result?.content, [
      { type: "content", content: { type: "text", text: "The user rejected the call" } },
    ]);
    assertEquals([calls, editor.text], [0, "Let me see.Done."]);
    await editor.end();
  });
}

Deno.test("a cancelled permission cancels the prompt, and the next prompt works", async () => {
  const editor = openEditor({
    script: [...CALLS_NOTE.slice(0, 1), { text: "Next." }],
    agent: () => ({ tools: [NOTE], approvalHandler: () => DEFER }),
    answers: {
      "session/request_permission": () => ({ result: { outcome: { outcome: "cancelled" } } }),
    },
  });
  const sessionId = await editor.open();
  assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "cancelled" });
  assertEquals(await editor.prompt(sessionId, "Go on"), { stopReason: "end_turn" });
  assertEquals(editor.text, "Let me see.Next.");
  assertEquals(editor.errors, []);
  await editor.end();
});

Deno.test("the calls that a cancelled prompt leaves are shown as failed", async () => {
  const editor = openEditor({
    script: CALLS_NOTE,
    agent: () => ({ tools: [NOTE], approvalHandler: () => DEFER }),
    answers: {
      "session/request_permission": () => ({ result: { outcome: { outcome: "cancelled" } } }),
    },
  });
  const sessionId = await editor.open();
  await editor.prompt(sessionId, "Hi");
  const update = { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "failed" };
  assertEquals(editor.updates.at(-1), update);
  assertEquals("result" in (editor.received.at(-1) ?? {}), true);
  await editor.end();
});

Deno.test("the user is asked for the call of a sub-agent, which is then shown", async () => {
  const helper = asTool({
    name: "helper",
    description: "Takes notes",
    model: scriptedModel(CALLS_NOTE),
    allowedTools: ["note"],
    approvalHandler: () => DEFER,
  });
  const editor = openEditor({
    script: [
      { calls: [{ toolName: "helper", input: { task: "Note a" }, toolCallId: "p1" }] },
      { text: "The helper is done." },
    ],
    agent: () => ({ tools: [NOTE, helper] }),
    answers: { "session/request_permission": select("allow") },
  });
  const sessionId = await editor.open();
  assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "end_turn" });
  const calls = editor.updates.filter(({ toolCallId }) => toolCallId !== undefined)
    .map(({ sessionUpdate, status, toolCallId }) => [sessionUpdate, toolCallId, status]);
  assertEquals(calls, [
    ["tool_call", "p1", "in_progress"],
    ["tool_call", "helper/c1", "pending"],
    ["tool_call_update", "helper/c1", "in_progress"],
    ["tool_call_update", "helper/c1", "completed"],
    ["tool_call_update", "p1", "completed"],
  ]);
  assertEquals(editor.text, "The helper is done.");
  await editor.end();
});

Deno.test("a permission is for one input of a call", async () => {
  const decisions: unknown[] = [];
  const editor = openEditor({
    script: CALLS_NOTE,
    agent: ({ client }) => ({
      tools: [{
        ...NOTE,
        execute: async (input, context) => {
          decisions.push(await client.requestPermission(input, context));
          decisions.push(await client.requestPermission({ text: "b" }, context));
        },
      }],
      approvalHandler: () => DEFER,
    }),
    answers: { "session/request_permission": select("allow") },
  });
  const sessionId = await editor.open();
  await editor.prompt(sessionId, "Hi");
  const asked = editor.requests.map(([, { toolCall }]) => asRecord(toolCall).rawInput);
  assertEquals([decisions, asked], [[true, true], [{ text: "a" }, { text: "b" }]]);
  await editor.end();
});

Deno.test("session/cancel during a permission cancels the request to the editor", async () => {
  const asked = Promise.withResolvers<unknown>();
  const editor = openEditor({
    script: CALLS_NOTE,
    agent: () => ({ tools: [NOTE], approvalHandler: () => DEFER }),
    answers: { "session/request_permission": (_, id) => void asked.resolve(id) },
  });
  const sessionId = await editor.open();
  const prompt = editor.prompt(sessionId, "Hi");
  const requestId = await asked.promise;
  await editor.post({ method: "session/cancel", params: { sessionId } });
  assertEquals(await prompt, { stopReason: "cancelled" });
  assertEquals(editor.requests.at(-1), ["$/cancel_request", { requestId }]);
  await editor.end();
});

Deno.test("session/cancel stops the run, and its messages are part of the session", async () => {
  const { gate, tool } = slowTool();
  const editor = openEditor({
    script: [...CALLS_NOTE.slice(0, 1), ({ messages }) => ({ text: `${messages.length}` })],
    agent: () => ({ tools: [tool], graceMs: 0 }),
  });
  const sessionId = await editor.open();
  const prompt = editor.prompt(sessionId, "Hi");
  await gate.reached;
  await editor.post({ method: "session/cancel", params: { sessionId } });
  assertEquals(await prompt, { stopReason: "cancelled" });
  await editor.prompt(sessionId, "Go on");
  // "Hi", the response, the result and "Go on".
  assertEquals(editor.text, "Let me see.4");
  await editor.end();
});

Deno.test("$/cancel_request cancels a prompt with the error of the protocol", async () => {
  const { gate, tool } = slowTool();
  const editor = openEditor({
    script: CALLS_NOTE,
    agent: () => ({ tools: [tool], graceMs: 0 }),
  });
  const sessionId = await editor.open();
  const prompt = [{ type: "text", text: "Hi" }];
  const id = await editor.start("session/prompt", { sessionId, prompt });
  await gate.reached;
  await editor.post({ method: "$/cancel_request", params: { requestId: id } });
  const error = { code: -32800, message: "Request cancelled" };
  assertEquals(await editor.response(id), { jsonrpc: "2.0", id, error });
  await editor.end();
});

Deno.test("the mode of a run does not change while the run waits for a permission", async () => {
  const modes = [{ id: "ask", name: "Ask" }, { id: "auto", name: "Auto" }];
  const seen: unknown[] = [];
  const editor = openEditor({
    modes,
    script: CALLS_NOTE,
    agent: ({ modeId }) => {
      seen.push(modeId);
      return { tools: [NOTE], approvalHandler: () => DEFER };
    },
  });
  const sessionId = await editor.open();
  const asked = Promise.withResolvers<unknown>();
  editor.answer("session/request_permission", (_, id) => void asked.resolve(id));
  const prompt = editor.prompt(sessionId, "Hi");
  const id = await asked.promise;
  await editor.ask("session/set_mode", { sessionId, modeId: "auto" });
  await editor.post({ id, result: { outcome: { outcome: "selected", optionId: "allow" } } });
  assertEquals(await prompt, { stopReason: "end_turn" });
  assertEquals(seen, ["ask", "ask"]);
  await editor.end();
});

Deno.test("the error of a failed run is masked, and reported", async () => {
  const failure = new Error("secret host");
  const editor = openEditor({ script: [{ error: failure }], agent: () => ({ modelRetries: 0 }) });
  const sessionId = await editor.open();
  const error = { code: -32603, message: "Internal error" };
  assertEquals(await editor.prompt(sessionId, "Hi"), error);
  assertEquals(editor.errors.length, 1);
  assertEquals(String(editor.errors[0]).includes("secret host"), true);
  await editor.end();
});

Deno.test("errorText returns the text for the error of a failed run", async () => {
  const editor = openEditor({
    script: [{ error: new Error("no key") }],
    agent: () => ({ modelRetries: 0 }),
    errorText: (error) => `Failed: ${error instanceof Error}`,
  });
  const sessionId = await editor.open();
  const error = { code: -32603, message: "Failed: true" };
  assertEquals(await editor.prompt(sessionId, "Hi"), error);
  await editor.end();
});

Deno.test("an error of make is masked, and the session can be used again", async () => {
  let calls = 0;
  const editor = openEditor({
    script: [{ text: "Hello" }],
    agent: () => {
      if (calls++ === 0) throw new Error("no configuration");
      return {};
    },
  });
  const sessionId = await editor.open();
  assertEquals((await editor.prompt(sessionId, "Hi")).code, -32603);
  assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "end_turn" });
  await editor.end();
});
