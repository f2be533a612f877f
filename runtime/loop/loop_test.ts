import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HealthProfile } from "../lifecycle/health.ts";
import { AgentError } from "../shared/error.ts";
import type { ModelMessage, ToolResultCode } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import {
  createGate,
  findTranscriptViolation,
  scriptedModel,
  type ScriptedTurn,
} from "../testing.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { type Tool, ToolError } from "../tools/tool.ts";
import type { LoopEvent } from "./events.ts";
import { runToolLoop } from "./loop.ts";
import type { ToolLoopConfig } from "./options.ts";
import { customStop, maxIterations, maxTotalTokens } from "./stop_conditions.ts";

const ANY = { type: "object" };
const add: Tool<{ a: number; b: number }> = {
  name: "add",
  inputSchema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
  execute: ({ a, b }) => a + b,
};

function tool(name: string, execute: Tool["execute"], more: Partial<Tool> = {}): Tool {
  return { name, inputSchema: ANY, execute, ...more };
}

/** Runs a scripted model and validates the output's transcript. */
async function play(
  turns: readonly ScriptedTurn[],
  tools: readonly Tool[] = [],
  config: Partial<ToolLoopConfig> = {},
): Promise<ToolLoopOutput> {
  const model = scriptedModel(turns);
  const output = await runToolLoop({ model, registry: new ToolRegistry(tools), ...config }, "go");
  assertEquals(findTranscriptViolation(output.messages), undefined);
  return output;
}

function resultsOf(output: ToolLoopOutput): unknown[] {
  return output.iterations.flatMap(({ toolResults }) =>
    toolResults.map(({ output: { type, ...rest } }) => [type, ...Object.values(rest)])
  );
}

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level++) value = { value };
  return value;
}

function call(toolName: string, input: unknown = {}): ScriptedTurn {
  return { calls: [{ toolName, input }] };
}

Deno.test("runToolLoop() returns results to the model until it requests no tools", async () => {
  const model = scriptedModel([call("add", { a: 1, b: 2 }), { text: "It is 3" }]);
  const registry = new ToolRegistry([add]);
  const output = await runToolLoop({ model, registry, systemPrompt: "Count" }, "1 + 2?");
  assertEquals(output.finalText, "It is 3");
  assertEquals(output.stopReason, "model_stop");
  assertEquals(output.stopConditionName, undefined);
  assertEquals(output.iterations.map(({ index }) => index), [0, 1]);
  assertEquals(output.totalUsage, { inputTokens: 2, outputTokens: 2, totalTokens: 4 });
  assertEquals(output.messages.map(({ role }) => role), [
    "system",
    "user",
    "assistant",
    "tool",
    "assistant",
  ]);
  assertEquals(output.messages[0]?.content, "Count");
  assertEquals(resultsOf(output), [["json", 3]]);
  const [first, second] = model.requests;
  assertEquals(first?.messages, output.messages.slice(0, 2));
  assertEquals(second?.messages, output.messages.slice(0, 4));
  assertEquals(first?.tools, registry.definitions());
  model.assertComplete();
});

Deno.test("runToolLoop() ends after one iteration if the model requests no tools", async () => {
  const output = await play([{
    content: [{ type: "text", text: "a" }, { type: "text", text: "b" }],
  }]);
  assertEquals([output.finalText, output.iterations.length], ["ab", 1]);
  assertEquals(output.iterations[0]?.toolResults, []);
  assertEquals((await play([{}])).finalText, "");
});

Deno.test("runToolLoop() continues an earlier conversation without its system message", async () => {
  const first = await play([{ text: "one" }], [], { systemPrompt: "old" });
  const second = await play([{ text: "two" }], [], {
    systemPrompt: "new",
    messages: first.messages,
  });
  assertEquals(second.messages.map(({ role }) => role), [
    "system",
    "user",
    "assistant",
    "user",
    "assistant",
  ]);
  assertEquals(second.messages[0]?.content, "new");
  assertEquals(first.messages.length, 3);
});

