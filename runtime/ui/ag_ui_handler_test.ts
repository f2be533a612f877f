import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { abortable } from "@parley/internal/abortable";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import { openSessions } from "../session/open_sessions.ts";
import type { Sessions } from "../session/sessions.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import type { AssistantMessage, ModelMessage } from "../shared/model.ts";
import { type AgUiEvent, agUiHandler } from "./ag_ui.ts";
import { type AgUiHistoryRun, toAgUiMessages } from "./ag_ui_history.ts";
import { createUiErrors } from "./front_end.ts";
import { uiChatHandler } from "./ai_sdk.ts";

const ERRORS = createUiErrors("test", { onError: () => {} });
const USER: ModelMessage = { role: "user", content: [{ type: "text", text: "Hi" }] };

Deno.test("toAgUiMessages() gives messages the ids that they have in the events", () => {
  const result = { type: "tool-result", isError: false, durationMs: 0 } as const;
  const messages: ModelMessage[] = [
    USER,
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "The user " },
        { type: "reasoning", text: "greets" },
        { type: "text", text: "Let me " },
        { type: "reasoning", text: "Look" },
        { type: "text", text: "see" },
        { type: "tool-call", toolCallId: "c1", toolName: "look", input: { n: 1 } },
        { type: "tool-call", toolCallId: "c2", toolName: "look", input: {}, rawInput: "{" },
      ],
    },
    {
      role: "tool",
      content: [
        { ...result, toolCallId: "c1", toolName: "look", output: { type: "json", value: [1] } },
        {
          ...result,
          toolCallId: "c2",
          toolName: "look",
          isError: true,
          code: "tool_execution_failed",
          output: { type: "error-text", value: "connect ECONNREFUSED 10.0.0.3" },
        },
      ],
    },
    { role: "user", content: [{ type: "text", text: "A correction by the loop" }] },
    { role: "assistant", content: [{ type: "reasoning", text: "" }, { type: "text", text: "" }] },
    {
      role: "assistant",
      content: [{ type: "reasoning", text: "Now" }, { type: "text", text: "Ok" }],
    },
  ];
  assertEquals(toAgUiMessages([{ runId: "c/0", turnId: "m1", messages }], ERRORS), [
    { id: "m1", role: "user", content: "Hi" },
    { id: "c/0/i0/reasoning/0", role: "reasoning", content: "The user greets" },
    {
      id: "c/0/i0",
      role: "assistant",
      content: "Let me see",
      toolCalls: [
        { id: "c1", type: "function", function: { name: "look", arguments: '{"n":1}' } },
        { id: "c2", type: "function", function: { name: "look", arguments: "{" } },
      ],
    },
    { id: "c/0/i0/reasoning/1", role: "reasoning", content: "Look" },
    { id: "c/0/i0/c1", role: "tool", toolCallId: "c1", content: "[1]" },
    {
      id: "c/0/i0/c2",
      role: "tool",
      toolCallId: "c2",
      content: "An error occurred",
      metadata: { parley: { isError: true, code: "tool_execution_failed" } },
    },
    { id: "c/0/i2/reasoning/2", role: "reasoning", content: "Now" },
    { id: "c/0/i2", role: "assistant", content: "Ok" },
  ]);
});

Deno.test("toAgUiMessages() gives each user message an id of its own", () => {
  const runs: readonly AgUiHistoryRun[] = [
    { runId: "c/0", turnId: "m1", messages: [USER] },
    { runId: "c/1", turnId: "m1", messages: [USER] },
    { runId: "c/2", messages: [USER] },
    { runId: "c/3", turnId: "c/2/user", messages: [USER] },
    { runId: "c/4", messages: [{ role: "assistant", content: [{ type: "text", text: "A" }] }] },
  ];
  const ids = toAgUiMessages(runs, ERRORS).map(({ id }) => id);
  assertEquals(ids, ["m1", "c/1/user", "c/2/user", "c/3/user", "c/4/i0"]);
});

Deno.test("toAgUiMessages() converts files of the user", () => {
  const message: ModelMessage = {
    role: "user",
    content: [
      { type: "text", text: "See" },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "AQID" } },
    ],
  };
  assertEquals(toAgUiMessages([{ runId: "c/0", messages: [message] }], ERRORS), [{
    id: "c/0/user",
    role: "user",
    content: [
      { type: "text", text: "See" },
      { type: "image", source: { type: "data", value: "AQID", mimeType: "image/png" } },
    ],
  }]);
});

/** Sessions whose agent answers "One two", and waits at the gate before "two". */
function openGated(gate: Gate, onCall: () => void = () => {}): Sessions {
  return openSessions({
    storage: memoryStorage(),
    flushMs: 0,
    drainMs: 0,
    onError: () => {},
    agent: () =>
      new ToolLoopAgent({
        name: "clerk",
        model: {
          modelId: "gated",
          generate: () => Promise.reject(new Error("The model is streamed")),
          async *stream({ signal }) {
            onCall();
            yield { type: "text-delta", delta: "One " };
            await abortable(gate.wait(), signal);
            yield { type: "text-delta", delta: "two" };
            const content: AssistantMessage["content"] = [{ type: "text", text: "One two" }];
            const message = { role: "assistant", content } as const;
            yield { type: "finish", response: { message, finishReason: "stop" } };
          },
        },
      }),
  });
}

function post(body: object): Request {
  return new Request("http://localhost/agent", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ threadId: "c", runId: "r", messages: [], ...body }),
  });
}

async function eventsOf(response: Response): Promise<readonly AgUiEvent[]> {
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  return (await response.text()).split("\n\n").slice(0, -1).map((line) =>
    JSON.parse(line.slice(6))
  );
}

