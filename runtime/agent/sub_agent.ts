/**
 * Sub-agents, which have a subset of their parent's tools.
 *
 * The registry of a sub-agent is a view of its parent's registry. A sub-agent cannot add tools, and
 * loses a tool as soon as the tool is removed from the parent. If a tool passes its own context
 * when it runs a sub-agent, the sub-agent's events, token usage, approvals and journal steps become
 * part of the run that called the tool.
 *
 * @module
 */

import { lockWith, type StepRunner } from "../journal/step_runner.ts";
import type { ApprovalHandler } from "../loop/approval.ts";
import type { LoopEvent } from "../loop/events.ts";
import type { LoopDefault, LoopOptions, RunOptions } from "../loop/options.ts";
import { LOOP_RULES } from "../loop/read_options.ts";
import { AGENT_ALIASES } from "../shared/aliases.ts";
import { readRunOptions, RUN_NAMES } from "../loop/run_options.ts";
import type { DelegationState } from "../loop/delegation_state.ts";
import { executionOf, type ToolCallExecution } from "../loop/tool_call_execution.ts";
import { addUsages } from "../loop/usage_totals.ts";
import { assertNonEmptyString, assertStrings } from "@parley/internal/assert-argument";
import {
  namesOf,
  type OptionRules,
  type OptionsReader,
  optionsReader,
  required,
} from "@parley/internal/options";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { AgentErrorOptions } from "../shared/error_codes.ts";
import { defined } from "@parley/internal/json";
import type { LanguageModel, UserTurn } from "../shared/model.ts";
import { assertModel } from "../shared/option_checks.ts";
import type { PartialLoopOutput, ToolLoopOutput } from "../shared/output.ts";
import { joinSignals } from "../shared/platform.ts";
import { addUsage } from "../shared/usage.ts";
import type { ToolContext } from "../tools/tool.ts";
import { createDescendant, type ToolLoopAgent } from "./agent.ts";
import { grant, identityOf } from "./grants.ts";
import { lineageOf } from "./lineage.ts";

/** Configuration of a sub-agent. */
export interface SubAgentConfig extends LoopOptions {
  /**
   * Decides whether a tool call of the sub-agent is executed. If omitted, the parent's approval
   * handler is used.
   */
  readonly approvalHandler?: ApprovalHandler;
  /** Estimates unreported token usage. If omitted, the parent's `estimateUsage` is used. */
  readonly estimateUsage?: Exclude<LoopOptions["estimateUsage"], undefined>;
  /** Called with errors that do not end the run. If omitted, the parent's `onError` is used. */
  readonly onError?: (error: unknown) => void;
  /** Name of the sub-agent. */
  readonly name: string;
  /** Language model of the sub-agent. The model may differ from the parent's model. */
  readonly model: LanguageModel;
  /**
   * Names of the granted tools. An empty array grants no tools. If omitted, all of the parent's
   * current tools are granted. A grant is for the tool that currently has the name: if the parent
   * removes or replaces the tool, the sub-agent loses it. In a task with a `context`, only hidden
   * tools and the tools that `prepareIteration` allowed can be granted. This applies to each run
   * that leads to the context: a sub-agent cannot pass on tools that were not granted to it.
   */
  readonly allowedTools?: readonly string[];
  /** DID of the sub-agent. */
  readonly agentDid?: string;
}

/** Options for {@linkcode runSubAgentTask}. */
export interface SubAgentTaskOptions extends RunOptions {
  /**
   * Context of the tool that runs the sub-agent. If set, the task becomes part of the run that
   * called the tool: the task is aborted with the tool, its steps are recorded in the run's
   * journal, its token usage is added to the run's totals, and its events are sent to the run's
   * listener. If an approval is deferred in the sub-agent, the whole run is suspended.
   */
  readonly context?: ToolContext;
}

/** Rules for the configuration of a sub-agent. */
export const SUB_AGENT_RULES:
  & typeof LOOP_RULES
  & OptionRules<Omit<SubAgentConfig, keyof LoopOptions>> = {
    ...LOOP_RULES,
    name: required(assertNonEmptyString),
    model: required(assertModel),
    allowedTools: assertStrings,
    agentDid: assertNonEmptyString,
  };

const readSubAgentConfig: OptionsReader<SubAgentConfig, LoopDefault> = optionsReader<
  SubAgentConfig
>("config", { ...AGENT_ALIASES, tools: "allowedTools" })(SUB_AGENT_RULES);

const TASK_NAMES = namesOf<SubAgentTaskOptions>({ ...RUN_NAMES, context: true });

/** Maximum nesting depth of sub-agents. */
const MAX_DEPTH = 8;