Deno.test("runToolLoop() returns results in call order even if the tools finish in another order", async () => {
  const started: string[] = [];
  const second = createGate();
  const output = await play([
    { calls: [{ toolName: "slow" }, { toolName: "fast" }] },
    { text: "done" },
  ], [
    tool("slow", async () => {
      started.push("slow");
      await second.reached;
      return "A";
    }),
    tool("fast", () => {
      started.push("fast");
      void second.wait();
      return "B";
    }),
  ]);
  assertEquals(started, ["slow", "fast"]);
  assertEquals(resultsOf(output), [["text", "A"], ["text", "B"]]);
});

Deno.test("runToolLoop() runs at most toolConcurrency tools concurrently", async () => {
  const three = createGate();
  let active = 0;
  let most = 0;
  const work = tool("work", async () => {
    most = Math.max(most, ++active);
    if (active === 3) three.release();
    await three.wait();
    active--;
  });
  const calls = Array.from({ length: 7 }, () => ({ toolName: "work" }));
  await play([{ calls }, {}], [work], { toolConcurrency: 3 });
  assertEquals(most, 3);
});

Deno.test("runToolLoop() runs no other tool while an exclusive tool is running", async () => {
  const log: string[] = [];
  const logged = (name: string, more: Partial<Tool> = {}): Tool =>
    tool(name, async () => {
      log.push(`${name}+`);
      await Promise.resolve();
      log.push(`${name}-`);
    }, more);
  await play([
    { calls: ["a", "x", "b"].map((toolName) => ({ toolName })) },
    {},
  ], [logged("a"), logged("x", { exclusive: true }), logged("b")]);
  assertEquals(log, ["a+", "a-", "x+", "x-", "b+", "b-"]);
});

/** Failures that do not end the run, each with part of the text that the model receives. */
const FAILURES: readonly [string, ScriptedTurn, Tool[], string, ToolResultCode | undefined][] = [
  [
    "an unknown tool",
    call("nope"),
    [tool("now", () => 1)],
    "Available tools: now",
    "tool_not_found",
  ],
  [
    "a tool named like an inherited property",
    call("__proto__"),
    [],
    "Available tools: none",
    "tool_not_found",
  ],
  [
    "input that is not valid JSON",
    { calls: [{ toolName: "add", rawInput: "{oops" }] },
    [add as Tool],
    "not valid JSON",
    "invalid_input",
  ],
  [
    "input that does not match the schema",
    call("add", { a: 1, b: "2" }),
    [add as Tool],
    "/b: ",
    "invalid_input",
  ],
  [
    "a missing property",
    call("add", { a: 1 }),
    [add as Tool],
    '"b" is required',
    "invalid_input",
  ],
  [
    "input that is not a JSON value",
    call("add", { a: 1n, b: () => 2 }),
    [add as Tool],
    "not valid JSON",
    "invalid_input",
  ],
  [
    "input that is nested too deeply",
    call("add", nested(100_000)),
    [add as Tool],
    "not valid JSON",
    "invalid_input",
  ],
  [
    "a tool that throws",
    call("t"),
    [tool("t", () => {
      throw new Error("kaboom");
    })],
    "kaboom",
    "tool_execution_failed",
  ],
  [
    "a tool that rejects",
    call("t"),
    [tool("t", () => Promise.reject(new Error("later")))],
    "later",
    "tool_execution_failed",
  ],
  [
    "a tool that throws undefined",
    call("t"),
    [tool("t", () => Promise.reject(undefined))],
    "undefined",
    "tool_execution_failed",
  ],
  [
    "a ToolError with data",
    call("t"),
    [tool("t", () => {
      throw new ToolError({ tryThis: 1 });
    })],
    "tryThis",
    "tool_execution_failed",
  ],
  [
    "a circular result",
    call("t"),
    [tool("t", () => {
      const a: Record<string, unknown> = {};
      a.a = a;
      return a;
    })],
    "not serializable",
    "not_serializable",
  ],
  ["a BigInt result", call("t"), [tool("t", () => 1n)], "not serializable", "not_serializable"],
  [
    "a function as a result",
    call("t"),
    [tool("t", () => ({ f: () => 1 }))],
    '"f" is not a JSON value (a function)',
    "not_serializable",
  ],
  [
    "a call in a truncated response",
    { calls: [{ toolName: "add", input: { a: 1, b: 2 } }], finishReason: "length" },
    [add as Tool],
    "response was truncated",
    "output_truncated",
  ],
];
for (const [what, turn, tools, text, code] of FAILURES) {
  Deno.test(`runToolLoop() reports ${what} to the model and continues`, async () => {
    const output = await play([turn, { text: "sorry" }], tools);
    const [result] = output.iterations[0]?.toolResults ?? [];
    assertEquals([output.finalText, result?.isError, result?.code], ["sorry", true, code]);
    assertStringIncludes(JSON.stringify(result?.output), JSON.stringify(text).slice(1, -1));
  });
}

