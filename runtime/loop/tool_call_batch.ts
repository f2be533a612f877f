/**
 * The tool calls of one model answer: look up and validate all, ask for approval in call order, execute concurrently,
 * answer in call order.
 *
 * Nothing is executed before every decision is there, so that a deferred approval leaves nothing half done.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { copyJson, defined } from "../shared/json.ts";
import { type ToolCall, type ToolResult, ToolResultCode } from "../shared/model.ts";
import type { PendingApproval } from "../shared/output.ts";
import { formatIssues, type SchemaCheckResult } from "../shared/schema.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { toText } from "../tools/tool.ts";
import { type ApprovalDecision, autoApprove } from "./approval.ts";
import { repairCall } from "./repair_tool_call.ts";
import type { Replay } from "./replay.ts";
import { requestApproval } from "./request_approval.ts";
import type { RunState } from "./run_state.ts";
import { type OnToolCallEnd, ToolCallExecution } from "./tool_call_execution.ts";
import { cut, errorResult, toolResult, unknownToolText } from "./tool_result.ts";

/** What a batch came to. */
export interface ToolCallBatchOutcome {
  /** One result for each call, in call order; only the finished ones when approvals are pending. */
  readonly results: ToolResult[];
  /** What has to be decided before the batch can go on; empty when it is complete. */
  readonly pending: readonly PendingApproval[];
  /** The first failure, when tool failures end the run. */
  readonly failure?: AgentError | undefined;
}

