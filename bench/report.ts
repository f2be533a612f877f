/**
 * Reports of benchmarks: tables, ratios and promised ratios.
 *
 * @module
 */

import type { Speeds } from "./measure.ts";

/** A title and its rows. */
export interface Table {
  /** Title above the rows. */
  readonly title: string;
  /** Operations per second, or other values if `format` is present. */
  readonly speeds: Speeds;
  /** Formats a value. Defaults to operations per second. */
  readonly format?: (value: number) => string;
}

/** Results of a benchmark. */
export interface Report {
  /** Measured values. */
  readonly tables: readonly Table[];
  /** Ratios and other compared values, by name. */
  readonly ratios: Readonly<Record<string, number>>;
  /** Minimum for each promised ratio. A negative value specifies a maximum. */
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

/** Returns the names of the promised ratios that were missed. */
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
