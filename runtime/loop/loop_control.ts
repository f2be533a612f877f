/**
 * Hooks of a running loop.
 *
 * @module
 */

import type { OpenBudget } from "../budget/budget.ts";
import type { InheritedBudget } from "../budget/run_budget.ts";
import type { LifecycleManager } from "../lifecycle/lifecycle.ts";
import type { Around } from "./around.ts";
import type { LoopEventSink } from "./events.ts";
import type { AnswerSchema } from "./final_answer.ts";
import type { AgentStopCondition } from "./stop_conditions.ts";
import type { UsageOfResponse, UsageTotals } from "./usage_totals.ts";

/** Hooks that an agent or an event stream uses to control a running loop. */
export interface LoopControl {
  /** Agent that runs the loop. */
  readonly owner?: object;
  /** Run whose tool has started this run with its context. */
  readonly caller?: CallerRun;
  /** Budgets of the run: those of the agent and of the options for the run. */
  readonly budgets: readonly (OpenBudget | undefined)[];
  /** Budgets of the runs whose tools have started this run. */
  readonly inherited?: InheritedBudget;
  /** Agent names from the outermost agent to this agent. */
  readonly path: readonly string[];
  /**
   * Lifecycle of the agent. If a pause is requested, the run calls the `wait` hook before its next
   * step.
   */
  readonly lifecycle?: LifecycleManager;
  /** Event listeners. */
  readonly sinks: readonly (LoopEventSink | undefined)[];
  /** `around` functions, outermost first. */
  readonly arounds: readonly (Around | undefined)[];
  /** Called when a pause is requested. Resolves when the run may continue. */
  readonly wait?: () => Promise<void>;
  /**
   * Queue between the run and the reader of its events. If the queue is full, the run waits before
   * its next step.
   */
  readonly queue?: EventQueue | undefined;
  /** Compiled `output` schema. If omitted, the schema is compiled when the run starts. */
  readonly answerSchema?: AnswerSchema;
}

/** A run whose tool has started another run. */
export interface CallerRun {
  /** Hooks of the run. */
  readonly control: LoopControl;
  /** Limits of the run that include sub-agents. `undefined` if there are none. */
  readonly sharedLimits: SharedLimits | undefined;
  /** Time since the start of the run, excluding pauses, in milliseconds. */
  readonly elapsedMs: number;
  /** Counts the usage of a model call in this run and in the runs whose tools have started it. */
  count(response: UsageOfResponse, calledModelId: string): void;
}

/** Limits of a run that are also checked in its sub-agents. */
export interface SharedLimits {
  /** The stop conditions, in descending order of priority. */
  readonly conditions: readonly AgentStopCondition[];
  /** Token usage of all model calls of the run and its sub-agents that have ended. */
  readonly usage: UsageTotals;
}

/** A queue of events whose reader may be slower than the run. */
export interface EventQueue {
  /** Returns `true` if the run must wait for the reader of the events. */
  isFull(): boolean;
  /** Resolves when the queue is no longer full. */
  waitForReader(): Promise<void>;
}
