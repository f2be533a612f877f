/**
 * Agents, which combine the tool loop with a model, tools and a lifecycle.
 *
 * @module
 */

import { type OpenBudget, openBudget } from "../budget/budget.ts";
import { HealthProfile } from "../lifecycle/health.ts";
import { LifecycleManager, type LifecycleTrigger } from "../lifecycle/lifecycle.ts";
import { DeadlineScheduler } from "../loop/deadlines.ts";
import { type AnswerSchema, compileAnswerSchema } from "../loop/final_answer.ts";
import { assertCanStart, controlToolLoop } from "../loop/loop.ts";
import type {
  CommonSettings,
  LoopDefault,
  LoopOptions,
  RunOptions,
  ToolLoopSettings,
} from "../loop/options.ts";
import { assertRegistry, LOOP_RULES } from "../loop/read_options.ts";
import { AGENT_RUN_NAMES, readRunOptions } from "../loop/run_options.ts";
import {
  createLoopStream,
  readStreamOptions,
  type StreamControl,
  type StreamOptions,
  type ToolLoopStream,
} from "../loop/stream.ts";
import {
  assertNonEmptyString,
  assertOptionalFunction,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { AGENT_ALIASES } from "../shared/aliases.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { defined } from "@parley/internal/json";
import {
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import type { LanguageModel, UserTurn } from "../shared/model.ts";
import { assertModel } from "../shared/option_checks.ts";
import type { ToolLoopOutput, TypedOutput } from "../shared/output.ts";
import { createAbortReason, joinSignals } from "../shared/platform.ts";
import type { WholeSchema } from "../shared/schema.ts";
import type { Infer, Schema } from "../shared/typed_schema.ts";
import { registerTools, ToolRegistry } from "../tools/registry.ts";
import type { ToolSpecs } from "../tools/tool.ts";
import { lineageOf, setLineage } from "./lineage.ts";

/**
 * Configuration of a {@linkcode ToolLoopAgent}.
 *
 * @typeParam S Type of the `output` schema.
 * @typeParam Schemas Types of the input schemas of `tools`, in order.
 */
export interface AgentConfig<
  S extends Schema = Schema,
  Schemas extends readonly Schema[] = readonly Schema[],
> extends LoopOptions<S> {
  /** Name of the agent, passed to tools and handlers and included in events. */
  readonly name: string;
  /** Language model of the agent. */
  readonly model: LanguageModel;
  /** DID of the agent, passed to tools and handlers and included in events. */
  readonly agentDid?: string;
  /**
   * Registry of the agent's tools. If omitted, an empty registry is created and available as
   * `agent.registry`.
   */
  readonly registry?: ToolRegistry;
  /** Tools that the constructor adds to `registry`. If omitted, no tools are added. */
  readonly tools?: ToolSpecs<Schemas>;
  /**
   * Called once before the first run, or by `initialize()`, for example to connect to MCP servers
   * and register their tools. If `onInitialize` fails, the next run or `initialize()` calls it
   * again. `onInitialize` cannot run the agent and must not wait for `initialize()`, and
   * `terminate()` does not wait for `onInitialize`. If the agent is terminated while `onInitialize`
   * is running, `onInitialize` must release its own resources.
   */
  readonly onInitialize?: (agent: ToolLoopAgent) => void | Promise<void>;
  /**
   * Called once by `terminate()`, after the last run has ended. `terminate()` waits for
   * `onTerminate`, so `onTerminate` must not wait for `terminate()`.
   */
  readonly onTerminate?: (agent: ToolLoopAgent) => void | Promise<void>;
}

/** Settings of an agent. */
type AgentSettings = Settings<AgentConfig, LoopDefault | "tools">;

const readAgentConfig: OptionsReader<AgentConfig, LoopDefault | "tools"> = optionsReader<
  AgentConfig
>("config", AGENT_ALIASES)({
  ...LOOP_RULES,
  name: required(assertNonEmptyString),
  model: required(assertModel),
  agentDid: assertNonEmptyString,
  registry: assertRegistry,
  tools: withDefault([], (name, tools) => {
    if (!Array.isArray(tools)) rejectArgument(name, "an array of tools", tools);
  }),
  onInitialize: assertOptionalFunction,
  onTerminate: assertOptionalFunction,
});

/** Options for a run, which may include an `output` schema. */
type OutputRunOptions = RunOptions & { readonly output?: Schema | undefined };

/** Options of a stream of events. */
const STREAM_NAMES: ReadonlySet<string> = new Set([...AGENT_RUN_NAMES, "maxQueued", "warnAfterMs"]);

/**
 * An agent that responds to messages with a language model and tools.
 *
 * An agent processes one message at a time, and its first run initializes the agent. An agent can
 * be paused, resumed and terminated at any time, including during a run.
 *
 * @typeParam S Type of the `output` schema, inferred from the configuration.
 * @typeParam Schemas Types of the input schemas of `tools`, inferred from the configuration.
 * @see https://modelcontextprotocol.io for MCP; `registry.registerMcp()` adds the tools from an MCP
 * server
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
 *   tools: [{
 *     name: "now",
 *     description: "The time of day",
 *     inputSchema: { type: "object" },
 *     execute: () => "12:00",
 *   }],
 * });
 * try {
 *   const output = await agent.run("What time is it?");
 *   assertEquals(output.finalText, "It is noon");
 *   assertEquals(agent.healthProfile.toolInvocations, 1);
 * } finally {
 *   await agent.terminate();
 * }
 * ```
 */
export class ToolLoopAgent<
  S extends Schema = Schema,
  Schemas extends readonly Schema[] | readonly [] = readonly Schema[],
> implements AsyncDisposable {
  readonly #config: AgentSettings;
  /** Settings of the agent's runs. */
  readonly #settings: CommonSettings;
  readonly #answerSchema: AnswerSchema | undefined;
  readonly #openBudget: OpenBudget | undefined;
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
   * @throws {TypeError} If `config` contains an unknown option, `name` is not a non-empty string,
   * `model` is not a `LanguageModel`, an option has the wrong type, or a tool is invalid.
   * @throws {RangeError} If a numeric option is out of range.
   * @throws {AgentError} With code `core` if two tools have the same name.
   */
  constructor(config: AgentConfig<S, Schemas>) {
    const settings = readAgentConfig(config);
    const { name, onError, onInitialize: _, onTerminate: __, tools, ...options } = settings;
    const { budget, output, registry = new ToolRegistry() } = options;
    this.#openBudget = budget && openBudget(budget);
    if (output !== undefined) this.#answerSchema = compileAnswerSchema(output, registry.validator);
    registerTools(registry, tools);
    this.#registry = registry;
    this.#onError = createErrorReporter(`Agent "${name}"`, onError);
    this.#lifecycle = new LifecycleManager((move) => {
      this.#move = move;
    }, this.#onError);
    this.#config = settings;
    this.#settings = {
      ...options,
      agentName: name,
      registry,
      healthProfile: this.#health,
      onError: this.#onError,
    };
    setLineage(this, { path: [name], config: settings, report: this.#onError });
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

  /** Whether a run is in progress and not paused. */
  get isRunning(): boolean {
    return this.lifecycle.state === "running";
  }

  /** Whether the agent is terminated. */
  get isTerminated(): boolean {
    return this.lifecycle.state === "terminated";
  }

  /**
   * Initializes the agent before its first run, for example to report an unreachable server when a
   * program starts. Calling `initialize()` is optional, because the first run initializes the agent
   * if necessary. Does nothing if the agent is ready. Concurrent calls wait for the same
   * initialization. After a failure, `initialize()` can be called again.
   *
   * @throws {AgentError} With code `invalid_state` if the agent is running, paused, terminating or
   * terminated.
   * @throws {AgentError} With code `core` if `onInitialize` fails.
   */
  async initialize(): Promise<void> {
    this.#move("initialize");
    if (this.lifecycle.state === "ready") return;
    await this.#initializeOnce();
  }

  /**
   * Runs the tool loop for one user turn. Every run starts a new conversation, unless `messages` is
   * set. The first run initializes the agent, unless `initialize()` has been called.
   *
   * @param userMessage Message from the user: text or parts. If omitted, the run continues the
   * conversation in `messages`, or resumes the recorded run with its recorded message.
   * @param options Options for the run. The `output` schema replaces the schema in the agent's
   * configuration.
   * @returns Final text, transcript, stop reason and token usage. With an `output` schema, the
   * output also contains the `value`.
   * @throws {TypeError} If `userMessage` is not a string or an array of parts, if it is omitted and
   * there is no conversation to continue, or if an option has the wrong type.
   * @throws {AgentError} With code `invalid_state` if a run or an initialization is in progress, or
   * if the agent is paused, terminating or terminated.
   * @throws {AgentError} With code `core` if the run initializes the agent and `onInitialize`
   * fails.
   * @throws Any error that {@linkcode runToolLoop} throws.
   */
  run(
    userMessage?: UserTurn,
    options?: RunOptions & { readonly output?: undefined },
  ): Promise<TypedOutput<Infer<S>>>;
  /**
   * Runs the tool loop for one user turn, with an `output` schema that applies only to this run.
   *
   * @typeParam T Type of the `output` schema.
   * @param userMessage Message from the user: text or parts. If omitted, the run continues the
   * conversation in `messages`, or resumes the recorded run with its recorded message.
   * @param options Options for the run, with the `output` schema.
   */
  run<T extends Schema>(
    userMessage: UserTurn | undefined,
    options: RunOptions & { readonly output: WholeSchema<T> },
  ): Promise<TypedOutput<Infer<T>>>;
  async run(userMessage?: UserTurn, options: OutputRunOptions = {}): Promise<ToolLoopOutput> {
    return await this.#run(userMessage, readRunOptions(options, AGENT_RUN_NAMES));
  }

  /**
   * Runs the tool loop as {@linkcode ToolLoopAgent.run} does, and yields its events, including the
   * events of sub-agents that tools run. The run starts on the first call to `next()`. If the
   * caller leaves the `for await` loop, the run is aborted.
   *
   * If the reader is slow, the run waits, as in {@linkcode streamToolLoop}. A full queue also
   * delays a pause, so the reader must keep reading and must not wait for `pause()` first.
   *
   * @param userMessage Message from the user, as in {@linkcode ToolLoopAgent.run}.
   * @param options Options for the run and for the event queue.
   * @returns An iterator over the events, whose return value is the output. If the run fails, the
   * iterator rejects after the last event, with the error that {@linkcode ToolLoopAgent.run} would
   * throw.
   * @throws {TypeError} If an option has the wrong type.
   * @throws {RangeError} If a numeric option is out of range.
   *
   * @example Show the text of a response as it arrives
   * ```ts
   * import { answerText, ToolLoopAgent } from "@parley/runtime";
   * import { scriptedModel } from "@parley/runtime/testing";
   * import { assertEquals } from "@std/assert";
   *
   * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "One two" }]) });
   * const pieces: string[] = [];
   * for await (const text of answerText(agent.stream("Count"))) pieces.push(text);
   * assertEquals(pieces, ["One ", "two"]);
   * await agent.terminate();
   * ```
   */
  stream(
    userMessage?: UserTurn,
    options: RunOptions & StreamOptions & { readonly output?: Schema } = {},
  ): ToolLoopStream {
    const { maxQueued, warnAfterMs, ...runOptions } = readRunOptions(options, STREAM_NAMES);
    const settings = readStreamOptions(defined({ maxQueued, warnAfterMs }));
    const start = (control: StreamControl): Promise<ToolLoopOutput> =>
      this.#run(userMessage, { ...runOptions, signal: control.signal }, control);
    const { signal } = runOptions;
    return createLoopStream(start, { ...settings, signal, onError: this.#onError });
  }

  /**
   * Pauses the agent. Model and tool calls in progress finish and are recorded. No model call,
   * approval or tool is started until the agent is resumed. Resolves when the run is suspended or
   * has ended. Tools and handlers of the run must not await the returned promise, because the
   * promise cannot settle until these tools and handlers have finished.
   *
   * @throws {AgentError} With code `invalid_state` if the agent is not ready, running or paused.
   */
  async pause(): Promise<void> {
    this.#move("pause");
    if (this.lifecycle.isPauseRequested) await this.#wait();
  }

  /**
   * Resumes the agent. A suspended run continues where it stopped, and no step is repeated. If the
   * run is not suspended yet, the requested pause is cancelled.
   *
   * @throws {AgentError} With code `invalid_state` if the agent is not paused and no pause is
   * requested.
   */
  // deno-lint-ignore require-await -- specified as asynchronous, so errors become rejections
  async resume(): Promise<void> {
    this.#moveAndWake("resume");
  }

  /**
   * Terminates the sub-agents and then the agent, permanently. A run in progress ends with stop
   * reason `terminated` and a valid transcript. Further calls to `terminate()` return the same
   * promise. An agent holds no resources between runs, so an agent that has no `onTerminate` does
   * not need to be terminated.
   *
   * @throws {AgentError} With code `core` if `onTerminate` fails. The agent is terminated even if
   * `onTerminate` fails.
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

  #initializeOnce(): Promise<void> {
    return this.#initializing ??= this.#prepare().finally(() => {
      this.#initializing = undefined;
    });
  }

  async #prepare(): Promise<void> {
    this.#move("initialize");
    // This `await` lets `#initializeOnce` store its promise before `onInitialize` can call
    // `initialize()` again.
    await null;
    try {
      await this.#call("onInitialize", "initialize");
    } catch (error) {
      this.#move("failed");
      throw error;
    }
    // This transition throws if the agent was terminated while `onInitialize` was running.
    this.#move("initialize");
    this.#move("initialized");
  }

  async #run(
    userMessage: UserTurn | undefined,
    options: OutputRunOptions,
    stream?: StreamControl,
  ): Promise<ToolLoopOutput> {
    this.#move("run");
    try {
      return await (this.#running = this.#startRun(userMessage, options, stream));
    } finally {
      this.#running = undefined;
      this.#moveAndWake("settled");
    }
  }

  async #startRun(
    userMessage: UserTurn | undefined,
    options: OutputRunOptions,
    stream: StreamControl | undefined,
  ): Promise<ToolLoopOutput> {
    const { signal: signalOfAgent } = this.#controller = new AbortController();
    const signal = joinSignals(signalOfAgent, options.signal);
    const config = this.#settingsFor(options, signal);
    if (this.lifecycle.state === "initializing") {
      assertCanStart(config, userMessage);
      await this.#initializeUnlessAborted(signal);
    }
    const { caller, inherited, path } = lineageOf(this);
    return await controlToolLoop(config, userMessage, {
      owner: this,
      path,
      lifecycle: this.lifecycle,
      ...defined({
        answerSchema: options.output ? undefined : this.#answerSchema,
        caller,
        inherited,
      }),
      budgets: [this.#openBudget, options.budget && openBudget(options.budget)],
      sinks: [this.#config.onEvent, options.onEvent, stream?.sink],
      arounds: [this.#config.around, options.around],
      queue: stream?.queue,
      wait: async () => {
        // The run must not wait if a listener called `resume()` before or while the state changed
        // to `paused`.
        if (this.lifecycle.isPauseRequested) this.#moveAndWake("rested");
        if (!this.isRunning) await this.#wait();
      },
    });
  }

  #settingsFor(
    {
      decisions,
      history,
      messages,
      now = this.#settings.now,
      output = this.#settings.output,
      runId,
      signals,
      stepRunner,
    }: OutputRunOptions,
    signal: AbortSignal,
  ): ToolLoopSettings {
    const own = { decisions, history, messages, now, output, runId, signal, signals, stepRunner };
    return { ...this.#settings, ...own };
  }

  /**
   * Initializes the agent for its first run. If the run is aborted, `onInitialize` is not awaited,
   * and the tool loop ends immediately with the stop reason for the abort.
   */
  async #initializeUnlessAborted(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const initialization = this.#initializeOnce();
    const deadlines = new DeadlineScheduler(signal);
    try {
      await deadlines.wait(initialization);
    } catch (error) {
      if (!signal.aborted) throw error;
      // The run ends without waiting for `onInitialize`, so no caller receives an error that
      // `onInitialize` throws later.
      initialization.catch((late) => {
        if (!AgentError.isAgentError(late) || !late.is("invalid_state")) {
          this.#onError(late);
        }
      });
    } finally {
      deadlines.close();
    }
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
    // This `await` lets `terminate()` store its promise before a listener can call `terminate()`
    // again.
    await null;
    await Promise.allSettled([...lineageOf(this).children].map((child) => child.terminate()));
    this.#controller?.abort(createAbortReason("The agent was terminated", "AbortError"));
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
