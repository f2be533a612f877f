/**
 * Approval decision for a tool call, from the journal, the `decisions` option or the approval handler.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { formatValue } from "../shared/format_value.ts";
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
 * Requests the approval decision for a tool call.
 *
 * @returns The decision, or `undefined` if the run is aborted before the decision.
 * @throws {AgentError} If the step runner fails.
 */
export async function requestApproval(
  execution: ToolCallExecution,
  entry: RegisteredTool,
  replay: Replay | undefined,
): Promise<ApprovalDecision | undefined> {
  if (!replay) return await decide(execution, entry);
  try {
    return await replay.decision(execution.keyOf("approval"), () => decide(execution, entry));
  } catch (error) {
    if (execution.run.isAborted) return undefined;
    throw error;
  }
}

async function decide(
  execution: ToolCallExecution,
  entry: RegisteredTool,
): Promise<ApprovalDecision | undefined> {
  const { run } = execution;
  const { decisions, healthProfile } = run.config;
  const key = execution.keyOf("approval");
  let reason = "The approval handler failed";
  try {
    const given = decisions && Object.hasOwn(decisions, key)
      ? decisions[key]
      : await callHandler(execution, entry);
    const decision = readApprovalDecision(given);
    if (decision) return decision;
    reason = "The approval handler returned no valid decision";
    execution.error = new TypeError(
      `"approvalHandler" must return a boolean or an ApprovalDecision, got ${formatValue(given)}`,
    );
  } catch (error) {
    if (run.isAborted) return undefined;
    execution.error = error;
  }
  // Fail closed: if the handler throws or returns no decision, the call is denied.
  const { call: { toolName }, error: cause } = execution;
  const text = `Cannot decide on the call of tool "${toolName}": ${errorMessageOf(cause)}`;
  run.report(AgentError.core(text, { cause }));
  healthProfile?.recordError();
  return { decision: "deny", reason };
}

async function callHandler(execution: ToolCallExecution, entry: RegisteredTool): Promise<unknown> {
  const { run, iteration, call } = execution;
  const { approvalHandler = autoApprove } = run.config;
  if (approvalHandler === autoApprove) return true;
  run.emit?.({ type: "approval_requested", iteration, toolCall: call });
  const deadline = new CallDeadline();
  const answer = approvalHandler(toRequest(execution, entry, deadline.signal));
  return await run.deadlines.wait(answer, deadline);
}

function toRequest(
  { call, iteration, run }: ToolCallExecution,
  { tool: { annotations }, definition }: RegisteredTool,
  signal: AbortSignal,
): ApprovalRequest {
  const { agentName, path, runId, messages, config: { agentDid } } = run;
  // The handler receives a frozen copy, because in-place changes would have no effect. Handlers return changed input in
  // the decision instead.
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
