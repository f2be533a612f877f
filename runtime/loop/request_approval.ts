/**
 * The approval decision for one tool call: from the journal, the caller's `decisions`, or the approval handler.
 *
 * @module
 */

import { defined } from "../shared/json.ts";
import type { ToolCall } from "../shared/model.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import {
  type ApprovalDecision,
  type ApprovalRequest,
  autoApprove,
  readApprovalDecision,
} from "./approval.ts";
import { CallDeadline } from "./deadlines.ts";
import type { Replay } from "./replay.ts";
import type { ToolCallExecution } from "./tool_call_execution.ts";

/**
 * Requests the decision for a call.
 *
 * @returns the decision, or `undefined` if the run is aborted first
 * @throws {AgentError} If the step runner fails.
 */
export async function requestApproval(
  item: ToolCallExecution,
  entry: RegisteredTool,
  replay: Replay | undefined,
): Promise<ApprovalDecision | undefined> {
  if (!replay) return await decide(item, entry);
  try {
    return await replay.decision(item.keyOf("approval"), () => decide(item, entry));
  } catch (error) {
    if (item.run.isAborted) return undefined;
    throw error;
  }
}

async function decide(
  item: ToolCallExecution,
  entry: RegisteredTool,
): Promise<ApprovalDecision | undefined> {
  const { run } = item;
  const { decisions, healthProfile } = run.config;
  const key = item.keyOf("approval");
  try {
    const given = decisions && Object.hasOwn(decisions, key)
      ? decisions[key]
      : await callHandler(item, entry);
    const decision = readApprovalDecision(given);
    if (decision) return decision;
  } catch {
    if (run.isAborted) return undefined;
    // Fails closed: whatever a handler throws, the call is denied.
  }
  healthProfile?.recordError();
  return { decision: "deny", reason: "The approval handler failed" };
}

async function callHandler(item: ToolCallExecution, entry: RegisteredTool): Promise<unknown> {
  const { run, iteration, call } = item;
  const { approvalHandler = autoApprove } = run.config;
  if (approvalHandler === autoApprove) return true;
  run.emit?.({ type: "approval_requested", iteration, toolCall: call });
  const deadline = new CallDeadline();
  const answer = approvalHandler(toRequest(item, entry, deadline.signal));
  return await run.deadlines.wait(answer, deadline);
}

function toRequest(
  { call, iteration, run }: ToolCallExecution,
  { tool: { annotations }, definition }: RegisteredTool,
  signal: AbortSignal,
): ApprovalRequest {
  const { agentName, path, runId, messages, config: { agentDid } } = run;
  // A handler answers with another input, or not at all: what it changes in place would be executed by nobody.
  const toolCall: ToolCall = JSON.parse(
    JSON.stringify(call),
    (_key, value) => Object.freeze(value),
  );
  return defined({
    toolCall,
    tool: annotations === undefined ? definition : { ...definition, annotations },
    agentName,
    agentDid,
    path,
    runId,
    iteration,
    messages: [...messages],
    signal,
  });
}
