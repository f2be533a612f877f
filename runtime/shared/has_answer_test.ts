import { assertEquals } from "@std/assert";
import { hasAnswer } from "./has_answer.ts";
import type { AssistantMessage } from "./model.ts";
import { AgentStopReason, type ToolLoopOutput } from "./output.ts";

const TEXT = { type: "text", text: "42" } as const;
const CALL = { type: "tool-call", toolCallId: "c1", toolName: "t", input: {} } as const;

function outputOf(
  stopReason: AgentStopReason,
  content: AssistantMessage["content"],
  members: Partial<ToolLoopOutput> = {},
): ToolLoopOutput {
  const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
  return {
    finalText: "",
    iterations: [],
    totalUsage: usage,
    usageByModel: { m: usage },
    messages: [{ role: "user", content: [{ type: "text", text: "go" }] }, {
      role: "assistant",
      content,
    }],
    stopReason,
    ...members,
  };
}

Deno.test("hasAnswer() follows the stop reason, the value and the last assistant message", () => {
  const verdicts = Object.values(AgentStopReason).map((reason) => [
    reason,
    hasAnswer(outputOf(reason, [TEXT])),
    hasAnswer(outputOf(reason, [TEXT, CALL])),
    hasAnswer(outputOf(reason, [])),
    hasAnswer(outputOf(reason, [CALL], { value: null })),
    hasAnswer(outputOf(reason, [TEXT], { outputIssues: [] })),
  ]);
  const limit = [true, false, false, true, false];
  const never = [false, false, false, false, false];
  const always = [true, true, true, true, true];
  assertEquals(verdicts, [
    ["model_stop", ...limit],
    ["max_iterations", ...limit],
    ["max_total_tokens", ...limit],
    ["budget_exceeded", ...limit],
    ["repeated_tool_calls", ...limit],
    ["tool_stop", ...always],
    ["custom_condition", ...always],
    ["output_truncated", ...never],
    ["content_filtered", ...never],
    ["output_invalid", ...never],
    ["approval_pending", ...never],
    ["waiting", ...never],
    ["aborted", ...never],
    ["terminated", ...never],
  ]);
});

Deno.test("hasAnswer() returns false for a run without an assistant message or with blank text", () => {
  assertEquals(hasAnswer(outputOf("model_stop", [], { messages: [] })), false);
  assertEquals(hasAnswer(outputOf("model_stop", [{ type: "text", text: " \n" }])), false);
});
