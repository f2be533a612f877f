/**
 * What the tool calls of one answer come to, executed or not.
 *
 * @module
 */

import type { AgentError } from "./error.ts";
import { type FinishReason, type ToolCall, type ToolResult, ToolResultCode } from "./model.ts";
import type { PendingApproval } from "./output.ts";
import { errorResult } from "./tool_result.ts";

/** What a batch came to. */
export interface BatchOutcome {
  /** One result for each call, in call order; only the finished ones when approvals are pending. */
  readonly results: ToolResult[];
  /** What has to be decided before the batch can go on; empty when it is complete. */
  readonly pending: readonly PendingApproval[];
  /** Whether a tool asked for the end of the run. */
  readonly stopRequested: boolean;
  /** The first failure, when tool failures end the run. */
  readonly failure: AgentError | undefined;
}

/** Why the calls of an answer must not be executed; undefined when they may. */
export function refusalFor(finishReason: FinishReason): string | undefined {
  switch (finishReason) {
    case "length":
    case "interrupted":
      return "Not executed: the output was cut off before this call was complete";
    case "content-filter":
      return "Not executed: the answer was withheld by the content filter";
    default:
      return undefined;
  }
}

/** The outcome of a batch of which nothing is executed. */
export function refuseAll(calls: readonly ToolCall[], text: string): BatchOutcome {
  return {
    results: calls.map((call) => errorResult(call, ToolResultCode.OutputTruncated, text)),
    pending: [],
    stopRequested: false,
    failure: undefined,
  };
}

/** One result for each call, also when the run was aborted while some of them waited for approvals. */
export function completeResults(calls: readonly ToolCall[], results: ToolResult[]): ToolResult[] {
  if (results.length === calls.length) return results;
  const byId = new Map(results.map((result) => [result.toolCallId, result]));
  return calls.map((call) =>
    byId.get(call.toolCallId) ??
      errorResult(call, ToolResultCode.NotStarted, "Not started: the run ended")
  );
}
