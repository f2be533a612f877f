import { runInNewContext } from "node:vm";
import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ToolLoopAgent } from "../agent/agent.ts";
import { HealthProfile } from "../lifecycle/health.ts";
import { autoApprove, readApprovalDecision } from "../loop/approval.ts";
import { requireValue } from "../loop/final_answer.ts";
import { runToolLoop } from "../loop/loop.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import { ToolRegistry } from "../tools/registry.ts";
import { AgentError, errorMessageOf } from "./error.ts";
import { AgentErrorCode } from "./error_codes.ts";
import { isJsonValue } from "./json.ts";
import { FINISH_REASONS } from "./model.ts";
import { readToolInput } from "./read_tool_input.ts";
import type { TypedOutput } from "./output.ts";
import { jsonSchema } from "./typed_schema.ts";
import { addUsage, NO_USAGE, type TokenUsage, UNKNOWN_USAGE } from "./usage.ts";

Deno.test("isJsonValue() accepts exactly the values that a JSON round trip preserves", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const isNegativeZero =
        JSON.stringify(value) !== JSON.stringify(JSON.parse(JSON.stringify(value)));
      assert(isJsonValue(value) || isNegativeZero);
    }),
    propertyRuns(200),
  );
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const others: unknown[] = [
    undefined,
    NaN,
    Infinity,
    1n,
    () => 1,
    Symbol("s"),
    new Date(),
    new Map(),
    Object.assign([], { 1: 1 }),
    { a: undefined },
    { toJSON: () => 1 },
    cycle,
  ];
  for (const other of others) assertEquals(isJsonValue(other), false);
  assert(isJsonValue(Object.assign(Object.create(null), { a: 1 })));
  assert(isJsonValue([[[]]], 3) && !isJsonValue([[[]]], 2));
});

Deno.test("isJsonValue() accepts plain objects of other realms, and no other objects", () => {
  const plain: unknown = runInNewContext(
    "({ list: [{ a: 1 }], empty: {}, bare: Object.assign(Object.create(null), { b: null }) })",
  );
  assert(Object.getPrototypeOf(plain) !== Object.prototype);
  assert(isJsonValue(plain));
  const others: readonly unknown[] = [
    runInNewContext("new Map([[1, 2]])"),
    runInNewContext("new (class Point { x = 1 })()"),
    Object.create(Object.assign(Object.create(null), { inherited: 1 })),
  ];
  for (const other of others) assertEquals(isJsonValue(other), false);
});

Deno.test("addUsage() is commutative and has a neutral element", () => {
  const count = fc.nat({ max: 1e6 });
  const usage: fc.Arbitrary<TokenUsage> = fc.record({
    inputTokens: count,
    outputTokens: count,
    totalTokens: count,
    cachedInputTokens: count,
    reasoningTokens: count,
    cacheWriteTokens: count,
    estimated: fc.constant(true as const),
  }, { requiredKeys: ["inputTokens", "outputTokens", "totalTokens"] });
  fc.assert(
    fc.property(usage, usage, usage, (a, b, c) => {
      assertEquals(addUsage(a, NO_USAGE), a);
      assertEquals(addUsage(a, b), addUsage(b, a));
      assertEquals(addUsage(addUsage(a, b), c), addUsage(a, addUsage(b, c)));
    }),
    propertyRuns(200),
  );
  assertEquals(addUsage(UNKNOWN_USAGE, NO_USAGE).estimated, true);
});

