/**
 * Reports in Markdown, for pull requests and CI summaries.
 *
 * @module
 */

import { countResults, formatCounts, listRetriedControls, type Report } from "../kit/report.ts";
import { libraryOf } from "../kit/select_cases.ts";
import { type CaseResult, describeFailure, isFailure, Verdict } from "../kit/verdict.ts";
import { excerpt } from "../kit/escape_text.ts";

/** Formats a report: counts per library, and a table of failures. */
export function formatMarkdown(report: Report): string {
  const names = report.subjects.map(({ name, version }) => `${name} ${version}`).join(", ");
  const libraries = [...new Set(report.results.map(({ id }) => libraryOf(id)))];
  const failed = report.results.filter(isFailure);
  return [
    `## Conformance of ${escape(names)}`,
    "",
    `${formatCounts(countResults(report))} (kit ${report.kit}, ${(report.ms / 1000).toFixed(1)} s)`,
    "",
    "| library | passed | failed | other |",
    "|---|---|---|---|",
    ...libraries.map((library) => formatLibrary(library, report.results)),
    ...(failed.length === 0 ? [] : ["", "| case | level | what happened |", "|---|---|---|"]),
    ...failed.map(formatFailure),
    ...listRetriedControls(report.results).map(({ id, passed }) =>
      `- control \`${id}\` run again: ${passed ? "passed" : "failed"}`
    ),
    ...report.stale.map(({ id, reason }) => `- stale baseline entry \`${id}\`: ${escape(reason)}`),
    "",
  ].join("\n");
}

function formatLibrary(library: string, results: readonly CaseResult[]): string {
  const own = results.filter(({ id }) => libraryOf(id) === library);
  const passed = own.filter(({ verdict }) => verdict === Verdict.Pass).length;
  const failed = own.filter(isFailure).length;
  return `| ${library} | ${passed} | ${failed} | ${own.length - passed - failed} |`;
}

function formatFailure(result: CaseResult): string {
  const { id, level, transport } = result;
  const where = transport === undefined ? "" : ` (${transport})`;
  return `| \`${id}\`${where} | ${level} | ${escape(excerpt(describeFailure(result), 200))} |`;
}

function escape(text: string): string {
  return text.replaceAll("\n", " ").replace(/[|<>`]/g, (character) => `\\${character}`);
}
