/**
 * An agent: a configuration, a state, and the loop.
 *
 * @module
 */

import { AgentError, reasonOf } from "./error.ts";
import { HealthProfile } from "./health.ts";
import { defined } from "./json.ts";
import { LifecycleMachine, LifecycleManager } from "./lifecycle.ts";
import { controlToolLoop } from "./loop.ts";
import { joinSinks, type LoopOptions, readLimits, type RunOptions } from "./loop_options.ts";
import type { LanguageModel } from "./model.ts";
import type { ToolLoopOutput } from "./output.ts";
import { ToolRegistry } from "./registry.ts";

/** What an agent is made of. */
export interface AgentConfig extends LoopOptions {
  /** The agent's name, for people, handlers and events. */
  readonly name: string;
  /** The model. */
  readonly model: LanguageModel;
  /** The agent's DID, for audit trails. */
  readonly agentDid?: string;
  /** The tools. Default: an empty registry, to be filled as `agent.registry`. */
  readonly registry?: ToolRegistry;
  /** Called by `initialize`, for example to connect to servers and register their tools. */
  readonly onInitialize?: (agent: ToolLoopAgent) => void | Promise<void>;
  /** Called once by `terminate`, after the last run has ended. */
  readonly onTerminate?: (agent: ToolLoopAgent) => void | Promise<void>;
}

/** Where an agent comes from; only sub-agents have parents. */
export interface AgentLineage {
  /** Agent names from the outermost agent to this one. */
  path: readonly string[];
  /** What the agent was configured with. */
  readonly config: AgentConfig;
  /** Its sub-agents: they are terminated with it. */
  readonly children: Set<ToolLoopAgent>;
}

interface ActiveRun {
  readonly controller: AbortController;
  readonly settled: Promise<void>;
}

/** What agents keep from their users and not from their sub-agents. A static block would keep bundlers from dropping the class. */
const LINEAGES: WeakMap<ToolLoopAgent, AgentLineage> = new WeakMap();

/**
 * An agent that answers messages with a model and tools.
 *
 * It has to be initialized before its first run, makes one run at a time, and can be paused, resumed and terminated, also
 * in the middle of a run.
 *
 * @see https://modelcontextprotocol.io for tools of foreign servers: `registry.registerMcp`
 *
 * @example One agent, one tool, one run
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({
 *   name: "clerk",
 *   model: scriptedModel([{ calls: [{ toolName: "now" }] }, { text: "It is noon" }]),
 *   systemPrompt: "Be brief.",
 * });
 * agent.registry.register({
 *   name: "now",
 *   description: "The time of day",
 *   inputSchema: { type: "object" },
 *   execute: () => "12:00",
 * });
 * await agent.initialize();
 * try {
 *   const output = await agent.run("What time is it?");
 *   assertEquals(output.finalText, "It is noon");
 *   assertEquals(agent.healthProfile.toolInvocations, 1);
 * } finally {
 *   await agent.terminate();
 * }
 * ```
 */
export class ToolLoopAgent implements AsyncDisposable {
  readonly #config: AgentConfig;
  readonly #registry: ToolRegistry;
  readonly #health = new HealthProfile();
  readonly #machine = new LifecycleMachine();
  readonly #lifecycle: LifecycleManager = new LifecycleManager(this.#machine);
  readonly #lineage: AgentLineage;
  #initializing: Promise<void> | undefined;
  #terminating: Promise<void> | undefined;
  #activeRun: ActiveRun | undefined;
  /** Lets a resting run go on. */
  #wake: (() => void) | undefined;
  /** Who waits for the run to rest. */
  #pausing: (() => void)[] = [];

  /**
   * Makes an agent; nothing happens before `initialize`.
   *
   * @param config the name, the model, and how to behave
   * @throws {TypeError} there is no name or no model
   * @throws {RangeError} a limit is out of range
   */
  constructor(config: AgentConfig) {
    assertConfig(config);
    readLimits(config);
    this.#config = config;
    this.#registry = config.registry ?? new ToolRegistry();
    this.#lineage = { path: [config.name], config, children: new Set() };
    LINEAGES.set(this, this.#lineage);
  }

  /** The agent's name. */
  get name(): string {
    return this.#config.name;
  }

  /** The agent's DID. */
  get agentDid(): string | undefined {
    return this.#config.agentDid;
  }

  /** The agent's tools. */
  get registry(): ToolRegistry {
    return this.#registry;
  }

  /** Counts of model calls, tool executions and errors, over all runs. */
  get healthProfile(): HealthProfile {
    return this.#health;
  }

  /** The agent's state. */
  get lifecycle(): LifecycleManager {
    return this.#lifecycle;
  }

  /** Whether a run is going on; a suspended one is not. */
  get isRunning(): boolean {
    return this.#machine.state === "running";
  }

  /** Whether the agent is at its end. */
  get isTerminated(): boolean {
    return this.#machine.state === "terminated";
  }

  /**
   * Makes the agent ready. Does nothing when it is; waits when it is becoming so. After a failure it may be tried again.
   *
   * @throws {AgentError} code `invalid_state`: it is running, paused or at its end; code `core`: `onInitialize` failed
   */
  async initialize(): Promise<void> {
    this.#machine.operate("initialize");
    if (this.#machine.state === "ready") return;
    this.#initializing ??= this.#prepare().finally(() => {
      this.#initializing = undefined;
    });
    await this.#initializing;
  }

