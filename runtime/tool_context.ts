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
import type { TokenUsage } from "./usage.ts";
import { Cancellation } from "./waits.ts";

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

/** The context of one tool call. A class with getters, because most tools look at none of it. */
export class CallContext implements ToolContext {
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
  /** Whether the result is what the tool came to. */
  hasRun = false;
  /** Whether the tool asked for the end of the run. */
  stopRequested = false;
  /** What its sub-agents have come to, if it has any. */
  delegation: DelegationState | undefined;
  #cancellation: Cancellation | undefined;

  constructor(run: RunScope, iteration: number, call: ToolCall, position: number) {
    this.run = run;
    this.iteration = iteration;
    this.call = call;
    this.position = position;
    const { agentDid } = run.config;
    if (agentDid !== undefined) this.agentDid = agentDid;
  }

  /** Forgets what an earlier try has left: step runners may run a step that failed again. */
  begin(): void {
    this.#cancellation = undefined;
    this.delegation = undefined;
    this.stopRequested = false;
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
    this.stopRequested = true;
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
