/**
 * State and execution of a tool call.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { createTally, type InheritedBudget, toRecordedUse } from "../budget/run_budget.ts";
import { toJson } from "../shared/to_json.ts";
import { defined, isRecord } from "@parley/internal/json";
import type { ModelMessage, ToolCall, ToolResult, ToolResultCode } from "../shared/model.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import { type ToolContext, ToolError, toText } from "../tools/tool.ts";
import { isCurrentTool } from "./allowed_tools.ts";
import { type Around, callAround, type ToolStepInfo } from "./around.ts";
import { CallDeadline, type CompletionListener } from "./deadlines.ts";
import type { DelegationState } from "./delegation_state.ts";
import type { RunState } from "./run_state.ts";
import { sleepUntil, waitForSignal } from "./tool_waits.ts";
import { errorResult, returnedResult, thrownResult, type ToolStep } from "./tool_result.ts";

const NOT_STARTED = new CallDeadline();

/**
 * Called once when a tool call ends, with its outcome or, if there is no result, with the error.
 */
export type OnToolCallEnd = (step: ToolStep | undefined, error?: unknown) => void;

/** A tool call and its state in the loop. */
export class ToolCallExecution implements CompletionListener<unknown> {
  readonly run: RunState;
  readonly iteration: number;
  /** The tool call. After a repair, the call contains the repaired input. */
  call: ToolCall;
  readonly position: number;
  /** Registered tool. `undefined` if the tool is unknown. */
  entry: RegisteredTool | undefined;
  /** Input as returned by schema validation. */
  input: unknown;
  result: ToolResult | undefined;
  /**
   * Number of executions in earlier processes, used in the keys of the steps that record the start
   * of an execution.
   */
  earlierExecutions = 0;
  /**
   * Reason that the approval handler gave for denying another execution of the tool after an
   * unknown outcome.
   */
  denialReason: string | undefined;
  /** Digest of the call and of the tool, with which the start of the tool is recorded. */
  shown: string | undefined;
  /** Whether the result was read from a journal. */
  isReplayed = false;
  /** Whether the tool was executed and failed. */
  hasFailed = false;
  /**
   * Exception from the tool, its schema or the approval handler, for the event listeners; never
   * recorded.
   */
  error: unknown;
  /** Whether the tool has called `context.stop()`. */
  stopRequested = false;
  /**
   * Start time, from `Date.now()`, because `performance.now()` would add 10% to the overhead of a
   * call.
   */
  startedAt = 0;
  /**
   * State of the tool's sub-agents and of the signals and times that the tool waits for, if any.
   */
  delegation: DelegationState | undefined;
  /** Timeout and abort state of the tool call. */
  deadline: CallDeadline = NOT_STARTED;
  #onEnd: OnToolCallEnd | undefined;

  constructor(run: RunState, iteration: number, call: ToolCall, position: number) {
    this.run = run;
    this.iteration = iteration;
    this.call = call;
    this.position = position;
  }

  /**
   * Executes the tool, wrapped by `around`, unless a budget does not allow another tool call.
   * `start` must be called only once per tool call.
   */
  start(entry: RegisteredTool, onEnd: OnToolCallEnd): void {
    const { around, budget } = this.run;
    if (budget?.takeToolCall() === false) {
      const text = "Not executed: the budget for tool calls is used up";
      const result = errorResult(this.call, "not_started", text);
      onEnd({ result, stopRequested: false });
    } else if (around) this.#startWrapped(around, entry, onEnd);
    else this.#start(entry, onEnd);
  }

