/**
 * Counters that tell how an agent is doing.
 *
 * @module
 */

import { addUsage, NO_USAGE, type TokenUsage } from "./usage.ts";

/** The counters as plain data. */
export interface HealthSnapshot {
  /** Model calls, repeated ones included. */
  readonly inferenceCalls: number;
  /** Tool executions that were started. Calls that were refused, invalid or unknown do not count. */
  readonly toolInvocations: number;
  /** Failed model calls, failed tool executions and failed approval handlers. */
  readonly errors: number;
  /** Tokens of the agent's own model calls. */
  readonly usage: TokenUsage;
  /** Tokens of the sub-agents it ran. */
  readonly delegatedUsage: TokenUsage;
}

/**
 * Counts what an agent does, over all its runs. The loop writes it and never reads it.
 *
 * @example Read it after a run
 * ```ts
 * import { HealthProfile } from "@parley/runtime";
 * import { assertEquals } from "@std/assert";
 *
 * const health = new HealthProfile();
 * health.recordInference({ inputTokens: 10, outputTokens: 2, totalTokens: 12 });
 * health.recordToolInvocation();
 * assertEquals([health.inferenceCalls, health.toolInvocations, health.errors], [1, 1, 0]);
 * assertEquals(health.snapshot().usage.totalTokens, 12);
 * ```
 */
export class HealthProfile {
  #inferenceCalls = 0;
  #toolInvocations = 0;
  #errors = 0;
  #usage = NO_USAGE;
  #delegatedUsage = NO_USAGE;

  /** Model calls, repeated ones included. */
  get inferenceCalls(): number {
    return this.#inferenceCalls;
  }

  /** Tool executions that were started. */
  get toolInvocations(): number {
    return this.#toolInvocations;
  }

  /** Failed model calls, failed tool executions and failed approval handlers. */
  get errors(): number {
    return this.#errors;
  }

  /** Tokens of the agent's own model calls. */
  get usage(): TokenUsage {
    return this.#usage;
  }

  /** Tokens of the sub-agents it ran. */
  get delegatedUsage(): TokenUsage {
    return this.#delegatedUsage;
  }

  /**
   * Counts a model call.
   *
   * @param usage what it cost; nothing for a call that failed
   */
  recordInference(usage: TokenUsage = NO_USAGE): void {
    this.#inferenceCalls++;
    if (usage !== NO_USAGE) this.#usage = addUsage(this.#usage, usage);
  }

  /** Counts a tool execution. */
  recordToolInvocation(): void {
    this.#toolInvocations++;
  }

  /** Counts an error. */
  recordError(): void {
    this.#errors++;
  }

  /**
   * Counts what a sub-agent used.
   *
   * @param usage its tokens
   */
  recordDelegation(usage: TokenUsage): void {
    this.#delegatedUsage = addUsage(this.#delegatedUsage, usage);
  }

  /** The counters now, as plain data. */
  snapshot(): HealthSnapshot {
    return {
      inferenceCalls: this.#inferenceCalls,
      toolInvocations: this.#toolInvocations,
      errors: this.#errors,
      usage: this.#usage,
      delegatedUsage: this.#delegatedUsage,
    };
  }

  /** Sets every counter back to nothing. */
  reset(): void {
    this.#inferenceCalls = 0;
    this.#toolInvocations = 0;
    this.#errors = 0;
    this.#usage = NO_USAGE;
    this.#delegatedUsage = NO_USAGE;
  }
}
