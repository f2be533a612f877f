import { assertEquals } from "@std/assert";
import { asRecord } from "@parley/internal/json";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import type { LoopEvent, LoopEventBody } from "../loop/events.ts";
import type { JsonValue } from "../shared/json.ts";
import type { AssistantMessage, ToolResult } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { UpdateEncoder } from "./update_encoder.ts";

function event(body: LoopEventBody, path: readonly string[] = ["clerk"]): LoopEvent {
  return { runId: "r", path, at: 0, ...body };
}

/** Encodes events with one encoder. Returns the updates without the ids of the messages. */
function encode(
  events: readonly LoopEvent[],
  encoder = new UpdateEncoder(() => "other"),
): object[] {
  return events.flatMap((one) => encoder.encode(one)).map(({ messageId: _, ...update }) => update);
}

const STARTED = event({ type: "model_started", iteration: 0, modelId: "m", attempt: 0 });

function finished(iteration: number, content: AssistantMessage["content"]): LoopEvent {
  const message: AssistantMessage = { role: "assistant", content };
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
  return event({ type: "model_finished", iteration, message, finishReason: "stop", usage });
}

function text(value: string): object {
  return { sessionUpdate: "agent_message_chunk", content: { type: "text", text: value } };
}

function thought(value: string): object {
  return { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: value } };
}

Deno.test("UpdateEncoder encodes streamed text and reasoning once", () => {
  const updates = encode([
    STARTED,
    event({ type: "reasoning_delta", iteration: 0, reasoning: "Hm" }),
    event({ type: "text_delta", iteration: 0, text: "" }),
    event({ type: "text_delta", iteration: 0, text: "He" }),
    event({ type: "text_delta", iteration: 0, text: "llo" }),
    finished(0, [{ type: "reasoning", text: "Hm" }, { type: "text", text: "Hello" }]),
  ]);
  assertEquals(updates, [thought("Hm"), text("He"), text("llo")]);
});

Deno.test("UpdateEncoder encodes the same text for any deltas", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), fc.boolean(), (deltas, isRepeated) => {
      const whole = deltas.join("");
      const events = [
        STARTED,
        ...deltas.map((one) => event({ type: "text_delta", iteration: 0, text: one })),
        finished(0, [{ type: "text", text: whole }]),
        // A run that continues repeats the response.
        ...isRepeated ? [finished(0, [{ type: "text", text: whole }])] : [],
      ];
      const encoder = new UpdateEncoder(() => "other");
      const texts = events.flatMap((one) => encoder.encode(one))
        .map(({ content }) => asRecord(content).text);
      assertEquals(texts.join(""), whole);
    }),
    propertyRuns(100),
  );
});

Deno.test("UpdateEncoder encodes the rest of a response whose last deltas are missing", () => {
  const updates = encode([
    STARTED,
    event({ type: "reasoning_delta", iteration: 0, reasoning: "H" }),
    event({ type: "text_delta", iteration: 0, text: "Hel" }),
    finished(0, [
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "Hello" },
      { type: "text", text: "!" },
    ]),
  ]);
  assertEquals(updates, [thought("H"), text("Hel"), thought("m"), text("lo"), text("!")]);
});

Deno.test("UpdateEncoder encodes a response that differs from its deltas as another message", () => {
  const encoder = new UpdateEncoder(() => "other");
  const events = [
    STARTED,
    event({ type: "text_delta", iteration: 0, text: "Hullo" }),
    finished(0, [{ type: "text", text: "Hello" }]),
  ];
  const updates = events.flatMap((one) => encoder.encode(one));
  assertEquals(updates.map(({ content }) => asRecord(content).text), ["Hullo", "Hello"]);
  assertEquals(updates[0]?.messageId === updates[1]?.messageId, false);
});

Deno.test("UpdateEncoder does not repeat text if only the reasoning or white space differs", () => {
  const deltas = [
    STARTED,
    event({ type: "reasoning_delta", iteration: 0, reasoning: "Hm" }),
    event({ type: "text_delta", iteration: 0, text: "Hello " }),
  ];
  for (
    const content of [
      [{ type: "text", text: "Hello" }],
      [{ type: "reasoning", text: "Encrypted" }, { type: "text", text: "Hello " }],
    ] as const
  ) {
    assertEquals(encode([...deltas, finished(0, [...content])]), [thought("Hm"), text("Hello ")]);
  }
});

Deno.test("UpdateEncoder encodes a response that was not streamed, and files", () => {
  const png = { type: "data", data: new Uint8Array([1, 2]) } as const;
  const updates = encode([
    STARTED,
    finished(0, [
      { type: "reasoning", text: "Hm" },
      { type: "text", text: "Hello" },
      { type: "text", text: "!" },
      { type: "file", mediaType: "image/png", data: png },
    ]),
  ]);
  assertEquals(updates, [thought("Hm"), text("Hello"), text("!"), {
    sessionUpdate: "agent_message_chunk",
    content: { type: "image", data: "AQI=", mimeType: "image/png" },
  }]);
});

