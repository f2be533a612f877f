/**
 * Tables of benchmark results for the page about speed, as Markdown. Each table is a file that the
 * page includes.
 *
 * @module
 */

import { kindOf, type PictureFile, titleOf } from "./bench_charts.ts";
import {
  type BenchResult,
  LIMITS,
  type ResultChecks,
  type ResultGrowth,
  type ResultTable,
  type Verdict,
  verdictOf,
} from "./bench_result.ts";
import { compare, formatNumber } from "./chart.ts";
import { PROMISE_TEXTS } from "./promises.ts";

/** A promise with its measured value. */
interface Row {
  readonly text: string;
  readonly reason: string;
  readonly limit: string;
  readonly measured: string;
  readonly verdict: Verdict;
}

const UNIT_SIGNS: Readonly<Record<string, string>> = { us: "µs" };
const NOT_PUBLISHED = "The results of this benchmark are not published yet.\n";

/** Returns the tables of all benchmarks, including those without results. */
export function renderTables(results: readonly BenchResult[]): PictureFile[] {
  const byName = new Map(results.map((result) => [result.name, result]));
  const sections = Object.keys(LIMITS).map((name): PictureFile => ({
    path: `parts/speed-${name}.md`,
    text: toSection(name, byName.get(name)),
  }));
  return [
    { path: "parts/speed-summary.md", text: toSummary(byName) },
    ...sections,
    { path: "parts/speed-growth.md", text: toGrowthTable(results.flatMap((r) => r.growth ?? [])) },
    { path: "parts/speed-checks.md", text: toChecksTable(byName.get("mcp")?.checks) },
  ];
}

function rowsOf(name: string, result: BenchResult | undefined): Row[] {
  return Object.entries(LIMITS[name] ?? {}).map(([promise, limit]): Row => {
    const ratio = result?.ratios[promise];
    const { text = `\`${promise}\``, reason = "", unit } = PROMISE_TEXTS[promise] ?? {};
    const suffix = unit === undefined ? "" : ` ${unit}`;
    return {
      text,
      reason,
      limit: `${limit < 0 ? `at most ${-limit}` : `at least ${limit}`}${suffix}`,
      measured: ratio === undefined ? "" : `${ratio.toFixed(2)}${suffix}`,
      verdict: verdictOf(ratio, limit),
    };
  });
}

function isMissed({ verdict }: Row): boolean {
  return verdict === "missed" || verdict === "missed (tie)";
}

/** Formats a verdict so that a missed promise stands out. */
function formatVerdict(verdict: Verdict): string {
  return verdict.startsWith("missed") ? `**${verdict}**` : verdict;
}

function toSummary(results: ReadonlyMap<string, BenchResult>): string {
  const all = Object.keys(LIMITS).flatMap((name) =>
    rowsOf(name, results.get(name)).map((row) => ({ name, row }))
  );
  const missed = all.filter(({ row }) => isMissed(row));
  const unknown = all.filter(({ row }) => row.verdict === "not measured").length;
  const counts =
    `The benchmarks have ${all.length} promises. The published results keep ${
      all.length - missed.length - unknown
    } of them and miss ${missed.length}.` +
    (unknown === 0 ? "" : ` They do not contain the other ${unknown}.`);
  if (missed.length === 0) return `${counts}\n`;
  const rows = missed.map(({ name, row }) =>
    `| ${titleOf(name)} | ${row.text} | ${row.limit} | ${row.measured} | ${
      formatVerdict(row.verdict)
    } |`
  );
  return `${counts} The missed promises are:

| Benchmark | Promise | Limit | Measured | Result |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

function toSection(name: string, result: BenchResult | undefined): string {
  const rows = rowsOf(name, result).map(({ text, limit, measured, verdict, reason }) =>
    `| ${text} | ${limit} | ${measured} | ${formatVerdict(verdict)} | ${reason} |`
  );
  const promises = `| Promise | Limit | Measured | Result | Reason for the limit |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
  if (result === undefined) return `${NOT_PUBLISHED}\n${promises}`;
  const { date, machine, tables } = result;
  return `Measured on ${date} with ${machine.runtime} on ${machine.processor} with ${machine.cores} cores and ${machine.memoryGb} GB of memory (${machine.system}).

![Chart of the results: ${
    titleOf(name)
  }. The tables below contain the same values.](/bench-${name}.svg)

${promises}
<details>
<summary>All measured values</summary>

${tables.map(toValues).join("\n")}
</details>
`;
}

/** Returns the values of a table, relative to the first row of this repository's packages. */
function toValues({ title, unit, values }: ResultTable): string {
  const entries = Object.entries(values);
  const own = entries.find(([name]) => kindOf(name) === "own");
  const sign = UNIT_SIGNS[unit] ?? unit;
  const rows = entries.map(([name, value]) => {
    const isOther = own !== undefined && own[0] !== name;
    const relation = isOther ? compare(value, own[1]) : "";
    return `| ${name.trim()} | ${formatNumber(value)} ${sign} | ${relation} |`;
  });
  return `| ${title} | Value | Relative to ${own?.[0].trim() ?? "the first row"} |
| --- | --- | --- |
${rows.join("\n")}
`;
}

/** Returns the costs as work grows. */
function toGrowthTable(growth: readonly ResultGrowth[]): string {
  if (growth.length === 0) return NOT_PUBLISHED;
  const rows = growth.map(({ name, work, unit, costs }) => {
    const sign = UNIT_SIGNS[unit] ?? unit;
    const entries = Object.entries(costs);
    const [, first = NaN] = entries[0] ?? [];
    const [, last = NaN] = entries.at(-1) ?? [];
    const cells = entries.map(([size, cost]) =>
      `${Number(size).toLocaleString("en")}: ${formatNumber(cost)} ${sign}`
    );
    return `| ${work} | ${name} | ${cells.join("<br>")} | ${compare(last, first)} |`;
  });
  return `| Unit of work | What grows | Cost of one unit at each number | Last cost, relative to the first |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** Returns which servers reject which invalid requests. */
function toChecksTable(checks: ResultChecks | undefined): string {
  if (checks === undefined) return NOT_PUBLISHED;
  const servers = Object.keys(checks.accepted);
  const rows = checks.requests.map((request) => {
    const cells = servers.map((server) =>
      checks.accepted[server]?.includes(request) ? "**accepted**" : "rejected"
    );
    return `| ${request} | ${cells.join(" | ")} |`;
  });
  return `| Request with | ${servers.join(" | ")} |
| --- |${" --- |".repeat(servers.length)}
${rows.join("\n")}
`;
}
