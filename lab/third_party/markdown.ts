/**
 * Markdown summary of the results for third-party implementations.
 *
 * @module
 */

import { pluralize } from "../../conformance/kit/pluralize.ts";
import { countPrograms, describeOlder, groupByKind, type ReportEntry } from "./report_entry.ts";
import { toRow } from "./row.ts";
import { fullTitle } from "./subject.ts";
import { describeMeasurement } from "./subject_html.ts";

const HEAD = `# Third-party implementations

Results of running the kit's cases on third-party implementations, written by
\`deno task kit:third-party\`. The page \`implementations.html\` of the documentation site shows the results
by area, and each failing case with the expected and the actual behavior.
`;

const EXPLANATION =
  `Each program was installed from its registry, started once, and then run twice with the cases of a
requirement set. A failure is listed only if both runs agree on the verdict and on the place;
*unstable* cases, on which the runs differ, count as no failures.

A failing MUST or SHOULD case tests a requirement of a public specification, such as MCP or RFC
8785. A *difference* is not a failure: the case tests a decision of this project on a point that the
public specifications leave open. Agent loops have no common specification, so that most of their
cases are decisions. A case can be wrong: [appeals](../docs/kit/appeals.md) describes how to dispute it,
and how a maintainer of a program adds a statement to its results.
`;

const COLUMNS = [
  "program",
  "version",
  "language",
  "failing MUST",
  "causes",
  "failing SHOULD",
  "differences",
  "unstable",
  "passed",
  "n/a",
  "untestable",
  "measured with",
];

/** Formats the summary. */
export function formatImplementations(entries: readonly ReportEntry[]): string {
  const sections = groupByKind(entries).map(([kind, own]) =>
    [
      `## ${kind}`,
      "",
      formatHeadline(own),
      "",
      formatCells(COLUMNS),
      formatCells(COLUMNS.map(() => "---")),
      ...own.map(formatRow),
      "",
      ...formatStatements(own),
    ].join("\n")
  );
  const headline = `**${formatHeadline(entries)}** ${describeOlder(countPrograms(entries))}`
    .trimEnd();
  return [HEAD, `${headline}\n`, EXPLANATION, ...sections].join("\n");
}

function formatHeadline(entries: readonly ReportEntry[]): string {
  const { programs, failing, causes } = countPrograms(entries);
  const reason = failing === 0 ? "" : `, for ${pluralize(causes, "cause")}`;
  return `${failing} of ${
    pluralize(programs, "program")
  } fail a MUST of a public specification${reason}.`;
}

function formatRow(entry: ReportEntry): string {
  const { subject } = entry;
  const row = toRow(entry);
  return formatCells([
    escape(fullTitle(subject)),
    escape(row.version),
    subject.language,
    row.must,
    row.causes.length,
    row.should,
    row.differences,
    row.unstable,
    row.passed,
    row.na,
    row.untestable,
    escape(describeMeasurement(entry)),
  ]);
}

/** Formats the statements of maintainers. */
function formatStatements(entries: readonly ReportEntry[]): readonly string[] {
  return entries.flatMap(({ subject }) => {
    const { maintainerNote: note } = subject;
    if (note === undefined) return [];
    return [
      `> ${escape(note.text)}`,
      `> (${escape(fullTitle(subject))}: ${escape(note.by)}, maintainer, ${note.date})`,
      "",
    ];
  });
}

function formatCells(cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** Escapes the characters that Markdown interprets. */
function escape(text: string): string {
  return text.replace(/[|<>`*_]/g, (character) => `\\${character}`);
}