/**
 * Creates a sub-agent. The sub-agent is terminated together with its parent.
 *
 * @param parent Agent that grants the tools.
 * @param config Name, model, granted tools and options. If `approvalHandler`, `estimateUsage` or
 * `onError` is omitted, the parent's option is used.
 * @returns The sub-agent, which is not initialized yet.
 * @throws {TypeError} If `parent` is not a `ToolLoopAgent`, `config` contains an unknown option, or
 * the name or the model is invalid.
 * @throws {RangeError} If a numeric option is out of range.
 * @throws {AgentError} With code `delegation_failed` if `allowedTools` names a tool that the parent
 * does not have, or if sub-agents are nested more than 8 levels deep.
 * @throws {AgentError} With code `invalid_state` if the parent is terminating or terminated.
 *
 * @example Grant a tool that reads, but not one that writes
 * ```ts
 * import { AgentError, createSubAgent, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const model = scriptedModel([]);
 * const editor = new ToolLoopAgent({
 *   name: "editor",
 *   model,
 *   tools: [
 *     { name: "read", inputSchema: { type: "object" }, execute: () => "" },
 *     { name: "write", inputSchema: { type: "object" }, execute: () => "" },
 *   ],
 * });
 * const researcher = createSubAgent(editor, { name: "researcher", model, allowedTools: ["read"] });
 * assertEquals(researcher.registry.names(), ["read"]);
 * assertThrows(
 *   () => createSubAgent(researcher, { name: "sneak", model, allowedTools: ["write"] }),
 *   AgentError,
 *   "not granted",
 * );
 * ```
 */
export function createSubAgent(parent: ToolLoopAgent, config: SubAgentConfig): ToolLoopAgent {
  return createChild(parent, config);
}

/**
 * Creates a sub-agent.
 *
 * @param execution Tool call that creates the sub-agent, if any.
 */
function createChild(
  parent: ToolLoopAgent,
  config: SubAgentConfig,
  execution?: ToolCallExecution,
): ToolLoopAgent {
  const caller = execution?.run;
  const { path, config: inherited } = lineageOf(parent);
  const settings = readSubAgentConfig(config);
  const { state } = parent.lifecycle;
  if (state === "terminating" || state === "terminated") {
    throw AgentError.invalidState(state, "ready", "create a sub-agent");
  }
  if (path.length > MAX_DEPTH) {
    throw AgentError.delegationFailed(
      identityOf(parent),
      `sub-agents are nested too deeply: maximum is ${MAX_DEPTH} levels`,
    );
  }
  const {
    allowedTools,
    approvalHandler = inherited.approvalHandler,
    estimateUsage = inherited.estimateUsage,
    onError = inherited.onError,
    ...rest
  } = settings;
  const registry = grant(parent, allowedTools, caller);
  const options = defined({ ...rest, approvalHandler, estimateUsage, onError, registry });
  const child = createDescendant(options, parent);
  const lineage = lineageOf(child);
  lineage.caller = caller;
  lineage.inherited = execution?.inheritBudget();
  return child;
}

/**
 * Creates a sub-agent, initializes it, runs it with one message and terminates it.
 *
 * A tool that runs several sub-agents concurrently should wait for all of them with
 * `Promise.allSettled()` before it throws. If a sub-agent is still running when the tool ends, its
 * token usage and approvals are not added to the run.
 *
 * @param parent Agent that grants the tools.
 * @param config Name, model, granted tools and options of the sub-agent.
 * @param message User message for the sub-agent.
 * @param options Context of the calling tool, and options for the run.
 * @returns Output of the sub-agent's run.
 * @throws {AgentError} With code `delegation_failed` if the sub-agent cannot be created, `context`
 * is not the context that the tool received, or the sub-agent's run fails. If the run fails,
 * `cause` is the run's error and `partialOutput` is the run's output up to the failure.
 * @throws {AgentError} With code `delegation_failed` if `context` is set and an approval is
 * deferred. The tool must not catch this error, which suspends the run.
 * @throws {AgentError} With code `invalid_state` if the parent is terminating or terminated.
 *
 * @example Delegate a task from a tool
 * ```ts
 * import { runSubAgentTask, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const boss: ToolLoopAgent = new ToolLoopAgent({
 *   name: "boss",
 *   model: scriptedModel([{ calls: [{ toolName: "ask_expert" }] }, { text: "It is 42" }]),
 *   tools: [{
 *     name: "ask_expert",
 *     inputSchema: { type: "object" },
 *     async execute(_input, context) {
 *       const config = { name: "expert", model: scriptedModel([{ text: "42" }]), allowedTools: [] };
 *       return (await runSubAgentTask(boss, config, "The answer?", { context })).finalText;
 *     },
 *   }],
 * });
 * const output = await boss.run("Ask the expert");
 * assertEquals(Object.keys(output.usageByAgent ?? {}), ["boss", "boss/expert"]);
 * await boss.terminate();
 * ```
 */
export async function runSubAgentTask(
  parent: ToolLoopAgent,
  config: SubAgentConfig,
  message: UserTurn,
  options: SubAgentTaskOptions = {},
): Promise<ToolLoopOutput> {
  const { context: origin, ...runOptions } = readRunOptions(options, TASK_NAMES);
  const execution = origin && executionOf(origin);
  const child = createChild(parent, config, execution);
  // Assign the id before the first `await`, so concurrent sub-agents receive the same ids if the
  // tool is executed again.
  const runId = execution?.nextChildRunId(config.name);
  return await runDelegatedTask(
    { parent, child, origin, execution, runId },
    message,
    runOptions,
  );
}

