/**
 * Reports in Markdown, for pull requests and CI summaries.
 *
 * @module
 */

import {
  type CaseGroup,
  countResults,
  type FailureWord,
  failureWord,
  formatHeadline,
  formatLastLine,
  groupOf,
  listRetriedControls,
  outcomeOf,
} from "../kit/counts.ts";
import { excerpt } from "../kit/escape_text.ts";
import { listMissingFixtures } from "../kit/missing_fixtures.ts";
import { pluralize } from "../kit/pluralize.ts";
import type { Report } from "../kit/report.ts";
import { libraryOf } from "../kit/select_cases.ts";
import {
  type CaseResult,
  describeFailure,
  describeState,
  describeVerdict,
  isFailure,
} from "../kit/verdict.ts";

const GROUPS: readonly (readonly [CaseGroup, string])[] = [
  ["must", "MUST"],
  ["should", "SHOULD"],
  ["differences", "decisions of Parley"],
  ["optional", "optional"],
  ["uncounted", "not counted"],
];

/** Formats a report: counts per library and level, and tables of failures. */
export function formatMarkdown(report: Report): string {
  const names = report.subjects.map(({ name, version }) => `${name} ${version}`).join(", ");
  const libraries = [...new Set(report.results.map(({ id }) => libraryOf(id)))];
  const wordOf = failureWord(report);
  const headline = formatHeadline(report);
  const failed = report.results.filter(isFailure);
  const required = failed.filter(({ isRequired }) => isRequired);
  return [
    `## Conformance of ${escape(names)}`,
    "",
    `**${formatLastLine(report, wordOf)}**`,
    "",
    ...(headline === undefined ? [] : [headline, ""]),
    `Kit ${report.kit}, ${(report.ms / 1000).toFixed(1)} s${
      report.isInterrupted ? ", interrupted" : ""
    }`,
    "",
    "| library | level | passed | not passed | known | not run | n/a | untestable | kit faults |",
    "|---|---|---|---|---|---|---|---|---|",
    ...libraries.flatMap((library) => formatLibrary(library, report, wordOf)),
    ...formatFailures("Failures", required.filter((each) => outcomeOf(each) === "failed")),
    ...formatFailures(
      "Required, but untestable",
      required.filter(({ countsAsFailure }) => countsAsFailure === true),
    ),
    ...formatFailures(
      "Errors in the kit",
      failed.filter((each) => outcomeOf(each) === "kitFaults"),
    ),
    ...formatFailures(
      "Not met, not required",
      failed.filter((each) =>
        outcomeOf(each) === "failed" && !each.isRequired && each.isDifference !== true &&
        each.state === undefined
      ),
    ),
    ...formatUncounted(report.results),
    ...formatFailures(
      "Differences from Parley",
      failed.filter(({ isDifference }) => isDifference === true),
    ),
    ...formatFixtures(report.results),
    ...listRetriedControls(report.results).map(({ id, passed }) =>
      `- control \`${id}\` run again: ${passed ? "passed" : "not passed"}`
    ),
    ...report.stale.map(({ id, reason }) => `- stale baseline entry \`${id}\`: ${escape(reason)}`),
    "",
  ].join("\n");
}

function formatLibrary(library: string, report: Report, wordOf: FailureWord): readonly string[] {
  const own = report.results.filter(({ id }) => libraryOf(id) === library);
  const counts = countResults({ ...report, results: own });
  return GROUPS.flatMap(([group, name]) => {
    if (!own.some((result) => groupOf(result) === group)) return [];
    const { passed, failed, known, notRun, notApplicable, untestable, kitFaults } = counts[group];
    const cells = [
      ...[library, name, passed, `${failed} ${wordOf(group)}`],
      ...[known, notRun, notApplicable, untestable, kitFaults],
    ];
    return [`| ${cells.join(" | ")} |`];
  });
}

/** Formats the fixtures that the server lacks, by the number of cases that they make testable. */
function formatFixtures(results: readonly CaseResult[]): readonly string[] {
  const missing = listMissingFixtures(results);
  if (missing.length === 0) return [];
  const total = missing.reduce((sum, { cases }) => sum + cases, 0);
  const items = missing.map(({ fixtures, cases }) =>
    `${fixtures.map((name) => `\`${name}\``).join(" + ")} ${cases}`
  );
  return ["", `Add these fixtures to run ${pluralize(total, "more case")}: ${items.join(", ")}`];
}

function formatFailures(title: string, results: readonly CaseResult[]): readonly string[] {
  if (results.length === 0) return [];
  return [
    ...["", `### ${title}`, "", "| case | level | what happened |", "|---|---|---|"],
    ...results.map(formatFailure),
  ];
}

/** Lists the proposed and disputed cases. */
function formatUncounted(results: readonly CaseResult[]): readonly string[] {
  const uncounted = results.filter(({ state }) => state !== undefined);
  if (uncounted.length === 0) return [];
  return [
    ...["", "### Proposed and disputed cases, which do not count", ""],
    ...uncounted.map((each) =>
      `- \`${each.id}\` ${escape(describeState(each) ?? "")}: ${describeVerdict(each)}`
    ),
    "",
  ];
}

function formatFailure(result: CaseResult): string {
  const { id, level, transport, isRequired } = result;
  const where = transport === undefined ? "" : ` (${transport})`;
  const text = describeFailure(result);
  const what = isRequired || outcomeOf(result) !== "failed"
    ? text
    : text.replace(/^fail(?=:|$)/, "not met");
  return `| \`${id}\`${where} | ${level} | ${escape(excerpt(what, 200))} |`;
}

function escape(text: string): string {
  return text.replaceAll("\n", " ").replace(/[|<>`]/g, (character) => `\\${character}`);
}