/** Errors of every named constructor, with the expected code, details and message. */
const ERRORS: readonly [AgentError, string, Record<string, unknown>, string][] = [
  [
    AgentError.maxIterationsExceeded(3, ["a", "a"]),
    "max_iterations_exceeded",
    { maxIterations: 3, lastToolNames: ["a", "a"] },
    "Cannot finish the run within 3 iterations: the last iteration called a, a",
  ],
  [
    AgentError.toolNotFound("x", []),
    "tool_not_found",
    { toolName: "x", available: [] },
    'Cannot find tool "x": not registered; available tools: none',
  ],
  [AgentError.toolExecutionFailed("x", "r"), "tool_execution_failed", {
    toolName: "x",
    reason: "r",
  }, 'Cannot execute tool "x": r'],
  [
    AgentError.modelError("r", { status: 500 }),
    "model_error",
    { reason: "r", status: 500 },
    "Cannot get a response from the model: r",
  ],
  [AgentError.workflowFailed("w", 1, "r"), "workflow_failed", {
    workflowId: "w",
    stepIndex: 1,
    reason: "r",
  }, 'Cannot finish workflow "w": step 1: r'],
  [
    AgentError.delegationFailed("p", "r"),
    "delegation_failed",
    { parentDid: "p", reason: "r" },
    'Cannot delegate from "p": r',
  ],
  [
    AgentError.invalidState("paused", "ready", "run"),
    "invalid_state",
    { currentState: "paused", requiredState: "ready", operation: "run" },
    'Cannot run: expected agent state "ready", got "paused"; call "agent.resume()" first',
  ],
  [
    AgentError.outputInvalid("max_iterations", [{ path: "/a", message: "must be number" }]),
    "output_invalid",
    { stopReason: "max_iterations", issues: [{ path: "/a", message: "must be number" }] },
    'Cannot read the value of the output: /a: must be number (stop reason "max_iterations")',
  ],
  [AgentError.channelError("r"), "channel_error", { reason: "r" }, "Cannot use the channel: r"],
  [
    AgentError.sessionConflict("s", 2),
    "session_conflict",
    { sessionId: "s", expectedLength: 2 },
    'Cannot add the run to session "s": another run was added after record 2',
  ],
  [
    AgentError.run("run_conflict", "start", { runId: "r", reason: "it exists" }),
    "run_conflict",
    { runId: "r", reason: "it exists" },
    'Cannot start run "r": it exists',
  ],
  [AgentError.core("It broke"), "core", { cause: "It broke" }, "It broke"],
];
Deno.test('FINISH_REASONS contains the finish reasons of the AI SDK and "interrupted"', () => {
  assertEquals([...FINISH_REASONS].sort(), [
    "content-filter",
    "error",
    "interrupted",
    "length",
    "other",
    "stop",
    "tool-calls",
  ]);
});

for (const [error, code, details, message] of ERRORS) {
  Deno.test(`AgentError has the expected details and message for code ${code}`, () => {
    assertEquals(error.toJSON(), { code: error.code, message, details: error.details });
    assertEquals<unknown>([error.code, error.details, error.name], [code, details, "AgentError"]);
    assertEquals(
      [
        error.isMaxIterationsExceeded(),
        error.isToolNotFound(),
        error.isWorkflowFailed(),
        error.isDelegationFailed(),
      ],
      ["max_iterations_exceeded", "tool_not_found", "workflow_failed", "delegation_failed"].map((
        own,
      ) => own === code),
    );
    assert(Object.isFrozen(error.details));
    assert(AgentError.isAgentError(error) && error instanceof Error);
  });
}

Deno.test("AgentError.withPartialOutput() copies the cause and the retry advice", () => {
  const cause = new Error("socket");
  const error = AgentError.modelError("down", { cause, retryable: true, retryAfterMs: 5 });
  const partialOutput = {
    finalText: "",
    iterations: [],
    totalUsage: NO_USAGE,
    usageByModel: { m: NO_USAGE },
    messages: [],
  };
  const copy = error.withPartialOutput(partialOutput);
  assertEquals([copy.cause, copy.retryable, copy.retryAfterMs, copy.partialOutput], [
    cause,
    true,
    5,
    partialOutput,
  ]);
  assertEquals([copy.message, copy.stack], [error.message, error.stack]);
  assertEquals(Object.values(AgentErrorCode).length, 22);
  assert(!AgentError.isAgentError(cause) && !AgentError.isAgentError(null));
  assert(!("cause" in AgentError.core("x")));
});

