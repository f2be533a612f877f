/**
 * Processing of the tool calls in one model response: all calls are validated, approved in call
 * order and executed concurrently. Results are returned in call order.
 *
 * No call is executed before all approvals are decided, so a deferred approval never leaves a batch
 * partially executed.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { copyJson, defined } from "@parley/internal/json";
import { type ToolCall, type ToolResult, ToolResultCode } from "../shared/model.ts";
import type { PendingApproval, PendingWait } from "../shared/output.ts";
import { formatIssues } from "@parley/internal/schema";
import type { SchemaCheckResult } from "../shared/schema.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { type ApprovalDecision, autoApprove } from "./approval.ts";
import { CallDeadline } from "./deadlines.ts";
import { copyInput } from "./decisions.ts";
import { repairCall } from "./repair_tool_call.ts";
import { isSafeToRepeat, type Replay } from "./replay.ts";
import { decisionKeyOf, requestApproval, type RequiredApproval } from "./request_approval.ts";
import type { RunState } from "./run_state.ts";
import { firstFailure, type OnToolCallEnd, ToolCallExecution } from "./tool_call_execution.ts";
import {
  cut,
  errorResult,
  hasFailed,
  invalidInputText,
  toolResult,
  unknownToolText,
  withRemedy,
} from "./tool_result.ts";

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

/** The tool calls in one model response. */
export class ToolCallBatch {
  readonly #run: RunState;
  readonly #executions: readonly ToolCallExecution[];
  readonly #replay: Replay | undefined;
  /** Deferred approvals in the batch, including approvals of sub-agents that the tools run. */
  readonly #pending: PendingApproval[] = [];
  /** Signals and scheduled times that the tools in the batch and their sub-agents wait for. */
  readonly #waits: PendingWait[] = [];
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
    this.#executions = calls.map((call, position) =>
      new ToolCallExecution(run, iteration, call, position)
    );
    this.#replay = replay;
  }

  /**
   * Validates, approves and executes the calls.
   *
   * @throws {AgentError} With code `tool_not_found` if an unknown tool is called and
   * `onUnknownTool` is `"throw"`.
   * @throws The step runner's error if the step runner fails.
   */
  async execute(): Promise<ToolCallBatchOutcome> {
    const run = this.#run;
    const pending = this.#pending;
    const waits = this.#waits;
    for (const execution of this.#executions) {
      const prepared = this.#prepare(execution);
      if (prepared) await prepared;
    }
    if (this.#needsApproval || this.#asksAboutUnknownOutcomes) await this.#requestApprovals();
    if (pending.length === 0) await this.#executeAll();
    // The executions end in any order, but approvals and waits are reported in call order.
    for (const { delegation } of this.#suspended.sort((a, b) => a.position - b.position)) {
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
        this.#settleWithError(execution, "not_started", `Not executed: the run ${reason}`);
      }
      if (execution.result) results.push(execution.result);
    }
    return { results, pending, waits, failure: firstFailure(run, this.#executions) };
  }

  // Prepare: look up the tools and validate the inputs.

  /**
   * Looks up the tool for a call and validates the call's input, synchronously if the schema allows
   * it.
   */
  #prepare(execution: ToolCallExecution): Promise<void> | undefined {
    const { call: { rawInput, input, toolName } } = execution;
    const { allowedTools, answer, config } = this.#run;
    const { maxToolCallsPerIteration: most, onUnknownTool, registry } = config;
    if (answer?.isAnswerCall(execution.call)) {
      const text =
        `Not executed: call tool "${toolName}" alone, after the results of all other tool calls.`;
      return this.#settleWithError(execution, "not_started", text);
    }
    const isAllowed = allowedTools?.has(toolName) ?? true;
    const entry = isAllowed && !registry.isHidden(toolName) ? registry.find(toolName) : undefined;
    execution.entry = entry;
    if (!entry) {
      const names = registry.definitions().map(({ name }) => name)
        .filter((name) => allowedTools?.has(name) ?? true);
      if (answer?.toolName !== undefined) names.push(answer.toolName);
      if (onUnknownTool === "throw") throw AgentError.toolNotFound(toolName, names);
      return this.#settleWithError(execution, "tool_not_found", unknownToolText(toolName, names));
    }
    if (execution.position >= most) {
      const text =
        `Not executed: at most ${most} tool calls per response are executed. Call the tool again.`;
      return this.#settleWithError(execution, "too_many_calls", text);
    }
    const fact = rawInput === undefined
      ? this.#validate(execution, entry, copyJson(input))
      : "not valid JSON";
    if (fact === undefined) return undefined;
    return typeof fact === "string"
      ? this.#repairInput(execution, entry, fact)
      : fact.then((fact) => fact === undefined ? fact : this.#repairInput(execution, entry, fact));
  }

  /**
   * Validates input for a call. Returns a description of the errors, or `undefined` if the input is
   * valid.
   *
   * The method is synchronous unless the validator returns a promise, because awaiting every
   * validation would account for 9 to 15% of an iteration's duration.
   */
  #validate(
    execution: ToolCallExecution,
    entry: RegisteredTool,
    input: unknown,
  ): string | undefined | Promise<string | undefined> {
    const apply = (verdict: SchemaCheckResult): string | undefined => {
      execution.error = verdict.ok ? undefined : verdict.error;
      if (!verdict.ok) {
        if (verdict.error !== undefined) this.#reportSchema(execution, verdict.error);
        return formatIssues(verdict.issues);
      }
      execution.input = verdict.value;
      return undefined;
    };
    const verdict = entry.checkInput(input);
    if (!(verdict instanceof Promise)) return apply(verdict);
    // The validation promise never rejects, but may never settle. The wait for validation rejects
    // only on timeout or if the run is aborted.
    const deadline = new CallDeadline(execution.timeoutMs);
    return this.#run.deadlines.wait(verdict, deadline).then(
      apply,
      () =>
        this.#run.isAborted ? undefined : `the validation timed out after ${deadline.timeoutMs} ms`,
    );
  }

  /**
   * Reports an exception from the schema, which indicates a bug in the tool rather than invalid
   * input.
   */
  #reportSchema({ call: { toolName } }: ToolCallExecution, cause: unknown): void {
    const text = `Cannot validate the input of tool "${toolName}": ${errorMessageOf(cause)}`;
    this.#run.report(AgentError.core(text, { cause }));
  }

  /** Repairs invalid input, at most once. Sets an error result if the input is still invalid. */
  async #repairInput(
    execution: ToolCallExecution,
    entry: RegisteredTool,
    fact: string,
  ): Promise<void> {
    const { repairToolCall } = this.#run.config;
    const reason = invalidInputText(execution.call, fact);
    const repaired = repairToolCall &&
      await repairCall({ execution, entry, reason }, repairToolCall, this.#replay);
    if (!repaired) return this.#settleWithError(execution, "invalid_input", withRemedy(reason));
    execution.call = repaired;
    await this.#validateReplacement(execution, entry, repaired.input);
  }

  /** Validates input from a repair or an approval. Sets an error result if the input is invalid. */
  async #validateReplacement(
    execution: ToolCallExecution,
    entry: RegisteredTool,
    input: unknown,
  ): Promise<void> {
    const fact = await this.#validate(execution, entry, copyInput(input));
    if (fact !== undefined) {
      const text = withRemedy(invalidInputText(execution.call, fact));
      this.#settleWithError(execution, "invalid_input", text);
    }
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
        this.#settle(execution, toolResult(call, output, 0, ToolResultCode.ApprovalDenied));
        return;
      }
      case "approve":
        if ("input" in decision) await this.#validateReplacement(execution, entry, decision.input);
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

  async #executeAll(): Promise<void> {
    const run = this.#run;
    if (this.#replay) await this.#replay.starts.prepare(this.#executions);
    for (const execution of this.#executions) {
      const { entry, result } = execution;
      if (result || !entry) continue;
      const isExclusive = entry.tool.exclusive === true;
      const most = isExclusive || this.#isExclusive ? 1 : run.config.toolConcurrency;
      if (this.#active >= most) await this.#waitBelow(most);
      if (run.shouldPause) {
        // A run is paused only when no tool is running.
        if (this.#active > 0) await this.#waitBelow(1);
        await run.waitUntilResumed();
      }
      if (run.mustEnd || this.#stepRunnerError) break;
      this.#isExclusive = isExclusive;
      this.#start(execution, entry);
    }
    if (this.#active > 0) await this.#waitBelow(1);
  }

  /**
   * Resolves when fewer than `limit` tools are running. `#waitBelow` must be called only while at
   * least `limit` tools are running.
   */
  #waitBelow(limit: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#wakeBelow = limit;
    });
  }

  #start(execution: ToolCallExecution, entry: RegisteredTool): void {
    const run = this.#run;
    const replay = this.#replay;
    const onEnd: OnToolCallEnd = (step, error) => {
      const { stepRunnerError, pending, ...delegated } = execution.delegation ?? {};
      if (step) {
        this.#settle(execution, step.result);
        execution.hasFailed = hasFailed(step.result);
        run.stopRequested ||= step.stopRequested;
      } else if (run.isAborted) {
        const text = "Outcome unknown: the run ended while the tool was running";
        this.#settleWithError(execution, "outcome_unknown", text);
      } else if (pending && !stepRunnerError) {
        this.#suspended.push(execution);
      } else this.#stepRunnerError ??= { error };
      run.addDelegated(step ?? delegated, execution.isReplayed);
      this.#active--;
      if (this.#active < this.#wakeBelow) this.#wake?.();
    };
    this.#active++;
    if (replay) replay.startTool(execution, entry, onEnd);
    else execution.start(entry, onEnd);
  }

  // Results.

  /** Sets the result of a call and emits an event. */
  #settle(execution: ToolCallExecution, toolResult: ToolResult): void {
    const { error, isReplayed, iteration } = execution;
    execution.result = toolResult;
    this.#run.emit?.({
      type: "tool_finished",
      iteration,
      toolResult,
      ...isReplayed ? { isReplayed } : {},
      ...error === undefined ? {} : { error },
    });
  }

  /** Sets an error as the result of a call. */
  #settleWithError(execution: ToolCallExecution, code: ToolResultCode, text: string): undefined {
    this.#settle(execution, errorResult(execution.call, code, text));
  }
}
