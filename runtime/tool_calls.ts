/**
 * The tool calls of one model answer: look up and validate all, ask for approval in call order, execute concurrently,
 * answer in call order.
 *
 * Nothing is executed before every decision is there, so that a deferred approval leaves nothing half done.
 *
 * @module
 */

import { autoApprove } from "./approval.ts";
import type { Approvable } from "./ask_approval.ts";
import { CORE } from "./core.ts";
import { AgentError } from "./error.ts";
import { copyJson } from "./json.ts";
import type { ToolCall, ToolResult, ToolResultCode } from "./model.ts";
import type { PendingApproval } from "./output.ts";
import type { RegisteredTool } from "./registry.ts";
import type { Replay } from "./replay.ts";
import type { RunScope } from "./run_scope.ts";
import type { InputCheck } from "./schema.ts";
import { toText } from "./tool.ts";
import { CallContext, type Ending } from "./tool_context.ts";
import { describeIssues, errorResult, unknownToolText } from "./tool_result.ts";

/** What a batch came to. */
export interface BatchOutcome {
  /** One result for each call, in call order; only the finished ones when approvals are pending. */
  readonly results: ToolResult[];
  /** What has to be decided before the batch can go on; empty when it is complete. */
  readonly pending: readonly PendingApproval[];
  /** The first failure, when tool failures end the run. */
  readonly failure?: AgentError | undefined;
}

/** The calls of one answer. */
export class Batch implements Approvable {
  readonly run: RunScope;
  readonly items: readonly CallContext[];
  readonly replay: Replay | undefined;
  readonly pending: PendingApproval[] = [];
  /** What the step runner failed with. */
  #broken: { readonly error: unknown } | undefined;
  #active = 0;
  #isExclusive = false;
  #wake: (() => void) | undefined;
  #wakeBelow = 0;

  constructor(
    run: RunScope,
    iteration: number,
    calls: readonly ToolCall[],
    replay: Replay | undefined,
  ) {
    this.run = run;
    this.items = calls.map((call, position) => new CallContext(run, iteration, call, position));
    this.replay = replay;
  }

  /**
   * Executes the calls.
   *
   * @throws {AgentError} the step runner failed, or an unknown tool was called and `onUnknownTool` is `"throw"`
   */
  async execute(): Promise<BatchOutcome> {
    const { run, items, pending } = this;
    const { approvalHandler = autoApprove, decisions, onToolError } = run.config;
    for (const item of items) {
      const checked = this.#prepare(item);
      if (checked) await checked;
    }
    if (approvalHandler !== autoApprove || decisions) {
      const { approveAll } = await import("./ask_approval.ts");
      await approveAll(CORE, this);
    }
    if (pending.length === 0) await this.#runAll();
    if (this.#broken) throw this.#broken.error;
    // An aborted run is over: nobody will decide any more.
    if (run.isAborted) pending.splice(0);
    const results: ToolResult[] = [];
    for (const item of items) {
      if (!item.result && pending.length === 0) {
        this.refuse(
          item,
          "not_started",
          `Not executed: the run was ${run.abortReason}`,
        );
      }
      if (item.result) results.push(item.result);
    }
    // In call order, so that a replayed batch fails with the same error.
    const failed = onToolError === "throw" && items.find(({ hasFailed }) => hasFailed);
    if (!failed || !failed.result) return { results, pending };
    const output = failed.result.output;
    const reason = "value" in output ? toText(output.value) : output.reason ?? "denied";
    return {
      results,
      pending,
      failure: AgentError.toolExecutionFailed(failed.call.toolName, reason),
    };
  }

  /** Checks an input for a call. Synchronous where the validator is: an await costs more than most validators. */
  validate(item: CallContext, entry: RegisteredTool, input: unknown): Promise<void> | undefined {
    const judge = (verdict: InputCheck): Promise<void> | undefined => {
      if (!verdict.ok) return this.invalid(item, entry, describeIssues(verdict.issues));
      item.input = verdict.value;
      item.mayRepair = false;
      return undefined;
    };
    const verdict = entry.checkInput(input);
    // Schemas may take for ever, and do not fail: what fails is the wait, when the run is aborted.
    return verdict instanceof Promise
      ? this.run.waits.wait(verdict).then(judge, () => {})
      : judge(verdict);
  }

  /** Has an input mended, or refuses the call. */
  invalid(item: CallContext, entry: RegisteredTool, fact: string): Promise<void> | undefined {
    const reason = `Invalid input for tool "${item.call.toolName}": ${fact}`;
    if (!item.mayRepair) return this.refuse(item, "invalid_input", reason);
    item.mayRepair = false;
    return import("./repair_call.ts").then(({ repairCall }) =>
      repairCall(CORE, this, { item, entry, fact, reason })
    );
  }

  /** Gives a call its result, and tells the listener. */
  settle(item: CallContext, toolResult: ToolResult): void {
    item.result = toolResult;
    this.run.emit?.({ type: "tool_finished", iteration: item.iteration, toolResult });
  }

  /** Gives a call a result that says why it has no proper one. */
  refuse(item: CallContext, code: ToolResultCode, text: string): undefined {
    this.settle(item, errorResult(item.call, code, text));
  }

  #prepare(item: CallContext): Promise<void> | undefined {
    const { call: { rawInput, input, toolName } } = item;
    const { config: { registry, onUnknownTool, repairToolCall }, limits } = this.run;
    const entry = item.entry = registry.find(toolName);
    if (!entry) {
      const names = registry.names();
      if (onUnknownTool === "throw") throw AgentError.toolNotFound(toolName, names);
      return this.refuse(item, "tool_not_found", unknownToolText(toolName, names));
    }
    const most = limits.maxToolCallsPerIteration;
    if (item.position >= most) {
      const text = `Not executed: more than ${most} calls in one answer`;
      return this.refuse(item, "too_many_calls", text);
    }
    item.mayRepair = repairToolCall !== undefined;
    return rawInput === undefined
      ? this.validate(item, entry, copyJson(input))
      : this.invalid(item, entry, "it is not valid JSON");
  }

  // Execute: started in call order, a bounded number at a time.

  async #runAll(): Promise<void> {
    const { run } = this;
    for (const item of this.items) {
      const { entry, result } = item;
      if (result || !entry) continue;
      const isExclusive = entry.tool.exclusive === true;
      const most = isExclusive || this.#isExclusive ? 1 : run.limits.toolConcurrency;
      if (this.#active >= most) await this.#waitBelow(most);
      if (run.mustWait) {
        // A run rests only when nothing is at work any more.
        if (this.#active > 0) await this.#waitBelow(1);
        await run.rest();
      }
      if (run.isAborted || this.#broken) break;
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

  #start(item: CallContext, entry: RegisteredTool): void {
    const { replay, run } = this;
    const ending: Ending = (step, error) => {
      const { broken, pending, usageByAgent } = item.delegation ?? {};
      if (step) {
        this.settle(item, step.result);
        item.hasFailed = step.result.isError;
        run.stopRequested ||= step.stopRequested;
      } else if (run.isAborted) {
        const text = "Outcome unknown: the run ended while the tool was at work";
        this.refuse(item, "outcome_unknown", text);
      } else if (pending && !broken) this.pending.push(...pending);
      else this.#broken ??= { error };
      run.addDelegated(step ? step.usageByAgent : usageByAgent);
      this.#active--;
      if (this.#active < this.#wakeBelow) this.#wake?.();
    };
    this.#active++;
    if (replay) replay.startTool(item, entry, ending);
    else item.start(entry, ending);
  }
}