  #startWrapped(around: Around, entry: RegisteredTool, onEnd: OnToolCallEnd): void {
    const { call: toolCall, iteration, run } = this;
    const { agentName, path, runId } = run;
    const idempotencyKey = this.keyOf("tool");
    const info: ToolStepInfo = {
      kind: "tool",
      runId,
      path,
      agentName,
      iteration,
      toolCall,
      idempotencyKey,
    };
    let ended: ToolStep | undefined;
    const execute = (): Promise<ToolResult> =>
      new Promise((resolve, reject) => {
        this.#start(entry, (step, error) => {
          ended = step;
          if (step) resolve(step.result);
          else reject(error);
        });
      });
    callAround(around, info, execute, run)
      .then(() => onEnd(ended), (error) => onEnd(undefined, error));
  }

  #start(entry: RegisteredTool, onEnd: OnToolCallEnd): void {
    const { call, input, iteration, run } = this;
    // The tool may have been removed or replaced during the approvals, while the start was
    // recorded, or before `around` called `next`.
    if (!isCurrentTool(run.config.registry, call.toolName, entry)) {
      const text =
        `Not executed: tool "${call.toolName}" was changed or removed after it was called.`;
      return onEnd({ result: errorResult(call, "tool_not_found", text), stopRequested: false });
    }
    const { tool, execute = tool.execute } = entry;
    this.#onEnd = onEnd;
    this.startedAt = Date.now();
    // A `graceMs` of 0 is raised to 1 ms, so that a result the tool has already returned is kept.
    this.deadline = new CallDeadline(this.timeoutMs, run.config.graceMs || 1);
    run.config.healthProfile?.recordToolInvocation();
    run.emit?.({ type: "tool_started", iteration, toolCall: call });
    try {
      run.deadlines.follow(
        execute.call(tool, input, new ExecutionContext(this)),
        this.deadline,
        this,
      );
    } catch (error) {
      this.onThrow(error);
    }
  }

  onReturn(value: unknown): void {
    const { call, run, startedAt } = this;
    const durationMs = Date.now() - startedAt;
    let result: ToolResult;
    try {
      result = returnedResult(call, value, durationMs, run.config);
    } catch (error) {
      this.#report(error);
      const text = `The result is not serializable: ${errorMessageOf(error)}`;
      result = errorResult(call, "not_serializable", text, durationMs);
    }
    this.#end(result);
  }

  onThrow(error: unknown): void {
    const { call, run, timeoutMs } = this;
    // After an abort, an error does not reveal whether the tool has had an effect.
    if (run.isAborted) return this.#onEnd?.(undefined, error);
    const durationMs = Date.now() - this.startedAt;
    if (this.deadline.isCancelled) {
      const text = `Tool "${call.toolName}" timed out after ${timeoutMs} ms`;
      return this.#end(errorResult(call, "tool_timeout", text, durationMs));
    }
    // If the tool or a sub-agent waits, the error suspends the call, and is not reported.
    const { stepRunnerError, pending } = this.delegation ?? {};
    if (!stepRunnerError && !pending) this.#report(error);
    this.#end(thrownResult(call, error, durationMs, run.config), error);
  }

  /**
   * Stores an exception for the listeners. Reports the exception unless the run rejects with it or
   * it is a `ToolError`.
   */
  #report(cause: unknown): void {
    const { call: { toolName }, run } = this;
    this.error = cause;
    if (run.config.onToolError === "throw" || cause instanceof ToolError) return;
    run.report(AgentError.toolExecutionFailed(toolName, errorMessageOf(cause), { cause }));
  }

  #end(result: ToolResult, error?: unknown): void {
    this.deadline.isCancelled = true;
    const { stepRunnerError, pending, tally, usageByAgent, usageByModel } = this.delegation ?? {};
    if (stepRunnerError) return this.#onEnd?.(undefined, stepRunnerError.error);
    if (pending) return this.#onEnd?.(undefined, error);
    if (result.isError) this.run.config.healthProfile?.recordError();
    const step = { result, stopRequested: this.stopRequested, usageByAgent, usageByModel };
    this.#onEnd?.(tally === undefined ? step : { ...step, budgetUse: toRecordedUse(tally) });
  }

  /** Sets the result of the call and emits an event. */
  settle(toolResult: ToolResult): void {
    const { error, isReplayed, iteration } = this;
    this.result = toolResult;
    this.run.emit?.({
      type: "tool_finished",
      iteration,
      toolResult,
      ...isReplayed ? { isReplayed } : {},
      ...error === undefined ? {} : { error },
    });
  }

  /** Sets an error as the result of the call. */
  settleWithError(code: ToolResultCode, text: string): undefined {
    this.settle(errorResult(this.call, code, text));
  }

  /** Timeout for the tool, in milliseconds. */
  get timeoutMs(): number {
    return this.entry?.tool.timeoutMs ?? this.run.config.toolTimeoutMs;
  }

  /** Returns the journal key for a step of the tool call. */
  keyOf(kind: "approval" | "repair" | "tool" | "begin" | "suspended"): string {
    return `${this.run.runId}/i${this.iteration}/${kind}/${this.position}`;
  }

  /**
   * Returns the budgets that the sub-agents of the tool use up, or `undefined` without a budget.
   */
  inheritBudget(): InheritedBudget | undefined {
    const { budget } = this.run;
    if (budget === undefined) return undefined;
    const delegation = this.delegation ??= { children: 0 };
    return budget.inheritWith(delegation.tally ??= createTally());
  }

  /**
   * Returns the run id of the next sub-agent. If the tool is executed again, its sub-agents receive
   * the same ids.
   */
  nextChildRunId(name: string): string {
    const delegation = this.delegation ??= { children: 0 };
    return `${this.keyOf("tool")}/${name}.${delegation.children++}`;
  }
}

