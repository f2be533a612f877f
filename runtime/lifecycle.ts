/**
 * The states of an agent and what is allowed in each: one table.
 *
 * @module
 */

import { AgentError } from "./error.ts";

/** The states of an agent. Decision: the specification names the first three; the others are closed here. */
export const AgentLifecycleState = {
  /** Made, not ready yet. */
  Initializing: "initializing",
  /** Ready for a run. */
  Ready: "ready",
  /** A run is going on. */
  Running: "running",
  /** Resting: a run is suspended, or none may begin. */
  Paused: "paused",
  /** Coming to its end. */
  Terminating: "terminating",
  /** At its end. */
  Terminated: "terminated",
} as const;

/** One of the values of {@linkcode AgentLifecycleState}. */
export type AgentLifecycleState = typeof AgentLifecycleState[keyof typeof AgentLifecycleState];

/** What can be asked of an agent. */
export type AgentOperation = "initialize" | "run" | "pause" | "resume" | "terminate";

/** What moves the state: an operation, or something that happens. */
export type LifecycleTrigger = AgentOperation | "initialized" | "rested" | "settled" | "ended";

/** One move of the state. */
export interface LifecycleTransition {
  /** The state before. */
  readonly from: AgentLifecycleState;
  /** The state after. */
  readonly to: AgentLifecycleState;
  /** What moved it. */
  readonly trigger: LifecycleTrigger;
}

type Table = Readonly<
  Record<AgentLifecycleState, Readonly<Partial<Record<LifecycleTrigger, AgentLifecycleState>>>>
>;

/** State and trigger to the next state; what is not here is not allowed. Three cells depend on more: see `next`. */
export const LIFECYCLE_TABLE: Table = {
  initializing: { initialize: "initializing", initialized: "ready", terminate: "terminated" },
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

/** The state an operation asks for, for the error. */
const REQUIRED: Readonly<Record<AgentOperation, AgentLifecycleState>> = {
  initialize: "initializing",
  run: "ready",
  pause: "running",
  resume: "paused",
  terminate: "ready",
};

const HISTORY_LENGTH = 64;

/** Moves the state. The agent has it; everybody else sees a {@linkcode LifecycleManager}. */
export class LifecycleMachine {
  state: AgentLifecycleState = AgentLifecycleState.Initializing;
  isPauseRequested = false;
  hasActiveRun = false;
  history: readonly LifecycleTransition[] = [];
  readonly listeners: Set<(transition: LifecycleTransition) => void> = new Set();

  /** The state after a trigger; undefined when it is not allowed. */
  next(trigger: LifecycleTrigger): AgentLifecycleState | undefined {
    const { state, isPauseRequested, hasActiveRun } = this;
    if (state === "running" && isPauseRequested && trigger === "settled") return "paused";
    if (state === "running" && !isPauseRequested && trigger === "resume") return undefined;
    if (state === "paused" && !hasActiveRun && trigger === "resume") return "ready";
    return LIFECYCLE_TABLE[state][trigger];
  }

  /**
   * Applies an operation.
   *
   * @throws {AgentError} code `invalid_state`: it is not allowed now
   */
  operate(operation: AgentOperation): void {
    const to = this.next(operation);
    if (to === undefined) {
      throw AgentError.invalidState(this.state, REQUIRED[operation], operation);
    }
    if (operation === "run") this.hasActiveRun = true;
    if (this.state === "running") this.isPauseRequested = operation === "pause";
    this.#move(to, operation);
  }

  /** Applies something that has happened. */
  happen(trigger: Exclude<LifecycleTrigger, AgentOperation>): void {
    const to = this.next(trigger);
    if (trigger === "settled") this.hasActiveRun = false;
    if (trigger === "settled" || trigger === "rested") this.isPauseRequested = false;
    this.#move(to, trigger);
  }

  #move(to: AgentLifecycleState | undefined, trigger: LifecycleTrigger): void {
    const from = this.state;
    if (to === undefined || from === to) return;
    this.state = to;
    const transition = Object.freeze({ from, to, trigger });
    this.history = [...this.history.slice(1 - HISTORY_LENGTH), transition];
    for (const listener of [...this.listeners]) {
      try {
        listener(transition);
      } catch (error) {
        // A transition cannot be undone for a listener's sake; the error surfaces as those of event listeners do.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/**
 * Shows an agent's state. It cannot change it: that is what the agent's operations are for.
 *
 * @example Watch an agent
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hi" }]) });
 * const states: string[] = [];
 * agent.lifecycle.onTransition(({ to }) => states.push(to));
 * await agent.initialize();
 * await agent.run("Hello");
 * await agent.terminate();
 * assertEquals(states, ["ready", "running", "ready", "terminated"]);
 * ```
 */
export class LifecycleManager {
  readonly #machine: LifecycleMachine;

  /**
   * Made by the agent.
   *
   * @param machine what moves the state
   */
  constructor(machine: LifecycleMachine) {
    this.#machine = machine;
  }

  /** The state now. */
  get state(): AgentLifecycleState {
    return this.#machine.state;
  }

  /** Whether a pause was asked for and the run has not come to rest yet. */
  get isPauseRequested(): boolean {
    return this.#machine.isPauseRequested;
  }

  /** Whether a run is going on or suspended. */
  get hasActiveRun(): boolean {
    return this.#machine.hasActiveRun;
  }

  /** The last 64 moves, oldest first. */
  get history(): readonly LifecycleTransition[] {
    return this.#machine.history;
  }

  /**
   * Says whether an operation is allowed now.
   *
   * @param operation the operation
   */
  can(operation: AgentOperation): boolean {
    return this.#machine.next(operation) !== undefined;
  }

  /**
   * Calls a listener after each move. What it throws does not disturb the agent, and surfaces as an uncaught error.
   *
   * @param listener gets the move
   * @returns a function that ends it
   */
  onTransition(listener: (transition: LifecycleTransition) => void): () => void {
    const { listeners } = this.#machine;
    listeners.add(listener);
    return () => listeners.delete(listener);
  }
}
