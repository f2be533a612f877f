/**
 * One run of a loop: who runs, with what, and what it may cost. Shared by the loop and its tool calls.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { ModelMessage } from "../shared/model.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "../shared/usage.ts";
import { DeadlineScheduler } from "./deadlines.ts";
import type { LoopEventBody, LoopEventSink } from "./events.ts";
import { type Limits, type LoopControl, readLimits, type ToolLoopConfig } from "./options.ts";

/** The live state of a run. */
export class RunState {
  /** What the run was told. */
  readonly config: ToolLoopConfig;
  /** Who may hold the run. */
  readonly control: LoopControl;
  /** The checked limits. */
  readonly limits: Limits;
  /** The agent's name. */
  readonly agentName: string;
  /** Agent names from the outermost agent to this one. */
  readonly path: readonly string[];
  /** The transcript: append-only, the same array from the first message to the output. */
  readonly messages: ModelMessage[];
  /** The waits for models, tools and handlers. */
  readonly deadlines: DeadlineScheduler;
  /** Tells the listeners; undefined when nobody listens, and then no events are made. */
  readonly emit: ((body: LoopEventBody) => void) | undefined;
  /** What went wrong outside of model and tools: in a listener. It fails the run. */
  failure: AgentError | undefined;
  /** Whether a tool asked for the end of the run. */
  stopRequested = false;
  /** Tokens of the run's own model calls. */
  ownUsage: TokenUsage = NO_USAGE;
  /** Tokens of sub-agents, by agent path. */
  readonly delegated: Map<string, TokenUsage> = new Map();
  /** When the run began; later by as long as it rested. */
  #startedAt = performance.now();
  #runId: string | undefined;

  constructor(config: ToolLoopConfig, userMessage: string, control: LoopControl) {
    const { agentName = "agent", runId, signal } = config;
    const { path = [agentName], sinks = [config.onEvent] } = control;
    this.config = config;
    this.control = control;
    this.limits = readLimits(config);
    this.agentName = agentName;
    this.path = Object.freeze(path);
    this.messages = startConversation(config, userMessage);
    const listeners = new Set(sinks);
    listeners.delete(undefined);
    this.emit = listeners.size > 0 ? (body) => this.#notify(listeners, body) : undefined;
    this.#runId = runId;
    this.deadlines = new DeadlineScheduler(signal);
  }

  /** The run's id; a random one is made when it is first asked for. */
  get runId(): string {
    return this.#runId ??= crypto.randomUUID();
  }

  /** Tokens of the run and of its sub-agents. */
  get totalUsage(): TokenUsage {
    let total = this.ownUsage;
    for (const usage of this.delegated.values()) total = addUsage(total, usage);
    return total;
  }

  /** How long the run has been going on, in milliseconds, pauses not counted. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Whether the run has to end now. */
  get isAborted(): boolean {
    return this.deadlines.isAborted;
  }

  /** What an abort is. */
  get abortReason(): "terminated" | "aborted" {
    return this.control.lifecycle?.state === "terminating" ? "terminated" : "aborted";
  }

  /** Whether the run has to wait at the next boundary. */
  get shouldPause(): boolean {
    const { lifecycle, shouldPause } = this.control;
    return lifecycle?.isPauseRequested ?? shouldPause?.() ?? false;
  }

  /** Waits as long as it has to. Returns at once when the run is aborted. */
  async waitUntilResumed(): Promise<void> {
    const { lifecycle, wait } = this.control;
    if (!wait || !this.shouldPause || this.isAborted) return;
    const pausedAt = performance.now();
    if (lifecycle) this.emit?.({ type: "run_paused" });
    // An abort ends the wait; the caller looks at `isAborted` next.
    await this.deadlines.wait(wait()).catch(() => {});
    if (!lifecycle) return;
    this.#startedAt += performance.now() - pausedAt;
    this.emit?.({ type: "run_resumed" });
  }

  /** Counts what sub-agents used. */
  addDelegated(usageByAgent: Readonly<Record<string, TokenUsage>> | undefined): void {
    for (const path in usageByAgent) {
      const usage = usageByAgent[path] ?? NO_USAGE;
      this.delegated.set(path, addUsage(this.delegated.get(path) ?? NO_USAGE, usage));
    }
  }

  /** A listener that throws fails the run at the next boundary and is not told any more. */
  #notify(listeners: ReadonlySet<LoopEventSink | undefined>, body: LoopEventBody): void {
    if (this.failure) return;
    const event = { runId: this.runId, path: this.path, ...body };
    try {
      for (const listener of listeners) listener?.(event);
    } catch (cause) {
      this.failure = AgentError.core(`Cannot tell the listener: ${errorMessageOf(cause)}`, {
        cause,
      });
    }
  }
}

function startConversation(
  { systemPrompt, messages = [] }: ToolLoopConfig,
  userMessage: string,
): ModelMessage[] {
  const before = messages[0]?.role === "system" ? messages.slice(1) : messages;
  const user: ModelMessage = { role: "user", content: [{ type: "text", text: userMessage }] };
  const system: ModelMessage[] = systemPrompt === undefined
    ? []
    : [Object.freeze({ role: "system", content: systemPrompt })];
  return [...system, ...before, Object.freeze(user)];
}
