/**
 * The tools that an agent grants to a sub-agent.
 *
 * @module
 */

import type { RunState } from "../loop/run_state.ts";
import { AgentError, formatNames } from "../shared/error.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ToolLoopAgent } from "./agent.ts";
import { lineageOf } from "./lineage.ts";

/**
 * Returns a view of the parent's registry that contains only the granted tools.
 *
 * @param allowedTools Names of the granted tools. If omitted, all tools are granted.
 * @param caller Run whose tool creates the sub-agent, if any.
 * @throws {AgentError} With code `delegation_failed` if the parent cannot grant one of the tools.
 */
export function grant(
  parent: ToolLoopAgent,
  allowedTools: readonly string[] | undefined,
  caller: RunState | undefined,
): ToolRegistry {
  const { registry } = parent;
  const identity = identityOf(parent);
  const names = grantableNames(registry, caller);
  // The array is read once, so that the names that are checked are the names that are granted.
  const granted = allowedTools === undefined ? names : [...allowedTools];
  const missing = granted.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw AgentError.delegationFailed(
      identity,
      `tool "${missing}" is not granted by the parent; available tools: ${formatNames(names)}`,
    );
  }
  return registry.subset(granted, identity);
}

/**
 * Returns the names of the tools that an agent can grant to a sub-agent.
 *
 * @param caller Run whose tool creates the sub-agent, if any.
 */
export function grantableNames(
  registry: ToolRegistry,
  caller: RunState | undefined,
): readonly string[] {
  const runs = pathTo(caller);
  const names = registry.names();
  return runs.length === 0 ? names : names.filter((name) => canGrant(registry, name, runs));
}

/** Returns a run and the runs whose tools started it, from the outermost run to this run. */
function pathTo(run: RunState | undefined): readonly RunState[] {
  const runs: RunState[] = [];
  for (let current = run; current !== undefined;) {
    runs.unshift(current);
    const { owner } = current.control;
    current = owner && lineageOf(owner).caller;
  }
  return runs;
}

/**
 * Returns true if each plan on the path allows a tool, and no run on the path has lost it: a tool
 * of an outer run that was not granted to an inner run is not granted to the sub-agents of that
 * run.
 */
function canGrant(registry: ToolRegistry, name: string, runs: readonly RunState[]): boolean {
  const tool = registry.find(name);
  let isOwned = false;
  for (const { allowedTools, config: { registry: own } } of runs) {
    if (allowedTools?.canGrant(registry, name) === false) return false;
    const owned = own.find(name);
    const isOwn = owned !== undefined && owned.identity === tool?.identity;
    if (isOwned && !isOwn) return false;
    isOwned ||= isOwn;
  }
  return true;
}

/** Returns the name of an agent for errors about delegation. */
export function identityOf({ agentDid, name }: ToolLoopAgent): string {
  return agentDid ?? name;
}
