import { assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import type { LoopEvent } from "../loop/events.ts";
import type { ToolLoopStream } from "../loop/stream.ts";
import { streamToolLoop, ToolRegistry } from "../mod.ts";
import { AgentError } from "../shared/error.ts";
import { createGate, scriptedModel } from "../testing.ts";
import {
  createUiErrors,
  eventsToEnd,
  uiResponse,
  type UiSource,
  visibleOutput,
} from "./front_end.ts";

async function* failAfter(events: readonly LoopEvent[], error: unknown): AsyncGenerator<LoopEvent> {
  await Promise.resolve();
  yield* events;
  throw error;
}

const FINISHED: LoopEvent = { type: "run_paused", runId: "r", path: ["a"], at: 0 };

Deno.test("createUiErrors() masks errors, and reports exceptions of errorText", () => {
  const reported: unknown[] = [];
  const onError = (error: unknown): void => {
    reported.push(error);
  };
  const secret = new Error("host db-1");
  assertEquals(createUiErrors("test", { onError }).mask(secret), "An error occurred");
  const errorText = (error: unknown): string => error === secret ? "Try again" : "";
  assertEquals(createUiErrors("test", { onError, errorText }).mask(secret), "Try again");
  const failure = new Error("errorText");
  const failing = createUiErrors("test", {
    onError,
    errorText: () => {
      throw failure;
    },
  });
  assertEquals([failing.mask(secret), reported], ["An error occurred", [failure]]);
  assertEquals(
    createUiErrors("test", Object({ errorText: () => 5 })).mask(secret),
    "An error occurred",
  );
});

Deno.test("eventsToEnd() reports each error once and ends with run_failed", async () => {
  const first = new Error("first");
  const failed: LoopEvent = { type: "run_failed", runId: "r", path: ["a"], at: 0, error: first };
  const cases: readonly [readonly LoopEvent[], unknown, readonly string[], number][] = [
    [[], first, ["run_failed"], 1],
    [[FINISHED], first, ["run_paused", "run_failed"], 1],
    [[FINISHED, failed], first, ["run_paused", "run_failed"], 1],
    [[FINISHED, failed], new Error("second"), ["run_paused", "run_failed"], 2],
    [[FINISHED, { ...failed, runId: "r/sub" }], first, [
      "run_paused",
      "run_failed",
      "run_failed",
    ], 1],
  ];
  for (const [events, error, types, count] of cases) {
    const reported: unknown[] = [];
    const errors = createUiErrors("test", { onError: (one) => reported.push(one) });
    const seen = await Array.fromAsync(eventsToEnd(failAfter(events, error), errors));
    assertEquals(seen.map(({ type }) => type), types);
    assertEquals(reported.length, count);
  }
});

Deno.test("visibleOutput() replaces only the text of exceptions", () => {
  const errors = createUiErrors("test", { errorText: (error) => `masked: ${error}` });
  const toolResult = {
    type: "tool-result",
    toolCallId: "c",
    toolName: "t",
    output: { type: "error-text", value: "host db-1" },
    isError: true,
    durationMs: 0,
  } as const;
  const event = { type: "tool_finished", runId: "r", path: ["a"], at: 0, iteration: 0 } as const;
  assertEquals(visibleOutput({ ...event, toolResult }, errors), toolResult.output);
  const code = "tool_execution_failed";
  const masked = { ...event, toolResult: { ...toolResult, code } } as const;
  assertEquals(visibleOutput({ ...masked, error: "boom" }, errors), {
    type: "error-text",
    value: "masked: boom",
  });
  assertEquals(visibleOutput(masked, errors), {
    type: "error-text",
    value: `masked: ${AgentError.toolExecutionFailed("t", "host db-1")}`,
  });
  // A schema that throws makes every input invalid. If a schema rejects an input without throwing,
  // the event contains no exception.
  const invalid = { ...event, toolResult: { ...toolResult, code: "invalid_input" } } as const;
  assertEquals(visibleOutput(invalid, errors), toolResult.output);
  assertEquals(visibleOutput({ ...invalid, error: "boom" }, errors), {
    type: "error-text",
    value: "masked: boom",
  });
  // The output for a result that cannot be serialized contains the text of the exception thrown by
  // `toJSON` or a getter.
  const notSerializable = { ...toolResult, code: "not_serializable" } as const;
  assertEquals(visibleOutput({ ...event, toolResult: notSerializable, error: "boom" }, errors), {
    type: "error-text",
    value: "masked: boom",
  });
});

/**
 * Creates a response with the event types of a run that calls a tool. The tool waits at the gate.
 */
function respond(onDisconnect: "abort" | "continue" = "abort", keepAliveMs = 10_000): {
  readonly response: Response;
  readonly gate: ReturnType<typeof createGate>;
  readonly stopReason: Promise<string>;
  readonly types: readonly string[];
} {
  const gate = createGate();
  const types: string[] = [];
  const end = Promise.withResolvers<string>();
  const registry = new ToolRegistry([
    { name: "wait", inputSchema: { type: "object" }, execute: () => gate.wait() },
  ]);
  const model = scriptedModel([{ calls: [{ toolName: "wait" }] }, { text: "Done" }]);
  const onEvent = (event: LoopEvent): void => {
    types.push(event.type);
    if (event.type === "run_finished") end.resolve(event.stopReason);
  };
  const events = streamToolLoop({ model, registry, onEvent, graceMs: 0 }, "Go", { maxQueued: 1 });
  const errors = createUiErrors("test", {});
  const chunks = typesOf(events);
  const headers = { "x-version": "1" };
  const response = uiResponse(
    { source: sourceOf(events), chunks, headers, lastData: "[DONE]", onDisconnect, keepAliveMs },
    errors,
  );
  return { response, gate, types, stopReason: end.promise };
}

function sourceOf(events: ToolLoopStream): UiSource {
  return { events, end: () => events.return() };
}

async function* typesOf(events: ToolLoopStream): AsyncGenerator<object, void> {
  for await (const { type } of events) yield { type };
}

Deno.test("uiResponse() sends one event per chunk, and then an event with lastData", async () => {
  const { gate, response } = respond();
  gate.release();
  assertEquals(response.headers.get("content-type"), "text/event-stream");
  assertEquals(response.headers.get("x-version"), "1");
  const text = await response.text();
  assertEquals(text.startsWith('data: {"type":"run_started"}\n\n'), true);
  assertEquals(text.endsWith('data: {"type":"run_finished"}\n\ndata: [DONE]\n\n'), true);
});

Deno.test("uiResponse() starts the run when the body is read, and waits for the reader", async () => {
  const { gate, response, types, stopReason } = respond();
  await Promise.resolve();
  assertEquals(types, []);
  const reader = response.body?.getReader();
  await reader?.read();
  // The run's event queue is full, so the model is not called until the reader continues.
  for (let turn = 0; turn < 100; turn++) await null;
  assertEquals(types.includes("tool_started"), false);
  while (!types.includes("tool_started")) await reader?.read();
  const cancelled = reader?.cancel();
  assertEquals(await stopReason, "aborted");
  await cancelled;
  gate.release();
});

Deno.test("uiResponse() sends comments while the run is silent", async () => {
  const { gate, response } = respond("abort", 1);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes(": keep-alive\n\n: keep-alive\n\n")) text += (await reader?.read())?.value;
  gate.release();
  while (!text.endsWith("data: [DONE]\n\n")) text += (await reader?.read())?.value;
  const types = text.split("\n\n").filter((event) => event.startsWith("data: {"));
  assertEquals(types.at(-1), 'data: {"type":"run_finished"}');
  await reader?.cancel();
});

