/**
 * One tool call on its way: what it is about, what the tool gets beside its input, and what has become of it.
 *
 * @module
 */

import type { JsonValue } from "./json.ts";
import type { ModelMessage, ToolCall, ToolResult } from "./model.ts";
import type { PendingApproval } from "./output.ts";
import type { RegisteredTool } from "./registry.ts";
import type { RunScope } from "./run_scope.ts";
import type { ToolContext } from "./tool.ts";
import { errorResult, returnedResult, thrownResult, type ToolStep } from "./tool_result.ts";
import type { TokenUsage } from "./usage.ts";
import { Cancellation, type Follower } from "./waits.ts";

/** What the sub-agents of a tool call have come to. */
export interface DelegationState {
  /** How many there were. */
  children: number;
  /** What a step runner failed with in one: that is no tool's failure, and ends the whole run. */
  broken?: { readonly error: unknown };
  /** Approvals that they are waiting for: the call cannot have a result before they are there. */
  pending?: PendingApproval[];
  /** What they used, by agent path. */
  usageByAgent?: Record<string, TokenUsage>;
}

/** Says what became of a tool: its step, or, when there is none, why. Called once. */
export type Ending = (step: ToolStep | undefined, error?: unknown) => void;

/** The context of one tool call. A class with getters, because most tools look at none of it. */
export class CallContext implements ToolContext, Follower<unknown> {
  readonly run: RunScope;
  readonly iteration: number;
  /** The call, mended if it had to be. */
  call: ToolCall;
  readonly position: number;
  declare readonly agentDid?: string;
  /** The tool, if there is one. */
  entry: RegisteredTool | undefined;
  /** Whether the input may be mended if it is wrong: the model's may, once. */
  mayRepair = false;
  /** What the schema made of the input. */
  input: unknown;
  result: ToolResult | undefined;
  /** Whether the tool itself failed. */
  hasFailed = false;
  /** When the tool began: in whole milliseconds, since the finer clock would cost a tenth of everything that a call costs. */
  begun = 0;
  /** What its sub-agents have come to, if it has any. */
  delegation: DelegationState | undefined;
  #cancellation: Cancellation | undefined;
  #stopRequested = false;
  #ending: Ending | undefined;

  constructor(run: RunScope, iteration: number, call: ToolCall, position: number) {
    this.run = run;
    this.iteration = iteration;
    this.call = call;
    this.position = position;
    const { agentDid } = run.config;
    if (agentDid !== undefined) this.agentDid = agentDid;
  }

  /** The same call, for a try of its own: step runners may run a step again, and an earlier try may still be at work. */
  again(): CallContext {
    return copyOf(this);
  }

  /** Lets the tool work; once. */
  start({ tool }: RegisteredTool, ending: Ending): void {
    const { call, input, iteration, run } = this;
    this.#ending = ending;
    this.begun = Date.now();
    run.config.healthProfile?.recordToolInvocation();
    run.emit?.({ type: "tool_started", iteration, toolCall: call });
    try {
      run.waits.follow(Promise.resolve(tool.execute(input, this)), this.cancellation, this);
    } catch (error) {
      this.threw(error);
    }
  }

  returned(value: unknown): void {
    this.#end(returnedResult(this.call, value, Date.now() - this.begun));
  }

  threw(error: unknown): void {
    const { call, run, timeoutMs, toolName } = this;
    // What a tool throws because it was told to stop says nothing about its outcome.
    if (run.isAborted) return this.#ending?.(undefined, error);
    const durationMs = Date.now() - this.begun;
    const text = `Tool "${toolName}" timed out after ${timeoutMs} ms`;
    this.#end(
      this.#cancellation?.isCancelled
        ? errorResult(call, "tool_timeout", text, durationMs)
        : thrownResult(call, error, durationMs),
    );
  }

  #end(result: ToolResult): void {
    const { broken, pending, usageByAgent } = this.delegation ?? {};
    if (broken || pending) return this.#ending?.(undefined, broken?.error);
    if (result.isError) this.run.config.healthProfile?.recordError();
    this.#ending?.({ result, stopRequested: this.#stopRequested, usageByAgent });
  }

  /** How long the tool may take, in milliseconds. */
  get timeoutMs(): number {
    return this.entry?.tool.timeoutMs ?? this.run.limits.toolTimeoutMs;
  }

  /** The tool's side of the wait for it. */
  get cancellation(): Cancellation {
    return this.#cancellation ??= new Cancellation(this.timeoutMs, this.run.limits.graceMs);
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  get toolCallId(): string {
    return this.call.toolCallId;
  }

  get toolName(): string {
    return this.call.toolName;
  }

  get agentName(): string {
    return this.run.agentName;
  }

  get path(): readonly string[] {
    return this.run.path;
  }

  get runId(): string {
    return this.run.runId;
  }

  get messages(): readonly ModelMessage[] {
    return this.run.messages;
  }

  get idempotencyKey(): string {
    return this.keyOf("tool");
  }

  report(progress: JsonValue): void {
    if (this.cancellation.isCancelled) return;
    const { iteration, toolCallId, toolName } = this;
    this.run.emit?.({ type: "tool_progress", iteration, toolCallId, toolName, progress });
  }

  stop(): void {
    this.#stopRequested = true;
  }

  /** The key under which a step of this call is recorded. */
  keyOf(kind: "approval" | "repair" | "tool"): string {
    return `${this.runId}/i${this.iteration}/${kind}/${this.position}`;
  }

  /** The id of the next sub-agent's run: the same again when the tool runs again. */
  nextChildRunId(name: string): string {
    const delegation = this.delegation ??= { children: 0 };
    return `${this.idempotencyKey}/${name}.${delegation.children++}`;
  }
}

/** Outside of the class: a class that names itself gets another name from bundlers. */
function copyOf({ run, iteration, call, position, entry, input }: CallContext): CallContext {
  return Object.assign(new CallContext(run, iteration, call, position), { entry, input });
}
