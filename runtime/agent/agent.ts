/**
 * An agent: a configuration, a state, and the loop.
 *
 * @module
 */

import { HealthProfile } from "../lifecycle/health.ts";
import { LifecycleManager, type LifecycleTrigger } from "../lifecycle/lifecycle.ts";
import { controlToolLoop } from "../loop/loop.ts";
import { type LoopOptions, readLimits, type RunOptions } from "../loop/options.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { LanguageModel } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { ToolRegistry } from "../tools/registry.ts";

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
  /**
   * Called by `initialize`, for example to connect to servers and register their tools. An agent that is terminated
   * meanwhile does not wait for it: what it opens then it has to close itself.
   */
  readonly onInitialize?: (agent: ToolLoopAgent) => void | Promise<void>;
  /** Called once by `terminate`, after the last run has ended; `terminate` waits for it, so it must not wait for that. */
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
  readonly #lifecycle: LifecycleManager;
  #move: (trigger: LifecycleTrigger) => void = () => {};
  #initializing: Promise<void> | undefined;
  #terminating: Promise<void> | undefined;
  #running: Promise<ToolLoopOutput> | undefined;
  #controller: AbortController | undefined;
  /** Who waits for the run to rest, or to go on. */
  #waiters: (() => void)[] = [];

  /**
   * Makes an agent; nothing happens before `initialize`.
   *
   * @param config the name, the model, and how to behave
   * @throws {TypeError} there is no name or no model
   * @throws {RangeError} a limit is out of range
   */
  constructor(config: AgentConfig) {
    const { name, model, registry = new ToolRegistry() } = config;
    if (typeof name !== "string" || !name || typeof model?.generate !== "function") {
      throw new TypeError("Cannot make an agent: it has no name or no model");
    }
    readLimits(config);
    this.#registry = registry;
    this.#lifecycle = new LifecycleManager((move) => {
      this.#move = move;
    });
    this.#config = config;
    LINEAGES.set(this, { path: [name], config, children: new Set() });
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
    return this.lifecycle.state === "running";
  }

  /** Whether the agent is at its end. */
  get isTerminated(): boolean {
    return this.lifecycle.state === "terminated";
  }

  /**
   * Makes the agent ready. Does nothing when it is; waits when it is becoming so. After a failure it may be tried again.
   *
   * @throws {AgentError} code `invalid_state`: it is running, paused or at its end; code `core`: `onInitialize` failed
   */
  async initialize(): Promise<void> {
    this.#move("initialize");
    if (this.lifecycle.state === "ready") return;
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
    this.#move("run");
    try {
      return await (this.#running = this.#startRun(userMessage, options));
    } finally {
      this.#running = undefined;
      this.#resume("settled");
    }
  }

  /**
   * Makes the agent rest. A run rests at the next boundary: what is at work finishes and is recorded, no model call,
   * approval or tool is started. Resolves when the run rests, or has ended before it came to that: what the run itself
   * waits for, its tools and handlers, must not wait for it.
   *
   * @throws {AgentError} code `invalid_state`: the agent is not ready or running
   */
  async pause(): Promise<void> {
    this.#move("pause");
    if (this.lifecycle.isPauseRequested) await this.#wait();
  }

  /**
   * Lets the agent go on: a suspended run continues where it was, without repeating anything. Takes back a pause that has
   * not come into effect.
   *
   * @throws {AgentError} code `invalid_state`: the agent is not paused
   */
  // deno-lint-ignore require-await -- the operations are async by specification, so that their errors are rejections
  async resume(): Promise<void> {
    this.#resume("resume");
  }

  /**
   * Ends the agent for good, its sub-agents first. A run that is going on ends with stop reason `terminated` and a valid
   * transcript. May be called again.
   *
   * @throws {AgentError} code `core`: `onTerminate` failed; the agent is at its end all the same
   */
  terminate(): Promise<void> {
    this.#terminating ??= this.#end();
    this.#move("terminate");
    return this.#terminating;
  }

  /** The same as {@linkcode ToolLoopAgent.terminate}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }

  async #prepare(): Promise<void> {
    await this.#call("onInitialize", "initialize");
    // Again: it may have been terminated meanwhile.
    this.#move("initialize");
    this.#move("initialized");
  }

  async #startRun(userMessage: string, options: RunOptions): Promise<ToolLoopOutput> {
    const { signal } = this.#controller = new AbortController();
    return await controlToolLoop(
      {
        ...this.#config,
        ...options,
        agentName: this.name,
        registry: this.registry,
        healthProfile: this.healthProfile,
        signal: options.signal ? AbortSignal.any([signal, options.signal]) : signal,
      },
      userMessage,
      {
        path: lineageOf(this).path,
        lifecycle: this.lifecycle,
        sinks: [this.#config.onEvent, options.onEvent],
        wait: async () => {
          // A listener may resume it before it rests, and as soon as it does.
          if (this.lifecycle.isPauseRequested) this.#resume("rested");
          if (!this.isRunning) await this.#wait();
        },
      },
    );
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  #resume(trigger: LifecycleTrigger): void {
    this.#move(trigger);
    for (const resume of this.#waiters.splice(0)) resume();
  }

  async #end(): Promise<void> {
    // Listeners hear of the end when it has begun, and may ask for it again.
    await null;
    await Promise.allSettled([...lineageOf(this).children].map((child) => child.terminate()));
    this.#controller?.abort(new DOMException("The agent was terminated", "AbortError"));
    // The run's own failure is its caller's business.
    await Promise.allSettled([this.#running]);
    this.#move("ended");
    await this.#call("onTerminate", "clean up after");
  }

  async #call(hook: "onInitialize" | "onTerminate", purpose: string): Promise<void> {
    try {
      await this.#config[hook]?.(this);
    } catch (cause) {
      const text = `Cannot ${purpose} agent "${this.name}": ${errorMessageOf(cause)}`;
      throw AgentError.core(text, { cause });
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