Deno.test("runToolLoop() reports results that JSON cannot represent to the model", async () => {
  const values: [unknown, string][] = [
    [new Map([[1, 2]]), "not a JSON value ([object Map])"],
    [{ all: new Set([1]) }, '"all" is not a JSON value ([object Set])'],
    [{ data: Promise.resolve(1) }, '"data" is not a JSON value ([object Promise])'],
    [[1, NaN], '"1" is not a JSON value (NaN)'],
    [-Infinity, "not a JSON value (-Infinity)"],
    [{ why: new Error("boom") }, '"why" is not a JSON value (boom)'],
    [new Response("x"), "not a JSON value ([object Response])"],
    [Symbol("s"), "not a JSON value (Symbol(s))"],
    [Object.assign(() => 1, { a: 1 }), "not a JSON value (a function)"],
  ];
  for (const [value, fact] of values) {
    const text = `The result is not serializable: ${fact}`;
    assertEquals(
      resultsOf(await play([call("t"), {}], [tool("t", () => value)])),
      [["error-text", text]],
    );
  }
});

Deno.test("runToolLoop() converts tool results to plain JSON data", async () => {
  const values: [unknown, unknown[]][] = [
    ["text", ["text", "text"]],
    [undefined, ["text", ""]],
    [null, ["json", null]],
    [{ when: new Date(0), none: undefined }, ["json", { when: "1970-01-01T00:00:00.000Z" }]],
    [[1, { a: [] }], ["json", [1, { a: [] }]]],
    [[undefined, new Date(0), {}], ["json", [null, "1970-01-01T00:00:00.000Z", {}]]],
    [Object.assign(Object.create(null), { a: "" }), ["json", { a: "" }]],
    [JSON.parse('{"__proto__":{"a":[1]}}'), ["json", JSON.parse('{"__proto__":{"a":[1]}}')]],
  ];
  for (const [value, expected] of values) {
    assertEquals(resultsOf(await play([call("t"), {}], [tool("t", () => value)])), [expected]);
  }
});

Deno.test("runToolLoop() makes tool call ids unique in the whole transcript and in model_finished events", async () => {
  const earlier: ModelMessage[] = [
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "t", input: {} }],
    },
    {
      role: "tool",
      content: [{
        type: "tool-result",
        toolCallId: "c",
        toolName: "t",
        output: { type: "text", value: "" },
        isError: false,
        durationMs: 0,
      }],
    },
  ];
  const calls = ["c", "c", "", "d"].map((toolCallId) => ({ toolName: "t", toolCallId }));
  const finished: unknown[] = [];
  const onEvent = (event: LoopEvent): void => {
    if (event.type === "model_finished") finished.push(event.message);
  };
  const output = await play([{ calls }, {}], [tool("t", () => 1)], { messages: earlier, onEvent });
  assertEquals(finished, output.iterations.map(({ assistantMessage }) => assistantMessage));
  assertEquals(output.iterations[0]?.toolCalls.map(({ toolCallId }) => toolCallId), [
    "c_2",
    "c_3",
    "call_0_2",
    "d",
  ]);
});

/**
 * Number of times that the content of an earlier message is read, to validate and convert it and to
 * collect call ids.
 */
const READS = 4;

Deno.test("runToolLoop() reads the call ids of earlier messages only once", async () => {
  let looks = 0;
  const earlier: ModelMessage = {
    role: "assistant",
    get content() {
      looks++;
      return [{ type: "text" as const, text: "Hello" }];
    },
  };
  const ids = ["", "same", "same", "own", "same"];
  const turns = ids.map((toolCallId) => ({ calls: [{ toolName: "t", toolCallId }] }));
  const output = await runToolLoop({
    model: scriptedModel([...turns, {}]),
    registry: new ToolRegistry([tool("t", () => 1)]),
    messages: [earlier],
  }, "go");
  assertEquals(
    output.iterations.flatMap(({ toolCalls }) => toolCalls.map(({ toolCallId }) => toolCallId)),
    ["call_0_0", "same", "same_2", "own", "same_3"],
  );
  // The number of reads does not grow with the number of iterations.
  assertEquals(looks, READS);
});

