/**
 * Benchmark reports: tables of measured values, ratios, and limits for the ratios.
 *
 * @module
 */

import { writeFileSync } from "node:fs";
import process from "node:process";

/**
 * Unit of the values in a table. Higher is better for operations per second (`/s`), lower for all
 * other units.
 */
export type Unit = "/s" | "ns" | "us" | "ms" | "MB" | "kB";

/** A table with a title. */
export interface Table {
  /** Title above the rows. */
  readonly title: string;
  /** Row values, keyed by row name. */
  readonly values: ReadonlyMap<string, number>;
  /**
   * Unit of the values.
   *
   * @default {"/s"}
   */
  readonly unit?: Unit;
}

/** Cost of one unit of work, such as a turn, while something else grows. */
export interface Growth {
  /** Thing that grows, in the plural. */
  readonly name: string;
  /** Unit of work whose cost is measured. */
  readonly work: string;
  readonly unit: Unit;
  /** Costs of one unit of work, keyed by the size of the growing thing. */
  readonly costs: ReadonlyMap<number, number>;
}

/** Requests that a server must reject, and the servers that accept them. */
export interface Checks {
  /** Descriptions of the invalid requests. */
  readonly requests: readonly string[];
  /** Descriptions of the accepted requests, keyed by server. */
  readonly accepted: ReadonlyMap<string, readonly string[]>;
}

/** Results of a benchmark. */
export interface Report {
  /** Measured values. */
  readonly tables: readonly Table[];
  /** Costs as work grows. */
  readonly growth?: readonly Growth[];
  /** Requests that servers must reject. */
  readonly checks?: Checks;
  /** Ratios and other compared values, keyed by name. */
  readonly ratios: Readonly<Record<string, number>>;
  /**
   * Limits for ratios, by name: a positive value is a minimum, and a negative value `-n` is a
   * maximum of `n`.
   */
  readonly promises: Readonly<Record<string, number>>;
}

/** Name of the environment variable that contains the path to the report file. */
export const REPORT_FILE = "PARLEY_BENCH_REPORT";

/** Number of decimals for the values in a table, keyed by unit. */
const DECIMALS: Readonly<Record<Unit, number>> = { "/s": 0, ns: 1, us: 1, ms: 2, MB: 1, kB: 0 };

/**
 * Prints a report, and writes the report to the file named by the environment variable
 * {@linkcode REPORT_FILE}. Returns the exit code: 1 if any ratio violates its limit, otherwise 0.
 */
export function publishReport(report: Report): number {
  console.log(formatReport(report));
  const file = process.env[REPORT_FILE];
  if (file !== undefined) writeFileSync(file, formatJson(report));
  return findMisses(report).length === 0 ? 0 : 1;
}

/** Formats a report. The last line is a JSON object that contains all ratios. */
export function formatReport(
  { tables, growth = [], checks, ratios, promises }: Report,
): string {
  const lines = tables.flatMap(({ title, values, unit = "/s" }) => [
    title,
    ...[...values].map(([name, value]) =>
      `  ${name.padEnd(34)} ${formatValue(value, unit).padStart(16)}`
    ),
    "",
  ]);
  const verdicts = Object.entries(ratios).map(([name, ratio]) =>
    `  ${name.padEnd(34)} ${ratio.toFixed(2).padStart(9)}  ${formatPromise(promises[name], ratio)}`
  );
  return [
    ...lines,
    ...formatGrowth(growth),
    ...formatChecks(checks),
    "ratios",
    ...verdicts,
    "",
    JSON.stringify(ratios, round),
  ].join("\n");
}

function formatGrowth(growth: readonly Growth[]): string[] {
  if (growth.length === 0) return [];
  const rows = growth.flatMap(({ name, work, unit, costs }) => [
    `  ${work}, by number of ${name}`,
    ...[...costs].map(([size, cost]) =>
      `    ${size.toLocaleString("en").padEnd(32)} ${formatValue(cost, unit).padStart(16)}`
    ),
  ]);
  return ["cost as work grows", ...rows, ""];
}

function formatChecks(checks: Checks | undefined): string[] {
  if (checks === undefined) return [];
  const rows = [...checks.accepted].map(([server, accepted]) =>
    `  ${server.padEnd(34)} ${accepted.length === 0 ? "none" : accepted.join(", ")}`
  );
  return [`invalid requests that servers accept, of ${checks.requests.length}`, ...rows, ""];
}

/** Returns the cost at the largest size, relative to the cost at the smallest size. */
export function growthRatio({ costs }: Pick<Growth, "costs">): number {
  const sizes = [...costs.keys()];
  const cost = (size: number): number => costs.get(size) ?? NaN;
  return cost(Math.max(...sizes)) / cost(Math.min(...sizes));
}

/** Formats a report as JSON, with the values rounded to three decimals. */
export function formatJson({ tables, growth = [], checks, ratios, promises }: Report): string {
  const plain = tables.map(({ title, values, unit = "/s" }) => ({
    title,
    unit,
    values: Object.fromEntries(values),
  }));
  const plainGrowth = growth.map((each) => ({ ...each, costs: Object.fromEntries(each.costs) }));
  const plainChecks = checks && { ...checks, accepted: Object.fromEntries(checks.accepted) };
  return JSON.stringify(
    { tables: plain, growth: plainGrowth, checks: plainChecks, ratios, promises },
    round,
  );
}

/** Returns the names of the ratios that are outside their limits. */
export function findMisses({ ratios, promises }: Pick<Report, "ratios" | "promises">): string[] {
  return Object.entries(promises).filter(([name, promise]) => !isKept(promise, ratios[name] ?? NaN))
    .map(([name]) => name);
}

function round(_name: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toFixed(3)) : value;
}

/** Formats a value with its unit. */
export function formatValue(value: number, unit: Unit): string {
  const digits = DECIMALS[unit];
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${value.toLocaleString("en", options)} ${unit}`;
}

function formatPromise(promise: number | undefined, ratio: number): string {
  if (promise === undefined) return "";
  const wanted = promise < 0 ? `at most ${-promise}` : `at least ${promise}`;
  return `${isKept(promise, ratio) ? "kept  " : "MISSED"} (${wanted})`;
}

function isKept(promise: number, ratio: number): boolean {
  return promise < 0 ? ratio <= -promise : ratio >= promise;
}
