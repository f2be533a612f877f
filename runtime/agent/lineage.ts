/**
 * Paths, settings and sub-agents of agents, for modules that must not depend on the agent class.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import type { InheritedBudget } from "../budget/run_budget.ts";
import type { ToolLoopSettings } from "../loop/options.ts";
import type { RunState } from "../loop/run_state.ts";

/** A sub-agent. */
interface Descendant {
  terminate(): Promise<void>;
}

/** Path, settings and sub-agents of an agent. */
export interface AgentLineage {
  /** Agent names from the outermost agent to this agent. */
  path: readonly string[];
  /** Settings of the agent that other modules use. */
  readonly config: Pick<
    ToolLoopSettings,
    | "approvalHandler"
    | "around"
    | "estimateUsage"
    | "model"
    | "onError"
    | "onEvent"
    | "systemPrompt"
  >;
  /** Sub-agents, which are terminated together with the agent. */
  readonly children: Set<Descendant>;
  /** Reports an error to `onError` of the agent. Never throws. */
  readonly report: (error: unknown) => void;
  /** Run whose tool started the agent with its context. */
  caller?: RunState | undefined;
  /** Budgets of the run whose tool started the agent. */
  inherited?: InheritedBudget | undefined;
}

/**
 * The lineages, keyed by agent. Exposing private fields in a static block would prevent tree
 * shaking of the class.
 */
const LINEAGES: WeakMap<object, AgentLineage> = new WeakMap();

/** Stores the lineage of a new agent, which has no sub-agents yet. */
export function setLineage(agent: object, lineage: Omit<AgentLineage, "children">): void {
  LINEAGES.set(agent, { ...lineage, children: new Set() });
}

/**
 * Returns the path, settings and sub-agents of an agent, or `undefined` if the agent is from
 * another copy of this package.
 */
export function findLineage(agent: object): AgentLineage | undefined {
  return LINEAGES.get(agent);
}

/**
 * Returns the path, settings and sub-agents of an agent.
 *
 * @throws {TypeError} If the value is not a `ToolLoopAgent`.
 */
export function lineageOf(agent: object): AgentLineage {
  const lineage = findLineage(agent);
  if (lineage === undefined) {
    throw new TypeError(`"parent" must be a ToolLoopAgent, got ${formatValue(agent)}`);
  }
  return lineage;
}