/** Malformed model responses. */
const RUBBISH: readonly unknown[] = [
  undefined,
  null,
  "text",
  { message: null },
  { message: { role: "assistant", content: "text" } },
  { message: { content: [{ type: "text", text: 5 }] } },
  { message: { content: [{ type: "tool-call", toolName: {} }] } },
  { message: { content: [{ type: "mystery" }] } },
  { message: { content: [null] } },
  { message: { content: [] }, finishReason: "error" },
];
for (const [index, answer] of RUBBISH.entries()) {
  Deno.test(`runToolLoop() rejects with model_error on malformed response ${index}`, async () => {
    const turns = [call("add", { a: 1, b: 2 }), () => answer];
    const error = await assertRejects(() => play(turns, [add as Tool]), AgentError);
    assertEquals(error.code, "model_error");
    assertEquals(error.partialOutput?.messages.length, 3);
    assertEquals(findTranscriptViolation(error.partialOutput?.messages ?? []), undefined);
  });
}

Deno.test("runToolLoop() accepts a response with unusual but valid members", async () => {
  const odd = {
    message: { content: [{ type: "tool-call", toolName: "t", toolCallId: 7 }], role: "x" },
    finishReason: "banana",
    usage: { inputTokens: "many", outputTokens: -1, totalTokens: NaN },
  };
  const output = await play([() => odd, {}], [tool("t", (input) => input)]);
  assertEquals(resultsOf(output), [["json", {}]]);
  assertEquals(output.iterations[0]?.usage, {
    inputTokens: 0,
    outputTokens: 0,
    totalTokens: 0,
    estimated: true,
  });
  assertEquals(output.totalUsage.estimated, true);
});

Deno.test("runToolLoop() rejects with the model's error and the partial output", async () => {
  const failing = [call("add", { a: 1, b: 2 }), { error: new Error("no key") }];
  const health = new HealthProfile();
  const error = await assertRejects(
    () => play(failing, [add as Tool], { healthProfile: health }),
    AgentError,
    "no key",
  );
  assertEquals(error.code, "model_error");
  assertEquals(error.partialOutput?.iterations.length, 1);
  assertEquals(health.snapshot().errors, 1);
  const { messages = [] } = error.partialOutput ?? {};
  assertEquals((await play([{ text: "ok" }], [], { messages })).finalText, "ok");
});

Deno.test("runToolLoop() retries a model call that fails with a retryable error", async () => {
  const busy = { error: AgentError.modelError("busy", { retryable: true, retryAfterMs: 0 }) };
  const health = new HealthProfile();
  const output = await play([busy, busy, { text: "ok" }], [], { healthProfile: health });
  assertEquals([output.finalText, health.inferenceCalls, health.errors], ["ok", 3, 2]);
  const error = await assertRejects(() => play([busy, busy, busy]), AgentError, "busy");
  assertEquals(error.details, { reason: "busy" });
  await assertRejects(() => play([busy], [], { modelRetries: 0 }), AgentError, "busy");
});

Deno.test("runToolLoop() executes tool calls even if the finish reason is stop", async () => {
  const output = await play(
    [{ calls: [{ toolName: "t" }], finishReason: "stop" }, { text: "ok" }],
    [tool("t", () => 1)],
  );
  assertEquals([output.finalText, output.iterations.length], ["ok", 2]);
});

Deno.test("runToolLoop() reports why a response without tool calls is incomplete", async () => {
  assertEquals(
    (await play([{ text: "I", finishReason: "length" }])).stopReason,
    "output_truncated",
  );
  assertEquals((await play([{ finishReason: "content-filter" }])).stopReason, "content_filtered");
  assertEquals((await play([{ finishReason: "tool-calls" }])).stopReason, "model_stop");
});

