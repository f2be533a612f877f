import {
  assert,
  assertEquals,
  assertRejects,
  assertStrictEquals,
  assertStringIncludes,
} from "@std/assert";
import { stub } from "@std/testing/mock";
import { createSubAgent, ToolLoopAgent } from "../mod.ts";
import { MemoryJournal, recordSteps } from "../journal.ts";
import { AgentError } from "../shared/error.ts";
import { scriptedModel, type ScriptedTurn } from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { type Tool, ToolError } from "../tools/tool.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";
import { streamToolLoop } from "./stream.ts";

const BUG = new TypeError("Cannot read properties of undefined (reading 'foo')");
const CALL: ScriptedTurn = { calls: [{ toolName: "work" }] };

/** Errors that a run reported, events that it emitted, and its result. */
interface Observed {
  readonly reported: unknown[];
  readonly events: LoopEvent[];
  /** Transcript and journal as text. */
  readonly recorded: string;
}

async function observe(
  execute: Tool["execute"],
  options: Partial<ToolLoopConfig> = {},
): Promise<Observed> {
  const reported: unknown[] = [];
  const events: LoopEvent[] = [];
  const journal = new MemoryJournal();
  const inputSchema = { type: "object", properties: { a: { type: "number" } } };
  const output = await runToolLoop({
    model: scriptedModel([CALL, { text: "done" }]),
    registry: new ToolRegistry([{ name: "work", inputSchema, execute }]),
    stepRunner: recordSteps(journal),
    onError: (error) => reported.push(error),
    onEvent: (event) => events.push(event),
    ...options,
  }, "go");
  return { reported, events, recorded: JSON.stringify([output.messages, journal.toText()]) };
}

function throwBug(): never {
  throw BUG;
}

function errorsOf(events: readonly LoopEvent[], type: LoopEvent["type"]): unknown[] {
  return events.flatMap((event) => event.type === type && "error" in event ? [event.error] : []);
}

Deno.test("an exception from a tool reaches onError and the event, but neither the transcript nor the journal", async () => {
  const { reported: [error], events, recorded } = await observe(throwBug);
  assert(AgentError.isAgentError(error) && error.is("tool_execution_failed"));
  assertEquals(error.details.toolName, "work");
  assertStrictEquals(error.cause, BUG);
  assertStrictEquals(errorsOf(events, "tool_finished")[0], BUG);
  assert(!recorded.includes("on_error_test.ts"));
});

Deno.test("a result that is not serializable reaches onError", async () => {
  const { reported: [error] } = await observe(() => () => {});
  assert(AgentError.isAgentError(error) && error.is("tool_execution_failed"));
  assertEquals(error.details.reason, "not a JSON value (a function)");
});

Deno.test("a ToolError reaches the event, but not onError", async () => {
  const expected = new ToolError("no such file");
  const { reported, events } = await observe(() => {
    throw expected;
  });
  assertEquals(reported, []);
  assertStrictEquals(errorsOf(events, "tool_finished")[0], expected);
});

Deno.test("a run that rejects with the tool's error has the exception as its cause", async () => {
  const reported: unknown[] = [];
  const error = await assertRejects(
    () => observe(throwBug, { onToolError: "throw", onError: (error) => reported.push(error) }),
    AgentError,
    "reading 'foo'",
  );
  assertStrictEquals(error.cause, BUG);
  assertEquals(reported, []);
});

Deno.test("an exception from the approval handler reaches onError and the event", async () => {
  const { reported: [error], events, recorded } = await observe(() => "x", {
    approvalHandler: throwBug,
  });
  assert(AgentError.isAgentError(error));
  assertEquals(
    error.message,
    `Cannot decide on the call to tool "work": ${BUG.message}`,
  );
  assertStrictEquals(error.cause, BUG);
  assertStrictEquals(errorsOf(events, "approval_decided")[0], BUG);
  assert(recorded.includes("The approval handler failed"));
  assert(!recorded.includes("reading 'foo'"));
});

Deno.test("an approval handler that returns no decision is named in onError", async () => {
  const { reported: [error], recorded } = await observe(() => "x", {
    approvalHandler: (() => undefined) as never,
  });
  assertEquals(
    AgentError.isAgentError(error) && error.message,
    'Cannot decide on the call to tool "work": "approvalHandler" must return a boolean or an ApprovalDecision, got undefined',
  );
  assert(recorded.includes("The approval handler did not return a valid decision"));
});

Deno.test("an exception from repairToolCall reaches onError", async () => {
  const { reported: [error] } = await observe(() => "x", {
    model: scriptedModel([{ calls: [{ toolName: "work", input: { a: "1" } }] }, { text: "done" }]),
    repairToolCall: throwBug,
  });
  assertEquals(
    AgentError.isAgentError(error) && [error.message, error.cause],
    [`Cannot repair the call to tool "work": ${BUG.message}`, BUG],
  );
});

