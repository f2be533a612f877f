import { assertEquals } from "@std/assert";
import { asRecord, type UnknownRecord } from "@parley/internal/json";
import type { AcpSession } from "./acp_session.ts";
import { acpTools, type AcpToolsOptions } from "./acp_tools.ts";
import { ALL, openEditor, select, type TestEditorOptions } from "./testdata/test_editor.ts";

/** Runs one tool call of an agent with the tools. Returns the editor and the text of the result. */
async function call(
  toolName: string,
  input: object,
  { answers = {}, tools, ...options }: TestEditorOptions & { readonly tools?: AcpToolsOptions } =
    {},
): Promise<{ readonly requests: readonly (readonly [unknown, UnknownRecord])[]; result: unknown }> {
  const editor = openEditor({
    script: [{ calls: [{ toolName, input, toolCallId: "c1" }] }, { text: "Done." }],
    agent: (session: AcpSession) => ({ tools: [...acpTools(session, tools)] }),
    answers,
    ...options,
  });
  const sessionId = await editor.open(ALL);
  assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "end_turn" });
  const end = editor.updates.find(({ status }) => status === "completed" || status === "failed");
  await editor.end();
  const requests = editor.requests.map(([method, { sessionId: id, ...params }]) => {
    assertEquals(id, sessionId);
    return [method, params] as const;
  });
  return { requests, result: [end?.status, ...textsOf(end?.content)] };
}

function textsOf(content: unknown): unknown[] {
  return Array.isArray(content) ? content.map((one) => one.content.text) : [];
}

const FILES = {
  "fs/read_text_file": () => ({ result: { content: "text of a" } }),
  "fs/write_text_file": () => ({ result: {} }),
};

const TERMINAL = {
  "terminal/create": () => ({ result: { terminalId: "t1" } }),
  "terminal/wait_for_exit": () => ({ result: { exitCode: 1, signal: null } }),
  "terminal/output": () => ({ result: { output: "failed", truncated: true } }),
  "terminal/release": () => ({ result: {} }),
};

Deno.test("acpTools() creates the tools that the editor supports", async () => {
  const names: string[][] = [];
  for (
    const capabilities of [
      {},
      { fs: { readTextFile: true } },
      { fs: { writeTextFile: true }, terminal: true },
    ]
  ) {
    const editor = openEditor({
      script: [{ text: "Hello" }],
      agent: (session) => {
        names.push(acpTools(session).map(({ name }) => name));
        return {};
      },
    });
    await editor.prompt(await editor.open(capabilities), "Hi");
    await editor.end();
  }
  assertEquals(names, [[], ["read_text_file"], ["write_text_file", "run_command"]]);
});

Deno.test("read_text_file reads through the editor, without a permission", async () => {
  const input = { path: "/w/x/../a.ts", line: 2, limit: 3 };
  assertEquals(await call("read_text_file", input, { answers: FILES }), {
    requests: [["fs/read_text_file", { path: "/w/a.ts", line: 2, limit: 3 }]],
    result: ["completed", "text of a"],
  });
});

Deno.test("write_text_file asks for a permission before it writes", async () => {
  const answers = { ...FILES, "session/request_permission": select("allow") };
  const { requests, result } = await call(
    "write_text_file",
    { path: "/w/a.ts", content: "b" },
    { answers },
  );
  assertEquals(requests.map(([method]) => method), [
    "session/request_permission",
    "fs/write_text_file",
  ]);
  assertEquals(requests[0]?.[1].toolCall, {
    toolCallId: "c1",
    title: "write_text_file: /w/a.ts",
    name: "write_text_file",
    kind: "edit",
    rawInput: { path: "/w/a.ts", content: "b" },
    locations: [{ path: "/w/a.ts" }],
    status: "pending",
  });
  assertEquals(requests[1]?.[1], { path: "/w/a.ts", content: "b" });
  assertEquals(result, ["completed", "Wrote /w/a.ts"]);
});

Deno.test("write_text_file and run_command do nothing if the user rejects the call", async () => {
  const answers = { "session/request_permission": select("reject") };
  for (
    const [toolName, input] of [
      ["write_text_file", { path: "/w/a.ts", content: "b" }],
      ["run_command", { command: "ls" }],
    ] as const
  ) {
    const { requests, result } = await call(toolName, input, { answers });
    assertEquals(requests.map(([method]) => method), ["session/request_permission"]);
    assertEquals(result, ["failed", "The user rejected the call"]);
  }
});

Deno.test("the user is asked once if the agent defers the decision", async () => {
  const answers = { ...FILES, "session/request_permission": select("allow") };
  const { requests } = await call("write_text_file", { path: "/w/a.ts", content: "b" }, {
    answers,
    agent: (session) => ({
      tools: [...acpTools(session)],
      approvalHandler: () => ({ decision: "defer" }),
    }),
  });
  assertEquals(requests.map(([method]) => method), [
    "session/request_permission",
    "fs/write_text_file",
  ]);
});

Deno.test("askPermission: false leaves the decision to the agent", async () => {
  const input = { path: "/w/a.ts", content: "b" };
  const { requests } = await call("write_text_file", input, {
    answers: FILES,
    tools: { askPermission: false },
  });
  assertEquals(requests.map(([method]) => method), ["fs/write_text_file"]);
});