Deno.test("runToolLoop() ends at the iteration limit, which is 10 by default", async () => {
  const turns = Array.from({ length: 20 }, () => call("t"));
  const output = await play(turns, [tool("t", () => 1)]);
  assertEquals([output.stopReason, output.stopConditionName, output.iterations.length], [
    "max_iterations",
    "maxIterations",
    10,
  ]);
  const lower = await play(turns, [tool("t", () => 1)], { stopConditions: [maxIterations(2)] });
  assertEquals(lower.iterations.length, 2);
});

Deno.test('runToolLoop() rejects at the iteration limit if onMaxIterations is "throw"', async () => {
  const error = await assertRejects(
    () =>
      play([{ calls: [{ toolName: "t" }, { toolName: "u" }] }], [tool("t", () => 1)], {
        maxIterations: 1,
        onMaxIterations: "throw",
      }),
    AgentError,
  );
  assert(error.isMaxIterationsExceeded());
  assertEquals(error.details, { maxIterations: 1, lastToolNames: ["t", "u"] });
  assertEquals(error.partialOutput?.iterations.length, 1);
});

Deno.test('runToolLoop() calls the model without tools at the limit if onMaxIterations is "finalize"', async () => {
  const model = scriptedModel([call("t"), { text: "so far", calls: [{ toolName: "t" }] }]);
  const registry = new ToolRegistry([tool("t", () => 1)]);
  const output = await runToolLoop({
    model,
    registry,
    maxIterations: 1,
    onMaxIterations: "finalize",
  }, "go");
  assertEquals([output.finalText, output.stopReason, output.iterations.length], [
    "so far",
    "max_iterations",
    2,
  ]);
  assertEquals([model.requests[1]?.tools, model.requests[1]?.options], [[], {
    toolChoice: "none",
  }]);
  assertEquals(findTranscriptViolation(output.messages), undefined);
});

Deno.test("runToolLoop() reports the triggered stop condition only if the model requested tools", async () => {
  const stop = [customStop("mine", () => true), maxTotalTokens(1)];
  const output = await play([call("t")], [tool("t", () => 1)], { stopConditions: stop });
  assertEquals([output.stopReason, output.stopConditionName], [
    "max_total_tokens",
    "maxTotalTokens",
  ]);
  const natural = await play([{ text: "hi" }], [], { stopConditions: stop, maxIterations: 1 });
  assertEquals([natural.stopReason, natural.stopConditionName], ["model_stop", undefined]);
});

Deno.test("runToolLoop() rejects if a stop condition throws", async () => {
  const broken = customStop("mine", () => {
    throw new Error("bug");
  });
  const error = await assertRejects(
    () => play([call("t")], [], { stopConditions: [broken] }),
    AgentError,
    "bug",
  );
  assertEquals([error.code, error.partialOutput?.iterations.length], ["core", 1]);
});

Deno.test("runToolLoop() ends if a tool calls stop()", async () => {
  const output = await play([call("t")], [tool("t", (_, context) => {
    context.stop();
    return "bye";
  })]);
  assertEquals([output.stopReason, output.stopConditionName], ["tool_stop", "toolStop"]);
});

Deno.test("runToolLoop() rejects if a tool is unknown or fails and the option for this case is `throw`", async () => {
  const unknown = await assertRejects(
    () => play([call("x")], [], { onUnknownTool: "throw" }),
    AgentError,
  );
  assert(unknown.isToolNotFound());
  assertEquals(unknown.partialOutput?.messages.length, 1);
  const failing = await assertRejects(
    () =>
      play([call("t")], [tool("t", () => {
        throw new Error("kaboom");
      })], { onToolError: "throw" }),
    AgentError,
    "kaboom",
  );
  assertEquals([failing.code, failing.partialOutput?.messages.length], [
    "tool_execution_failed",
    3,
  ]);
});

Deno.test("runToolLoop() does not execute calls beyond maxToolCallsPerIteration", async () => {
  let executed = 0;
  const calls = Array.from({ length: 5 }, () => ({ toolName: "t" }));
  const output = await play([{ calls }, {}], [tool("t", () => ++executed)], {
    maxToolCallsPerIteration: 2,
  });
  assertEquals(executed, 2);
  assertEquals(output.iterations[0]?.toolResults.map(({ code }) => code), [
    undefined,
    undefined,
    "too_many_calls",
    "too_many_calls",
    "too_many_calls",
  ]);
});

