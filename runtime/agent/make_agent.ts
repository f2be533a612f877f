/**
 * Creation and termination of the agent for one execution, with a timeout.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { callWithin } from "@parley/internal/call-within";
import { formatValue } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import { notInTime } from "../shared/timeout_error.ts";
import type { ToolLoopAgent } from "./agent.ts";

/** Limits for the functions of an agent's owner. */
export interface AgentLimits {
  /** Maximum time for creating and initializing, or for terminating, an agent. */
  readonly timeoutMs: number;
  /** Called with the error of an agent that cannot be terminated. */
  readonly onError: (error: unknown) => void;
}

/** The owner of the function that creates agents. */
export interface AgentMaker {
  /** Name of the function, for error messages. */
  readonly name: string;
  make(): ToolLoopAgent | Promise<ToolLoopAgent>;
}

/**
 * Creates and initializes an agent. If the signal is aborted or the time has expired, the agent is
 * terminated as soon as it exists.
 *
 * @throws The signal's reason if the signal is aborted, even if a function ignores it.
 * @throws {DOMException} With name `TimeoutError` if the agent is not ready in time.
 * @throws {TypeError} If `make` returns no agent.
 */
export async function makeAgent(
  maker: AgentMaker,
  limits: AgentLimits,
  signal: AbortSignal,
): Promise<ToolLoopAgent> {
  const { timeoutMs } = limits;
  const late = (): Error => notInTime("The agent was not ready", timeoutMs);
  return await callWithin(async ({ signal }) => {
    const making = callMake(maker);
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

async function callMake(maker: AgentMaker): Promise<ToolLoopAgent> {
  const agent: unknown = await maker.make();
  if (isAgent(agent)) return agent;
  throw new TypeError(
    `"${maker.name}" must return a ToolLoopAgent, got ${formatValue(agent)}`,
  );
}

/** Checks the methods that are called. The agent may be from another copy of this package. */
function isAgent(value: unknown): value is ToolLoopAgent {
  return isRecord(value) &&
    ["initialize", "run", "terminate"].every((name) => typeof value[name] === "function");
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
