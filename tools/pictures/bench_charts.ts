/**
 * Charts of benchmark results. The results are the files in `bench/results/`, which
 * `deno task bench NAME --json FILE` writes.
 *
 * @module
 */

import type { BenchResult, ResultTable } from "./bench_result.ts";
import { type Bar, type Chart, type Panel, renderChart } from "./chart.ts";

/** A file that a function of this folder creates, relative to `docs/`. */
export interface PictureFile {
  readonly path: string;
  readonly text: string;
}

const TITLES: Readonly<Record<string, string>> = {
  comm: "Signed messages",
  mcp: "Model Context Protocol",
  runtime: "Tool loops",
  engines: "Message queues and durable runs",
  start: "Start of programs on Node.js",
};

/** Units in words, keyed by the units of the results. */
export const UNITS: Readonly<Record<string, string>> = {
  "/s": "operations per second",
  ns: "nanoseconds",
  us: "microseconds",
  ms: "milliseconds",
  MB: "megabytes",
  kB: "kilobytes",
};

/** Matches the names of rows for lower bounds, which use no library. */
const FLOOR = /\b(?:bare|minimal|alone|floor|hand-made|not canonical|JSON\.stringify)\b|^fetch$/;

/** Matches the names of rows for this repository's packages. */
const OWN = /@parley\/|^parley\b/;

/** Returns the kind of contender that a row of a table describes. */
export function kindOf(row: string): Bar["kind"] {
  if (FLOOR.test(row)) return "floor";
  return OWN.test(row) ? "own" : "peer";
}

/** Returns the title of a benchmark. */
export function titleOf(name: string): string {
  return TITLES[name] ?? name;
}

/** Returns a chart for each result. */
export function renderCharts(results: readonly BenchResult[]): PictureFile[] {
  return results.map((result) => ({
    path: `public/bench-${result.name}.svg`,
    text: renderChart(toChart(result)),
  }));
}

function toChart({ name, date, machine, tables }: BenchResult): Chart {
  return {
    title: titleOf(name),
    note: `${date}, ${machine.runtime}, ${machine.processor}, ${machine.cores} cores`,
    panels: tables.flatMap((table) => toPanel(table) ?? []),
  };
}

/** Returns the bars of a table, or `undefined` if the table contains nothing to compare with. */
function toPanel({ title, unit, values }: ResultTable): Panel | undefined {
  const bars = Object.entries(values).map(([name, value]): Bar => ({
    label: name.trim(),
    value,
    kind: kindOf(name),
  }));
  const isComparison = bars.some(({ kind }) => kind === "own") &&
    bars.some(({ kind }) => kind !== "own");
  if (!isComparison) return undefined;
  return { title, unit: UNITS[unit] ?? unit, better: unit === "/s" ? "higher" : "lower", bars };
}
