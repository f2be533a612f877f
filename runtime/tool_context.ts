/**
 * What a tool gets beside its input, and how a sub-agent that a tool runs stays part of the run.
 *
 * @module
 */

import type { StepRunner } from "./journal/step_runner.ts";
import type { JsonValue } from "./json.ts";
import type { RunOptions } from "./loop_options.ts";
import type { ModelMessage, ToolCall } from "./model.ts";
import type { PendingApproval } from "./output.ts";
import type { RunScope } from "./run_scope.ts";
import type { ToolContext } from "./tool.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "./usage.ts";
import { Cancellation } from "./waits.ts";

/** The context of one tool call. A class with getters, because most tools look at none of it. */
export class CallContext implements ToolContext {
  /** The tool's side of the wait for it. */
  readonly cancellation: Cancellation;
  readonly agentDid?: string;
  readonly iteration: number;
  /** Whether the tool asked for the end of the run. */
  stopRequested = false;
  readonly #run: RunScope;
  readonly #call: ToolCall;
  readonly #position: number;
  #children = 0;
  #broken: { readonly error: unknown } | undefined;
  #pending: PendingApproval[] | undefined;
  #usageByAgent: Record<string, TokenUsage> | undefined;

  constructor(
    run: RunScope,
    iteration: number,
    { call, position }: { readonly call: ToolCall; readonly position: number },
    timeoutMs: number,
  ) {
    this.#run = run;
    this.iteration = iteration;
    this.#call = call;
    this.#position = position;
    this.cancellation = new Cancellation(timeoutMs, run.limits.graceMs);
    const { agentDid } = run.config;
    if (agentDid !== undefined) this.agentDid = agentDid;
  }

  /** What the run was told: a sub-agent's run takes its journal, decisions and listener from it. */
  get runConfig(): RunOptions {
    const { stepRunner } = this.#run.config;
    return stepRunner === undefined
      ? this.#run.config
      : { ...this.#run.config, stepRunner: this.#watch(stepRunner) };
  }

  /** What a step runner failed with in a sub-agent: that is no tool's failure, and ends the whole run. */
  get broken(): { readonly error: unknown } | undefined {
    return this.#broken;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  get toolCallId(): string {
    return this.#call.toolCallId;
  }

  get toolName(): string {
    return this.#call.toolName;
  }

  get agentName(): string {
    return this.#run.agentName;
  }

  get path(): readonly string[] {
    return this.#run.path;
  }

  get runId(): string {
    return this.#run.runId;
  }

  get messages(): readonly ModelMessage[] {
    return this.#run.messages;
  }

  get idempotencyKey(): string {
    return stepKey(this.#run, this.iteration, "tool", this.#position);
  }

  /** Approvals that sub-agents of this call are waiting for. */
  get pending(): readonly PendingApproval[] | undefined {
    return this.#pending;
  }

  /** What sub-agents of this call used, by agent path. */
  get usageByAgent(): Readonly<Record<string, TokenUsage>> | undefined {
    return this.#usageByAgent;
  }

  report(progress: JsonValue): void {
    if (this.#run.sink === undefined || this.cancellation.isCancelled) return;
    this.#run.emit({
      type: "tool_progress",
      iteration: this.iteration,
      toolCallId: this.toolCallId,
      toolName: this.toolName,
      progress,
    });
  }

  stop(): void {
    this.stopRequested = true;
  }

  #watch(inner: StepRunner): StepRunner {
    return {
      run: async (key, kind, step) => {
        let hasStepFailed = false;
        const watched = async (): Promise<JsonValue> => {
          try {
            return await step();
          } catch (error) {
            hasStepFailed = true;
            throw error;
          }
        };
        try {
          return await inner.run(key, kind, watched);
        } catch (error) {
          if (!hasStepFailed) this.#broken ??= { error };
          throw error;
        }
      },
    };
  }

  /** The id of the next sub-agent's run: the same again when the tool runs again. */
  nextChildRunId(name: string): string {
    return `${this.idempotencyKey}/${name}.${this.#children++}`;
  }

  /** Notes that a sub-agent waits for approvals: the call cannot have a result before they are there. */
  suspend(approvals: readonly PendingApproval[]): void {
    this.#pending = [...this.#pending ?? [], ...approvals];
  }

  /** Counts what a sub-agent used. */
  addUsage(usageByAgent: Readonly<Record<string, TokenUsage>>): void {
    const sums = this.#usageByAgent ??= {};
    for (const [path, usage] of Object.entries(usageByAgent)) {
      sums[path] = addUsage(sums[path] ?? NO_USAGE, usage);
    }
  }
}

/** The key under which a step of an iteration is recorded. */
export function stepKey(
  run: RunScope,
  iteration: number,
  kind: "tool" | "approval",
  position: number,
): string {
  return `${run.runId}/i${iteration}/${kind}/${position}`;
}