Deno.test("uiResponse() lets the run finish if onDisconnect is continue", async () => {
  const { gate, response, stopReason, types } = respond("continue");
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  assertEquals(types.includes("tool_finished"), false);
  await gate.reached;
  gate.release();
  assertEquals(await stopReason, "model_stop");
});

Deno.test("uiResponse() aborts the run and reports the error if a chunk cannot be sent", async () => {
  const reported: unknown[] = [];
  const ended = Promise.withResolvers<string>();
  const onEvent = (event: LoopEvent): void => {
    if (event.type === "run_finished") ended.resolve(event.stopReason);
  };
  const gate = createGate();
  const registry = new ToolRegistry([
    { name: "wait", inputSchema: { type: "object" }, execute: () => gate.wait() },
  ]);
  const model = scriptedModel([{ calls: [{ toolName: "wait" }] }]);
  const events = streamToolLoop({ model, registry, onEvent, graceMs: 0 }, "Go", { maxQueued: 1 });
  const chunks = (async function* () {
    for await (const { type } of events) yield { type, size: 1n };
  })();
  const errors = createUiErrors("test", { onError: (error) => reported.push(error) });
  const response = uiResponse(
    { source: sourceOf(events), chunks, onDisconnect: "abort", keepAliveMs: 10_000 },
    errors,
  );
  const error = await assertRejects(() => response.text(), TypeError);
  assertEquals([await ended.promise, reported], ["aborted", [error]]);
  gate.release();
});

Deno.test("createUiErrors() prints the failure of an onError that throws or rejects", async () => {
  using print = stub(console, "error");
  const failures = [() => Promise.reject(new Error("rejected")), (): never => {
    throw new Error("thrown");
  }];
  for (const onError of failures) {
    createUiErrors("test", { onError }).report(new Error("of the run"));
  }
  for (let tick = 0; tick < 10; tick++) await undefined;
  const texts = print.calls.map(({ args }) => /Caused by: (.*)/.exec(String(args[0]))?.[1]);
  assertEquals(texts, ["Error: thrown", "Error: rejected"]);
});
