/**
 * The tool calls of one model answer: look up and validate all, ask for approval in call order, execute concurrently,
 * answer in call order.
 *
 * Nothing is executed before every decision is there, so that a deferred approval leaves nothing half done.
 *
 * @module
 */

import type { ApprovalDecision } from "./approval.ts";
import { type ApprovalQuestion, decide, toPending } from "./ask_approval.ts";
import type { BatchOutcome } from "./batch_outcome.ts";
import { AgentError } from "./error.ts";
import { type ToolCall, type ToolResult, ToolResultCode } from "./model.ts";
import type { PendingApproval } from "./output.ts";
import type { RegisteredTool } from "./registry.ts";
import type { Replay } from "./replay.ts";
import type { RunScope } from "./run_scope.ts";
import { CallContext, stepKey } from "./tool_context.ts";
import {
  deniedResult,
  describeOutput,
  errorResult,
  invalidInputText,
  returnedResult,
  thrownResult,
  type ToolStep,
  unknownToolText,
} from "./tool_result.ts";
import { Interruption } from "./waits.ts";

/** One call on its way. */
interface Item {
  readonly call: ToolCall;
  readonly position: number;
  entry: RegisteredTool | undefined;
  /** What the schema made of the input. */
  input: unknown;
  result: ToolResult | undefined;
  /** Whether the result is what the tool came to. */
  hasRun: boolean;
}

/** Thrown out of a tool call whose sub-agents wait for approvals. */
class Suspension {
  readonly pending: readonly PendingApproval[];
  readonly usageByAgent: ToolStep["usageByAgent"];

  constructor(pending: readonly PendingApproval[], usageByAgent?: ToolStep["usageByAgent"]) {
    this.pending = pending;
    this.usageByAgent = usageByAgent;
  }
}

/**
 * Executes the calls of one answer.
 *
 * @throws {AgentError} the step runner failed, or an unknown tool was called and `onUnknownTool` is `"throw"`
 */
export function executeToolCalls(
  run: RunScope,
  iteration: number,
  calls: readonly ToolCall[],
  replay: Replay | undefined,
): Promise<BatchOutcome> {
  return new Batch(run, iteration, calls, replay).execute();
}

