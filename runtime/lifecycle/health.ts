/**
 * Counters for an agent's activity.
 *
 * @module
 */

import { addUsage, NO_USAGE, type TokenUsage } from "../shared/usage.ts";

/** A snapshot of the counters in a {@linkcode HealthProfile}. */
export interface HealthSnapshot {
  /** Number of model calls, including retries. */
  readonly inferenceCalls: number;
  /**
   * Number of started tool executions. Denied calls, calls with invalid input and calls to unknown
   * tools are not counted.
   */
  readonly toolInvocations: number;
  /** Number of failed model calls, tool executions and approval handler calls. */
  readonly errors: number;
  /** Token usage of the agent's own model calls. */
  readonly usage: TokenUsage;
  /** Token usage of sub-agents. */
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
 * Counters for model calls, tool executions, errors and token usage across all runs of an agent.
 * The counters do not affect the runs.
 *
 * @example Record and read counters
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

  /** Number of model calls, including retries. */
  get inferenceCalls(): number {
    return this.#counts.inferenceCalls;
  }

  /** Number of started tool executions. */
  get toolInvocations(): number {
    return this.#counts.toolInvocations;
  }

  /** Number of failed model calls, tool executions and approval handler calls. */
  get errors(): number {
    return this.#counts.errors;
  }

  /** Token usage of the agent's own model calls. */
  get usage(): TokenUsage {
    return this.#counts.usage;
  }

  /** Token usage of sub-agents. */
  get delegatedUsage(): TokenUsage {
    return this.#counts.delegatedUsage;
  }

  /**
   * Counts a model call.
   *
   * @param usage Token usage of the call. If omitted, for example because the call failed, only the
   * number of calls increases.
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
   * Adds the token usage of a sub-agent.
   *
   * @param usage Token usage of the sub-agent.
   */
  recordDelegation(usage: TokenUsage): void {
    this.#counts.delegatedUsage = addUsage(this.delegatedUsage, usage);
  }

  /** Returns a copy of the counters. */
  snapshot(): HealthSnapshot {
    return { ...this.#counts };
  }

  /** Resets all counters to zero. */
  reset(): void {
    this.#counts = { ...NOTHING };
  }
}
