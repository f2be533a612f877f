/**
 * Processing of the tool calls in one model response: all calls are validated, approved in call
 * order and executed concurrently. Results are returned in call order.
 *
 * No call is executed before all approvals are decided, so a deferred approval never leaves a batch
 * partially executed.
 *
 * @module
 */

import type { AgentError } from "../shared/error.ts";
import { defined } from "@parley/internal/json";
import { type ToolCall, type ToolResult, ToolResultCode } from "../shared/model.ts";
import type { PendingApproval, PendingWait } from "../shared/output.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { type ApprovalDecision, autoApprove } from "./approval.ts";
import { prepareToolCall, validateReplacement } from "./prepare_tool_call.ts";
import { isSafeToRepeat, type Replay } from "./replay.ts";
import { decisionKeyOf, requestApproval, type RequiredApproval } from "./request_approval.ts";
import type { RunState } from "./run_state.ts";
import { firstFailure, type OnToolCallEnd, ToolCallExecution } from "./tool_call_execution.ts";
import { cut, hasFailed, toolResult, type ToolStep } from "./tool_result.ts";

/** Outcome of a batch of tool calls. */
export interface ToolCallBatchOutcome {
  /**
   * One result per call, in call order. If approvals are pending, contains only the available
   * results.
   */
  readonly results: ToolResult[];
  /** Pending approvals. Empty if the batch is complete. */
  readonly pending: readonly PendingApproval[];
  /** Signals and scheduled times that tools wait for. Empty if the batch is complete. */
  readonly waits: readonly PendingWait[];
  /** Error from the first failed tool in call order if `onToolError` is `"throw"`. */
  readonly failure?: AgentError | undefined;
}

const DONE: Promise<void> = Promise.resolve();

/** The tool calls in one model response. They are prepared, then executed. */
export class ToolCallBatch {
  readonly #run: RunState;
  readonly #executions: readonly ToolCallExecution[];
  readonly #replay: Replay | undefined;
  /** Deferred approvals in the batch, including approvals of sub-agents that the tools run. */
  readonly #pending: PendingApproval[] = [];
  /** Calls whose tools or sub-agents wait for approvals, signals or times. */
  readonly #suspended: ToolCallExecution[] = [];
  /** First error from the step runner. */
  #stepRunnerError: { readonly error: unknown } | undefined;
  #active = 0;
  #isExclusive = false;
  #wake: (() => void) | undefined;
  #wakeBelow = 0;

  constructor(
    run: RunState,
    iteration: number,
    calls: readonly ToolCall[],
    replay: Replay | undefined,
  ) {
    this.#run = run;
    const executions: ToolCallExecution[] = [];
    for (const call of calls) {
      executions.push(new ToolCallExecution(run, iteration, call, executions.length));
    }
    this.#executions = executions;
    this.#replay = replay;
  }

