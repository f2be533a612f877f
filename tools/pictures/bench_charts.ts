/**
 * Charts and a page section for benchmark results. The results are the files in `bench/results/`,
 * which `deno task bench NAME --json FILE` writes.
 *
 * @module
 */

import { type Bar, type Chart, type Panel, renderChart } from "./chart.ts";
import { PROMISE_TEXTS } from "./promises.ts";

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
  readonly tables: readonly {
    readonly title: string;
    readonly unit: string;
    readonly values: Readonly<Record<string, number>>;
  }[];
  readonly ratios: Readonly<Record<string, number>>;
  readonly promises: Readonly<Record<string, number>>;
}

/** A file that {@linkcode renderResults} creates, relative to `docs/`. */
export interface PictureFile {
  readonly path: string;
  readonly text: string;
}

/** Path of the page section that contains all results. */
export const RESULTS_PAGE = "parts/benchmark-results.md";

const TITLES: Readonly<Record<string, string>> = {
  comm: "Signed messages",
  mcp: "Model Context Protocol",
  runtime: "Tool loops",
  engines: "Message queues and durable runs",
  start: "Start of programs on Node.js",
};

const UNITS: Readonly<Record<string, string>> = {
  "/s": "operations per second",
  us: "microseconds",
  ms: "milliseconds",
  MB: "megabytes",
  kB: "kilobytes",
};

/** Matches the names of chart rows for lower bounds, which use no library. */
const FLOOR = /\b(?:bare|minimal|alone|floor|hand-made|not canonical)\b|^fetch$/;

/** Matches the names of chart rows for this repository's packages. */
const OWN = /@parley\/|^parley\b/;

/** Returns the charts and the page section for benchmark results, in the order of the results. */
export function renderResults(results: readonly BenchResult[]): PictureFile[] {
  const charts = results.map((result) => ({
    path: `public/bench-${result.name}.svg`,
    text: renderChart(toChart(result)),
  }));
  const sections = results.map(toSection);
  const page = sections.length === 0
    ? "No results are published for this version yet.\n"
    : sections.join("\n");
  return [...charts, { path: RESULTS_PAGE, text: page }];
}

function titleOf({ name }: BenchResult): string {
  return TITLES[name] ?? name;
}

function toChart(result: BenchResult): Chart {
  const { date, machine } = result;
  return {
    title: titleOf(result),
    note: `${date}, ${machine.runtime}, ${machine.processor}, ${machine.cores} cores`,
    panels: result.tables.flatMap((table) => toPanel(table) ?? []),
  };
}

/** Returns the bars of a table, or `undefined` if the table contains no row to compare with. */
function toPanel({ title, unit, values }: BenchResult["tables"][number]): Panel | undefined {
  let hasOwn = false;
  const bars = Object.entries(values).map(([name, value]): Bar => {
    const isOwn = !hasOwn && OWN.test(name);
    hasOwn ||= isOwn;
    return { label: name.trim(), value, kind: isOwn ? "own" : FLOOR.test(name) ? "floor" : "peer" };
  });
  if (!hasOwn || bars.length < 2) return undefined;
  const better = unit === "/s" ? "higher" : "lower";
  return { title, unit: UNITS[unit] ?? unit, better, bars };
}

function toSection(result: BenchResult): string {
  const { name, date, machine, promises, ratios, tables } = result;
  const rows = Object.entries(promises).map(([promise, limit]) => {
    const ratio = ratios[promise] ?? NaN;
    const isKept = limit < 0 ? ratio <= -limit : ratio >= limit;
    const { text = `\`${promise}\``, unit } = PROMISE_TEXTS[promise] ?? {};
    const suffix = unit === undefined ? "" : ` ${unit}`;
    const wanted = `${limit < 0 ? `at most ${-limit}` : `at least ${limit}`}${suffix}`;
    return `| ${text} | ${wanted} | ${ratio.toFixed(2)}${suffix} | ${isKept ? "yes" : "**no**"} |`;
  });
  const picture = tables.length === 0
    ? ""
    : `\n![Chart of the results: ${
      titleOf(result)
    }. The tables below contain the promises.](/bench-${name}.svg)\n`;
  return `### ${titleOf(result)}

Measured on ${date} with ${machine.runtime} on ${machine.processor} with ${machine.cores} cores and ${machine.memoryGb} GB of memory (${machine.system}).
${picture}
| Promise | Limit | Measured | Kept |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}