  /**
   * Answers a message. Every run begins with a fresh conversation, unless `messages` says otherwise.
   *
   * @param userMessage what the user says
   * @param options the signal, the earlier conversation, the journal
   * @returns the answer, the transcript and what it cost
   * @throws {AgentError} code `invalid_state`: the agent is not ready, for example because a run is going on; and as
   * {@linkcode runToolLoop} does
   */
  async run(userMessage: string, options: RunOptions = {}): Promise<ToolLoopOutput> {
    this.#machine.operate("run");
    const controller = new AbortController();
    const run = this.#startRun(userMessage, options, controller);
    // The run's own failure is its caller's business; whoever waits for its end only wants the end.
    const settled = run.then(() => {}, () => {});
    this.#activeRun = { controller, settled };
    try {
      return await run;
    } finally {
      this.#activeRun = undefined;
      this.#machine.happen("settled");
      this.#donePausing();
    }
  }

  /**
   * Makes the agent rest. A run rests at the next boundary: what is at work finishes and is recorded, no model call,
   * approval or tool is started. Resolves when the run rests, or has ended before it came to that.
   *
   * @throws {AgentError} code `invalid_state`: the agent is not ready or running
   */
  async pause(): Promise<void> {
    this.#machine.operate("pause");
    if (!this.#machine.isPauseRequested) return;
    await new Promise<void>((resolve) => {
      this.#pausing.push(resolve);
    });
  }

  /**
   * Lets the agent go on: a suspended run continues where it was, without repeating anything. Takes back a pause that has
   * not come into effect.
   *
   * @throws {AgentError} code `invalid_state`: the agent is not paused
   */
  // deno-lint-ignore require-await -- the operations are async by specification, so that their errors are rejections
  async resume(): Promise<void> {
    this.#machine.operate("resume");
    this.#donePausing();
    this.#wake?.();
    this.#wake = undefined;
  }

  /**
   * Ends the agent for good, its sub-agents first. A run that is going on ends with stop reason `terminated` and a valid
   * transcript. May be called again.
   *
   * @throws {AgentError} code `core`: `onTerminate` failed; the agent is at its end all the same
   */
  terminate(): Promise<void> {
    return this.#terminating ??= this.#end();
  }

  /** The same as {@linkcode ToolLoopAgent.terminate}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }

  async #prepare(): Promise<void> {
    try {
      await this.#config.onInitialize?.(this);
    } catch (cause) {
      throw AgentError.core(`Cannot initialize agent "${this.name}": ${reasonOf(cause)}`, {
        cause,
      });
    }
    if (this.#terminating !== undefined) {
      throw AgentError.invalidState(this.#machine.state, "initializing", "initialize");
    }
    this.#machine.happen("initialized");
  }

  async #startRun(
    userMessage: string,
    options: RunOptions,
    controller: AbortController,
  ): Promise<ToolLoopOutput> {
    const { onInitialize: _, onTerminate: __, ...config } = this.#config;
    const signal = options.signal === undefined
      ? controller.signal
      : AbortSignal.any([controller.signal, options.signal]);
    const emit = joinSinks(config.emit, options.emit);
    return await controlToolLoop(
      {
        ...config,
        ...options,
        agentName: this.name,
        registry: this.#registry,
        healthProfile: this.#health,
        signal,
        ...defined({ emit }),
      },
      userMessage,
      {
        path: this.#lineage.path,
        mustWait: () => this.#machine.isPauseRequested,
        wait: () => this.#rest(),
        isPause: true,
        isTerminating: () => this.#terminating !== undefined,
      },
    );
  }

  #rest(): Promise<void> {
    this.#machine.happen("rested");
    this.#donePausing();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #donePausing(): void {
    for (const done of this.#pausing.splice(0)) done();
  }

  async #end(): Promise<void> {
    this.#machine.operate("terminate");
    await Promise.allSettled([...this.#lineage.children].map((child) => child.terminate()));
    this.#activeRun?.controller.abort(new DOMException("The agent was terminated", "AbortError"));
    await this.#activeRun?.settled;
    this.#machine.happen("ended");
    try {
      await this.#config.onTerminate?.(this);
    } catch (cause) {
      throw AgentError.core(
        `Cannot clean up after agent "${this.name}": ${reasonOf(cause)}`,
        { cause },
      );
    }
  }
}

/** What sub-agents need to know of their parent. */
export function lineageOf(agent: ToolLoopAgent): AgentLineage {
  const lineage = LINEAGES.get(agent);
  if (lineage === undefined) throw new TypeError("Cannot delegate: the parent is no ToolLoopAgent");
  return lineage;
}

/** Makes an agent that stands below another one. */
export function createDescendant(config: AgentConfig, parent: ToolLoopAgent): ToolLoopAgent {
  const { children, path } = lineageOf(parent);
  const child = new ToolLoopAgent(config);
  lineageOf(child).path = [...path, config.name];
  children.add(child);
  child.lifecycle.onTransition(({ to }) => {
    if (to === "terminated") children.delete(child);
  });
  return child;
}

function assertConfig({ name, model }: AgentConfig): void {
  if (typeof name !== "string" || name === "") {
    throw new TypeError("Cannot make an agent: it has no name");
  }
  if (typeof model?.generate !== "function") {
    throw new TypeError(`Cannot make agent "${name}": its model has no generate function`);
  }
}
