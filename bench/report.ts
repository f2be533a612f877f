/**
 * Benchmark reports: tables of measured values, ratios, and limits for the ratios.
 *
 * @module
 */

import type { Speeds } from "./measure.ts";

/** A table with a title. */
export interface Table {
  /** Title above the rows. */
  readonly title: string;
  /** Values of the rows, by row name. If `format` is omitted, the values are operations per second. */
  readonly speeds: Speeds;
  /** Formats a value. If omitted, values are formatted as operations per second. */
  readonly format?: (value: number) => string;
}

/** Results of a benchmark. */
export interface Report {
  /** Measured values. */
  readonly tables: readonly Table[];
  /** Ratios and other compared values, by name. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Limits for ratios, by name: a positive value is a minimum, and a negative value `-n` is a maximum of `n`. */
  readonly promises: Readonly<Record<string, number>>;
}

/** Formats a report. The last line is a JSON object that contains all ratios. */
export function formatReport({ tables, ratios, promises }: Report): string {
  const lines = tables.flatMap(({ title, speeds, format = formatSpeed }) => [
    title,
    ...[...speeds].map(([name, speed]) => `  ${name.padEnd(34)} ${format(speed).padStart(16)}`),
    "",
  ]);
  const verdicts = Object.entries(ratios).map(([name, ratio]) =>
    `  ${name.padEnd(34)} ${ratio.toFixed(2).padStart(9)}  ${formatPromise(promises[name], ratio)}`
  );
  return [...lines, "ratios", ...verdicts, "", JSON.stringify(ratios, round)].join("\n");
}

/** Returns the names of the ratios that are outside their limits. */
export function findMisses({ ratios, promises }: Report): string[] {
  return Object.entries(promises).filter(([name, promise]) => !isKept(promise, ratios[name] ?? NaN))
    .map(([name]) => name);
}

function round(_name: string, value: unknown): unknown {
  return typeof value === "number" ? Number(value.toFixed(3)) : value;
}

function formatSpeed(perSecond: number): string {
  return `${Math.round(perSecond).toLocaleString("en")} /s`;
}

function formatPromise(promise: number | undefined, ratio: number): string {
  if (promise === undefined) return "";
  const wanted = promise < 0 ? `at most ${-promise}` : `at least ${promise}`;
  return `${isKept(promise, ratio) ? "kept  " : "MISSED"} (${wanted})`;
}

function isKept(promise: number, ratio: number): boolean {
  return promise < 0 ? ratio <= -promise : ratio >= promise;
}
