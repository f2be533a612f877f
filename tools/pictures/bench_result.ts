/**
 * Results of the benchmarks, as `deno task bench NAME --json FILE` writes them, and the limits of
 * their ratios.
 *
 * @module
 */

import { PROMISES as COMM } from "../../bench/comm/promises.ts";
import { PROMISES as ENGINES } from "../../bench/engines/promises.ts";
import { PROMISES as MCP } from "../../bench/mcp/promises.ts";
import { PROMISES as RUNTIME } from "../../bench/runtime/promises.ts";
import { PROMISES as START } from "../../bench/start/promises.ts";
import { TIE } from "./chart.ts";

/** Results of a benchmark, as written by the `--json` option. */
export interface BenchResult {
  readonly name: string;
  readonly date: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryGb: number;
    readonly system: string;
    readonly runtime: string;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly tables: readonly ResultTable[];
  readonly growth?: readonly ResultGrowth[];
  readonly checks?: ResultChecks | undefined;
  readonly ratios: Readonly<Record<string, number>>;
}

/** Measured values of several contenders. */
export interface ResultTable {
  readonly title: string;
  readonly unit: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Costs of a unit of work, keyed by the size of something that grows. */
export interface ResultGrowth {
  readonly name: string;
  readonly work: string;
  readonly unit: string;
  readonly costs: Readonly<Record<string, number>>;
}

/** Requests that a server should reject, and the servers that accept them. */
export interface ResultChecks {
  readonly requests: readonly string[];
  readonly accepted: Readonly<Record<string, readonly string[]>>;
}

/**
 * Limits of the ratios, keyed by benchmark and ratio: a positive value is a minimum, and a negative
 * value `-n` is a maximum of `n`. The order is that of the page.
 */
export const LIMITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  runtime: RUNTIME,
  mcp: MCP,
  comm: COMM,
  engines: ENGINES,
  start: START,
};

/** Relation of a measured ratio to its limit. */
export type Verdict = "kept" | "kept (tie)" | "missed (tie)" | "missed" | "not measured";

/**
 * Returns how a ratio relates to its limit. The two are a tie if they differ by at most 5 percent.
 *
 * @param ratio Measured ratio, or `undefined` if the results do not contain it.
 */
export function verdictOf(ratio: number | undefined, limit: number): Verdict {
  if (ratio === undefined || Number.isNaN(ratio)) return "not measured";
  const isKept = limit < 0 ? ratio <= -limit : ratio >= limit;
  const isTie = Math.abs(ratio - Math.abs(limit)) <= TIE * Math.abs(limit);
  if (isTie) return isKept ? "kept (tie)" : "missed (tie)";
  return isKept ? "kept" : "missed";
}
