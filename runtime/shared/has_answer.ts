/**
 * The rule that determines whether a run ended with a final answer.
 *
 * @module
 */

import { AgentStopReason, type ToolLoopOutput } from "./output.ts";

/** Stop reasons of runs that were stopped by the caller, or that have not ended. */
const NOT_ENDED: ReadonlySet<AgentStopReason> = new Set<AgentStopReason>([
  AgentStopReason.Aborted,
  AgentStopReason.Terminated,
  AgentStopReason.ApprovalPending,
  AgentStopReason.Waiting,
]);

/** Stop reasons of runs whose last text is not a final answer. */
const WITHOUT_ANSWER: ReadonlySet<AgentStopReason> = new Set<AgentStopReason>([
  ...NOT_ENDED,
  AgentStopReason.OutputInvalid,
  AgentStopReason.OutputTruncated,
  AgentStopReason.ContentFiltered,
]);

/** Stop reasons of runs that a tool or the program ended. */
const ON_PURPOSE: ReadonlySet<AgentStopReason> = new Set<AgentStopReason>([
  AgentStopReason.ToolStop,
  AgentStopReason.CustomCondition,
]);

/**
 * Returns true if a run ended with a final answer. Workflows, `asTool`, `agentService` and
 * `agentMcpTool` use this rule: they do not pass on the text of a run without a final answer.
 *
 * A run has a final answer if one of the following applies:
 *
 * - The run has a `value`, which is the valid final answer to an `output` schema.
 * - A tool, `hasToolCall`, `customStop` or `prepareIteration` ended the run.
 * - The last assistant message contains text and no tool calls. The text before a tool call that a
 *   limit prevented, such as "I will look it up", is therefore not an answer.
 *
 * A run has no final answer if it was aborted or terminated, if it is waiting, if its last response
 * was truncated or filtered, or if its final answer does not match the `output` schema.
 *
 * @param output Output of the run.
 *
 * @example A run that reached its iteration limit
 * ```ts
 * import { hasAnswer, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({
 *   name: "clerk",
 *   model: scriptedModel([{ text: "I will look it up", calls: [{ toolName: "search" }] }]),
 *   tools: [{ name: "search", inputSchema: { type: "object" }, execute: () => "none" }],
 *   maxIterations: 1,
 * });
 * const output = await agent.run("Where is it?");
 * assertEquals([output.finalText, hasAnswer(output)], ["I will look it up", false]);
 * await agent.terminate();
 * ```
 */
export function hasAnswer(output: ToolLoopOutput): boolean {
  const { messages, outputIssues, stopReason, value } = output;
  if (WITHOUT_ANSWER.has(stopReason)) return false;
  if (value !== undefined || ON_PURPOSE.has(stopReason)) return true;
  if (outputIssues !== undefined) return false;
  const last = messages.findLast((message) => message.role === "assistant");
  if (last?.role !== "assistant") return false;
  return last.content.every((part) => part.type !== "tool-call") &&
    last.content.some((part) => part.type === "text" && part.text.trim() !== "");
}

/** Returns true if a run was stopped by its caller, or has not ended. */
export function isUnfinished({ stopReason }: ToolLoopOutput): boolean {
  return NOT_ENDED.has(stopReason);
}
