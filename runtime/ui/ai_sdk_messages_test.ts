import { assert, assertEquals, assertThrows } from "@std/assert";
import { runToolLoop } from "../loop/loop.ts";
import type { ModelMessage, ToolCall, ToolResult } from "../shared/model.ts";
import type { PendingBatch } from "../shared/output.ts";
import { scriptedModel } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { toUiMessages, type UiToolState } from "./ai_sdk.ts";

const png = new Uint8Array([137, 80, 78, 71]);
const call: ToolCall = { type: "tool-call", toolCallId: "c1", toolName: "add", input: { a: 1 } };
const waiting: PendingBatch = {
  iteration: 1,
  assistantMessage: { role: "assistant", content: [call] },
  toolResults: [],
  approvals: [],
};

function user(text: string): ModelMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

function assistant(text: string): ModelMessage {
  return { role: "assistant", content: [{ type: "text", text }] };
}

/** Returns a conversation with one tool call. */
function conversation(result: Pick<ToolResult, "output" | "code">): readonly ModelMessage[] {
  const toolResult: ToolResult = {
    type: "tool-result",
    toolCallId: "c1",
    toolName: "add",
    isError: false,
    durationMs: 1,
    ...result,
  };
  return [
    user("Add"),
    { role: "assistant", content: [call] },
    { role: "tool", content: [toolResult] },
  ];
}

Deno.test("toUiMessages() joins the responses and tool results between two user messages", () => {
  const text = (value: string) => ({ type: "text", text: value, state: "done" }) as const;
  const messages = [
    ...conversation({ output: { type: "json", value: 3 } }),
    assistant("3"),
    user("And?"),
    user("Hello?"),
    assistant("More"),
  ];
  assertEquals(toUiMessages(messages), [
    { id: "message-0", role: "user", parts: [{ type: "text", text: "Add" }] },
    {
      id: "message-1",
      role: "assistant",
      parts: [
        { type: "step-start" },
        {
          type: "tool-add",
          toolCallId: "c1",
          input: { a: 1 },
          state: "output-available",
          output: 3,
        },
        { type: "step-start" },
        text("3"),
      ],
    },
    { id: "message-4", role: "user", parts: [{ type: "text", text: "And?" }] },
    { id: "message-5", role: "user", parts: [{ type: "text", text: "Hello?" }] },
    { id: "message-6", role: "assistant", parts: [{ type: "step-start" }, text("More")] },
  ]);
});

Deno.test("toUiMessages() leaves out the system message, and the ids do not depend on it", () => {
  const messages = [user("Hi"), assistant("Hello")];
  const withSystem: ModelMessage[] = [{ role: "system", content: "Secret" }, ...messages];
  assertEquals(toUiMessages(withSystem), toUiMessages(messages));
  assertEquals(toUiMessages([]), []);
});

Deno.test("toUiMessages() keeps the messages of a conversation that grows", () => {
  const messages = [user("Hi"), assistant("Hello"), user("Bye"), assistant("Goodbye")];
  assertEquals(toUiMessages(messages).slice(0, 2), toUiMessages(messages.slice(0, 2)));
});

Deno.test("toUiMessages() converts the files of the user", () => {
  const files = [
    { type: "file", mediaType: "image/png", filename: "a.png", data: { type: "data", data: png } },
    {
      type: "file",
      mediaType: "text/plain",
      data: { type: "url", url: new URL("https://a.example/b") },
    },
  ] as const;
  const [message] = toUiMessages([{ role: "user", content: [...files] }]);
  assertEquals(message?.parts, [
    {
      type: "file",
      mediaType: "image/png",
      filename: "a.png",
      url: "data:image/png;base64,iVBORw==",
    },
    { type: "file", mediaType: "text/plain", url: "https://a.example/b" },
  ]);
});