/** The calls of one answer. */
export class ToolCallBatch {
  readonly #run: RunState;
  readonly #items: readonly ToolCallExecution[];
  readonly #replay: Replay | undefined;
  /** Approvals without which nothing is executed. */
  readonly #pending: PendingApproval[] = [];
  /** What the step runner failed with. */
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
    this.#items = calls.map((call, position) =>
      new ToolCallExecution(run, iteration, call, position)
    );
    this.#replay = replay;
  }

  /**
   * Executes the calls.
   *
   * @throws {AgentError} the step runner failed, or an unknown tool was called and `onUnknownTool` is `"throw"`
   */
  async execute(): Promise<ToolCallBatchOutcome> {
    const run = this.#run;
    const pending = this.#pending;
    const { approvalHandler = autoApprove, decisions } = run.config;
    for (const item of this.#items) {
      const prepared = this.#prepare(item);
      if (prepared) await prepared;
    }
    if (approvalHandler !== autoApprove || decisions) await this.#requestApprovals();
    if (pending.length === 0) await this.#executeAll();
    if (this.#stepRunnerError) throw this.#stepRunnerError.error;
    // An aborted run is over: nobody will decide any more.
    if (run.isAborted) pending.splice(0);
    const results: ToolResult[] = [];
    for (const item of this.#items) {
      if (!item.result && pending.length === 0) {
        this.#settleWithError(item, "not_started", `Not executed: the run was ${run.abortReason}`);
      }
      if (item.result) results.push(item.result);
    }
    return { results, pending, failure: this.#findFailure() };
  }

  // Prepare: look up the tools, validate the inputs.

  /** Looks up the tool of a call and validates its input. Synchronous if the validation is. */
  #prepare(item: ToolCallExecution): Promise<void> | undefined {
    const { call: { rawInput, input, toolName } } = item;
    const { config: { registry, onUnknownTool }, limits } = this.#run;
    const entry = item.entry = registry.find(toolName);
    if (!entry) {
      const names = registry.names();
      if (onUnknownTool === "throw") throw AgentError.toolNotFound(toolName, names);
      return this.#settleWithError(item, "tool_not_found", unknownToolText(toolName, names));
    }
    const most = limits.maxToolCallsPerIteration;
    if (item.position >= most) {
      const text = `Not executed: more than ${most} calls in one answer`;
      return this.#settleWithError(item, "too_many_calls", text);
    }
    const fact = rawInput === undefined
      ? this.#validate(item, entry, copyJson(input))
      : "it is not valid JSON";
    if (fact === undefined) return undefined;
    return typeof fact === "string"
      ? this.#repairInput(item, entry, fact)
      : fact.then((fact) => fact === undefined ? fact : this.#repairInput(item, entry, fact));
  }

  /**
   * Validates an input of a call, and returns what is wrong with it.
   *
   * Synchronous unless the validator returns a promise: awaiting every validation costs 9-15 % of an iteration.
   */
  #validate(
    item: ToolCallExecution,
    entry: RegisteredTool,
    input: unknown,
  ): string | undefined | Promise<string | undefined> {
    const apply = (verdict: SchemaCheckResult): string | undefined => {
      if (!verdict.ok) return formatIssues(verdict.issues);
      item.input = verdict.value;
      return undefined;
    };
    const verdict = entry.checkInput(input);
    // Schemas may take for ever, and do not fail: what fails is the wait, when the run is aborted.
    return verdict instanceof Promise
      ? this.#run.deadlines.wait(verdict).then(apply, () => undefined)
      : apply(verdict);
  }

  /** Repairs an invalid input, at most once. Refuses the call if the input stays invalid. */
  async #repairInput(item: ToolCallExecution, entry: RegisteredTool, fact: string): Promise<void> {
    const { repairToolCall } = this.#run.config;
    const reason = invalidInputText(item, fact);
    const repaired = repairToolCall &&
      await repairCall({ item, entry, reason }, repairToolCall, this.#replay);
    if (!repaired) return this.#settleWithError(item, "invalid_input", reason);
    item.call = repaired;
    await this.#validateReplacement(item, entry, repaired.input);
  }

  /** Validates an input that is not the model's own. Refuses the call if the input is invalid. */
  async #validateReplacement(
    item: ToolCallExecution,
    entry: RegisteredTool,
    input: unknown,
  ): Promise<void> {
    const fact = await this.#validate(item, entry, input);
    if (fact !== undefined) {
      this.#settleWithError(item, "invalid_input", invalidInputText(item, fact));
    }
  }

  // Approve: sequentially, in call order.

  async #requestApprovals(): Promise<void> {
    const run = this.#run;
    for (const item of this.#items) {
      const { entry, call, iteration, result } = item;
      if (result || !entry) continue;
      if (run.shouldPause) await run.waitUntilResumed();
      if (run.isAborted) return;
      const decision = await requestApproval(item, entry, this.#replay);
      if (!decision) return;
      run.emit?.({
        type: "approval_decided",
        iteration,
        toolCall: call,
        decision: decision.decision,
      });
      await this.#applyDecision(item, entry, decision);
    }
  }

  async #applyDecision(
    item: ToolCallExecution,
    entry: RegisteredTool,
    decision: ApprovalDecision,
  ): Promise<void> {
    const { call, run: { path } } = item;
    switch (decision.decision) {
      case "defer":
        this.#pending.push({ key: item.keyOf("approval"), path, toolCall: call });
        return;
      case "deny": {
        const reason = decision.reason === undefined ? undefined : cut(decision.reason);
        const output = defined({ type: "execution-denied" as const, reason });
        this.#settle(item, toolResult(call, output, 0, ToolResultCode.ApprovalDenied));
        return;
      }
      case "approve":
        if ("input" in decision) await this.#validateReplacement(item, entry, decision.input);
    }
  }

  // Execute: started in call order, a bounded number at a time.

  async #executeAll(): Promise<void> {
    const run = this.#run;
    for (const item of this.#items) {
      const { entry, result } = item;
      if (result || !entry) continue;
      const isExclusive = entry.tool.exclusive === true;
      const most = isExclusive || this.#isExclusive ? 1 : run.limits.toolConcurrency;
      if (this.#active >= most) await this.#waitBelow(most);
      if (run.shouldPause) {
        // A run rests only when nothing is at work any more.
        if (this.#active > 0) await this.#waitBelow(1);
        await run.waitUntilResumed();
      }
      if (run.isAborted || this.#stepRunnerError) break;
      this.#isExclusive = isExclusive;
      this.#start(item, entry);
    }
    if (this.#active > 0) await this.#waitBelow(1);
  }

  /** Waits until fewer tools than this are at work; some are. */
  #waitBelow(limit: number): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.#wakeBelow = limit;
    });
  }

  #start(item: ToolCallExecution, entry: RegisteredTool): void {
    const run = this.#run;
    const replay = this.#replay;
    const onEnd: OnToolCallEnd = (step, error) => {
      const { stepRunnerError, pending, usageByAgent } = item.delegation ?? {};
      if (step) {
        this.#settle(item, step.result);
        item.hasFailed = step.result.isError;
        run.stopRequested ||= step.stopRequested;
      } else if (run.isAborted) {
        const text = "Outcome unknown: the run ended while the tool was at work";
        this.#settleWithError(item, "outcome_unknown", text);
      } else if (pending && !stepRunnerError) this.#pending.push(...pending);
      else this.#stepRunnerError ??= { error };
      run.addDelegated(step ? step.usageByAgent : usageByAgent);
      this.#active--;
      if (this.#active < this.#wakeBelow) this.#wake?.();
    };
    this.#active++;
    if (replay) replay.startTool(item, entry, onEnd);
    else item.start(entry, onEnd);
  }

  // Results.

  /** Gives a call its result, and tells the listener. */
  #settle(item: ToolCallExecution, toolResult: ToolResult): void {
    item.result = toolResult;
    this.#run.emit?.({ type: "tool_finished", iteration: item.iteration, toolResult });
  }

  /** Gives a call a result that says why it has no proper one. */
  #settleWithError(item: ToolCallExecution, code: ToolResultCode, text: string): undefined {
    this.#settle(item, errorResult(item.call, code, text));
  }

  /** The first failure in call order, so that a replayed batch fails with the same error. */
  #findFailure(): AgentError | undefined {
    if (this.#run.config.onToolError !== "throw") return undefined;
    const failed = this.#items.find(({ hasFailed }) => hasFailed);
    if (!failed?.result) return undefined;
    const { output } = failed.result;
    const reason = "value" in output ? toText(output.value) : output.reason ?? "denied";
    return AgentError.toolExecutionFailed(failed.call.toolName, reason);
  }
}

function invalidInputText({ call: { toolName } }: ToolCallExecution, fact: string): string {
  return `Invalid input for tool "${toolName}": ${fact}`;
}
