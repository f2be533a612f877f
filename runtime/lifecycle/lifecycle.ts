/**
 * The states of an agent and what is allowed in each: one table.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";

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

/** State and trigger to the next state; what is not here is not allowed. Three cells depend on more: see `#next`. */
const TABLE: Readonly<
  Record<AgentLifecycleState, Readonly<Partial<Record<LifecycleTrigger, AgentLifecycleState>>>>
> = {
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
const REQUIRED: Readonly<Partial<Record<LifecycleTrigger, AgentLifecycleState>>> = {
  initialize: "initializing",
  run: "ready",
  pause: "running",
  resume: "paused",
  terminate: "ready",
};

const HISTORY_LENGTH = 64;

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
  #state: AgentLifecycleState = "initializing";
  #isPauseRequested = false;
  #hasActiveRun = false;
  #history: readonly LifecycleTransition[] = [];
  /** What listeners have not heard yet. */
  readonly #undelivered: LifecycleTransition[] = [];
  readonly #listeners: Set<(transition: LifecycleTransition) => void> = new Set();

  /**
   * Made by the agent.
   *
   * @param handOver gets what moves the state, which throws code `invalid_state` for an operation that is not allowed
   */
  constructor(handOver: (move: (trigger: LifecycleTrigger) => void) => void) {
    handOver((trigger) => this.#move(trigger));
  }

  /** The state now. */
  get state(): AgentLifecycleState {
    return this.#state;
  }

  /** Whether a pause was asked for and the run has not come to rest yet. */
  get isPauseRequested(): boolean {
    return this.#isPauseRequested;
  }

  /** Whether a run is going on or suspended. */
  get hasActiveRun(): boolean {
    return this.#hasActiveRun;
  }

  /** The last 64 moves, oldest first. */
  get history(): readonly LifecycleTransition[] {
    return this.#history;
  }

  /**
   * Says whether an operation is allowed now.
   *
   * @param operation the operation
   */
  can(operation: AgentOperation): boolean {
    return this.#next(operation) !== undefined;
  }

  /**
   * Calls a listener after each move. What it throws does not disturb the agent, and surfaces as an uncaught error.
   *
   * @param listener gets the move
   * @returns a function that ends it
   */
  onTransition(listener: (transition: LifecycleTransition) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The state after a trigger; undefined when it is not allowed. */
  #next(trigger: LifecycleTrigger): AgentLifecycleState | undefined {
    const state = this.#state;
    const isPausing = this.#isPauseRequested;
    if (state === "running" && isPausing && trigger === "settled") return "paused";
    if (state === "running" && !isPausing && trigger === "resume") return undefined;
    if (state === "paused" && !this.#hasActiveRun && trigger === "resume") return "ready";
    return TABLE[state][trigger];
  }

  #move(trigger: LifecycleTrigger): void {
    const from = this.#state;
    const to = this.#next(trigger);
    const required = REQUIRED[trigger];
    if (to === undefined && required) throw AgentError.invalidState(from, required, trigger);
    if (trigger === "run") this.#hasActiveRun = true;
    if (trigger === "settled") this.#hasActiveRun = false;
    this.#isPauseRequested = from === "running" && trigger === "pause";
    if (to === undefined || from === to) return;
    this.#state = to;
    const transition = Object.freeze({ from, to, trigger });
    this.#history = [...this.#history, transition].slice(-HISTORY_LENGTH);
    // A listener that moves the agent does so while others have not heard of this move: they hear of both, in order.
    if (this.#undelivered.push(transition) > 1) return;
    for (const pending of this.#undelivered) {
      for (const listener of [...this.#listeners]) {
        try {
          listener(pending);
        } catch (error) {
          // A transition cannot be undone for a listener's sake; the error surfaces as those of event listeners do.
          queueMicrotask(() => {
            throw error;
          });
        }
      }
    }
    this.#undelivered.length = 0;
  }
}
