/**
 * Sums of the tokens that a run and its sub-agents have used, by agent and by model.
 *
 * @module
 */

import type { ModelResponse } from "../shared/model.ts";
import { addUsage, NO_USAGE, type TokenUsage } from "../shared/usage.ts";

/** Token usage, keyed by agent path or by model id. */
export type UsageByName = Readonly<Record<string, TokenUsage>>;

/** Token usage of the sub-agents that a tool call has started. */
export interface DelegatedUsage {
  /** Token usage, keyed by agent path. */
  readonly usageByAgent?: UsageByName | undefined;
  /** Token usage, keyed by model id. Absent in journals of earlier versions. */
  readonly usageByModel?: UsageByName | undefined;
}

/** Key for the usage of models whose id is not known. */
export const UNKNOWN_MODEL = "unknown";

/** Returns the token usage of a response, keyed by model id. */
export function usageOf(
  { modelId, otherUsage, usage = NO_USAGE }: Pick<
    ModelResponse,
    "modelId" | "otherUsage" | "usage"
  >,
  calledModelId: string,
): UsageByName {
  const usages = new Map([[modelId ?? calledModelId, usage]]);
  for (const [name, other] of Object.entries(otherUsage ?? {})) add(usages, name, other);
  return Object.fromEntries(usages);
}

/** Returns the sum of token usages. */
export function sumOf(usages: UsageByName): TokenUsage {
  return Object.values(usages).reduce(addUsage, NO_USAGE);
}

/** Returns the sums of two records of token usages. */
export function addUsages(sums: UsageByName, usages: UsageByName): UsageByName {
  const all = new Map(Object.entries(sums));
  for (const [name, usage] of Object.entries(usages)) add(all, name, usage);
  return Object.fromEntries(all);
}

/** Token usage of a run. */
export class UsageTotals {
  readonly #agents = new Map<string, TokenUsage>();
  readonly #models = new Map<string, TokenUsage>();
  #own: TokenUsage = NO_USAGE;
  #total: TokenUsage = NO_USAGE;

  /** Token usage of the run and its sub-agents. */
  get total(): TokenUsage {
    return this.#total;
  }

  /** Token usage of each model. */
  get byModel(): UsageByName {
    return Object.fromEntries(this.#models);
  }

  /** Token usage of each agent. `undefined` if no sub-agent has run. */
  byAgent(path: readonly string[]): UsageByName | undefined {
    if (this.#agents.size === 0) return undefined;
    return { [path.join("/")]: this.#own, ...Object.fromEntries(this.#agents) };
  }

  /** Adds the usage of a model call of the run, keyed by model id. */
  addOwn(usages: UsageByName): void {
    for (const [name, usage] of Object.entries(usages)) {
      this.#own = addUsage(this.#own, usage);
      this.#total = addUsage(this.#total, usage);
      add(this.#models, name, usage);
    }
  }

  /** Adds the usage of sub-agents. */
  addDelegated({ usageByAgent = {}, usageByModel }: DelegatedUsage): void {
    const total = sumOf(usageByAgent);
    for (const [path, usage] of Object.entries(usageByAgent)) add(this.#agents, path, usage);
    this.#total = addUsage(this.#total, total);
    if (Object.keys(usageByAgent).length === 0) return;
    const models = Object.entries(usageByModel ?? { [UNKNOWN_MODEL]: total });
    for (const [name, usage] of models) add(this.#models, name, usage);
  }
}

function add(sums: Map<string, TokenUsage>, name: string, usage: TokenUsage): void {
  const before = sums.get(name);
  sums.set(name, before === undefined ? usage : addUsage(before, usage));
}