/** A task that a parent delegates to a sub-agent. */
interface Delegation {
  readonly parent: ToolLoopAgent;
  readonly child: ToolLoopAgent;
  /** Context that the caller of `runSubAgentTask()` passed. */
  readonly origin: ToolContext | undefined;
  /**
   * Tool call to which the context belongs. `undefined` if the context was not created by the loop.
   */
  readonly execution: ToolCallExecution | undefined;
  /** Id of the sub-agent's run if the task is part of a tool call. */
  readonly runId: string | undefined;
}

/** Initializes the sub-agent, runs it with one message, and terminates it. */
async function runDelegatedTask(
  delegation: Delegation,
  message: UserTurn,
  options: RunOptions,
): Promise<ToolLoopOutput> {
  const { child, execution, origin } = delegation;
  try {
    if (origin && !execution) {
      // Without the context that the loop created, the task would not be aborted with the tool, and
      // its token usage would not be counted.
      throw failed(delegation, '"context" must be the context that the tool received');
    }
    const output = await child.run(message, runOptionsFor(delegation, options));
    countUsage(delegation, output);
    const state = execution?.delegation;
    if (state === undefined || output.pending === undefined) return output;
    const { approvals, waits } = output.pending;
    state.pending = [...state.pending ?? [], ...approvals];
    if (waits !== undefined) state.waits = [...state.waits ?? [], ...waits];
    const awaited = approvals.length > 0 ? "an approval" : "a signal or a time";
    throw failed(delegation, `the sub-agent is waiting for ${awaited}`);
  } catch (cause) {
    throw toDelegationError(delegation, cause);
  } finally {
    recordDelegation(delegation);
    await child.terminate();
  }
}

function runOptionsFor(
  { child, execution, parent, runId }: Delegation,
  options: RunOptions,
): RunOptions {
  if (execution === undefined) {
    const { onEvent, around } = lineageOf(parent).config;
    return { ...defined({ onEvent, around }), ...options };
  }
  const { run } = execution;
  const { around, config: { now, signals, stepRunner }, decisions: given } = run;
  const { config: { onEvent: ownListener } } = lineageOf(child);
  const onEvent = run.emit && ((event: LoopEvent) => run.deliver(event, ownListener));
  // The sub-agent reports its own unused decisions, so it receives only the decisions for its own
  // run.
  const decisions = given?.takeAll(`${options.runId ?? runId}/`);
  const { deadline } = execution;
  const signal = joinSignals(deadline.signal, options.signal);
  const watched = stepRunner === undefined ? undefined : watch(stepRunner, execution.delegation);
  return {
    ...defined({ stepRunner: watched, decisions, signals, now, onEvent, around, runId }),
    ...options,
    signal,
  };
}

/**
 * Wraps a step runner to detect errors from the runner itself, which fail the whole run instead of
 * the tool call.
 */
function watch(inner: StepRunner, state: DelegationState | undefined): StepRunner {
  async function submit<T, Result>(
    call: (work: () => Promise<T>) => Promise<Result>,
    work: () => Promise<T>,
  ): Promise<Result> {
    let hasWorkFailed = false;
    const watched = async (): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        hasWorkFailed = true;
        throw error;
      }
    };
    try {
      return await call(watched);
    } catch (error) {
      if (!hasWorkFailed && state !== undefined) state.stepRunnerError ??= { error };
      throw error;
    }
  }

  return {
    run: (key, kind, step) => submit((watched) => inner.run(key, kind, watched), step),
    lock: (key, work) => submit((watched) => lockWith(inner, key, watched), work),
  };
}

function countUsage(
  { child, execution }: Delegation,
  { usageByAgent, usageByModel, totalUsage }: PartialLoopOutput,
): void {
  const delegation = execution?.delegation;
  if (delegation === undefined) return;
  const path = lineageOf(child).path.join("/");
  delegation.usageByAgent = addUsages(
    delegation.usageByAgent ?? {},
    usageByAgent ?? { [path]: totalUsage },
  );
  delegation.usageByModel = addUsages(delegation.usageByModel ?? {}, usageByModel);
}

/** Adds the sub-agent's token usage to the parent's counters. Replayed steps are not counted. */
function recordDelegation(
  { parent, child: { healthProfile } }: Delegation,
): void {
  const used = addUsage(healthProfile.usage, healthProfile.delegatedUsage);
  if (healthProfile.inferenceCalls > 0) parent.healthProfile.recordDelegation(used);
}

function toDelegationError(delegation: Delegation, cause: unknown): AgentError {
  if (!AgentError.isAgentError(cause)) return failed(delegation, errorMessageOf(cause), { cause });
  const { partialOutput, message } = cause;
  if (partialOutput !== undefined) countUsage(delegation, partialOutput);
  else if (cause.isDelegationFailed()) return cause;
  return failed(delegation, message, defined({ cause, partialOutput }));
}

function failed(
  { parent }: Delegation,
  reason: string,
  options?: AgentErrorOptions,
): AgentError {
  return AgentError.delegationFailed(identityOf(parent), reason, options);
}