const STATES: readonly [string, Pick<ToolResult, "output" | "code">, UiToolState][] = [
  ["content", {
    output: {
      type: "content",
      value: [
        { type: "text", text: "A dot" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: png } },
      ],
    },
  }, {
    state: "output-available",
    output: [
      { type: "text", text: "A dot" },
      { type: "file", mediaType: "image/png", url: "data:image/png;base64,iVBORw==" },
    ],
  }],
  ["an error of the tool", { output: { type: "error-json", value: { a: 1 } } }, {
    state: "output-error",
    errorText: '{"a":1}',
  }],
  ["an exception", {
    output: { type: "error-text", value: "secret" },
    code: "tool_execution_failed",
  }, { state: "output-error", errorText: "An error occurred" }],
  ["invalid input", {
    output: { type: "error-text", value: 'Invalid input for tool "add": /a: must be a string' },
    code: "invalid_input",
  }, { state: "output-error", errorText: 'Invalid input for tool "add": /a: must be a string' }],
  ["an exception in a schema", {
    output: {
      type: "error-text",
      value: 'Invalid input for tool "add": /: cannot be checked: the schema failed: secret',
    },
    code: "invalid_input",
  }, { state: "output-error", errorText: "An error occurred" }],
  ["a denial without a reason", { output: { type: "execution-denied" }, code: "approval_denied" }, {
    state: "output-denied",
    approval: { id: "c1", approved: false, isAutomatic: true },
  }],
];

for (const [name, result, state] of STATES) {
  Deno.test(`toUiMessages() converts ${name} as the result of a tool call`, () => {
    const [, message] = toUiMessages(conversation(result), { onError: () => {} });
    assertEquals(message?.parts.at(-1), {
      type: "tool-add",
      toolCallId: "c1",
      input: { a: 1 },
      ...state,
    });
  });
}

Deno.test("toUiMessages() passes the stored text of an exception to errorText", () => {
  const code = "tool_execution_failed";
  const messages = conversation({ output: { type: "error-text", value: "secret" }, code });
  const [, message] = toUiMessages(messages, { errorText: (error) => `masked: ${error}` });
  assertEquals(message?.parts.at(-1), {
    type: "tool-add",
    toolCallId: "c1",
    input: { a: 1 },
    state: "output-error",
    errorText: 'masked: AgentError: Cannot execute tool "add": secret',
  });
});

Deno.test("toUiMessages() replaces the text of an exception thrown by the schema of a tool", async () => {
  const validator = { compile: () => () => Promise.reject(new Error("secret")) };
  const tool = { name: "add", inputSchema: { type: "object" }, execute: () => 1 };
  const { messages } = await runToolLoop({
    model: scriptedModel([{ calls: [{ toolName: "add" }] }, { text: "Sorry" }]),
    registry: new ToolRegistry([tool], { validator }),
    onError: () => {},
  }, "Add");
  assert(JSON.stringify(messages).includes("secret"));
  assert(!JSON.stringify(toUiMessages(messages)).includes("secret"));
});

Deno.test("toUiMessages() marks a call that waits for a signal as approved", () => {
  const [, message] = toUiMessages([user("Hi")], { pending: waiting });
  assertEquals(message, {
    id: "message-1",
    role: "assistant",
    parts: [{ type: "step-start" }, {
      type: "tool-add",
      toolCallId: "c1",
      input: { a: 1 },
      state: "approval-responded",
      approval: { id: "c1", approved: true, isAutomatic: true },
    }],
  });
});

Deno.test("toUiMessages() requests a decision on a call whose outcome is unknown, and shows its current input", () => {
  const toolCall = { ...call, input: { a: 2 } };
  const key = "r/i1/approval/0#x";
  const approval = { key, path: ["a"], reason: "outcome_unknown", toolCall } as const;
  const pending = { ...waiting, approvals: [approval] };
  assertEquals(toUiMessages([user("Hi")], { pending }).at(-1)?.parts.at(-1), {
    type: "tool-add",
    toolCallId: "c1",
    input: { a: 2 },
    state: "approval-requested",
    approval: { id: key, requestReason: "outcome_unknown" },
  });
});

Deno.test("toUiMessages() rejects invalid conversations and options", () => {
  const cases: readonly (readonly [unknown, unknown, string])[] = [
    [undefined, {}, '"messages" must be an array'],
    [[{ role: "user" }], {}, '"messages[0].content" must be'],
    [[{ role: "assistant", content: [call] }], {}, '"messages" must be a valid conversation'],
    [[], { pending: "none" }, '"pending" must be an object'],
    [[], { errorText: "Sorry" }, '"errorText" must be a function'],
  ];
  for (const [messages, options, message] of cases) {
    assertThrows(
      () => Reflect.apply(toUiMessages, undefined, [messages, options]),
      TypeError,
      message,
    );
  }
});
