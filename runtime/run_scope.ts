/**
 * One run of a loop: who runs, with what, and what it may cost. Shared by the loop and its tool calls.
 *
 * @module
 */

import { autoApprove } from "./approval.ts";
import { AgentError, reasonOf } from "./error.ts";
import type { LoopEventBody } from "./event.ts";
import { type Limits, type LoopControl, readLimits, type ToolLoopConfig } from "./loop_options.ts";
import type { ModelMessage } from "./model.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "./usage.ts";
import { Interruption, Waits } from "./waits.ts";

/** The live state of a run. */
export class RunScope {
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
  readonly waits: Waits;
  /** The approval handler, unless it approves everything. */
  readonly approvalHandler: ToolLoopConfig["approvalHandler"];
  /** Tells the listener; undefined when nobody listens, and then no events are made. */
  readonly emit: ((body: LoopEventBody) => void) | undefined;
  /** The first thing that went wrong outside of model and tools: a listener, a step runner. It fails the run. */
  failure: AgentError | undefined;
  /** Tokens of the run's own model calls. */
  ownUsage: TokenUsage = NO_USAGE;
  /** Tokens of sub-agents, by agent path. */
  readonly delegated: Map<string, TokenUsage> = new Map();
  readonly #startedAt = performance.now();
  #restedMs = 0;
  #runId: string | undefined;

  constructor(config: ToolLoopConfig, userMessage: string, control: LoopControl) {
    const { agentName = "agent", approvalHandler, emit } = config;
    this.config = config;
    this.control = control;
    this.limits = readLimits(config);
    this.agentName = agentName;
    this.path = control.path ?? [agentName];
    this.messages = startConversation(config, userMessage);
    this.approvalHandler = approvalHandler === autoApprove ? undefined : approvalHandler;
    this.emit = emit && ((body) => this.#tell(emit, body));
    this.#runId = config.runId;
    this.waits = new Waits(config.signal);
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
    return performance.now() - this.#startedAt - this.#restedMs;
  }

  /** Whether the run has to end now. */
  get isAborted(): boolean {
    return this.waits.isAborted;
  }

  /** Whether the abort is a termination. */
  get isTerminating(): boolean {
    return this.control.isTerminating?.() ?? false;
  }

  /** Whether the run has to wait at the next boundary. */
  get mustWait(): boolean {
    return this.control.mustWait?.() ?? false;
  }

  /** Waits as long as it has to. Returns at once when the run is aborted. */
  async wait(): Promise<void> {
    const { isPause, wait } = this.control;
    if (!this.mustWait || wait === undefined || this.isAborted) return;
    const begun = performance.now();
    if (isPause) this.emit?.({ type: "run_paused" });
    try {
      await this.waits.wait(wait());
    } catch (error) {
      // An abort ends the wait; the caller looks at `isAborted` next.
      if (!(error instanceof Interruption)) throw error;
    }
    if (!isPause) return;
    this.#restedMs += performance.now() - begun;
    this.emit?.({ type: "run_resumed" });
  }

  /** Counts what a sub-agent used. */
  addDelegated(path: string, usage: TokenUsage): void {
    this.delegated.set(path, addUsage(this.delegated.get(path) ?? NO_USAGE, usage));
  }

  /** A listener that throws fails the run at the next boundary and is not told any more. */
  #tell(sink: NonNullable<ToolLoopConfig["emit"]>, body: LoopEventBody): void {
    if (this.failure !== undefined) return;
    try {
      sink({ runId: this.runId, path: this.path, ...body });
    } catch (cause) {
      this.failure = AgentError.core(`Cannot tell the listener: ${reasonOf(cause)}`, { cause });
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