  /**
   * Validates and approves the calls. Returns `undefined` if all calls are valid or have a result
   * without waiting for a schema, a repair, an approval or the journal.
   *
   * @throws {AgentError} With code `tool_not_found` if an unknown tool is called and
   * `onUnknownTool` is `"throw"`.
   */
  prepare(): Promise<void> | undefined {
    for (const execution of this.#executions) {
      const preparing = prepareToolCall(execution, this.#replay);
      if (preparing) return this.#prepareRest(preparing, execution.position + 1);
    }
    return this.#needsApproval || this.#replay ? this.#approve() : undefined;
  }

  async #prepareRest(preparing: Promise<void>, next: number): Promise<void> {
    await preparing;
    for (const execution of this.#executions.slice(next)) {
      const preparing = prepareToolCall(execution, this.#replay);
      if (preparing) await preparing;
    }
    if (this.#needsApproval || this.#replay) await this.#approve();
  }

  async #approve(): Promise<void> {
    if (this.#needsApproval || this.#asksAboutUnknownOutcomes) await this.#requestApprovals();
    if (this.#pending.length === 0) await this.#replay?.starts.prepare(this.#executions);
  }

  /**
   * Returns the outcome of the calls after they have ended.
   *
   * @throws The step runner's error if the step runner has failed.
   */
  finish(): ToolCallBatchOutcome {
    const run = this.#run;
    const pending = this.#pending;
    const waits: PendingWait[] = [];
    // The executions end in any order, but approvals and waits are reported in call order.
    if (this.#suspended.length > 1) this.#suspended.sort((a, b) => a.position - b.position);
    for (const { delegation } of this.#suspended) {
      pending.push(...delegation?.pending ?? []);
      waits.push(...delegation?.waits ?? []);
    }
    if (this.#stepRunnerError) throw this.#stepRunnerError.error;
    // The output of an aborted run contains no pending approvals and no waiting tools.
    if (run.isAborted) {
      pending.splice(0);
      waits.splice(0);
    }
    const isComplete = pending.length + waits.length === 0;
    const results: ToolResult[] = [];
    for (const execution of this.#executions) {
      if (!execution.result && isComplete) {
        const reason = run.isAborted ? run.abortText : "failed";
        execution.settleWithError("not_started", `Not executed: the run ${reason}`);
      }
      if (execution.result) results.push(execution.result);
    }
    return { results, pending, waits, failure: firstFailure(run, this.#executions) };
  }

  // Approve: request decisions sequentially, in call order.

  get #needsApproval(): boolean {
    const { approvalHandler = autoApprove, decisions } = this.#run.config;
    return approvalHandler !== autoApprove || decisions !== undefined;
  }

  get #asksAboutUnknownOutcomes(): boolean {
    return this.#replay !== undefined && this.#run.config.onUnknownOutcome === "ask";
  }

  async #requestApprovals(): Promise<void> {
    const run = this.#run;
    for (const execution of this.#executions) {
      const { entry, call: toolCall, result } = execution;
      if (result || !entry) continue;
      if (run.shouldPause) await run.waitUntilResumed();
      if (run.mustEnd) return;
      const stepKey = execution.keyOf("approval");
      const approval: RequiredApproval = {
        execution,
        entry,
        toolCall,
        reason: "approval",
        stepKey,
      };
      const approved = this.#needsApproval ? await this.#requestDecision(approval) : toolCall;
      if (approved) await this.#askToRepeat({ ...approval, toolCall: approved });
    }
  }

  /**
   * Requests and applies a decision. Returns the call with the approved input if the call may be
   * executed.
   */
  async #requestDecision(approval: RequiredApproval): Promise<ToolCall | undefined> {
    const { execution, toolCall } = approval;
    const decision = await requestApproval(approval, this.#replay);
    if (!decision) return undefined;
    this.#run.emit?.({
      type: "approval_decided",
      iteration: execution.iteration,
      toolCall: execution.call,
      decision: decision.decision,
      ...execution.error === undefined ? {} : { error: execution.error },
    });
    await this.#applyDecision(approval, decision);
    if (decision.decision !== "approve" || execution.result) return undefined;
    return "input" in decision ? { ...toolCall, input: decision.input } : toolCall;
  }

  async #applyDecision(approval: RequiredApproval, decision: ApprovalDecision): Promise<void> {
    const { execution, entry, reason, toolCall } = approval;
    const { call, run: { path } } = execution;
    switch (decision.decision) {
      case "defer":
        this.#pending.push({ key: await decisionKeyOf(approval), path, reason, toolCall });
        return;
      case "deny": {
        const denial = decision.reason === undefined ? undefined : cut(decision.reason);
        if (reason === "outcome_unknown") {
          execution.denialReason = denial ?? "the approval was denied";
          return;
        }
        const output = defined({ type: "execution-denied" as const, reason: denial });
        execution.settle(toolResult(call, output, 0, ToolResultCode.ApprovalDenied));
        return;
      }
      case "approve":
        if ("input" in decision) await validateReplacement(execution, entry, decision.input);
    }
  }

  /**
   * If an earlier execution of the call was interrupted, requests a decision on whether to execute
   * the tool again.
   */
  async #askToRepeat({ execution, entry, toolCall }: RequiredApproval): Promise<void> {
    if (!this.#asksAboutUnknownOutcomes || isSafeToRepeat(entry)) return;
    let approved: ToolCall | undefined = toolCall;
    while (approved && await this.#replay?.isOutcomeUnknown(execution)) {
      // A decision permits only one repetition, because each execution needs its own decision.
      const repetition = execution.earlierExecutions + 1;
      approved = await this.#requestDecision({
        execution,
        entry,
        toolCall: approved,
        reason: "outcome_unknown",
        stepKey: `${execution.keyOf("approval")}.${repetition}`,
      });
      if (approved) execution.earlierExecutions = repetition;
    }
  }

  // Execute: start the calls in call order, with limited concurrency.

  /**
   * Executes the calls that have no result, unless approvals are pending. Resolves when all of them
   * have ended.
   */
  execute(): Promise<void> {
    const waiting = this.#pending.length === 0 ? this.#startFrom(0) : undefined;
    return waiting ? this.#executeRest(waiting) : this.#waitBelow(1);
  }

  /**
   * Starts calls, beginning at a position. Returns the first call that has to wait until other
   * tools have ended or the run is resumed, or `undefined` if all calls are started.
   */
  #startFrom(position: number): ToolCallExecution | undefined {
    const executions = this.#executions;
    for (let index = position; index < executions.length && !this.#mustEnd; index++) {
      const execution = executions[index];
      if (!execution?.entry || execution.result) continue;
      const mustWait = this.#active >= this.#concurrencyOf(execution) || this.#run.shouldPause;
      if (mustWait) return execution;
      this.#start(execution, execution.entry);
    }
    return undefined;
  }

  async #executeRest(first: ToolCallExecution): Promise<void> {
    const run = this.#run;
    let waiting: ToolCallExecution | undefined = first;
    while (waiting) {
      await this.#waitBelow(this.#concurrencyOf(waiting));
      if (run.shouldPause) {
        // A run is paused only when no tool is running.
        await this.#waitBelow(1);
        await run.waitUntilResumed();
      }
      if (this.#mustEnd) break;
      if (waiting.entry) this.#start(waiting, waiting.entry);
      waiting = this.#startFrom(waiting.position + 1);
    }
    await this.#waitBelow(1);
  }

  /** Whether no other call may be started. */
  get #mustEnd(): boolean {
    return this.#run.mustEnd || this.#stepRunnerError !== undefined;
  }

  /** Number of tools that may run at the same time as the tool of a call, which is included. */
  #concurrencyOf({ entry }: ToolCallExecution): number {
    const isExclusive = entry?.tool.exclusive === true;
    return isExclusive || this.#isExclusive ? 1 : this.#run.config.toolConcurrency;
  }

  /** Resolves when fewer than `limit` tools are running. */
  #waitBelow(limit: number): Promise<void> {
    if (this.#active < limit) return DONE;
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#wakeBelow = limit;
    });
  }

  #start(execution: ToolCallExecution, entry: RegisteredTool): void {
    const replay = this.#replay;
    const onEnd: OnToolCallEnd = (step, error) => this.#onEnd(execution, step, error);
    this.#isExclusive = entry.tool.exclusive === true;
    this.#active++;
    if (replay) replay.startTool(execution, entry, onEnd);
    else execution.start(entry, onEnd);
  }

  #onEnd(execution: ToolCallExecution, step: ToolStep | undefined, error: unknown): void {
    const run = this.#run;
    const { delegation, isReplayed } = execution;
    if (step) {
      execution.settle(step.result);
      execution.hasFailed = hasFailed(step.result);
      run.stopRequested ||= step.stopRequested;
    } else if (run.isAborted) {
      const text = "Outcome unknown: the run ended while the tool was running";
      execution.settleWithError("outcome_unknown", text);
    } else if (delegation?.pending && !delegation.stepRunnerError) {
      this.#suspended.push(execution);
    } else this.#stepRunnerError ??= { error };
    const delegated = step ?? delegation;
    if (delegated) run.addDelegated(delegated, isReplayed);
    this.#active--;
    if (this.#active < this.#wakeBelow) this.#wake?.();
  }
}
