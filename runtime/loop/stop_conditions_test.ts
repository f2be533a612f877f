import { assertEquals, assertThrows } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import type { ToolCall } from "../shared/model.ts";
import { AgentStopReason } from "../shared/output.ts";
import { NO_USAGE } from "../shared/usage.ts";
import { evaluateStopConditions, PRIORITY } from "./evaluate_stop_conditions.ts";
import {
  type AgentStopCondition,
  customStop,
  hasToolCall,
  type LoopContext,
  maxIterations,
  maxTotalTokens,
  modelStopsNaturally,
  repeatedToolCalls,
} from "./stop_conditions.ts";

function context(more: Partial<LoopContext> = {}): LoopContext {
  return {
    iteration: 0,
    totalUsage: NO_USAGE,
    lastFinishReason: "tool-calls",
    lastToolCallCount: 1,
    ...more,
  };
}

function iterationsOf(...inputs: unknown[]): NonNullable<LoopContext["iterations"]> {
  return inputs.map((input, index) => {
    const toolCalls: ToolCall[] = [{
      type: "tool-call",
      toolCallId: `c${index}`,
      toolName: "t",
      input,
    }];
    return {
      index,
      assistantMessage: { role: "assistant", content: toolCalls },
      toolCalls,
      toolResults: [],
      usage: NO_USAGE,
    };
  });
}

function tokens(totalTokens: number): LoopContext {
  return context({ totalUsage: { ...NO_USAGE, totalTokens } });
}

/**
 * For each condition: the condition, a context in which it does not trigger, and a context in which
 * it triggers.
 */
const TABLE: readonly [AgentStopCondition, LoopContext, LoopContext][] = [
  [maxIterations(3), context({ iteration: 1 }), context({ iteration: 2 })],
  [maxTotalTokens(10), tokens(10), tokens(11)],
  [maxTotalTokens(0), tokens(0), tokens(1)],
  [modelStopsNaturally(), context(), context({ lastToolCallCount: 0 })],
  [customStop("x", ({ iteration }) => iteration > 0), context(), context({ iteration: 1 })],
  [
    repeatedToolCalls(2),
    context({ iterations: iterationsOf({ a: 1 }, { a: 2 }) }),
    context({ iterations: iterationsOf({ a: 1, b: 2 }, { b: 2, a: 1 }) }),
  ],
  [
    repeatedToolCalls(),
    context({ iterations: iterationsOf(1, 1) }),
    context({ iterations: iterationsOf(0, 1, 1, 1) }),
  ],
  // The repeated calls may be the first calls of the run or follow other calls.
  [
    repeatedToolCalls(3),
    context({ iterations: iterationsOf(0, 1, 2, 3) }),
    context({ iterations: iterationsOf(1, 1, 1) }),
  ],
  [
    repeatedToolCalls(3),
    context({ iterations: iterationsOf(1, 1, 1, 2) }),
    context({ iterations: iterationsOf(2, 2, 2, 1, 1, 1) }),
  ],
  [hasToolCall("t"), context(), context({ iterations: iterationsOf(1) })],
];
for (const [condition, no, yes] of TABLE) {
  Deno.test(`${condition.name}() triggers if and only if its condition is met (${condition.reason})`, () => {
    assertEquals([condition.check(no), condition.check(yes)], [false, true]);
  });
}

Deno.test("evaluateStopConditions() evaluates by priority, then in list order, and stops at the first match", () => {
  const checked: string[] = [];
  const always = (name: string, reason?: AgentStopCondition["reason"]): AgentStopCondition => ({
    name,
    ...reason === undefined ? {} : { reason },
    check: () => {
      checked.push(name);
      return true;
    },
  });
  const conditions = [
    always("plain"),
    always("tokens", "max_total_tokens"),
    always("natural", "model_stop"),
    always("plain2"),
  ];
  for (const rotation of [0, 1, 2, 3]) {
    const rotated = [...conditions.slice(rotation), ...conditions.slice(0, rotation)];
    assertEquals(evaluateStopConditions(context(), rotated), {
      reason: "model_stop",
      conditionName: "natural",
    });
  }
  assertEquals(checked, ["natural", "natural", "natural", "natural"]);
  assertEquals(
    evaluateStopConditions(context(), [conditions[0] ?? always("x"), conditions[3] ?? always("x")]),
    {
      reason: "custom_condition",
      conditionName: "plain",
    },
  );
  assertEquals(evaluateStopConditions(context(), []), undefined);
  assertEquals(evaluateStopConditions(context(), [maxIterations(5)]), undefined);
});

Deno.test("PRIORITY contains every stop reason once", () => {
  assertEquals([...PRIORITY].sort(), Object.values(AgentStopReason).sort());
});

Deno.test("evaluateStopConditions() throws if a check throws or does not return a boolean", () => {
  const throwing = customStop("bad", () => {
    throw new Error("bug");
  });
  assertEquals(
    assertThrows(() => evaluateStopConditions(context(), [throwing]), AgentError).code,
    "core",
  );
  const values: readonly unknown[] = [undefined, null, 0, 1, "", "yes", {}, Promise.resolve(true)];
  for (const value of values) {
    const stop = customStop("odd", () => value as boolean);
    assertThrows(() => evaluateStopConditions(context(), [stop]), AgentError, "boolean");
  }
});

Deno.test("customStop() creates a condition for the run alone, unless it includes sub-agents", () => {
  const isLong = ({ iteration }: LoopContext) => iteration > 0;
  const reason = "custom_condition";
  assertEquals(customStop("long", isLong), {
    name: "long",
    reason,
    finalize: false,
    includesSubAgents: false,
    check: isLong,
  });
  assertEquals(customStop("long", isLong, { includesSubAgents: true }), {
    name: "long",
    reason,
    finalize: false,
    includesSubAgents: true,
    check: isLong,
  });
  assertThrows(
    () => customStop("long", isLong, { includesSubAgents: 1 as never }),
    TypeError,
    '"includesSubAgents" must be a boolean, got 1',
  );
});

Deno.test("stop conditions throw a RangeError if a limit is invalid", () => {
  for (const wrong of [0, -1, 1.5, NaN]) {
    assertThrows(() => maxIterations(wrong), RangeError);
  }
  for (const wrong of [-1, NaN]) {
    assertThrows(() => maxTotalTokens(wrong), RangeError);
  }
  assertThrows(() => repeatedToolCalls(1), RangeError);
});