Deno.test("paths must be absolute, and in a directory of the session", async () => {
  for (
    const [path, reason] of [
      ["a.ts", 'The path must be absolute, for example in "/w". Got "a.ts".'],
      ["/etc/passwd", 'The path must be in "/w" or another directory of the session.'],
      ["/w/../etc/passwd", 'The path must be in "/w" or another directory of the session.'],
      ["/wx/a", 'The path must be in "/w" or another directory of the session.'],
    ] as const
  ) {
    for (
      const [toolName, input] of [
        ["read_text_file", { path }],
        ["write_text_file", { path, content: "" }],
        ["run_command", { command: "ls", cwd: path }],
      ] as const
    ) {
      const expected = { requests: [], result: ["failed", reason] };
      assertEquals(await call(toolName, input), expected);
    }
  }
});

Deno.test("allowOutsidePaths allows other absolute paths", async () => {
  const { requests } = await call("read_text_file", { path: "/etc/hosts" }, {
    answers: FILES,
    tools: { allowOutsidePaths: true },
  });
  assertEquals(requests, [["fs/read_text_file", { path: "/etc/hosts" }]]);
});

Deno.test("run_command waits for the command, and releases the terminal", async () => {
  const answers = { ...TERMINAL, "session/request_permission": select("allow") };
  const input = { command: "npm", args: ["test"] };
  const { requests, result } = await call("run_command", input, {
    answers,
    tools: { maxOutputBytes: 100 },
  });
  assertEquals(requests.slice(1), [
    ["terminal/create", { command: "npm", args: ["test"], cwd: "/w", outputByteLimit: 100 }],
    ["terminal/wait_for_exit", { terminalId: "t1" }],
    ["terminal/output", { terminalId: "t1" }],
    ["terminal/release", { terminalId: "t1" }],
  ]);
  const output = { output: "failed", isTruncated: true, exitCode: 1 };
  assertEquals(result, ["completed", JSON.stringify(output, undefined, 2)]);
});

Deno.test("a cancelled prompt kills the command", async () => {
  const waiting = Promise.withResolvers<unknown>();
  const released = Promise.withResolvers<void>();
  const editor = openEditor({
    script: [{ calls: [{ toolName: "run_command", input: { command: "sleep" } }] }],
    agent: (session) => ({ tools: [...acpTools(session, { askPermission: false })] }),
    answers: {
      ...TERMINAL,
      "terminal/wait_for_exit": (_, id) => void waiting.resolve(id),
      "terminal/release": () => {
        released.resolve();
        return { result: {} };
      },
    },
  });
  const sessionId = await editor.open();
  const prompt = editor.prompt(sessionId, "Hi");
  const requestId = await waiting.promise;
  await editor.post({ method: "session/cancel", params: { sessionId } });
  assertEquals(await prompt, { stopReason: "cancelled" });
  await released.promise;
  assertEquals(editor.requests.slice(2), [
    ["$/cancel_request", { requestId }],
    ["terminal/release", { sessionId, terminalId: "t1" }],
  ]);
  await editor.end();
});

Deno.test("a terminal that is created after the prompt was cancelled is released", async () => {
  const creating = Promise.withResolvers<unknown>();
  const released = Promise.withResolvers<void>();
  const editor = openEditor({
    script: [{ calls: [{ toolName: "run_command", input: { command: "sleep" } }] }],
    agent: (session) => ({
      tools: [...acpTools(session, { askPermission: false })],
      graceMs: 0,
    }),
    answers: {
      "terminal/create": (_, id) => void creating.resolve(id),
      "terminal/release": () => {
        released.resolve();
        return { result: {} };
      },
    },
  });
  const sessionId = await editor.open();
  const prompt = editor.prompt(sessionId, "Hi");
  const id = await creating.promise;
  await editor.post({ method: "session/cancel", params: { sessionId } });
  assertEquals(await prompt, { stopReason: "cancelled" });
  await editor.post({ id, result: { terminalId: "t1" } });
  await released.promise;
  assertEquals(editor.requests.map(([method]) => method), ["terminal/create", "terminal/release"]);
  await editor.end();
});

Deno.test("the text before a call precedes the permission that its tool asks for", async () => {
  const editor = openEditor({
    script: [
      { text: "I list.", calls: [{ toolName: "run_command", input: { command: "ls" } }] },
      { text: "Done." },
    ],
    agent: (session) => ({ tools: [...acpTools(session)] }),
    answers: { "session/request_permission": select("reject") },
  });
  const sessionId = await editor.open();
  await editor.prompt(sessionId, "Hi");
  const order = editor.received.slice(2).map(({ method, params }) =>
    asRecord(asRecord(params).update).sessionUpdate ?? method
  );
  assertEquals(order.slice(0, 4), [
    "agent_message_chunk",
    "tool_call",
    "tool_call_update",
    "session/request_permission",
  ]);
  await editor.end();
});

Deno.test("a cancelled permission in a tool cancels the prompt", async () => {
  const editor = openEditor({
    script: [{ calls: [{ toolName: "run_command", input: { command: "ls" } }] }],
    agent: (session) => ({ tools: [...acpTools(session)] }),
    answers: {
      "session/request_permission": () => ({ result: { outcome: { outcome: "cancelled" } } }),
    },
  });
  const sessionId = await editor.open();
  assertEquals(await editor.prompt(sessionId, "Hi"), { stopReason: "cancelled" });
  assertEquals(editor.errors, []);
  await editor.end();
});

Deno.test("an error of the editor is the result of the tool", async () => {
  const answers = {
    "fs/read_text_file": () => ({ error: { code: -32002, message: "no such file" } }),
  };
  const { result } = await call("read_text_file", { path: "/w/a.ts" }, { answers });
  assertEquals(result, [
    "failed",
    'Cannot complete the request "fs/read_text_file": the editor returned error -32002: no such file',
  ]);
});
