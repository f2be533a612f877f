/**
 * Sub-agents: agents with some of their parent's tools, and never more.
 *
 * A sub-agent sees its parent's registry through a view, so that it cannot gain a tool and loses one as soon as its parent
 * does. A sub-agent that a tool runs, with the tool's context, is part of the tool's run: its events, tokens, approvals
 * and journal are the run's.
 *
 * @module
 */

import type { StepRunner } from "../journal/step_runner.ts";
import type { LoopOptions, RunOptions } from "../loop/options.ts";
import {
  type DelegationState,
  executionOf,
  type ToolCallExecution,
} from "../loop/tool_call_execution.ts";
import { AgentError, type AgentErrorOptions, errorMessageOf } from "../shared/error.ts";
import { defined, type JsonValue } from "../shared/json.ts";
import type { LanguageModel } from "../shared/model.ts";
import type { PartialLoopOutput, ToolLoopOutput } from "../shared/output.ts";
import { addUsage } from "../shared/usage.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ToolContext } from "../tools/tool.ts";
import { createDescendant, lineageOf, type ToolLoopAgent } from "./agent.ts";

/** What a sub-agent is made of. */
export interface SubAgentConfig extends LoopOptions {
  /** The sub-agent's name. */
  readonly name: string;
  /** Its model; may differ from the parent's. */
  readonly model: LanguageModel;
  /** The tools it is granted, by name; `[]` grants none. Default: all that the parent has now. */
  readonly allowedTools?: readonly string[];
  /** Its DID. */
  readonly agentDid?: string;
}

/** How a sub-agent's task is run. */
export interface SubAgentTaskOptions extends RunOptions {
  /**
   * The context of the tool that runs the sub-agent. With it the task is part of the tool's run: aborted with it, its
   * steps in the run's journal, its tokens in the run's totals, its events to the run's listener; an approval that the
   * sub-agent's handler defers suspends the whole run.
   */
  readonly context?: ToolContext;
}

/** How many agents may stand below the outermost one, each below the other. */
const MAX_DEPTH = 8;

/**
 * Makes a sub-agent. It has to be initialized like any agent, and is terminated with its parent.
 *
 * @param parent the agent that grants the tools
 * @param config the name, the model, the granted tools; the approval handler defaults to the parent's
 * @returns the sub-agent
 * @throws {AgentError} code `delegation_failed`: a tool is not the parent's to grant, or agents stand too deep; code
 * `invalid_state`: the parent is at its end
 *
 * @example A researcher that may read and not write
 * ```ts
 * import { AgentError, createSubAgent, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * const model = scriptedModel([]);
 * const editor = new ToolLoopAgent({ name: "editor", model });
 * for (const name of ["read", "write"]) {
 *   editor.registry.register({ name, inputSchema: { type: "object" }, execute: () => "" });
 * }
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
  const { state } = parent.lifecycle;
  if (state === "terminating" || state === "terminated") {
    throw AgentError.invalidState(state, "ready", "create a sub-agent");
  }
  const { path, config: { approvalHandler } } = lineageOf(parent);
  if (path.length > MAX_DEPTH) {
    throw AgentError.delegationFailed(
      identityOf(parent),
      `${MAX_DEPTH} agents stand below each other already`,
    );
  }
  const { allowedTools, ...rest } = config;
  const registry = grant(parent, allowedTools);
  return createDescendant({ ...defined({ approvalHandler }), ...rest, registry }, parent);
}

/**
 * Creates a sub-agent, initializes it, runs one message and terminates it.
 *
 * A tool that runs several at a time should wait for all of them (`Promise.allSettled`) before it lets an error pass: what
 * is still at work when a tool ends is not part of its result, nor are its approvals part of what the run waits for.
 *
 * @param parent the agent that grants the tools
 * @param config the name, the model, the granted tools
 * @param message what the sub-agent is asked
 * @param options the context of the tool that delegates; the signal
 * @returns what the sub-agent's run came to
 * @throws {AgentError} code `delegation_failed`: it could not be created, the context is not the very one that a tool was
 * given, or its run failed; `cause` has the error, `partialOutput` what it came to. Also when, within a tool's run, it
 * waits for approvals: let that pass
 *
 * @example A tool that delegates
 * ```ts
 * import { runSubAgentTask, ToolLoopAgent } from "@parley/runtime";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const boss = new ToolLoopAgent({
 *   name: "boss",
 *   model: scriptedModel([{ calls: [{ toolName: "ask_expert" }] }, { text: "It is 42" }]),
 * });
 * boss.registry.register({
 *   name: "ask_expert",
 *   inputSchema: { type: "object" },
 *   async execute(_input, context) {
 *     const config = { name: "expert", model: scriptedModel([{ text: "42" }]), allowedTools: [] };
 *     return (await runSubAgentTask(boss, config, "The answer?", { context })).finalText;
 *   },
 * });
 * await boss.initialize();
 * const output = await boss.run("Ask the expert");
 * assertEquals(Object.keys(output.usageByAgent ?? {}), ["boss", "boss/expert"]);
 * await boss.terminate();
 * ```
 */
