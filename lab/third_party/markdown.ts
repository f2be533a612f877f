/**
 * Markdown summary of the results for third-party implementations.
 *
 * @module
 */

import { Verdict } from "../../conformance/kit/verdict.ts";
import { countFailures, groupByKind, type ReportEntry } from "./report_entry.ts";

const HEAD = `# Third-party implementations

Results of running the kit's cases on third-party implementations, written by
\`deno task kit:third-party\`. The page \`implementations.html\` of the documentation site shows the results
by area, and each failing case with the expected and the actual behavior.

The cases test this project's [specification](../conformance/spec/). A failing MUST or SHOULD case tests a
requirement of a public specification, such as MCP or RFC 8785. A *difference* is a failing case
that tests a requirement of this project only: a decision on a point that the public specifications
leave open, or any requirement of agent loops, for which no common specification exists. An
implementation with a difference can still behave as its own documentation says.
`;

const COLUMNS = [
  "implementation",
  "version",
  "language",
  "failing MUST",
  "failing SHOULD",
  "differences",
  "passed",
  "n/a",
  "untestable",
  "date, kit",
];

/** Formats the summary. */
export function formatImplementations(entries: readonly ReportEntry[]): string {
  const sections = groupByKind(entries).map(([kind, own]) =>
    [
      `## ${kind}`,
      "",
      formatCells(COLUMNS),
      formatCells(COLUMNS.map(() => "---")),
      ...own.map(formatRow),
      "",
    ].join("\n")
  );
  return [HEAD, ...sections].join("\n");
}

function formatRow(entry: ReportEntry): string {
  const { subject, result } = entry;
  const { must, should, differences } = countFailures(entry);
  const count = (verdict: Verdict): number =>
    result.leftOut.filter((each) => each.verdict === verdict)
      .reduce((sum, each) => sum + each.count, 0);
  return formatCells([
    escape(subject.title),
    escape(subject.version),
    subject.language,
    must,
    should,
    differences,
    result.passed,
    count(Verdict.NotApplicable),
    count(Verdict.Untestable),
    `${result.date}, ${result.kit}`,
  ]);
}

function formatCells(cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Escapes the characters that Markdown interprets. */
function escape(text: string): string {
  return text.replace(/[|<>`*_]/g, (character) => `\\${character}`);
}
