/**
 * Lifecycle states of an agent and the transitions between them.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { reportRejection } from "@parley/internal/report-rejection";

/** The lifecycle states of an agent. */
export const AgentLifecycleState = {
  /** The agent was created but is not ready yet. */
  Initializing: "initializing",
  /** The agent is ready for a run. */
  Ready: "ready",
  /** A run is in progress. */
  Running: "running",
  /** The agent is paused: a current run is suspended, and no new run can start. */
  Paused: "paused",
  /** The agent is terminating, and its last run is ending. */
  Terminating: "terminating",
  /** The agent is terminated and cannot be used again. */
  Terminated: "terminated",
} as const;

/** One of the values of {@linkcode AgentLifecycleState}. */
export type AgentLifecycleState = typeof AgentLifecycleState[keyof typeof AgentLifecycleState];

/** An operation on an agent. */
export type AgentOperation = "initialize" | "run" | "pause" | "resume" | "terminate";

/** Cause of a transition: an operation or an internal agent event. */
export type LifecycleTrigger =
  | AgentOperation
  | "initialized"
  | "failed"
  | "rested"
  | "settled"
  | "ended";

/** A transition between two states. */
export interface LifecycleTransition {
  /** State before the transition. */
  readonly from: AgentLifecycleState;
  /** State after the transition. */
  readonly to: AgentLifecycleState;
  /** Operation or event that caused the transition. */
  readonly trigger: LifecycleTrigger;
}

/**
 * Next state for each state and trigger. A trigger without an entry for a state is not permitted in
 * that state. `#next` overrides five entries of this table, depending on whether an initialization
 * is in progress, a pause is requested or a run is active.
 */
const TABLE: Readonly<
  Record<AgentLifecycleState, Readonly<Partial<Record<LifecycleTrigger, AgentLifecycleState>>>>
> = {
  initializing: {
    initialize: "initializing",
    run: "initializing",
    initialized: "ready",
    terminate: "terminated",
  },
  ready: { initialize: "ready", run: "running", pause: "paused", terminate: "terminated" },
  running: {
    pause: "running",
    resume: "running",
    terminate: "terminating",
    rested: "paused",
    settled: "ready",
  },
  paused: { pause: "paused", resume: "running", terminate: "terminating", settled: "paused" },
  terminating: { terminate: "terminating", settled: "terminating", ended: "terminated" },
  terminated: { terminate: "terminated" },
};

/** State that each operation requires, for error messages. */
const REQUIRED: Readonly<Partial<Record<LifecycleTrigger, AgentLifecycleState>>> = {
  initialize: "initializing",
  run: "ready",
  pause: "running",
  resume: "paused",
  terminate: "ready",
};

const HISTORY_LENGTH = 64;

/**
 * A read-only view of an agent's lifecycle state. Only the agent's methods can change the state.
 *
 * @example Record the states of an agent
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hi" }]) });
 * const states: string[] = [];
 * agent.lifecycle.onTransition(({ to }) => states.push(to));
 * await agent.run("Hello");
 * await agent.terminate();
 * assertEquals(states, ["ready", "running", "ready", "terminated"]);
 * ```
 */
export class LifecycleManager {
  #state: AgentLifecycleState = "initializing";
  /** Whether an initialization is in progress. */
  #isInitializing = false;
  #isPauseRequested = false;
  #hasActiveRun = false;
  #history: readonly LifecycleTransition[] = [];
  /** Transitions not yet delivered to all listeners. */
  readonly #undelivered: LifecycleTransition[] = [];
  readonly #listeners: Set<(transition: LifecycleTransition) => void> = new Set();
  readonly #report: (error: unknown) => void;

  /**
   * Creates a manager in the `initializing` state. Only the agent calls this constructor.
   *
   * @param handOver Called with the function that changes the state. The passed function throws an
   * `AgentError` with code `invalid_state` for an operation that is not permitted.
   * @param report Called with errors that listeners throw or reject with. Must not throw.
   */
  constructor(
    handOver: (move: (trigger: LifecycleTrigger) => void) => void,
    report: (error: unknown) => void,
  ) {
    this.#report = report;
    handOver((trigger) => this.#move(trigger));
  }

  /** Current state. */
  get state(): AgentLifecycleState {
    return this.#state;
  }

  /** Whether a pause has been requested but the run is not suspended yet. */
  get isPauseRequested(): boolean {
    return this.#isPauseRequested;
  }

  /** Whether a run is in progress or suspended, including an initialization started by a run. */
  get hasActiveRun(): boolean {
    return this.#hasActiveRun;
  }

  /** The last 64 transitions, oldest first. */
  get history(): readonly LifecycleTransition[] {
    return this.#history;
  }

  /**
   * Returns true if the operation is permitted in the current state.
   *
   * @param operation Operation to check.
   */
  can(operation: AgentOperation): boolean {
    return this.#next(operation) !== undefined;
  }

  /**
   * Registers a listener for transitions. Errors that the listener throws or rejects with do not
   * affect the agent and are passed to the agent's `onError`.
   *
   * @param listener Called after each transition.
   * @returns A function that removes the listener.
   */
  onTransition(listener: (transition: LifecycleTransition) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the state after a trigger, or `undefined` if the trigger is not permitted. */
  #next(trigger: LifecycleTrigger): AgentLifecycleState | undefined {
    const state = this.#state;
    const isPausing = this.#isPauseRequested;
    const isRunning = this.#hasActiveRun;
    if (state === "initializing" && trigger === "run" && (this.#isInitializing || isRunning)) {
      return undefined;
    }
    if (state === "initializing" && trigger === "terminate" && isRunning) return "terminating";
    if (state === "running" && isPausing && trigger === "settled") return "paused";
    if (state === "running" && !isPausing && trigger === "resume") return undefined;
    if (state === "paused" && !isRunning && trigger === "resume") return "ready";
    return TABLE[state][trigger];
  }

  #move(trigger: LifecycleTrigger): void {
    const from = this.#state;
    const to = this.#next(trigger);
    const required = REQUIRED[trigger];
    if (to === undefined && required) throw AgentError.invalidState(from, required, trigger);
    if (trigger === "initialize") this.#isInitializing = from === "initializing";
    if (trigger === "initialized" || trigger === "failed") this.#isInitializing = false;
    if (trigger === "run") this.#hasActiveRun = true;
    if (trigger === "settled") this.#hasActiveRun = false;
    this.#isPauseRequested = from === "running" && trigger === "pause";
    if (to === undefined || from === to) return;
    const transitions: LifecycleTransition[] = [{ from, to, trigger }];
    if (trigger === "initialized" && this.#hasActiveRun) {
      // The run that initialized the agent starts in the same step as this transition, so no other
      // run can start first.
      transitions.push({ from: to, to: "running", trigger: "run" });
    }
    this.#apply(transitions);
  }

  #apply(transitions: readonly LifecycleTransition[]): void {
    this.#state = transitions.at(-1)?.to ?? this.#state;
    for (const transition of transitions) Object.freeze(transition);
    this.#history = [...this.#history, ...transitions].slice(-HISTORY_LENGTH);
    // If a listener triggers another transition, the new transition is queued, so all listeners
    // receive the transitions in order.
    const isDelivering = this.#undelivered.length > 0;
    this.#undelivered.push(...transitions);
    if (isDelivering) return;
    for (const pending of this.#undelivered) {
      for (const listener of [...this.#listeners]) {
        try {
          const returned: unknown = listener(pending);
          reportRejection(returned, this.#report);
        } catch (error) {
          this.#report(error);
        }
      }
    }
    this.#undelivered.length = 0;
  }
}
