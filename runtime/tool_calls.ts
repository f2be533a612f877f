/**
 * The tool calls of one model answer: look up and validate all, ask for approval in call order, execute concurrently,
 * answer in call order.
 *
 * Nothing is executed before every decision is there, so that a deferred approval leaves nothing half done.
 *
 * @module
 */

import type { Approvable } from "./ask_approval.ts";
import { CORE } from "./core.ts";
import { AgentError } from "./error.ts";
import { type ToolCall, type ToolResult, ToolResultCode } from "./model.ts";
import type { PendingApproval } from "./output.ts";
import type { RegisteredTool } from "./registry.ts";
import type { Replay } from "./replay.ts";
import type { RunScope } from "./run_scope.ts";
import type { InputCheck } from "./schema.ts";
import { CallContext } from "./tool_context.ts";
import {
  errorResult,
  invalidInputText,
  returnedResult,
  thrownResult,
  type ToolStep,
  unknownToolText,
} from "./tool_result.ts";
import { NO_USAGE } from "./usage.ts";
import { type Follower, Interruption } from "./waits.ts";

/** What a batch came to. */
export interface BatchOutcome {
  /** One result for each call, in call order; only the finished ones when approvals are pending. */
  readonly results: ToolResult[];
  /** What has to be decided before the batch can go on; empty when it is complete. */
  readonly pending: readonly PendingApproval[];
  /** Whether a tool asked for the end of the run. */
  readonly stopRequested?: boolean;
  /** The first failure, when tool failures end the run. */
  readonly failure?: AgentError | undefined;
}

/** Says what became of a tool: its step, or, when there is none, why. Called once. */
type Ending = (step: ToolStep | undefined, error?: unknown) => void;

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
  const items = calls.map((call, position) => new CallContext(run, iteration, call, position));
  return new Batch(run, items, replay).execute();
}

class Batch implements Approvable {
  readonly run: RunScope;
  readonly items: readonly CallContext[];
  readonly replay: Replay | undefined;
  readonly pending: PendingApproval[] = [];
  #stopRequested = false;
  /** What the step runner failed with. */
  #broken: { readonly error: unknown } | undefined;
  #active = 0;
  #isExclusive = false;
  #wake: (() => void) | undefined;
  #wakeBelow = 0;

  constructor(run: RunScope, items: readonly CallContext[], replay: Replay | undefined) {
    this.run = run;
    this.items = items;
    this.replay = replay;
  }

  async execute(): Promise<BatchOutcome> {
    const { run, items, pending } = this;
    for (const item of items) {
      const checked = this.#prepare(item);
      if (checked !== undefined) await checked;
    }
    if (run.approvalHandler !== undefined || run.config.decisions !== undefined) {
      const { approveAll } = await import("./ask_approval.ts");
      await approveAll(CORE, this);
    }
    if (pending.length === 0) await this.#runAll();
    if (this.#broken !== undefined) throw this.#broken.error;
    // An aborted run is over: nobody will decide any more.
    if (run.isAborted) pending.splice(0);
    const results: ToolResult[] = [];
    for (const item of items) {
      if (item.result !== undefined) results.push(item.result);
      else if (pending.length === 0) results.push(this.#notStarted(item));
    }
    return {
      results,
      pending,
      stopRequested: this.#stopRequested,
      failure: this.#firstFailure(),
    };
  }

  /** Checks an input for a call. Synchronous where the validator is: an await costs more than most validators. */
  validate(item: CallContext, entry: RegisteredTool, input: unknown): Promise<void> | undefined {
    const verdict = entry.checkInput(input);
    return verdict instanceof Promise
      ? verdict.then((settled) => this.#judge(item, entry, settled))
      : this.#judge(item, entry, verdict);
  }

  /** Gives a call its result, and tells the listener. */
  settle(item: CallContext, toolResult: ToolResult): ToolResult {
    item.result = toolResult;
    this.run.emit?.({ type: "tool_finished", iteration: item.iteration, toolResult });
    return toolResult;
  }

  #refuse(item: CallContext, code: ToolResultCode, text: string): undefined {
    this.settle(item, errorResult(item.call, code, text));
  }

  #notStarted(item: CallContext): ToolResult {
    const how = this.run.isTerminating ? "terminated" : "aborted";
    const text = `Not started: the run was ${how}`;
    return this.settle(item, errorResult(item.call, ToolResultCode.NotStarted, text));
  }

  /** In call order, so that a replayed batch fails with the same error. */
  #firstFailure(): AgentError | undefined {
    if (this.run.config.onToolError !== "throw") return undefined;
    const failed = this.items.find(({ hasRun, result }) => hasRun && result?.isError);
    return failed?.result &&
      AgentError.toolExecutionFailed(failed.toolName, describeOutput(failed.result));
  }

