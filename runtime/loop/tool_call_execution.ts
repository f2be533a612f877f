/**
 * One tool call on its way: what it is about, what the tool gets beside its input, and what has become of it.
 *
 * @module
 */

import type { ModelMessage, ToolCall, ToolResult } from "../shared/model.ts";
import type { PendingApproval } from "../shared/output.ts";
import type { TokenUsage } from "../shared/usage.ts";
import type { RegisteredTool } from "../tools/registry.ts";
import type { ToolContext } from "../tools/tool.ts";
import { CallDeadline, type CompletionListener } from "./deadlines.ts";
import type { RunState } from "./run_state.ts";
import { errorResult, returnedResult, thrownResult, type ToolStep } from "./tool_result.ts";

/** What the sub-agents of a tool call have come to. */
export interface DelegationState {
  /** How many there were. */
  children: number;
  /** What a step runner failed with in one: that is no tool's failure, and ends the whole run. */
  stepRunnerError?: { readonly error: unknown };
  /** Approvals that they are waiting for: the call cannot have a result before they are there. */
  pending?: PendingApproval[];
  /** What they used, by agent path. */
  usageByAgent?: Record<string, TokenUsage>;
}

const NOT_STARTED = new CallDeadline();

/** Says what became of a tool: its step, or, when there is none, why. Called once. */
export type OnToolCallEnd = (step: ToolStep | undefined, error?: unknown) => void;

/** One tool call, for the loop. */
export class ToolCallExecution implements CompletionListener<unknown> {
  readonly run: RunState;
  readonly iteration: number;
  /** The call, mended if it had to be. */
  call: ToolCall;
  readonly position: number;
  /** The tool, if there is one. */
  entry: RegisteredTool | undefined;
  /** What the schema made of the input. */
  input: unknown;
  result: ToolResult | undefined;
  /** Whether the tool itself failed. */
  hasFailed = false;
  /** Whether the tool asked for the end of the run. */
  stopRequested = false;
  /** When the tool began: in whole milliseconds, since the finer clock would cost a tenth of everything that a call costs. */
  startedAt = 0;
  /** What its sub-agents have come to, if it has any. */
  delegation: DelegationState | undefined;
  /** The tool's side of the wait for it. */
  deadline: CallDeadline = NOT_STARTED;
  #onEnd: OnToolCallEnd | undefined;

  constructor(run: RunState, iteration: number, call: ToolCall, position: number) {
    this.run = run;
    this.iteration = iteration;
    this.call = call;
    this.position = position;
  }

  /** Lets the tool work; once. */
  start({ tool }: RegisteredTool, onEnd: OnToolCallEnd): void {
    const { call, input, iteration, run } = this;
    this.#onEnd = onEnd;
    this.startedAt = Date.now();
    // Without grace, what the tool returns before anything else happens is there and counts.
    this.deadline = new CallDeadline(this.timeoutMs, run.limits.graceMs || 1);
    run.config.healthProfile?.recordToolInvocation();
    run.emit?.({ type: "tool_started", iteration, toolCall: call });
    try {
      run.deadlines.follow(
        tool.execute(input, new ExecutionContext(this)),
        this.deadline,
        this,
      );
    } catch (error) {
      this.onThrow(error);
    }
  }

  onReturn(value: unknown): void {
    this.#end(returnedResult(this.call, value, Date.now() - this.startedAt));
  }

  onThrow(error: unknown): void {
    const { call, run, timeoutMs } = this;
    // What a tool throws because it was told to stop says nothing about its outcome.
    if (run.isAborted) return this.#onEnd?.(undefined, error);
    const durationMs = Date.now() - this.startedAt;
    const text = `Tool "${call.toolName}" timed out after ${timeoutMs} ms`;
    this.#end(
      this.deadline.isCancelled
        ? errorResult(call, "tool_timeout", text, durationMs)
        : thrownResult(call, error, durationMs),
    );
  }

  #end(result: ToolResult): void {
    this.deadline.isCancelled = true;
    const { stepRunnerError, pending, usageByAgent } = this.delegation ?? {};
    if (stepRunnerError || pending) return this.#onEnd?.(undefined, stepRunnerError?.error);
    if (result.isError) this.run.config.healthProfile?.recordError();
    this.#onEnd?.({ result, stopRequested: this.stopRequested, usageByAgent });
  }

  /** How long the tool may take, in milliseconds. */
  get timeoutMs(): number {
    return this.entry?.tool.timeoutMs ?? this.run.limits.toolTimeoutMs;
  }

  /** The key under which a step of this call is recorded. */
  keyOf(kind: "approval" | "repair" | "tool"): string {
    return `${this.run.runId}/i${this.iteration}/${kind}/${this.position}`;
  }

  /** The id of the next sub-agent's run: the same again when the tool runs again. */
  nextChildRunId(name: string): string {
    const delegation = this.delegation ??= { children: 0 };
    return `${this.keyOf("tool")}/${name}.${delegation.children++}`;
  }
}

/** The call that a context is of; undefined when the loop has not made the context. */
export let executionOf: (context: ToolContext) => ToolCallExecution | undefined;

/**
 * The context of one tool call.
 *
 * A class with getters, because most tools read few of the fields: a plain object with all of them costs 1.7-2.2 times as
 * much.
 */
class ExecutionContext implements ToolContext {
  static {
    executionOf = (context) => #execution in context ? context.#execution : undefined;
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

  // Tools take the functions out of their context, and use them on their own.

  get report(): ToolContext["report"] {
    const { call: { toolCallId, toolName }, deadline, iteration, run } = this.#execution;
    return (progress) => {
      if (deadline.isCancelled) return;
      run.emit?.({ type: "tool_progress", iteration, toolCallId, toolName, progress });
    };
  }

  get stop(): ToolContext["stop"] {
    return () => {
      this.#execution.stopRequested = true;
    };
  }
}
