/**
 * Asks for the decisions on the calls of one answer: the journal, the caller, then the handler. Loaded by runs that ask.
 *
 * @module
 */

import type { ApprovalDecision, ApprovalRequest } from "./approval.ts";
import type { Core } from "./core.ts";
import type { ToolCall, ToolResult } from "./model.ts";
import type { PendingApproval } from "./output.ts";
import type { RegisteredTool } from "./registry.ts";
import type { Replay } from "./replay.ts";
import type { RunScope } from "./run_scope.ts";
import type { CallContext } from "./tool_context.ts";

/** The calls of one answer, as far as approvals are concerned. */
export interface Approvable {
  /** The run. */
  readonly run: RunScope;
  /** The calls. */
  readonly items: readonly CallContext[];
  /** What repeats recorded steps. */
  readonly replay: Replay | undefined;
  /** Approvals without which nothing is executed. */
  readonly pending: PendingApproval[];
  /** Checks an input for a call. */
  validate(item: CallContext, entry: RegisteredTool, input: unknown): Promise<void> | undefined;
  /** Has an input mended, or refuses the call. */
  invalid(item: CallContext, entry: RegisteredTool, fact: string): Promise<void> | undefined;
  /** Gives a call its result. */
  settle(item: CallContext, result: ToolResult): void;
}

/** A call that may be executed when somebody says so. */
interface Question {
  readonly core: Core;
  readonly item: CallContext;
  readonly entry: RegisteredTool;
}

/**
 * Asks for one call after the other, in call order. What is denied gets its result, what is deferred stands in
 * `batch.pending`.
 *
 * @throws {AgentError} the step runner failed
 */
export async function approveAll(core: Core, batch: Approvable): Promise<void> {
  const { run } = batch;
  for (const item of batch.items) {
    const { entry, call, iteration, result } = item;
    if (result !== undefined || entry === undefined) continue;
    if (run.mustWait) await run.rest();
    if (run.isAborted) return;
    const decision = await decide(batch, { core, item, entry });
    if (decision === undefined) return;
    run.emit?.({
      type: "approval_decided",
      iteration,
      toolCall: call,
      decision: decision.decision,
    });
    await apply(batch, { core, item, entry }, decision);
  }
}

async function apply(
  batch: Approvable,
  { core: { cut, defined, toolResult, ToolResultCode }, item, entry }: Question,
  decision: ApprovalDecision,
): Promise<void> {
  const { call, run: { path } } = item;
  switch (decision.decision) {
    case "defer":
      batch.pending.push({ key: item.keyOf("approval"), path, toolCall: call });
      return;
    case "deny": {
      const reason = decision.reason === undefined ? undefined : cut(decision.reason);
      const output = defined({ type: "execution-denied" as const, reason });
      batch.settle(item, toolResult(call, output, 0, ToolResultCode.ApprovalDenied));
      return;
    }
    case "approve":
      if ("input" in decision) await batch.validate(item, entry, decision.input);
  }
}

/** The decision on a call; undefined when the run was aborted before there was one. */
async function decide(
  { replay, run }: Approvable,
  question: Question,
): Promise<ApprovalDecision | undefined> {
  if (replay === undefined) return await ask(question);
  try {
    return await replay.decision(question.item.keyOf("approval"), () => ask(question));
  } catch (error) {
    if (run.isAborted) return undefined;
    throw error;
  }
}

async function ask(question: Question): Promise<ApprovalDecision | undefined> {
  const { core: { readApprovalDecision }, item } = question;
  const { run } = item;
  const { decisions, healthProfile } = run.config;
  const key = item.keyOf("approval");
  try {
    const given = decisions !== undefined && Object.hasOwn(decisions, key)
      ? decisions[key]
      : await askHandler(question);
    const decision = readApprovalDecision(given);
    if (decision !== undefined) return decision;
  } catch {
    if (run.isAborted) return undefined;
    // Fails closed: whatever a handler throws, the call is denied.
  }
  healthProfile?.recordError();
  return { decision: "deny", reason: "The approval handler failed" };
}

async function askHandler({ core, item, entry }: Question): Promise<unknown> {
  const { run, iteration, call } = item;
  const { approvalHandler } = run.config;
  if (approvalHandler === undefined || approvalHandler === core.autoApprove) return true;
  run.emit?.({ type: "approval_requested", iteration, toolCall: call });
  const cancellation = new core.Cancellation();
  const answer = approvalHandler(toRequest({ core, item, entry }, cancellation.signal));
  return await run.waits.wait(answer, cancellation);
}

function toRequest(
  { core: { defined }, item, entry: { tool: { annotations }, definition } }: Question,
  signal: AbortSignal,
): ApprovalRequest {
  const { call, iteration, run } = item;
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