Deno.test("runToolLoop() resolves as aborted with a valid transcript at any step", async () => {
  const inModel = createGate();
  const inTool = createGate();
  const inApproval = createGate();
  const tools = [tool("quick", () => "ok"), tool("stuck", () => inTool.wait())];
  const calls = [{ toolName: "quick" }, { toolName: "stuck" }, { toolName: "quick" }];
  const cases: [
    string,
    ScriptedTurn[],
    Promise<void>,
    Partial<ToolLoopConfig>,
    (string | undefined)[],
  ][] = [
    ["model", [() => inModel.wait()], inModel.reached, {}, []],
    ["tool", [{ calls }], inTool.reached, { toolConcurrency: 2 }, [
      undefined,
      "outcome_unknown",
      "not_started",
    ]],
    [
      "approval",
      [{ calls }],
      inApproval.reached,
      {
        approvalHandler: async () => {
          await inApproval.wait();
          return true;
        },
      },
      ["not_started", "not_started", "not_started"],
    ],
  ];
  for (const [where, turns, reached, config, codes] of cases) {
    const controller = new AbortController();
    const run = play(turns, tools, { graceMs: 0, signal: controller.signal, ...config });
    await reached;
    controller.abort();
    const output = await run;
    assertEquals(output.stopReason, "aborted", where);
    assertEquals(
      output.iterations.flatMap(({ toolResults }) => toolResults.map(({ code }) => code)),
      codes,
      where,
    );
  }
  for (const gate of [inModel, inTool, inApproval]) gate.release();
});

Deno.test("runToolLoop() keeps the result of a tool that finishes within the grace period after an abort", async () => {
  const controller = new AbortController();
  const output = await play([call("t")], [tool("t", async (_, { signal }) => {
    controller.abort();
    await new Promise((resolve) => resolve(signal.aborted));
    return "saved";
  })], { signal: controller.signal });
  assertEquals([output.stopReason, resultsOf(output)], ["aborted", [["text", "saved"]]]);
});

Deno.test("runToolLoop() keeps the result of a tool that aborts the run and returns immediately", async () => {
  const ways: ((abort: () => void) => unknown)[] = [
    (abort) => (abort(), "saved"),
    (abort) => (abort(), Promise.resolve("saved")),
    async (abort) => {
      await Promise.resolve();
      abort();
      return await Promise.resolve("saved");
    },
  ];
  for (const way of ways) {
    const controller = new AbortController();
    const output = await play([call("t")], [tool("t", () => way(() => controller.abort()))], {
      signal: controller.signal,
      graceMs: 0,
    });
    assertEquals([output.stopReason, resultsOf(output)], ["aborted", [["text", "saved"]]]);
  }
});

Deno.test("runToolLoop() does not call the model if the signal is already aborted", async () => {
  const model = scriptedModel([]);
  const output = await runToolLoop({
    model,
    registry: new ToolRegistry(),
    signal: AbortSignal.abort(),
  }, "go");
  assertEquals([output.stopReason, output.messages.length, model.requests.length], [
    "aborted",
    1,
    0,
  ]);
});

Deno.test('runToolLoop() rejects with the signal\'s reason and the output if onAbort is "throw"', async () => {
  const reason = new Error("enough");
  const error = await assertRejects(
    () => play([], [], { signal: AbortSignal.abort(reason), onAbort: "throw" }),
    Error,
  );
  assertEquals(error, reason);
  assertEquals(
    Object.getOwnPropertyDescriptor(error, "partialOutput")?.value.stopReason,
    "aborted",
  );
});

