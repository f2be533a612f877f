/**
 * Agents, which combine the tool loop with a model, tools and a lifecycle.
 *
 * @module
 */

import { HealthProfile } from "../lifecycle/health.ts";
import { LifecycleManager, type LifecycleTrigger } from "../lifecycle/lifecycle.ts";
import { assertLoopOptions, assertModel, assertRunOptions } from "../loop/assert_options.ts";
import { controlToolLoop } from "../loop/loop.ts";
import { type LoopOptions, readLimits, type RunOptions } from "../loop/options.ts";
import { assertOptionalFunction } from "../shared/assertions.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { createErrorPrinter } from "../shared/error_printer.ts";
import { formatValue } from "../shared/format_value.ts";
import type { LanguageModel, UserTurn } from "../shared/model.ts";
import type { ToolLoopOutput } from "../shared/output.ts";
import { ToolRegistry } from "../tools/registry.ts";

/** Configuration of a {@linkcode ToolLoopAgent}. */
export interface AgentConfig extends LoopOptions {
  /** Name of the agent, passed to tools and handlers and included in events. */
  readonly name: string;
  /** Language model of the agent. */
  readonly model: LanguageModel;
  /** DID of the agent, passed to tools and handlers and included in events. */
  readonly agentDid?: string;
  /** Registry of the agent's tools. If omitted, an empty registry is created and available as `agent.registry`. */
  readonly registry?: ToolRegistry;
  /**
   * Called by `initialize()`, for example to connect to MCP servers and register their tools. `terminate()` does not
   * wait for `onInitialize`. If the agent is terminated while `onInitialize` is running, `onInitialize` must release
   * its own resources.
   */
  readonly onInitialize?: (agent: ToolLoopAgent) => void | Promise<void>;
  /**
   * Called once by `terminate()`, after the last run has ended. `terminate()` waits for `onTerminate`, so `onTerminate`
   * must not wait for `terminate()`.
   */
  readonly onTerminate?: (agent: ToolLoopAgent) => void | Promise<void>;
}

/** Path, configuration and sub-agents of an agent. */
export interface AgentLineage {
  /** Agent names from the outermost agent to this one. */
  path: readonly string[];
  /** Configuration of the agent. */
  readonly config: AgentConfig;
  /** Sub-agents, which are terminated together with the agent. */
  readonly children: Set<ToolLoopAgent>;
}

/**
 * Path, configuration and sub-agents of each agent, for use in the sub-agent module. Exposing private fields in a
 * static block would prevent tree shaking of the class.
 */
const LINEAGES: WeakMap<ToolLoopAgent, AgentLineage> = new WeakMap();

