/**
 * A sub-agent's task: run, and counted as part of what its parent does. Loaded when a task is delegated.
 *
 * @module
 */

import type { lineageOf, ToolLoopAgent } from "./agent.ts";
import type { Core } from "./core.ts";
import type { AgentError, AgentErrorOptions } from "./error.ts";
import type { StepRunner } from "./journal/step_runner.ts";
import type { JsonValue } from "./json.ts";
import type { RunOptions } from "./loop_options.ts";
import type { PartialLoopOutput, ToolLoopOutput } from "./output.ts";
import type { ToolContext } from "./tool.ts";
import type { CallContext, DelegationState } from "./tool_context.ts";

/** Who delegates to whom. */
export interface Delegation {
  readonly core: Core;
  readonly lineageOf: typeof lineageOf;
  readonly parent: ToolLoopAgent;
  readonly child: ToolLoopAgent;
  /** The context that the caller has named. */
  readonly origin: ToolContext | undefined;
  /** The tool call that it is of, if the loop has made it. */
  readonly context: CallContext | undefined;
  /** The id of the child's run in it. */
  readonly runId: string | undefined;
}

/** Initializes the child, runs one message and terminates it. */
export async function delegate(
  delegation: Delegation,
  message: string,
  options: RunOptions,
): Promise<ToolLoopOutput> {
  const { child, context, origin } = delegation;
  try {
    if (origin && !context) {
      // Apart from the tool's run the task would not end with it, and nobody would count what it costs.
      throw failed(delegation, "the context is not the one a tool was given");
    }
    await child.initialize();
    const output = await child.run(message, runOptionsFor(delegation, options));
    countUsage(delegation, output);
    const state = context?.delegation;
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
  { context, core: { defined }, lineageOf, parent, runId }: Delegation,
  options: RunOptions,
): RunOptions {
  if (context === undefined) {
    return { ...defined({ emit: lineageOf(parent).config.emit }), ...options };
  }
  const { stepRunner, decisions, emit } = context.run.config;
  const { cancellation } = context;
  const signal = options.signal === undefined
    ? cancellation.signal
    : AbortSignal.any([cancellation.signal, options.signal]);
  const watched = stepRunner === undefined ? undefined : watch(stepRunner, context.delegation);
  return { ...defined({ stepRunner: watched, decisions, emit, runId }), ...options, signal };
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
        if (!hasStepFailed && state !== undefined) state.broken ??= { error };
        throw error;
      }
    },
  };
}

function countUsage(
  { child, context, core: { addUsage }, lineageOf }: Delegation,
  { usageByAgent, totalUsage }: PartialLoopOutput,
): void {
  if (context?.delegation === undefined) return;
  const sums = context.delegation.usageByAgent ??= {};
  const path = lineageOf(child).path.join("/");
  for (const [agent, usage] of Object.entries(usageByAgent ?? { [path]: totalUsage })) {
    const before = sums[agent];
    sums[agent] = before === undefined ? usage : addUsage(before, usage);
  }
}

/** What the sub-agent really used: steps that came from a journal cost nothing this time. */
function recordDelegation(
  { core: { addUsage }, parent, child: { healthProfile } }: Delegation,
): void {
  const used = addUsage(healthProfile.usage, healthProfile.delegatedUsage);
  if (healthProfile.inferenceCalls > 0) parent.healthProfile.recordDelegation(used);
}

function toDelegationError(delegation: Delegation, cause: unknown): AgentError {
  const { core: { AgentError, defined, reasonOf } } = delegation;
  if (!AgentError.isAgentError(cause)) return failed(delegation, reasonOf(cause), { cause });
  const { partialOutput, message } = cause;
  if (partialOutput !== undefined) countUsage(delegation, partialOutput);
  else if (cause.isDelegationFailed()) return cause;
  return failed(delegation, message, defined({ cause, partialOutput }));
}

function failed(
  { core: { AgentError }, parent: { agentDid, name } }: Delegation,
  reason: string,
  options?: AgentErrorOptions,
): AgentError {
  return AgentError.delegationFailed(agentDid ?? name, reason, options);
}
