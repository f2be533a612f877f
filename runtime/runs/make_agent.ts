/**
 * Creation and termination of the agent for one execution, with a timeout.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { callWithin } from "@parley/internal/call-within";
import type { ToolLoopAgent } from "../agent/agent.ts";
import { notInTime } from "./timeout_error.ts";

/** Limits for the functions of an agent's owner. */
export interface AgentLimits {
  /** Maximum time for creating and initializing, or for terminating, an agent. */
  readonly timeoutMs: number;
  /** Called with the error of an agent that cannot be terminated. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates and initializes an agent. If the signal is aborted or the time has expired, the agent is
 * terminated as soon as it exists.
 *
 * @throws The signal's reason if the signal is aborted, even if a function ignores it.
 * @throws {DOMException} With name `TimeoutError` if the agent is not ready in time.
 */
export async function makeAgent(
  make: () => ToolLoopAgent | Promise<ToolLoopAgent>,
  limits: AgentLimits,
  signal: AbortSignal,
): Promise<ToolLoopAgent> {
  const { timeoutMs } = limits;
  const late = (): Error => notInTime("The agent was not ready", timeoutMs);
  return await callWithin(async ({ signal }) => {
    const making = (async () => await make())();
    try {
      const agent = await abortable(making, signal);
      await abortable(agent.initialize(), signal);
      return agent;
    } catch (error) {
      making.then((agent) => endAgent(agent, limits), () => {
        // The error of `make` is thrown below, unless nobody waits for the agent any longer.
      });
      throw error;
    }
  }, { signal, timeoutMs, late });
}

/** Terminates an agent. Never rejects. */
export async function endAgent(
  agent: ToolLoopAgent | undefined,
  { onError, timeoutMs }: AgentLimits,
): Promise<void> {
  if (agent === undefined) return;
  const late = (): Error => notInTime("The agent was not terminated", timeoutMs);
  await callWithin(() => agent.terminate(), { signal: undefined, timeoutMs, late }).catch(onError);
}