Deno.test("runToolLoop() emits events in order, and returns the same output without a listener", async () => {
  const events: LoopEvent[] = [];
  const turns = [call("add", { a: 1, b: 2 }), { text: "It is 3" }];
  const observed = await play(turns, [add as Tool], {
    onEvent: (event) => events.push(event),
    approvalHandler: () => ({ decision: "approve" }),
    runId: "r",
    now: () => 1_000 + events.length,
  });
  assertEquals(events.map(({ at }) => at), events.map((_, index) => 1_000 + index));
  assertEquals(events.map(({ type }) => type), [
    "run_started",
    "iteration_started",
    "model_started",
    "tool_input_delta",
    "model_finished",
    "approval_requested",
    "approval_decided",
    "tool_started",
    "tool_finished",
    "iteration_finished",
    "iteration_started",
    "model_started",
    "text_delta",
    "text_delta",
    "text_delta",
    "model_finished",
    "iteration_finished",
    "run_finished",
  ]);
  assert(events.every(({ runId, path }) => runId === "r" && path.join() === "agent"));
  const unobserved = await play(turns, [add as Tool]);
  assertEquals(observed.messages.length, unobserved.messages.length);
  assertEquals(observed.finalText, unobserved.finalText);
});

Deno.test("runToolLoop() rejects if the listener throws, and emits no further events", async () => {
  let told = 0;
  const onEvent = (): void => {
    told++;
    throw new Error("deaf");
  };
  const error = await assertRejects(
    () => play([{ text: "hi" }], [], { onEvent }),
    AgentError,
    "deaf",
  );
  assertEquals([error.code, told], ["core", 1]);
});

Deno.test("a run whose listener throws executes no further tools and has a valid transcript", async () => {
  for (const [type, expected] of [["model_finished", []], ["tool_finished", ["first"]]] as const) {
    const executed: string[] = [];
    const toolNamed = (name: string): Tool => ({
      name,
      inputSchema: { type: "object" },
      execute: () => executed.push(name),
    });
    const error = await assertRejects(
      () =>
        play(
          [{ calls: [{ toolName: "first" }, { toolName: "second" }] }, { text: "done" }],
          [toolNamed("first"), toolNamed("second")],
          {
            toolConcurrency: 1,
            onEvent: (event) => {
              if (event.type === type) throw new Error("deaf");
            },
          },
        ),
      AgentError,
      "deaf",
    );
    assertEquals(executed, [...expected], type);
    const [{ toolResults = [] } = {}] = error.partialOutput?.iterations ?? [];
    assertEquals(
      toolResults.map(({ output }) => "value" in output ? output.value : ""),
      [expected.length === 0 ? "Not executed: the run failed" : 1, "Not executed: the run failed"],
    );
  }
});

Deno.test("runToolLoop() removes its abort listener if the output schema is invalid", async () => {
  const { signal } = new AbortController();
  let listeners = 0;
  signal.addEventListener = () => {
    listeners++;
  };
  signal.removeEventListener = () => {
    listeners--;
  };
  const output = { type: "string" };
  await assertRejects(() => play([{ text: "hi" }], [], { output, signal }), TypeError);
  assertEquals(listeners, 0);
});

Deno.test("runToolLoop() throws if a limit is invalid or the message is not a string", async () => {
  const wrong: Partial<ToolLoopConfig>[] = [
    { maxIterations: 0 },
    { maxIterations: 1.5 },
    { toolConcurrency: NaN },
    { toolTimeoutMs: -1 },
    { modelRetries: 0.5 },
  ];
  for (const config of wrong) await assertRejects(() => play([], [], config), RangeError);
  const config = { model: scriptedModel([]), registry: new ToolRegistry() };
  await assertRejects(() => runToolLoop(config, undefined as unknown as string), TypeError);
});

Deno.test('runToolLoop() reports an abort during the final model call of `onMaxIterations: "finalize"`', async () => {
  const start = async (more: Partial<ToolLoopConfig>): Promise<ToolLoopOutput> => {
    const controller = new AbortController();
    const stuck = createGate();
    const run = runToolLoop({
      model: scriptedModel([
        { calls: [{ toolName: "work" }] },
        async () => {
          await stuck.wait();
          return { text: "too late" };
        },
      ]),
      registry: new ToolRegistry([
        { name: "work", inputSchema: { type: "object" }, execute: () => "" },
      ]),
      maxIterations: 1,
      onMaxIterations: "finalize",
      signal: controller.signal,
      ...more,
    }, "go");
    await stuck.reached;
    controller.abort(new Error("stop"));
    stuck.release();
    return await run;
  };
  const output = await start({});
  assertEquals([output.stopReason, output.stopConditionName, output.iterations.length], [
    "aborted",
    undefined,
    1,
  ]);
  await assertRejects(() => start({ onAbort: "throw" }), Error, "stop");
});