/**
 * An agent that responds to messages with a language model and tools.
 *
 * An agent must be initialized before its first run and processes one message at a time. An agent can be paused,
 * resumed and terminated at any time, including during a run.
 *
 * @see https://modelcontextprotocol.io for MCP; `registry.registerMcp()` adds the tools of an MCP server
 *
 * @example Run an agent with one tool
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
  readonly #onError: (error: unknown) => void;
  #move: (trigger: LifecycleTrigger) => void = () => {};
  #initializing: Promise<void> | undefined;
  #terminating: Promise<void> | undefined;
  #running: Promise<ToolLoopOutput> | undefined;
  #controller: AbortController | undefined;
  /** Resolvers for callers of `pause()` and for suspended runs, called when the state changes. */
  #waiters: (() => void)[] = [];

  /**
   * Creates an agent that is not initialized yet.
   *
   * @param config Name, model and options.
   * @throws {TypeError} If `name` is not a non-empty string, `model` is not a `LanguageModel`, or an option has the wrong
   * type.
   * @throws {RangeError} If a numeric option is out of range.
   */
  constructor(config: AgentConfig) {
    assertLoopOptions(config);
    const { name, model, registry = new ToolRegistry(), onError } = config;
    if (typeof name !== "string" || !name) {
      throw new TypeError(`"name" must be a non-empty string, got ${formatValue(name)}`);
    }
    assertModel(model);
    assertOptionalFunction("onInitialize", config.onInitialize);
    assertOptionalFunction("onTerminate", config.onTerminate);
    readLimits(config);
    this.#registry = registry;
    this.#onError = onError ?? createErrorPrinter(`Agent "${name}"`);
    this.#lifecycle = new LifecycleManager((move) => {
      this.#move = move;
    });
    this.#config = config;
    LINEAGES.set(this, { path: [name], config, children: new Set() });
  }

  /** Name of the agent. */
  get name(): string {
    return this.#config.name;
  }

  /** DID of the agent. */
  get agentDid(): string | undefined {
    return this.#config.agentDid;
  }

  /** Registry of the agent's tools. */
  get registry(): ToolRegistry {
    return this.#registry;
  }

  /** Counters for model calls, tool executions and errors across all runs. */
  get healthProfile(): HealthProfile {
    return this.#health;
  }

  /** Lifecycle state of the agent. */
  get lifecycle(): LifecycleManager {
    return this.#lifecycle;
  }

  /** Whether a run is in progress. `false` while the run is paused. */
  get isRunning(): boolean {
    return this.lifecycle.state === "running";
  }

  /** Whether the agent is terminated. */
  get isTerminated(): boolean {
    return this.lifecycle.state === "terminated";
  }

  /**
   * Initializes the agent. Does nothing if the agent is ready. Concurrent calls wait for the same initialization. After
   * a failure, the method can be called again.
   *
   * @throws {AgentError} With code `invalid_state` if the agent is running, paused, terminating or terminated.
   * @throws {AgentError} With code `core` if `onInitialize` fails.
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
   * Runs the tool loop for one turn of the user. Every run starts a new conversation, unless `messages` is set.
   *
   * @param userMessage Message from the user: text or parts. If omitted, the run continues the conversation in
   * `messages`, or resumes the recorded run with its recorded message.
   * @param options Options for the run.
   * @returns Final text, transcript, stop reason and token usage.
   * @throws {TypeError} If `userMessage` is not a string or an array of parts, it is omitted and there is nothing to
   * continue, or an option has the wrong type.
   * @throws {AgentError} With code `invalid_state` if the agent is not ready, for example because a run is in progress.
   * @throws Any error that {@linkcode runToolLoop} throws.
   */
  async run(userMessage?: UserTurn, options: RunOptions = {}): Promise<ToolLoopOutput> {
    assertRunOptions(options);
    this.#move("run");
    try {
      return await (this.#running = this.#startRun(userMessage, options));
    } finally {
      this.#running = undefined;
      this.#moveAndWake("settled");
    }
  }

  /**
   * Pauses the agent. Model and tool calls in progress finish and are recorded. No model call, approval or tool is
   * started until the agent is resumed. Resolves when the run is suspended or has ended. Tools and handlers of the run
   * must not await the returned promise, because the run waits for the tools and handlers to finish.
   *
   * @throws {AgentError} With code `invalid_state` if the agent is not ready, running or paused.
   */
  async pause(): Promise<void> {
    this.#move("pause");
    if (this.lifecycle.isPauseRequested) await this.#wait();
  }

  /**
   * Resumes the agent. A suspended run continues where it stopped, and no step is repeated. If the run is not suspended
   * yet, the requested pause is cancelled.
   *
   * @throws {AgentError} With code `invalid_state` if the agent is not paused and no pause is requested.
   */
  // deno-lint-ignore require-await -- specified as asynchronous, so errors become rejections
  async resume(): Promise<void> {
    this.#moveAndWake("resume");
  }

  /**
   * Terminates the sub-agents and then the agent, permanently. A run in progress ends with stop reason `terminated` and
   * a valid transcript. Further calls return the same promise.
   *
   * @throws {AgentError} With code `core` if `onTerminate` fails. The agent is terminated anyway.
   */
  terminate(): Promise<void> {
    this.#terminating ??= this.#end();
    this.#move("terminate");
    return this.#terminating;
  }

  /** Calls {@linkcode ToolLoopAgent.terminate}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.terminate();
  }

  async #prepare(): Promise<void> {
    await this.#call("onInitialize", "initialize");
    // This transition throws if the agent was terminated while `onInitialize` was running.
    this.#move("initialize");
    this.#move("initialized");
  }

  async #startRun(
    userMessage: UserTurn | undefined,
    options: RunOptions,
  ): Promise<ToolLoopOutput> {
    const { signal } = this.#controller = new AbortController();
    return await controlToolLoop(
      {
        ...this.#config,
        ...options,
        agentName: this.name,
        onError: this.#onError,
        registry: this.registry,
        healthProfile: this.healthProfile,
        signal: options.signal ? AbortSignal.any([signal, options.signal]) : signal,
      },
      userMessage,
      {
        path: lineageOf(this).path,
        lifecycle: this.lifecycle,
        sinks: [this.#config.onEvent, options.onEvent],
        arounds: [this.#config.around, options.around],
        wait: async () => {
          // The run must not wait if a listener called `resume()` before or while the state changed to `paused`.
          if (this.lifecycle.isPauseRequested) this.#moveAndWake("rested");
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

  /** Applies a state transition, then wakes a suspended run and the callers of `pause()`. */
  #moveAndWake(trigger: LifecycleTrigger): void {
    this.#move(trigger);
    for (const wake of this.#waiters.splice(0)) wake();
  }

  async #end(): Promise<void> {
    // This `await` lets `terminate()` store its promise before a listener can call `terminate()` again.
    await null;
    await Promise.allSettled([...lineageOf(this).children].map((child) => child.terminate()));
    this.#controller?.abort(new DOMException("The agent was terminated", "AbortError"));
    // Errors from the run are reported to the caller of `run()`.
    await Promise.allSettled([this.#running]);
    this.#move("ended");
    await this.#call("onTerminate", "terminate");
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

/** Returns the path, configuration and sub-agents of an agent. */
export function lineageOf(agent: ToolLoopAgent): AgentLineage {
  const lineage = LINEAGES.get(agent);
  if (lineage === undefined) {
    throw new TypeError(`"parent" must be a ToolLoopAgent, got ${formatValue(agent)}`);
  }
  return lineage;
}

/** Creates an agent and adds it to its parent's sub-agents. */
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
