/**
 * Asks for the decision on one tool call: the journal, the caller, then the handler.
 *
 * @module
 */

import { type ApprovalDecision, type ApprovalRequest, readApprovalDecision } from "./approval.ts";
import type { ToolCall } from "./model.ts";
import type { PendingApproval } from "./output.ts";
import type { RegisteredTool } from "./registry.ts";
import type { Replay } from "./replay.ts";
import type { RunScope } from "./run_scope.ts";
import { stepKey } from "./tool_context.ts";
import { Cancellation, Interruption } from "./waits.ts";

/** What is to be decided. */
export interface ApprovalQuestion {
  readonly run: RunScope;
  readonly iteration: number;
  readonly call: ToolCall;
  readonly position: number;
  readonly entry: RegisteredTool;
}

/** The decision on a call; undefined when the run was aborted before there was one. */
export async function decide(
  question: ApprovalQuestion,
  replay: Replay | undefined,
): Promise<ApprovalDecision | undefined> {
  if (replay === undefined) return await ask(question);
  try {
    return await replay.decision(keyOf(question), () => ask(question));
  } catch (error) {
    if (question.run.isAborted) return undefined;
    throw error;
  }
}

/** The call, as it waits for its decision. */
export function toPending(question: ApprovalQuestion): PendingApproval {
  return { key: keyOf(question), path: question.run.path, toolCall: question.call };
}

function keyOf({ run, iteration, position }: ApprovalQuestion): string {
  return stepKey(run, iteration, "approval", position);
}

async function ask(question: ApprovalQuestion): Promise<ApprovalDecision | undefined> {
  const { decisions, healthProfile } = question.run.config;
  const key = keyOf(question);
  try {
    const given = decisions !== undefined && Object.hasOwn(decisions, key)
      ? decisions[key]
      : await askHandler(question);
    const decision = readApprovalDecision(given);
    if (decision !== undefined) return decision;
  } catch (error) {
    if (error instanceof Interruption) return undefined;
    // Fails closed: whatever a handler throws, the call is denied.
  }
  healthProfile?.recordError();
  return { decision: "deny", reason: "The approval handler failed" };
}

async function askHandler(question: ApprovalQuestion): Promise<unknown> {
  const { run, iteration, call } = question;
  if (run.approvalHandler === undefined) return true;
  run.emit({ type: "approval_requested", iteration, toolCall: call });
  const cancellation = new Cancellation();
  const answer = run.approvalHandler(toRequest(question, cancellation.signal));
  return await run.waits.wait(Promise.resolve(answer), cancellation);
}

function toRequest(
  { run, iteration, call, entry: { tool: { annotations }, definition } }: ApprovalQuestion,
  signal: AbortSignal,
): ApprovalRequest {
  const { agentName, path, runId, messages, config: { agentDid } } = run;
  return {
    toolCall: call,
    tool: annotations === undefined ? definition : { ...definition, annotations },
    agentName,
    ...agentDid === undefined ? {} : { agentDid },
    path,
    runId,
    iteration,
    messages,
    signal,
  };
}
