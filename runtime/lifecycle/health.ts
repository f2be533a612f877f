/**
 * Counters that tell how an agent is doing.
 *
 * @module
 */

import { addUsage, NO_USAGE, type TokenUsage } from "../shared/usage.ts";

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

const NOTHING: HealthSnapshot = {
  inferenceCalls: 0,
  toolInvocations: 0,
  errors: 0,
  usage: NO_USAGE,
  delegatedUsage: NO_USAGE,
};

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
  #counts: { -readonly [Name in keyof HealthSnapshot]: HealthSnapshot[Name] } = { ...NOTHING };

  /** Model calls, repeated ones included. */
  get inferenceCalls(): number {
    return this.#counts.inferenceCalls;
  }

  /** Tool executions that were started. */
  get toolInvocations(): number {
    return this.#counts.toolInvocations;
  }

  /** Failed model calls, failed tool executions and failed approval handlers. */
  get errors(): number {
    return this.#counts.errors;
  }

  /** Tokens of the agent's own model calls. */
  get usage(): TokenUsage {
    return this.#counts.usage;
  }

  /** Tokens of the sub-agents it ran. */
  get delegatedUsage(): TokenUsage {
    return this.#counts.delegatedUsage;
  }

  /**
   * Counts a model call.
   *
   * @param usage what it cost; nothing for a call that failed
   */
  recordInference(usage: TokenUsage = NO_USAGE): void {
    this.#counts.inferenceCalls++;
    this.#counts.usage = addUsage(this.usage, usage);
  }

  /** Counts a tool execution. */
  recordToolInvocation(): void {
    this.#counts.toolInvocations++;
  }

  /** Counts an error. */
  recordError(): void {
    this.#counts.errors++;
  }

  /**
   * Counts what a sub-agent used.
   *
   * @param usage its tokens
   */
  recordDelegation(usage: TokenUsage): void {
    this.#counts.delegatedUsage = addUsage(this.delegatedUsage, usage);
  }

  /** The counters now, as plain data. */
  snapshot(): HealthSnapshot {
    return { ...this.#counts };
  }

  /** Sets every counter back to nothing. */
  reset(): void {
    this.#counts = { ...NOTHING };
  }
}
