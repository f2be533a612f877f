/**
 * The tools that a plan of `prepareIteration` allows.
 *
 * @module
 */

import type { RegisteredTool, ToolRegistry } from "../tools/registry.ts";

/**
 * A set of tools. The set contains the tools that had the given names when it was created, and not
 * other tools that are registered later under these names.
 */
export class AllowedTools {
  readonly #registry: ToolRegistry;
  readonly #tools: ReadonlyMap<string, RegisteredTool | undefined>;

  constructor(registry: ToolRegistry, names: readonly string[]) {
    this.#registry = registry;
    this.#tools = new Map(names.map((name) => [name, registry.find(name)]));
  }

  /** Returns true if the tool that currently has the given name is in the set. */
  has(name: string): boolean {
    const tool = this.#tools.get(name);
    return tool !== undefined && this.#registry.find(name)?.identity === tool.identity;
  }

  /**
   * Returns true if an agent can grant a tool in its registry to a sub-agent. The plan does not
   * apply to tools that the agent with the plan does not have, and to hidden tools, which a plan
   * cannot name.
   */
  canGrant(registry: ToolRegistry, name: string): boolean {
    const own = this.#registry.find(name);
    const isOwn = own !== undefined && own.identity === registry.find(name)?.identity;
    return !isOwn || this.#registry.isHidden(name) || this.has(name);
  }
}

/** Returns true if a tool is still registered under a name, and the model can call it. */
export function isCurrentTool(
  registry: ToolRegistry,
  name: string,
  tool: RegisteredTool,
): boolean {
  const current = registry.isHidden(name) ? undefined : registry.find(name);
  // A registry that an application implements may create an entry for each call.
  return current === tool || current !== undefined && tool.identity === undefined;
}