/** Resolves to `true` if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;

Deno.test("The type of the value is inferred from the output schema", async () => {
  const total = jsonSchema<{ total: number }>({ type: "object" });
  const plain = { type: "object" };
  const call = { calls: [{ toolName: "final_answer", input: { total: 5 } }] };
  const model = scriptedModel(Array(5).fill(call));
  const registry = new ToolRegistry();

  const typed = requireValue(await runToolLoop({ model, registry, output: total }, "x"));
  const isTyped: Same<typeof typed, { total: number }> = true;
  const loose = requireValue(await runToolLoop({ model, registry, output: plain }, "x"));
  const isLoose: Same<typeof loose, unknown> = true;
  const text = await runToolLoop({ model: scriptedModel([{ text: "x" }]), registry }, "x");
  const isText: Same<typeof text, TypedOutput<unknown>> = true;
  assertEquals([isTyped, isLoose, isText, typed, loose], [true, true, true, typed, typed]);

  await using agent = new ToolLoopAgent({ name: "a", model, output: total });
  await agent.initialize();
  const own = await agent.run("x");
  const isOwn: Same<typeof own, TypedOutput<{ total: number }>> = true;
  const other = await agent.run("x", { output: jsonSchema<{ name: string }>(plain) });
  const isOther: Same<typeof other, TypedOutput<{ name: string }>> = true;
  // @ts-expect-error The schema says that the value has no member `name`.
  assertEquals(requireValue(own).name, undefined);
  assertEquals([isOwn, isOther], [true, true]);
  // An agent with an output schema is assignable to `ToolLoopAgent`.
  const agents: readonly ToolLoopAgent[] = [agent];
  assertEquals(agents.length, 1);

  await using bare = new ToolLoopAgent({ name: "a", model });
  await bare.initialize();
  const result = await bare.run("x", { output: total });
  const isResult: Same<typeof result, TypedOutput<{ total: number }>> = true;
  assertEquals(isResult, true);
  // @ts-expect-error A string is not a schema.
  assertThrows(() => new ToolLoopAgent({ name: "a", model, output: "text" }), TypeError);
});

Deno.test("errorMessageOf() returns a message for any thrown value", () => {
  assertEquals(errorMessageOf(new TypeError("")), "TypeError");
  assertEquals([errorMessageOf(""), errorMessageOf(null), errorMessageOf(5)], [
    "no error message",
    "null",
    "5",
  ]);
  assertEquals(
    errorMessageOf(Object.create(null)),
    "an error that cannot be converted to a string",
  );
});

Deno.test("readToolInput() returns invalid JSON as rawInput, and empty text as an empty object", () => {
  assertEquals([readToolInput(""), readToolInput(" \n")], [{ input: {} }, { input: {} }]);
  assertEquals(readToolInput("null"), { input: null });
  assertEquals(readToolInput("{'a':1}"), { input: {}, rawInput: "{'a':1}" });
});

Deno.test("readApprovalDecision() accepts only valid decisions", () => {
  assertEquals(readApprovalDecision({ decision: "approve", input: undefined }), {
    decision: "approve",
  });
  assertEquals(readApprovalDecision({ decision: "deny", reason: 5 }), { decision: "deny" });
  const misspelled = { decision: "defer", until: "noon" };
  for (const other of [undefined, null, 1, "approve", {}, { decision: true }, misspelled]) {
    assertEquals(readApprovalDecision(other), undefined);
  }
  assertEquals(autoApprove(), true);
});

Deno.test("HealthProfile counts calls and errors, formats the counters and resets them", () => {
  const health = new HealthProfile();
  const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
  health.recordInference(usage);
  health.recordInference();
  health.recordToolInvocation();
  health.recordError();
  health.recordDelegation(usage);
  assertEquals(health.snapshot(), {
    inferenceCalls: 2,
    toolInvocations: 1,
    errors: 1,
    usage,
    delegatedUsage: usage,
  });
  health.reset();
  assertEquals(health.snapshot(), new HealthProfile().snapshot());
});
