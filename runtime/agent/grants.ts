/**
 * The tools that an agent grants to a sub-agent.
 *
 * @module
 */

import type { AllowedTools } from "../loop/allowed_tools.ts";
import { AgentError, formatNames } from "../shared/error.ts";
import type { ToolRegistry } from "../tools/registry.ts";
import type { ToolLoopAgent } from "./agent.ts";

/**
 * Returns a view of the parent's registry that contains only the granted tools.
 *
 * @param allowedTools Names of the granted tools. If omitted, all tools are granted.
 * @param allowed Tools that the plan of the parent's current iteration allows, if any.
 * @throws {AgentError} With code `delegation_failed` if the parent cannot grant one of the tools.
 */
export function grant(
  parent: ToolLoopAgent,
  allowedTools: readonly string[] | undefined,
  allowed: AllowedTools | undefined,
): ToolRegistry {
  const { registry } = parent;
  const identity = identityOf(parent);
  const names = grantableNames(registry, allowed);
  const missing = allowedTools?.find((name) => !names.includes(name));
  if (missing !== undefined) {
    throw AgentError.delegationFailed(
      identity,
      `tool "${missing}" is not granted by the parent; available tools: ${formatNames(names)}`,
    );
  }
  return registry.subset(allowedTools ?? names, identity);
}

/**
 * Returns the names of the tools that an agent can grant to a sub-agent.
 *
 * @param allowed Tools that the plan of the agent's current iteration allows, if any.
 */
export function grantableNames(
  registry: ToolRegistry,
  allowed: AllowedTools | undefined,
): readonly string[] {
  const names = registry.names();
  return allowed === undefined ? names : names.filter((name) => allowed.canGrant(registry, name));
}

/** Returns the name of an agent for errors about delegation. */
export function identityOf({ agentDid, name }: ToolLoopAgent): string {
  return agentDid ?? name;
}