const MESSAGE = { id: "m1", role: "user", content: "Count" };

Deno.test("agUiHandler() attaches a repeated message to its run", async () => {
  const gate = createGate();
  let calls = 0;
  await using sessions = openGated(gate, () => calls++);
  const handle = agUiHandler(sessions, { path: "/agent", authorize: () => true });
  const first = await handle(post({ messages: [MESSAGE] }));
  const second = await handle(post({ messages: [MESSAGE], runId: "r2" }));
  const busy = await handle(post({ messages: [{ ...MESSAGE, id: "m2" }] }));
  assertEquals([busy.status, await busy.json()], [409, { code: "session_busy", runId: "c/0" }]);
  gate.release();
  const [one, two] = await Promise.all([eventsOf(first), eventsOf(second)]);
  const started = { type: "RUN_STARTED", threadId: "c", runId: "r", protocolVersion: "1.0" };
  assertEquals([one.at(0), two.at(0)], [started, { ...started, runId: "r2" }]);
  assertEquals(two.slice(1, -1), one.slice(1, -1));
  assertEquals(calls, 1);
  const { runs } = await sessions.state("c");
  assertEquals(runs.map(({ turnId }) => turnId), ["m1"]);
});

Deno.test("agUiHandler() describes and replays a session, in which each message appears once", async () => {
  const gate = createGate();
  await using sessions = openGated(gate);
  const handle = agUiHandler(sessions, { path: "/agent", authorize: () => true });
  const get = (path: string): Promise<Response> => handle(new Request(`http://localhost${path}`));
  const described = async (): Promise<unknown> => (await get("/agent/c")).json();
  assertEquals(await described(), { status: "idle", messages: [] });
  assertEquals(await eventsOf(await get("/agent/c/stream")), []);

  const sent = await handle(post({ messages: [MESSAGE] }));
  assertEquals(await described(), { status: "running", runId: "c/0", messages: [MESSAGE] });
  const stream = await get("/agent/c/stream");
  gate.release();
  const types = ["STEP_STARTED", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"];
  const events = await eventsOf(stream);
  assertEquals(events.slice(0, 2), [
    { type: "RUN_STARTED", threadId: "c", runId: "c/0", protocolVersion: "1.0" },
    { type: "MESSAGES_SNAPSHOT", messages: [MESSAGE] },
  ]);
  assertEquals(events.slice(2, 5).map(({ type }) => type), types);
  assertEquals(events.filter(({ type }) => type === "RUN_STARTED").length, 1);
  assertEquals(events.at(-1)?.type, "RUN_FINISHED");
  assertEquals((await eventsOf(sent)).slice(1, -1), events.slice(2, -1));
  const answer = { id: "c/0/i0", role: "assistant", content: "One two" };
  assertEquals(await described(), { status: "idle", messages: [MESSAGE, answer] });
});

Deno.test("agUiHandler() sends the conversation if the run cannot be read anymore", async () => {
  await using sessions = openSessions({
    storage: memoryStorage(),
    keepEndedMs: 0,
    agent: () => new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) }),
  });
  const handle = agUiHandler(sessions, { path: "/agent", authorize: () => true });
  await (await handle(post({ messages: [MESSAGE] }))).text();
  const response = await handle(new Request("http://localhost/agent/c/stream"));
  const threadId = "c";
  const runId = "c/0";
  assertEquals(await eventsOf(response), [
    { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" },
    {
      type: "MESSAGES_SNAPSHOT",
      messages: [MESSAGE, { id: "c/0/i0", role: "assistant", content: "Hello" }],
    },
    {
      type: "RUN_FINISHED",
      threadId,
      runId,
      outcome: { type: "success" },
      result: { stopReason: "model_stop" },
      usage: [],
    },
  ]);
});

Deno.test("agUiHandler() rejects requests without a message or decision, and with both", async () => {
  await using sessions = openGated(createGate());
  const handle = agUiHandler(sessions, { path: "/agent", authorize: () => true });
  const resume = [{ interruptId: "k", status: "resolved", payload: { approved: true } }];
  const cases: readonly [object, RegExp][] = [
    [{ messages: [] }, /^"messages" must be an array that ends with a message from the user/],
    [{ messages: [{ ...MESSAGE, role: "assistant" }] }, /request the stream of the session$/],
    [
      { messages: [MESSAGE], resume },
      /^"resume" must be without an approval if there is a message/,
    ],
  ];
  for (const [body, text] of cases) {
    const response = await handle(post(body));
    const { code, message } = await response.json();
    assertEquals([response.status, code], [400, "invalid_request"]);
    assertMatch(message, text);
  }
});

Deno.test("a page does not show an answer as complete if the server stops", async () => {
  for (const protocol of ["ag-ui", "ai-sdk"] as const) {
    const errors: unknown[] = [];
    const sessions = openGated(createGate());
    const options = {
      path: "/agent",
      authorize: () => true,
      onError: (error: unknown) => errors.push(error),
    };
    const handle = protocol === "ag-ui"
      ? agUiHandler(sessions, options)
      : uiChatHandler(sessions, options);
    await sessions.send("c", "Count");
    const response = await handle(new Request("http://localhost/agent/c/stream"));
    const text = response.text();
    for await (const { event } of await sessions.attach("c") ?? []) {
      if (event.type === "text_delta") break;
    }
    await sessions.close();
    const error = protocol === "ag-ui"
      ? '{"type":"RUN_ERROR","message":"An error occurred","code":"core"}'
      : '{"type":"error","errorText":"An error occurred"}';
    assertStringIncludes(await text, error);
    assertMatch(String(errors[0]), /Cannot send the rest of run "c\/0"/);
  }
});
