/**
 * Creation and termination of the agent for one execution, with a timeout.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import type { ToolLoopAgent } from "../agent/agent.ts";
import { withTimeout } from "./timeout.ts";

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
  return await withTimeout(limits.timeoutMs, "The agent was not ready", async (expired) => {
    const stopped = AbortSignal.any([signal, expired]);
    stopped.throwIfAborted();
    const making = (async () => await make())();
    try {
      const agent = await abortable(making, stopped);
      await abortable(agent.initialize(), stopped);
      return agent;
    } catch (error) {
      making.then((agent) => endAgent(agent, limits), () => {
        // The error of `make` is thrown below, unless nobody waits for the agent any longer.
      });
      throw error;
    }
  });
}

/** Terminates an agent. Never rejects. */
export async function endAgent(
  agent: ToolLoopAgent | undefined,
  { onError, timeoutMs }: AgentLimits,
): Promise<void> {
  if (agent === undefined) return;
  await withTimeout(
    timeoutMs,
    "The agent was not terminated",
    (expired) => abortable(agent.terminate(), expired),
  ).catch(onError);
}
