/**
 * One run of a loop: who runs, with what, and what it may cost. Shared by the loop and its tool calls.
 *
 * @module
 */

import { autoApprove } from "./approval.ts";
import { AgentError, reasonOf } from "./error.ts";
import type { LoopEventBody, LoopEventSink } from "./event.ts";
import { type LoopControl, readLimits, type ToolLoopConfig } from "./loop_options.ts";
import type { ModelMessage } from "./model.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "./usage.ts";
import { Interruption, Waits } from "./waits.ts";

/** The live state of a run. */
export class RunScope {
  /** What the run was told. */
  readonly config: ToolLoopConfig;
  /** The checked limits. */
  readonly limits: ReturnType<typeof readLimits>;
  /** The agent's name. */
  readonly agentName: string;
  /** Agent names from the outermost agent to this one. */
  readonly path: readonly string[];
  /** The transcript: append-only, the same array from the first message to the output. */
  readonly messages: ModelMessage[];
  /** The waits for models, tools and handlers. */
  readonly waits: Waits;
  /** The approval handler, unless it approves everything. */
  readonly approvalHandler: ToolLoopConfig["approvalHandler"];
  /** Who listens. */
  readonly sink: LoopEventSink | undefined;
  /** The first thing that went wrong outside of model and tools: a listener, a step runner. It fails the run. */
  failure: AgentError | undefined;
  readonly #control: LoopControl;
  readonly #startedAt: number;
  #restedMs = 0;
  #runId: string | undefined;
  #delegated: Map<string, TokenUsage> | undefined;

  constructor(config: ToolLoopConfig, userMessage: string, control: LoopControl) {
    this.config = config;
    this.limits = readLimits(config);
    this.agentName = config.agentName ?? "agent";
    this.path = control.path ?? [this.agentName];
    this.messages = startConversation(config, userMessage);
    this.waits = new Waits(config.signal);
    this.approvalHandler = config.approvalHandler === autoApprove
      ? undefined
      : config.approvalHandler;
    this.sink = config.emit;
    this.#control = control;
    this.#runId = config.runId;
    this.#startedAt = performance.now();
  }

  /** The run's id; a random one is made when it is first asked for. */
  get runId(): string {
    return this.#runId ??= crypto.randomUUID();
  }

  /** Whether somebody has to be asked before tools are executed. */
  get mustApprove(): boolean {
    return this.approvalHandler !== undefined || this.config.decisions !== undefined;
  }

  /** How long the run has been going on, in milliseconds, pauses not counted. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt - this.#restedMs;
  }

  /** Whether the run has to end now. */
  get isAborted(): boolean {
    return this.waits.isAborted;
  }

  /** Whether the abort is a termination. */
  get isTerminating(): boolean {
    return this.#control.isTerminating?.() ?? false;
  }

  /** Whether the run has to wait at the next boundary. */
  get mustWait(): boolean {
    const { isRestWanted, isReaderBehind } = this.#control;
    return (isRestWanted?.() ?? false) || (isReaderBehind?.() ?? false);
  }

  /** Tokens of sub-agents, by agent path; undefined while there are none. */
  get delegated(): ReadonlyMap<string, TokenUsage> | undefined {
    return this.#delegated;
  }

  /** Tells the listener. A listener that throws fails the run at the next boundary and is not told any more. */
  emit(body: LoopEventBody): void {
    if (this.sink === undefined || this.failure !== undefined) return;
    try {
      this.sink({ runId: this.runId, path: this.path, ...body });
    } catch (cause) {
      this.failure = AgentError.core(`Cannot tell the listener: ${reasonOf(cause)}`, { cause });
    }
  }

  /** Waits as long as it has to. Returns at once when the run is aborted. */
  async wait(): Promise<void> {
    const { isRestWanted, rest } = this.#control;
    if (isRestWanted?.() && rest !== undefined && !this.isAborted) {
      const begun = performance.now();
      this.emit({ type: "run_paused" });
      await this.#until(rest());
      this.#restedMs += performance.now() - begun;
      this.emit({ type: "run_resumed" });
    }
    await this.waitForReader();
  }

  /** Waits for a reader that cannot keep up. */
  async waitForReader(): Promise<void> {
    const { isReaderBehind, caughtUp } = this.#control;
    if (isReaderBehind?.() && caughtUp !== undefined) await this.#until(caughtUp());
  }

  /** Counts what a sub-agent used. */
  addDelegated(usageByAgent: Readonly<Record<string, TokenUsage>>): void {
    const delegated = this.#delegated ??= new Map();
    for (const [path, usage] of Object.entries(usageByAgent)) {
      delegated.set(path, addUsage(delegated.get(path) ?? NO_USAGE, usage));
    }
  }

  async #until(promise: Promise<void>): Promise<void> {
    try {
      await this.waits.wait(promise);
    } catch (error) {
      // An abort ends the rest; the caller looks at `isAborted` next.
      if (!(error instanceof Interruption)) throw error;
    }
  }
}

function startConversation(
  { systemPrompt, messages = [] }: ToolLoopConfig,
  userMessage: string,
): ModelMessage[] {
  const before = messages[0]?.role === "system" ? messages.slice(1) : messages;
  const user: ModelMessage = { role: "user", content: [{ type: "text", text: userMessage }] };
  if (systemPrompt === undefined) return [...before, Object.freeze(user)];
  const system: ModelMessage = { role: "system", content: systemPrompt };
  return [Object.freeze(system), ...before, Object.freeze(user)];
}