/**
 * Returns the error of a run in which a tool has failed if `onToolError` is `"throw"`: the error of
 * the first failed tool call, in call order, so that a replayed batch fails with the same error.
 */
export function firstFailure(
  { config: { onToolError } }: RunState,
  executions: readonly ToolCallExecution[],
): AgentError | undefined {
  if (onToolError !== "throw") return undefined;
  const failed = executions.find(({ hasFailed }) => hasFailed);
  if (!failed?.result) return undefined;
  const { output } = failed.result;
  const reason = "value" in output ? toText(output.value) : output.reason ?? "denied";
  const { call: { toolName }, error: cause } = failed;
  return AgentError.toolExecutionFailed(toolName, reason, defined({ cause }));
}

/**
 * Returns the tool call that a context belongs to, or `undefined` if the loop did not create the
 * context.
 */
export let executionOf: (context: ToolContext) => ToolCallExecution | undefined;

/**
 * The context that a tool receives.
 *
 * The context is a class with getters, because most tools read only a few members of the context.
 * Creating a plain object with all members takes 1.7 to 2.2 times as long.
 */
class ExecutionContext implements ToolContext {
  static {
    executionOf = (context) =>
      isRecord(context) && #execution in context ? context.#execution : undefined;
  }
  readonly #execution: ToolCallExecution;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly agentName: string;
  declare readonly agentDid?: string;
  readonly path: readonly string[];
  readonly iteration: number;

  constructor(call: ToolCallExecution) {
    const { agentName, config: { agentDid }, path } = call.run;
    this.#execution = call;
    this.toolCallId = call.call.toolCallId;
    this.toolName = call.call.toolName;
    this.agentName = agentName;
    if (agentDid !== undefined) this.agentDid = agentDid;
    this.path = path;
    this.iteration = call.iteration;
  }

  get runId(): string {
    return this.#execution.run.runId;
  }

  get messages(): readonly ModelMessage[] {
    return [...this.#execution.run.messages];
  }

  get signal(): AbortSignal {
    return this.#execution.deadline.signal;
  }

  get idempotencyKey(): string {
    return this.#execution.keyOf("tool");
  }

  // The getters for functions return closures, because tools may destructure the context.

  get report(): ToolContext["report"] {
    const { call: { toolCallId, toolName }, deadline, iteration, run } = this.#execution;
    return (value) => {
      if (deadline.isCancelled) return;
      const progress = toProgress(value);
      run.emit?.({ type: "tool_progress", iteration, toolCallId, toolName, progress });
    };
  }

  get wait(): ToolContext["wait"] {
    // deno-lint-ignore require-await -- specified as asynchronous, so errors become rejections
    return async (key) => waitForSignal(this.#execution, key);
  }

  get sleep(): ToolContext["sleep"] {
    return (key, until) => sleepUntil(this.#execution, key, until);
  }

  get stop(): ToolContext["stop"] {
    return () => {
      this.#execution.stopRequested = true;
    };
  }
}

/**
 * Copies the value that a tool reports, so that later changes do not affect the data that listeners
 * receive.
 */
function toProgress(value: unknown): JsonValue {
  try {
    return toJson(value);
  } catch (cause) {
    const text = `"progress" must be serializable as JSON: ${errorMessageOf(cause)}`;
    throw new TypeError(text, { cause });
  }
}
