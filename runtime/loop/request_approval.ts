/**
 * Approval decisions for tool calls, from the journal, the `decisions` option or the approval
 * handler.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import { defined } from "@parley/internal/json";
import type { ToolCall } from "../shared/model.ts";
import type { ApprovalReason } from "../shared/output.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { type ApprovalDecision, type ApprovalRequest, autoApprove } from "./approval.ts";
import { CallDeadline } from "./deadlines.ts";
import { copyDecision, digestOf, digestOfShown, shownTool } from "./decisions.ts";
import type { Replay } from "./replay.ts";
import type { ToolCallExecution } from "./tool_call_execution.ts";

const MAY_HAVE_EFFECT = "An earlier execution was interrupted, so the call may have had an effect";

/** A tool call that needs a decision. */
export interface RequiredApproval {
  /** State of the tool call. */
  readonly execution: ToolCallExecution;
  /** The registered tool that the model called. */
  readonly entry: RegisteredTool;
  /** The call, with the input that is shown to the person who decides. */
  readonly toolCall: ToolCall;
  readonly reason: ApprovalReason;
  /** Journal key of the approval. */
  readonly stepKey: string;
}

/**
 * Returns the key that identifies an approval in `decisions`. The key contains a digest of the tool
 * call and of the tool as it is shown to the person who decides, so that a decision does not
 * approve a call to another tool with the same name.
 */
export async function decisionKeyOf(approval: RequiredApproval): Promise<string> {
  return `${approval.stepKey}#${await digestOfShown(approval.toolCall, approval.entry)}`;
}

/**
 * Requests the approval decision for a tool call.
 *
 * @returns The decision, or `undefined` if the run is aborted before the decision.
 * @throws {AgentError} If the step runner fails, or if the recorded decision is for a different
 * call.
 */
export async function requestApproval(
  approval: RequiredApproval,
  replay: Replay | undefined,
): Promise<ApprovalDecision | undefined> {
  const { entry, execution, reason, stepKey, toolCall } = approval;
  const { run } = execution;
  // A decision that is already in the journal counts as used, so the decision is looked up before
  // the replay.
  let given = run.decisions?.take(await decisionKeyOf(approval));
  if (!replay) return await decide(approval, given);
  try {
    if (given === undefined && !run.config.approvalHandler && reason === "approval") {
      // A run without an approval handler records no approvals, but a call that an earlier
      // execution of the run started needs no decision, unless another tool now has the name.
      if (await replay.starts.wasStarted(execution, entry)) given = { decision: "approve" };
    }
    const request = (): Promise<ApprovalDecision | undefined> => decide(approval, given);
    const digest = await digestOf(toolCall);
    const shown = await digestOfShown(toolCall, entry);
    const recorded = await replay.decision(stepKey, { digest, shown }, request);
    const { isChanged, decision } = recorded;
    // A recorded result of the call is replayed even if the tool has changed.
    if (!isChanged || await replay.starts.isFinished(execution)) return decision;
    const isUnknown = await replay.isOutcomeUnknown(execution);
    const change = "The tool was changed after the call was approved";
    return { decision: "deny", reason: isUnknown ? `${change}. ${MAY_HAVE_EFFECT}` : change };
  } catch (error) {
    if (run.isAborted) return undefined;
    throw error;
  }
}

async function decide(
  approval: RequiredApproval,
  given: ApprovalDecision | undefined,
): Promise<ApprovalDecision | undefined> {
  const { execution } = approval;
  const { run } = execution;
  let reason = "The approval handler failed";
  try {
    const answer: unknown = given === undefined ? await callHandler(approval) : given;
    const decision = copyDecision("decision", answer);
    if (decision) return decision;
    reason = "The approval handler did not return a valid decision";
    execution.error = new TypeError(
      `"approvalHandler" must return a boolean or an ApprovalDecision, got ${formatValue(answer)}`,
    );
  } catch (error) {
    if (run.isAborted) return undefined;
    execution.error = error;
  }
  // Fail closed: if the handler throws or returns no decision, the call is denied.
  const { call: { toolName }, error: cause } = execution;
  const text = `Cannot decide on the call to tool "${toolName}": ${errorMessageOf(cause)}`;
  run.report(AgentError.core(text, { cause }));
  run.config.healthProfile?.recordError();
  return { decision: "deny", reason };
}

async function callHandler(approval: RequiredApproval): Promise<unknown> {
  const { execution: { run, iteration, call } } = approval;
  const { approvalHandler } = run.config;
  if (approvalHandler === autoApprove) return true;
  // Fail closed: without a handler, only the `decisions` option approves a call.
  if (approvalHandler === undefined) return { decision: "defer" };
  run.emit?.({ type: "approval_requested", iteration, toolCall: call });
  const deadline = new CallDeadline();
  const answer = approvalHandler(toRequest(approval, deadline.signal));
  return await run.deadlines.wait(answer, deadline);
}

function toRequest(
  { execution, entry, reason, toolCall }: RequiredApproval,
  signal: AbortSignal,
): ApprovalRequest {
  const { iteration, run } = execution;
  const { agentName, path, runId, messages, config: { agentDid } } = run;
  // The handler receives a frozen copy of the tool call, because in-place changes would have no
  // effect. To change the input, handlers return new input in the decision.
  const frozenCall: ToolCall = JSON.parse(
    JSON.stringify(toolCall),
    (_key, value) => Object.freeze(value),
  );
  return defined({
    toolCall: frozenCall,
    reason,
    tool: shownTool(entry),
    agentName,
    agentDid,
    path,
    runId,
    iteration,
    messages: [...messages],
    signal,
  });
}
