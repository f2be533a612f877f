/**
 * State of a run, shared by the loop and its tool calls.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { createErrorPrinter } from "../shared/error_printer.ts";
import type { ModelMessage, UserTurn } from "../shared/model.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "../shared/usage.ts";
import { type Around, combineAround } from "./around.ts";
import { DeadlineScheduler } from "./deadlines.ts";
import { Decisions } from "./decisions.ts";
import type { LoopEventBody, LoopEventSink } from "./events.ts";
import { type Limits, type LoopControl, readLimits, type ToolLoopConfig } from "./options.ts";
import { readMessages, toUserMessage } from "./conversation.ts";

/** The state of a run. */
export class RunState {
  /** Configuration of the run. */
  readonly config: ToolLoopConfig;
  /** Hooks that can pause the run. */
  readonly control: LoopControl;
  /** Validated numeric options. */
  readonly limits: Limits;
  /** Name of the agent. */
  readonly agentName: string;
  /** Agent names from the outermost agent to this one. */
  readonly path: readonly string[];
  /** Transcript of the run. Append-only; the output contains the same array. */
  readonly messages: ModelMessage[];
  /** Deadlines for model, tool and handler calls. */
  readonly deadlines: DeadlineScheduler;
  /** Emits an event. `undefined` if no listener is registered, to avoid creating event objects. */
  readonly emit: ((body: LoopEventBody) => void) | undefined;
  /** Wraps the run, its model calls and its tool executions. `undefined` if nothing wraps them. */
  readonly around: Around | undefined;
  /** Decisions that were passed to the run. */
  readonly decisions: Decisions | undefined;
  /** Error of an event listener or of `around`. If set, the run fails with this error before its next step. */
  failure: AgentError | undefined;
  /** Whether a tool has called `context.stop()`. */
  stopRequested = false;
  /** Token usage of the run's own model calls. */
  ownUsage: TokenUsage = NO_USAGE;
  /** Token usage of sub-agents, by agent path. */
  readonly delegated: Map<string, TokenUsage> = new Map();
  /** Start time of the run, shifted by the duration of its pauses. */
  #startedAt = performance.now();
  readonly #now: () => number;
  #runId: string | undefined;
  #print: ((error: unknown) => void) | undefined;

  constructor(config: ToolLoopConfig, turn: UserTurn | undefined, control: LoopControl) {
    const { agentName = "agent", decisions, runId, signal } = config;
    const { path = [agentName], sinks = [config.onEvent], arounds = [config.around] } = control;
    this.config = config;
    this.control = control;
    this.limits = readLimits(config);
    this.agentName = agentName;
    this.path = Object.freeze(path);
    this.messages = startConversation(config);
    if (turn !== undefined) this.messages.push(toUserMessage(turn));
    const listeners = new Set(sinks);
    listeners.delete(undefined);
    this.emit = listeners.size > 0 ? (body) => this.#notify(listeners, body) : undefined;
    this.#now = config.now ?? Date.now;
    this.around = combineAround(arounds);
    this.decisions = decisions && new Decisions(decisions);
    this.#runId = runId;
    this.deadlines = new DeadlineScheduler(signal);
  }

  /** Id of the run. If the caller did not set a run id, a random UUID is created on first access. */
  get runId(): string {
    return this.#runId ??= crypto.randomUUID();
  }

  /** Token usage of the run and its sub-agents. */
  get totalUsage(): TokenUsage {
    let total = this.ownUsage;
    for (const usage of this.delegated.values()) total = addUsage(total, usage);
    return total;
  }

  /** Time since the start of the run, excluding pauses, in milliseconds. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Whether the run is aborted. */
  get isAborted(): boolean {
    return this.deadlines.isAborted;
  }

  /** Stop reason for an abort: `terminated` if the agent is being terminated. */
  get abortReason(): "terminated" | "aborted" {
    return this.control.lifecycle?.state === "terminating" ? "terminated" : "aborted";
  }

  /** Whether the run must wait before its next step. */
  get shouldPause(): boolean {
    const { lifecycle, shouldPause } = this.control;
    return lifecycle?.isPauseRequested ?? shouldPause?.() ?? false;
  }

  /** Waits while the run is paused. Returns immediately if the run is aborted. */
  async waitUntilResumed(): Promise<void> {
    const { lifecycle, wait } = this.control;
    if (!wait || !this.shouldPause || this.isAborted) return;
    const pausedAt = performance.now();
    if (lifecycle) this.emit?.({ type: "run_paused" });
    // Aborting the run ends the wait, so callers check `isAborted` afterwards.
    await this.deadlines.wait(wait()).catch(() => {});
    if (!lifecycle) return;
    this.#startedAt += performance.now() - pausedAt;
    this.emit?.({ type: "run_resumed" });
  }

  /** Adds the token usage of sub-agents. */
  addDelegated(usageByAgent: Readonly<Record<string, TokenUsage>> | undefined): void {
    for (const path in usageByAgent) {
      const usage = usageByAgent[path] ?? NO_USAGE;
      this.delegated.set(path, addUsage(this.delegated.get(path) ?? NO_USAGE, usage));
    }
  }

  /** Reports an error that does not end the run. */
  report(error: unknown): void {
    const { onError } = this.config;
    const report = onError ?? (this.#print ??= createErrorPrinter(`Agent "${this.agentName}"`));
    try {
      report(error);
    } catch (failure) {
      // An exception from `onError` must not change the result of the run. It is reported as an uncaught error, as for
      // DOM event listeners.
      queueMicrotask(() => {
        throw failure;
      });
    }
  }

  /** Makes the run fail before its next step because `around` does not call `next` as required. */
  readonly onAroundViolation = (error: AgentError): void => {
    this.failure ??= error;
  };

  /**
   * Calls the event listeners. If a listener throws, the run fails before its next step. That listener receives no
   * further events; the other listeners do, so that, for example, telemetry can end its spans.
   */
  #notify(listeners: Set<LoopEventSink | undefined>, body: LoopEventBody): void {
    const event = { runId: this.runId, path: this.path, at: this.#now(), ...body };
    for (const listener of listeners) {
      try {
        listener?.(event);
      } catch (cause) {
        listeners.delete(listener);
        const text = `Cannot deliver event "${body.type}": ${errorMessageOf(cause)}`;
        this.failure ??= AgentError.core(text, { cause });
      }
    }
  }
}

function startConversation({ systemPrompt, messages = [] }: ToolLoopConfig): ModelMessage[] {
  const earlier = readMessages(messages);
  const before = earlier[0]?.role === "system" ? earlier.slice(1) : earlier;
  if (systemPrompt === undefined) return before;
  return [Object.freeze({ role: "system", content: systemPrompt }), ...before];
}
