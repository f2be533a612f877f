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
export type Unit = "/s" | "us" | "ms" | "MB" | "kB";

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

/** Results of a benchmark. */
export interface Report {
  /** Measured values. */
  readonly tables: readonly Table[];
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
const DECIMALS: Readonly<Record<Unit, number>> = { "/s": 0, us: 1, ms: 2, MB: 1, kB: 0 };

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
export function formatReport({ tables, ratios, promises }: Report): string {
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
  return [...lines, "ratios", ...verdicts, "", JSON.stringify(ratios, round)].join("\n");
}

/** Formats a report as JSON, with the values rounded to three decimals. */
export function formatJson({ tables, ratios, promises }: Report): string {
  const plain = tables.map(({ title, values, unit = "/s" }) => ({
    title,
    unit,
    values: Object.fromEntries(values),
  }));
  return JSON.stringify({ tables: plain, ratios, promises }, round);
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