Deno.test("an exception from a listener for run_failed reaches onError", async () => {
  const reported: unknown[] = [];
  await assertRejects(
    () =>
      observe(() => "x", {
        model: scriptedModel([]),
        onError: (error) => reported.push(error),
        onEvent: ({ type }) => type === "run_failed" && throwBug(),
      }),
    AgentError,
    "Cannot get a response from the model",
  );
  const [error] = reported;
  assert(AgentError.isAgentError(error));
  assertEquals(error.message, `Cannot deliver event "run_failed": ${BUG.message}`);
});

Deno.test("an exception from a listener for tool_finished rejects the run and is not reported", async () => {
  const reported: unknown[] = [];
  const error = await assertRejects(
    () =>
      observe(() => "x", {
        onError: (error) => reported.push(error),
        onEvent: ({ type }) => type === "tool_finished" && throwBug(),
      }),
    AgentError,
    'Cannot deliver event "tool_finished"',
  );
  assertStrictEquals(error.cause, BUG);
  assertEquals(reported, []);
});

Deno.test("the rejection of an async event listener reaches onError, and the run and the listener continue", async () => {
  const reported: unknown[] = [];
  const seen: string[] = [];
  const onEvent = async ({ type }: LoopEvent): Promise<void> => {
    seen.push(type);
    await Promise.resolve();
    if (type === "run_started") throw BUG;
  };
  const output = await runToolLoop({
    model: scriptedModel([{ text: "done" }]),
    registry: new ToolRegistry(),
    onError: (error) => reported.push(error),
    onEvent,
  }, "go");
  assertEquals([output.finalText, seen.at(0), seen.at(-1)], [
    "done",
    "run_started",
    "run_finished",
  ]);
  assertEquals(reported.length, 1);
  const [error] = reported;
  assert(AgentError.isAgentError(error));
  assertEquals(error.message, `Cannot deliver event "run_started": ${BUG.message}`);
  assertStrictEquals(error.cause, BUG);
});

Deno.test("the rejection of an async listener for run_finished is printed if the run has no onError", async () => {
  using print = stub(console, "error");
  const onEvent = ({ type }: LoopEvent): Promise<void> =>
    type === "run_finished" ? Promise.reject(BUG) : Promise.resolve();
  const model = scriptedModel([{ text: "done" }]);
  await runToolLoop({ model, registry: new ToolRegistry(), onEvent }, "go");
  await Promise.resolve();
  assertStringIncludes(String(print.calls[0]?.args[0]), BUG.message);
});

Deno.test("the error of a run whose event stream was closed reaches onError", async () => {
  const reported: unknown[] = [];
  const failing = streamToolLoop({
    model: scriptedModel([CALL]),
    registry: new ToolRegistry([{ name: "work", inputSchema: {}, execute: throwBug }]),
    onToolError: "throw",
    onError: (error) => reported.push(error),
  }, "go");
  for await (const { type } of failing) if (type === "tool_finished") break;
  assertEquals(reported.map((error) => AgentError.isAgentError(error) && error.code), [
    "tool_execution_failed",
  ]);
});

Deno.test("an agent and its sub-agents report to the same onError", async () => {
  const reported: unknown[] = [];
  const boss = new ToolLoopAgent({
    name: "boss",
    model: scriptedModel([]),
    registry: new ToolRegistry([{ name: "work", inputSchema: {}, execute: throwBug }]),
    onError: (error) => reported.push(error),
  });
  const child = createSubAgent(boss, {
    name: "child",
    model: scriptedModel([CALL, { text: "done" }]),
  });
  await child.initialize();
  await child.run("go");
  await boss.terminate();
  assertEquals(reported.length, 1);
});

Deno.test("without onError, errors are printed to standard error", async () => {
  const { error } = console;
  const lines: string[] = [];
  console.error = (line) => lines.push(line);
  try {
    await runToolLoop({
      model: scriptedModel([CALL, CALL, { text: "done" }]),
      registry: new ToolRegistry([{ name: "work", inputSchema: {}, execute: throwBug }]),
      agentName: "clerk",
    }, "go");
  } finally {
    console.error = error;
  }
  assertEquals(lines.length, 1);
  assert(lines[0]?.startsWith('Agent "clerk": AgentError: Cannot execute tool "work"'));
  assert(lines[0]?.includes("Caused by: TypeError: Cannot read properties"));
});

Deno.test("an exception from a schema reaches onError, and the event of a tool", async () => {
  const schema = {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate: throwBug,
      jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
    },
  };
  const reported: unknown[] = [];
  const events: LoopEvent[] = [];
  const { value, stopReason } = await runToolLoop({
    model: scriptedModel([CALL, { text: "{}" }]),
    registry: new ToolRegistry([{ name: "work", inputSchema: schema, execute: () => "ok" }]),
    output: schema,
    outputRetries: 0,
    onError: (error) => reported.push(error),
    onEvent: (event) => events.push(event),
  }, "go");
  assertEquals([value, stopReason], [undefined, "output_invalid"]);
  assertEquals(reported.map(String), [
    `AgentError: Cannot validate the input of tool "work": ${BUG.message}`,
    `AgentError: Cannot validate the final answer: ${BUG.message}`,
  ]);
  assertEquals(errorsOf(events, "tool_finished"), [BUG]);
});