Deno.test("UpdateEncoder gives each response an id, and a repeated attempt another one", () => {
  const encoder = new UpdateEncoder(() => "other");
  const delta = event({ type: "text_delta", iteration: 0, text: "a" });
  const ids = [STARTED, delta, delta, STARTED, delta].flatMap((one) => encoder.encode(one))
    .map(({ messageId }) => messageId);
  assertEquals([ids.length, ids[0] === ids[1], ids[1] === ids[2]], [3, true, false]);
});

Deno.test("UpdateEncoder does not repeat the responses and results of a run that continues", () => {
  const encoder = new UpdateEncoder(() => "other");
  const toolCall = { type: "tool-call", toolCallId: "c1", toolName: "look", input: {} } as const;
  const events = [
    STARTED,
    finished(0, [{ type: "text", text: "Hello" }]),
    event({ type: "tool_started", iteration: 0, toolCall }),
    event({ type: "tool_finished", iteration: 0, toolResult: result("c1", "found") }),
  ];
  assertEquals(encode(events, encoder).length, 3);
  assertEquals(encode(events.slice(1), encoder), []);
});

function result(toolCallId: string, value: string): ToolResult {
  const output = { type: "text", value } as const;
  return {
    type: "tool-result",
    toolCallId,
    toolName: "look",
    output,
    isError: false,
    durationMs: 1,
  };
}

Deno.test("UpdateEncoder announces a call that was not executed", () => {
  const toolResult: ToolResult = {
    ...result("c1", ""),
    output: { type: "error-text", value: "Unknown tool" },
    isError: true,
  };
  assertEquals(encode([event({ type: "tool_finished", iteration: 0, toolResult })]), [
    {
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "look",
      name: "look",
      kind: "other",
      status: "pending",
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      status: "failed",
      content: [{ type: "content", content: { type: "text", text: "Unknown tool" } }],
    },
  ]);
});

function progress(value: JsonValue): LoopEvent {
  return event({
    type: "tool_progress",
    iteration: 0,
    toolCallId: "c1",
    toolName: "look",
    progress: value,
  });
}

Deno.test("UpdateEncoder encodes a plan that a tool reports, and other progress as content", () => {
  const entries = [{ content: "Read" }, {
    content: "Write",
    priority: "high",
    status: "completed",
  }];
  const wrong = { type: "plan", entries: [{ content: "Read", status: "waiting" }] };
  assertEquals(encode([progress({ type: "plan", entries }), progress("half"), progress(wrong)]), [
    {
      sessionUpdate: "plan",
      entries: [
        { content: "Read", priority: "medium", status: "pending" },
        { content: "Write", priority: "high", status: "completed" },
      ],
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      content: [{ type: "content", content: { type: "text", text: "half" } }],
    },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "c1",
      content: [{
        type: "content",
        content: { type: "text", text: JSON.stringify(wrong, undefined, 2) },
      }],
    },
  ]);
});

Deno.test("UpdateEncoder shows the call of a sub-agent only if the user was asked", () => {
  const path = ["clerk", "helper"];
  const encoder = new UpdateEncoder(() => "other");
  const call = { toolCallId: "c1", toolName: "look", input: {} };
  const toolCall = { type: "tool-call", ...call } as const;
  const end = event({ type: "tool_finished", iteration: 0, toolResult: result("c1", "x") }, path);
  const events = [
    event({ type: "text_delta", iteration: 0, text: "hidden" }, path),
    event({ type: "tool_started", iteration: 0, toolCall }, path),
    end,
  ];
  assertEquals(encode(events, encoder), []);
  encoder.announce({ ...call, path }, "pending");
  const [started, done, ...rest] = encode(events, encoder);
  assertEquals(rest, []);
  assertEquals(started, {
    sessionUpdate: "tool_call_update",
    toolCallId: "helper/c1",
    status: "in_progress",
  });
  assertEquals(done, {
    sessionUpdate: "tool_call_update",
    toolCallId: "helper/c1",
    status: "completed",
    content: [{ type: "content", content: { type: "text", text: "x" } }],
  });
});

Deno.test("UpdateEncoder keeps the status of a call while the user is asked", () => {
  const encoder = new UpdateEncoder(() => "other");
  const call = { path: ["clerk"], toolCallId: "c1", toolName: "look", input: {} };
  assertEquals(encoder.announce(call, "pending").length, 1);
  const endAsking = encoder.startAsking(call);
  assertEquals(encoder.announce(call, "in_progress"), []);
  endAsking();
  const update = { sessionUpdate: "tool_call_update", toolCallId: "c1", status: "in_progress" };
  assertEquals(encoder.announce(call, "in_progress"), [update]);
  assertEquals(encoder.announce(call, "in_progress"), []);
});

Deno.test("UpdateEncoder encodes the value of an agent with an output schema", () => {
  const output: ToolLoopOutput = {
    finalText: '{"total":12}',
    value: { total: 12 },
    stopReason: "model_stop",
    iterations: [],
    messages: [],
    usageByModel: {},
    totalUsage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  };
  const end = event({ type: "run_finished", stopReason: "model_stop", output });
  assertEquals(encode([STARTED, finished(0, []), end]), [text('{"total":12}')]);
  const delta = event({ type: "text_delta", iteration: 0, text: '{"total":12}' });
  assertEquals(encode([STARTED, delta, end]), [text('{"total":12}')]);
});