class Batch {
  readonly #run: RunScope;
  readonly #replay: Replay | undefined;
  readonly #iteration: number;
  readonly #items: readonly Item[];
  readonly #pending: PendingApproval[] = [];
  #stopRequested = false;
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
    this.#run = run;
    this.#replay = replay;
    this.#iteration = iteration;
    this.#items = calls.map((call, position) => ({
      call,
      position,
      entry: undefined,
      input: undefined,
      result: undefined,
      hasRun: false,
    }));
  }

  async execute(): Promise<BatchOutcome> {
    for (const item of this.#items) {
      const checked = this.#prepare(item);
      if (checked !== undefined) await checked;
    }
    if (this.#run.mustApprove) await this.#approveAll();
    const [only] = this.#items;
    if (this.#items.length === 1 && only !== undefined && !this.#run.mustWait) {
      // Most answers have one call: it needs no turn, and no more promises than its own.
      if (this.#pending.length === 0 && this.#isReady(only)) await this.#execute(only, only.entry);
    } else if (this.#pending.length === 0) await this.#runAll();
    if (this.#broken !== undefined) throw this.#broken.error;
    return this.#outcome();
  }

  #outcome(): BatchOutcome {
    const results: ToolResult[] = [];
    for (const { call, result } of this.#items) {
      if (result !== undefined) results.push(result);
      else if (this.#pending.length === 0) results.push(this.#notStarted(call));
    }
    return {
      results,
      pending: this.#pending,
      stopRequested: this.#stopRequested,
      failure: this.#firstFailure(),
    };
  }

  /** In call order, so that a replayed batch fails with the same error. */
  #firstFailure(): AgentError | undefined {
    if (this.#run.config.onToolError !== "throw") return undefined;
    for (const { call, result, hasRun } of this.#items) {
      if (!hasRun || !result?.isError) continue;
      return AgentError.toolExecutionFailed(call.toolName, describeOutput(result));
    }
    return undefined;
  }

  #notStarted(call: ToolCall): ToolResult {
    const how = this.#run.isTerminating ? "terminated" : "aborted";
    const text = `Not started: the run was ${how}`;
    return this.#settle(errorResult(call, ToolResultCode.NotStarted, text));
  }

  /** Tells the listener of a result, and returns it. */
  #settle(toolResult: ToolResult): ToolResult {
    if (this.#run.sink !== undefined) {
      this.#run.emit({ type: "tool_finished", iteration: this.#iteration, toolResult });
    }
    return toolResult;
  }

  #refuse(item: Item, code: ToolResultCode, text: string): void {
    item.result = this.#settle(errorResult(item.call, code, text));
  }

  // Look up and validate. Synchronous where the validator is: an await costs more than most validators.

  #prepare(item: Item): Promise<void> | undefined {
    const { call, position } = item;
    const { registry, onUnknownTool } = this.#run.config;
    item.entry = registry.find(call.toolName);
    if (item.entry === undefined) {
      if (onUnknownTool === "throw") throw AgentError.toolNotFound(call.toolName, registry.names());
      this.#refuse(
        item,
        ToolResultCode.ToolNotFound,
        unknownToolText(call.toolName, registry.names()),
      );
      return undefined;
    }
    const { maxToolCallsPerIteration } = this.#run.limits;
    if (position >= maxToolCallsPerIteration) {
      const text = `Not executed: more than ${maxToolCallsPerIteration} calls in one answer`;
      this.#refuse(item, ToolResultCode.TooManyCalls, text);
      return undefined;
    }
    if (call.rawInput !== undefined) {
      const text = `Invalid input for tool "${call.toolName}": it is not valid JSON`;
      this.#refuse(item, ToolResultCode.InvalidInput, text);
      return undefined;
    }
    return this.#validate(item, item.entry, call.input);
  }

  #validate(item: Item, entry: RegisteredTool, input: unknown): Promise<void> | undefined {
    const verdict = entry.checkInput(input);
    if (verdict instanceof Promise) {
      return verdict.then((settled) => this.#applyVerdict(item, settled));
    }
    this.#applyVerdict(item, verdict);
    return undefined;
  }

  #applyVerdict(item: Item, verdict: Awaited<ReturnType<RegisteredTool["checkInput"]>>): void {
    if (verdict.ok) {
      item.input = verdict.value;
      return;
    }
    const text = invalidInputText(item.call.toolName, verdict.issues);
    this.#refuse(item, ToolResultCode.InvalidInput, text);
  }

  // Approve, one after the other.

  async #approveAll(): Promise<void> {
    for (const item of this.#items) {
      if (item.result !== undefined || item.entry === undefined) continue;
      if (this.#run.mustWait) await this.#run.wait();
      if (this.#run.isAborted) return;
      const question = this.#question(item, item.entry);
      const decision = await decide(question, this.#replay);
      if (decision === undefined) return;
      this.#run.emit({
        type: "approval_decided",
        iteration: this.#iteration,
        toolCall: item.call,
        decision: decision.decision,
      });
      if (decision.decision === "defer") this.#pending.push(toPending(question));
      else await this.#applyDecision(item, item.entry, decision);
    }
  }

  #question({ call, position }: Item, entry: RegisteredTool): ApprovalQuestion {
    return { run: this.#run, iteration: this.#iteration, call, position, entry };
  }

  async #applyDecision(
    item: Item,
    entry: RegisteredTool,
    decision: Exclude<ApprovalDecision, { readonly decision: "defer" }>,
  ): Promise<void> {
    if (decision.decision === "deny") {
      item.result = this.#settle(deniedResult(item.call, decision.reason));
    } else if ("input" in decision) {
      await this.#validate(item, entry, decision.input);
    }
  }

  // Execute: started in call order, a bounded number at a time.

  async #runAll(): Promise<void> {
    for (const item of this.#items) {
      if (!this.#isReady(item)) continue;
      const isExclusive = item.entry.tool.exclusive === true;
      if (this.#mustWait(isExclusive)) await this.#waitForTurn(isExclusive);
      if (this.#run.isAborted || this.#broken !== undefined) break;
      this.#isExclusive = isExclusive;
      this.#active++;
      this.#execute(item, item.entry).then(this.#onDone);
    }
    await this.#waitBelow(1);
  }

  #isReady(item: Item): item is Item & { readonly entry: RegisteredTool } {
    return item.result === undefined && item.entry !== undefined && !this.#run.isAborted;
  }

  #mustWait(isExclusive: boolean): boolean {
    return this.#active >= this.#limit(isExclusive) || this.#run.mustWait;
  }

  #limit(isExclusive: boolean): number {
    return isExclusive || this.#isExclusive ? 1 : this.#run.limits.toolConcurrency;
  }

  async #waitForTurn(isExclusive: boolean): Promise<void> {
    await this.#waitBelow(this.#limit(isExclusive));
    if (!this.#run.mustWait) return;
    // A run rests only when nothing is at work any more.
    await this.#waitBelow(1);
    await this.#run.wait();
  }

  /** Waits until fewer tools than this are at work. */
  async #waitBelow(limit: number): Promise<void> {
    if (this.#active < limit) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#wakeBelow = limit;
    });
  }

  readonly #onDone = (): void => {
    this.#active--;
    if (this.#active < this.#wakeBelow) this.#wake?.();
  };

  /** Gives the item its result. Never rejects. */
  async #execute(item: Item, entry: RegisteredTool): Promise<void> {
    try {
      const step = this.#replay === undefined
        ? await this.#runTool(item, entry)
        : await this.#runRecorded(this.#replay, item, entry);
      item.result = this.#settle(step.result);
      item.hasRun = true;
      if (step.stopRequested) this.#stopRequested = true;
      if (step.usageByAgent !== undefined) this.#run.addDelegated(step.usageByAgent);
    } catch (error) {
      this.#interrupted(item, error);
    }
  }

  #interrupted(item: Item, error: unknown): void {
    if (error instanceof Suspension) {
      this.#pending.push(...error.pending);
      if (error.usageByAgent !== undefined) this.#run.addDelegated(error.usageByAgent);
    } else if (error instanceof Interruption || this.#run.isAborted) {
      const text = "Started, outcome unknown: the run ended while the tool was at work";
      this.#refuse(item, ToolResultCode.OutcomeUnknown, text);
    } else {
      this.#broken ??= { error };
    }
  }

  async #runRecorded(replay: Replay, item: Item, entry: RegisteredTool): Promise<ToolStep> {
    const key = stepKey(this.#run, this.#iteration, "tool", item.position);
    return await replay.toolStep(key, item.call, () => this.#runTool(item, entry));
  }

  /**
   * Runs the tool.
   *
   * @throws {Interruption} the run was aborted and the tool did not finish
   * @throws {Suspension} a sub-agent of the tool waits for approvals
   */
  async #runTool(item: Item, { tool }: RegisteredTool): Promise<ToolStep> {
    const run = this.#run;
    const { call } = item;
    const { timeoutMs = run.limits.toolTimeoutMs } = tool;
    const context = new CallContext(run, this.#iteration, item, timeoutMs);
    run.config.healthProfile?.recordToolInvocation();
    if (run.sink !== undefined) {
      run.emit({ type: "tool_started", iteration: this.#iteration, toolCall: call });
    }
    // Whole milliseconds: the finer clock would cost a tenth of everything that a call costs here.
    const begun = Date.now();
    let result: ToolResult;
    try {
      const returned = tool.execute(item.input, context);
      const value = isThenable(returned)
        ? await run.waits.wait(returned, context.cancellation)
        : returned;
      result = returnedResult(call, value, Date.now() - begun);
    } catch (error) {
      result = this.#failed(call, error, Date.now() - begun, timeoutMs);
    }
    return this.#toStep(context, result);
  }

  #toStep(context: CallContext, result: ToolResult): ToolStep {
    const { broken, pending, stopRequested, usageByAgent } = context;
    if (broken !== undefined) throw broken.error;
    if (pending !== undefined) throw new Suspension(pending, usageByAgent);
    if (result.isError) this.#run.config.healthProfile?.recordError();
    return usageByAgent === undefined
      ? { result, stopRequested }
      : { result, stopRequested, usageByAgent };
  }

  #failed(
    call: ToolCall,
    error: unknown,
    durationMs: number,
    timeoutMs: number,
  ): ToolResult {
    if (error instanceof Interruption && error.kind === "timeout") {
      const text = `Tool "${call.toolName}" timed out after ${timeoutMs} ms`;
      return errorResult(call, ToolResultCode.ToolTimeout, text, durationMs);
    }
    // What a tool throws because it was told to stop says nothing about its outcome.
    if (this.#run.isAborted) throw new Interruption("aborted");
    return thrownResult(call, error, durationMs);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}