  #prepare(item: CallContext): Promise<void> | undefined {
    const { call, toolName, run: { config, limits } } = item;
    const { registry, onUnknownTool, repairToolCall } = config;
    const entry = item.entry = registry.find(toolName);
    if (entry === undefined) {
      const names = registry.names();
      if (onUnknownTool === "throw") throw AgentError.toolNotFound(toolName, names);
      return this.#refuse(item, ToolResultCode.ToolNotFound, unknownToolText(toolName, names));
    }
    const { maxToolCallsPerIteration: most } = limits;
    if (item.position >= most) {
      const text = `Not executed: more than ${most} calls in one answer`;
      return this.#refuse(item, ToolResultCode.TooManyCalls, text);
    }
    item.mayRepair = repairToolCall !== undefined;
    if (call.rawInput === undefined) return this.validate(item, entry, call.input);
    const text = `Invalid input for tool "${toolName}": it is not valid JSON`;
    return this.#invalid(item, entry, text);
  }

  #judge(
    item: CallContext,
    entry: RegisteredTool,
    verdict: InputCheck,
  ): Promise<void> | undefined {
    if (!verdict.ok) {
      return this.#invalid(item, entry, invalidInputText(item.toolName, verdict.issues));
    }
    item.input = verdict.value;
    item.mayRepair = false;
    return undefined;
  }

  #invalid(item: CallContext, entry: RegisteredTool, reason: string): Promise<void> | undefined {
    if (item.mayRepair) return this.#repair(item, entry, reason);
    return this.#refuse(item, ToolResultCode.InvalidInput, reason);
  }

  async #repair(item: CallContext, entry: RegisteredTool, reason: string): Promise<void> {
    item.mayRepair = false;
    const { repairCall } = await import("./repair_call.ts");
    const repaired = await repairCall(CORE, this.replay, { item, entry, reason });
    if (repaired === undefined) return this.#invalid(item, entry, reason);
    item.call = repaired;
    await this.validate(item, entry, repaired.input);
  }

  // Execute: started in call order, a bounded number at a time.

  async #runAll(): Promise<void> {
    const { run } = this;
    for (const item of this.items) {
      const { entry } = item;
      if (item.result !== undefined || entry === undefined) continue;
      const isExclusive = entry.tool.exclusive === true;
      const most = isExclusive || this.#isExclusive ? 1 : run.limits.toolConcurrency;
      if (this.#active >= most) await this.#waitBelow(most);
      if (run.mustWait) {
        // A run rests only when nothing is at work any more.
        if (this.#active > 0) await this.#waitBelow(1);
        await run.wait();
      }
      if (run.isAborted || this.#broken !== undefined) break;
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
    const ending: Ending = (step, error) =>
      step === undefined ? this.#interrupt(item, error) : this.#finish(item, step);
    this.#active++;
    if (this.replay === undefined) return new ToolRun(item, ending).start(entry);
    const run = (): Promise<ToolStep> =>
      new Promise((resolve, reject) => {
        new ToolRun(item, (step, error) => step ? resolve(step) : reject(error)).start(entry);
      });
    this.replay.toolStep(item.idempotencyKey, item.call, run)
      .then(ending, (error) => ending(undefined, error));
  }

  #finish(item: CallContext, { result, stopRequested, usageByAgent }: ToolStep): void {
    this.settle(item, result);
    item.hasRun = true;
    if (stopRequested) this.#stopRequested = true;
    this.#over(usageByAgent);
  }

  #interrupt(item: CallContext, error: unknown): void {
    const { broken, pending, usageByAgent } = item.delegation ?? {};
    if (error instanceof Interruption || this.run.isAborted) {
      const text = "Started, outcome unknown: the run ended while the tool was at work";
      this.#refuse(item, ToolResultCode.OutcomeUnknown, text);
    } else if (broken === undefined && pending) this.pending.push(...pending);
    else this.#broken ??= { error };
    this.#over(usageByAgent);
  }

  #over(usageByAgent: ToolStep["usageByAgent"] = {}): void {
    for (const path in usageByAgent) this.run.addDelegated(path, usageByAgent[path] ?? NO_USAGE);
    this.#active--;
    if (this.#active < this.#wakeBelow) this.#wake?.();
  }
}

/** A tool at work. */
class ToolRun implements Follower<unknown> {
  readonly #item: CallContext;
  readonly #ending: Ending;
  // Whole milliseconds: the finer clock would cost a tenth of everything that a call costs here.
  readonly #begun = Date.now();

  constructor(item: CallContext, ending: Ending) {
    this.#item = item;
    this.#ending = ending;
  }

  start({ tool }: RegisteredTool): void {
    const { run, iteration, call, input } = this.#item;
    this.#item.begin();
    run.config.healthProfile?.recordToolInvocation();
    run.emit?.({ type: "tool_started", iteration, toolCall: call });
    try {
      const value = tool.execute(input, this.#item);
      if (isThenable(value)) {
        run.waits.follow(Promise.resolve(value), this.#item.cancellation, this.#begun, this);
        // In a moment: calls that are made together start together, whatever their tools are like.
      } else queueMicrotask(() => this.returned(value));
    } catch (error) {
      this.threw(error);
    }
  }

  returned(value: unknown): void {
    this.#end(returnedResult(this.#item.call, value, Date.now() - this.#begun));
  }

  threw(error: unknown): void {
    const { call, run, timeoutMs, toolName } = this.#item;
    const isLate = error instanceof Interruption && error.kind === "timeout";
    // What a tool throws because it was told to stop says nothing about its outcome.
    if (!isLate && run.isAborted) return this.#ending(undefined, new Interruption("aborted"));
    const durationMs = Date.now() - this.#begun;
    const text = `Tool "${toolName}" timed out after ${timeoutMs} ms`;
    this.#end(
      isLate
        ? errorResult(call, ToolResultCode.ToolTimeout, text, durationMs)
        : thrownResult(call, error, durationMs),
    );
  }

  #end(result: ToolResult): void {
    const { delegation, run, stopRequested } = this.#item;
    if (delegation?.broken || delegation?.pending) {
      return this.#ending(undefined, delegation.broken?.error);
    }
    if (result.isError) run.config.healthProfile?.recordError();
    const usageByAgent = delegation?.usageByAgent;
    this.#ending(
      usageByAgent ? { result, stopRequested, usageByAgent } : { result, stopRequested },
    );
  }
}

function describeOutput({ output }: ToolResult): string {
  if (!("value" in output)) return output.reason ?? "denied";
  return typeof output.value === "string" ? output.value : JSON.stringify(output.value);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value &&
    typeof value.then === "function";
}