export async function runSubAgentTask(
  parent: ToolLoopAgent,
  config: SubAgentConfig,
  message: string,
  options: SubAgentTaskOptions = {},
): Promise<ToolLoopOutput> {
  const child = createSubAgent(parent, config);
  const { context: origin, ...runOptions } = options;
  const execution = origin && executionOf(origin);
  // Before anything is waited for, so that sub-agents started side by side get the same ids when the tool runs again.
  const runId = execution?.nextChildRunId(config.name);
  return await runDelegatedTask(
    { parent, child, origin, execution, runId },
    message,
    runOptions,
  );
}

/** A view of what the parent has, never wider. */
function grant(parent: ToolLoopAgent, allowedTools?: readonly string[]): ToolRegistry {
  const { registry } = parent;
  const identity = identityOf(parent);
  const missing = allowedTools?.find((name) => !registry.has(name));
  if (missing !== undefined) {
    throw AgentError.delegationFailed(identity, `tool "${missing}" is not granted by the parent`);
  }
  return registry.subset(allowedTools ?? registry.names(), identity);
}

function identityOf({ agentDid, name }: ToolLoopAgent): string {
  return agentDid ?? name;
}

/** Who delegates to whom. */
interface Delegation {
  readonly parent: ToolLoopAgent;
  readonly child: ToolLoopAgent;
  /** The context that the caller has named. */
  readonly origin: ToolContext | undefined;
  /** The tool call that it is of, if the loop has made it. */
  readonly execution: ToolCallExecution | undefined;
  /** The id of the child's run in it. */
  readonly runId: string | undefined;
}

/** Initializes the child, runs one message and terminates it. */
async function runDelegatedTask(
  delegation: Delegation,
  message: string,
  options: RunOptions,
): Promise<ToolLoopOutput> {
  const { child, execution, origin } = delegation;
  try {
    if (origin && !execution) {
      // Apart from the tool's run the task would not end with it, and nobody would count what it costs.
      throw failed(delegation, "the context is not the one a tool was given");
    }
    await child.initialize();
    const output = await child.run(message, runOptionsFor(delegation, options));
    countUsage(delegation, output);
    const state = execution?.delegation;
    if (state === undefined || output.pending === undefined) return output;
    state.pending = [...state.pending ?? [], ...output.pending.approvals];
    throw failed(delegation, "the sub-agent waits for approval");
  } catch (cause) {
    throw toDelegationError(delegation, cause);
  } finally {
    recordDelegation(delegation);
    await child.terminate();
  }
}

function runOptionsFor(
  { execution, parent, runId }: Delegation,
  options: RunOptions,
): RunOptions {
  if (execution === undefined) {
    return { ...defined({ onEvent: lineageOf(parent).config.onEvent }), ...options };
  }
  const { stepRunner, decisions, onEvent } = execution.run.config;
  const { deadline } = execution;
  const signal = options.signal === undefined
    ? deadline.signal
    : AbortSignal.any([deadline.signal, options.signal]);
  const watched = stepRunner === undefined ? undefined : watch(stepRunner, execution.delegation);
  return { ...defined({ stepRunner: watched, decisions, onEvent, runId }), ...options, signal };
}

/** Notes what the step runner itself fails with: that is no tool's failure. */
function watch(inner: StepRunner, state: DelegationState | undefined): StepRunner {
  return {
    run: async (key, kind, step) => {
      let hasStepFailed = false;
      const watched = async (): Promise<JsonValue> => {
        try {
          return await step();
        } catch (error) {
          hasStepFailed = true;
          throw error;
        }
      };
      try {
        return await inner.run(key, kind, watched);
      } catch (error) {
        if (!hasStepFailed && state !== undefined) state.stepRunnerError ??= { error };
        throw error;
      }
    },
  };
}

function countUsage(
  { child, execution }: Delegation,
  { usageByAgent, totalUsage }: PartialLoopOutput,
): void {
  if (execution?.delegation === undefined) return;
  const sums = execution.delegation.usageByAgent ??= {};
  const path = lineageOf(child).path.join("/");
  for (const [agent, usage] of Object.entries(usageByAgent ?? { [path]: totalUsage })) {
    const before = sums[agent];
    sums[agent] = before === undefined ? usage : addUsage(before, usage);
  }
}

/** What the sub-agent really used: steps that came from a journal cost nothing this time. */
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
