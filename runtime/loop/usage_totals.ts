/**
 * Sums of the tokens that a run and its sub-agents have used, by agent and by model.
 *
 * @module
 */

import type { ModelUsages } from "../budget/account.ts";
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

/** The members of a model's response that contain token usage. */
export type UsageOfResponse = Pick<ModelResponse, "modelId" | "otherUsage" | "usage">;

/** Returns the token usage of a response, including that of other models. */
export function usageOf({ otherUsage, usage = NO_USAGE }: UsageOfResponse): TokenUsage {
  return otherUsage === undefined ? usage : addUsage(usage, sumOf(otherUsage));
}

/** Returns the token usage of a response, by model. */
export function usagesIn(response: UsageOfResponse, calledModelId: string): ModelUsages {
  const { modelId = calledModelId, otherUsage = {}, usage = NO_USAGE } = response;
  return [[modelId, usage], ...Object.entries(otherUsage)];
}

/** Returns the token usage of sub-agents, by model. */
export function usagesOf({ usageByAgent = {}, usageByModel }: DelegatedUsage): UsageByName {
  if (Object.keys(usageByAgent).length === 0) return {};
  return usageByModel ?? { [UNKNOWN_MODEL]: sumOf(usageByAgent) };
}

/** Returns the sum of token usages. */
function sumOf(usages: UsageByName): TokenUsage {
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
  #delegated: TokenUsage | undefined;

  /** Token usage of the run and its sub-agents. */
  get total(): TokenUsage {
    return this.#delegated === undefined ? this.#own : addUsage(this.#own, this.#delegated);
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

  /** Adds the usage of one of the run's model calls. */
  addOwn(response: UsageOfResponse, calledModelId: string): void {
    const { modelId = calledModelId, otherUsage, usage = NO_USAGE } = response;
    this.#own = addUsage(this.#own, usageOf(response));
    add(this.#models, modelId, usage);
    if (otherUsage === undefined) return;
    for (const [name, other] of Object.entries(otherUsage)) add(this.#models, name, other);
  }

  /** Adds the usage of sub-agents. */
  addDelegated(delegated: DelegatedUsage): void {
    const { usageByAgent } = delegated;
    if (usageByAgent === undefined || Object.keys(usageByAgent).length === 0) return;
    for (const [path, usage] of Object.entries(usageByAgent)) add(this.#agents, path, usage);
    this.#delegated = addUsage(this.#delegated ?? NO_USAGE, sumOf(usageByAgent));
    const models = Object.entries(usagesOf(delegated));
    for (const [name, usage] of models) add(this.#models, name, usage);
  }
}

function add(sums: Map<string, TokenUsage>, name: string, usage: TokenUsage): void {
  const before = sums.get(name);
  sums.set(name, before === undefined ? usage : addUsage(before, usage));
}
