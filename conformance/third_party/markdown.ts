/**
 * The page with the results of third-party implementations.
 *
 * @module
 */

import { CaseLevel } from "../kit/case.ts";
import { fitsId } from "../kit/select_cases.ts";
import { Verdict } from "../kit/verdict.ts";
import type { FailingCase, SubjectResult } from "./result.ts";
import type { ThirdPartySubject } from "./subject.ts";

/** A subject with its results. */
export interface ReportEntry {
  /** The subject. */
  readonly subject: ThirdPartySubject;
  /** The results. */
  readonly result: SubjectResult;
}

const HEAD = `# Third-party implementations

Results of the kit's cases on third-party implementations, written by
\`deno task kit:third-party\`. The cases test this project's [specification](./spec/). A failing MUST
or SHOULD is a requirement of the Model Context Protocol, of JSON-RPC, of HTTP or, for agent loops, of
the specification that this project implements. A *difference* is a failing case based on a decision of
this project, where those documents leave a point open. In that case the implementation can be correct
by its own documentation. \`parley-kit explain ID\` shows the clause, its source and the messages of a
case.
`;

const TITLES: Readonly<Record<ThirdPartySubject["library"], string>> = {
  comm: "Messages (comm)",
  runtime: "Agent loops (runtime)",
  mcp: "Model Context Protocol (mcp)",
};

/** Formats the page. */
export function formatImplementations(all: readonly ReportEntry[]): string {
  const sections = (["comm", "runtime", "mcp"] as const).map((library) => {
    const own = all.filter(({ subject }) => subject.library === library);
    return own.length === 0 ? "" : formatLibrary(TITLES[library], own);
  });
  return [HEAD, ...sections.filter((section) => section !== "")].join("\n");
}

function formatLibrary(title: string, all: readonly ReportEntry[]): string {
  return [
    `## ${title}`,
    "",
    "| subject | version | language | passed | failing MUST | failing SHOULD | differences | n/a | untestable | date, kit |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...all.map(formatRow),
    "",
    ...all.flatMap(formatSubject),
  ].join("\n");
}

function formatRow({ subject, result }: ReportEntry): string {
  const { passed, red, leftOut, date, kit } = result;
  const differences = red.filter(isDifference).length;
  const must = red.filter((each) => !isDifference(each) && each.level === CaseLevel.Must).length;
  const count = (verdict: Verdict): number =>
    leftOut.filter((each) => each.verdict === verdict).reduce((sum, each) => sum + each.count, 0);
  const cells = [
    escape(subject.title),
    `\`${subject.package}\` ${subject.version}`,
    subject.language,
    passed,
    must,
    red.length - must - differences,
    differences,
    count(Verdict.NotApplicable),
    count(Verdict.Untestable),
    `${date}, ${kit}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function formatSubject({ subject, result }: ReportEntry): readonly string[] {
  const { setup, revision, name } = subject;
  const facts = [
    `\`deno task kit:third-party ${name}\``,
    ...(revision === undefined ? [] : [`revision ${revision}`]),
    `reports itself as ${code(result.says)}`,
  ];
  return [
    `### ${escape(subject.title)}`,
    "",
    `${facts.join("; ")}.${setup === undefined ? "" : ` ${setup}`}`,
    "",
    ...formatFailingCases(subject, result.red),
    ...formatLeftOut(result),
  ];
}

/** Formats the failing cases, grouped by the note that explains them. Cases without a note come last. */
function formatFailingCases(
  { notes = [] }: ThirdPartySubject,
  failing: readonly FailingCase[],
): readonly string[] {
  const noteOf = ({ id }: FailingCase): number => {
    const found = notes.findIndex(({ cases }) => cases.some((each) => fitsId(each, id)));
    return found === -1 ? notes.length : found;
  };
  const groups = [...notes.map(({ text }) => text), "Without a note:"]
    .map((text, index) => ({ text, cases: failing.filter((each) => noteOf(each) === index) }));
  return groups.filter(({ cases }) => cases.length > 0).flatMap(({ text, cases }) => [
    ...(notes.length === 0 ? [] : [text, ""]),
    ...cases.map(formatFailingCase),
    "",
  ]);
}

/** Returns true if the case is based on a decision of this project. */
function isDifference({ basis }: FailingCase): boolean {
  return basis === "decision";
}

function formatFailingCase(red: FailingCase): string {
  const { id, transport, verdict, expected, got } = red;
  const level = isDifference(red) ? `difference (${red.level})` : red.level;
  const what = verdict === Verdict.Fail ? "got" : verdict;
  const where = transport === undefined ? "" : ` (${transport})`;
  return `- \`${id}\`${where} ${level}: expected ${code(expected)}, ${what} ${code(got)}`;
}

function formatLeftOut({ leftOut }: SubjectResult): readonly string[] {
  if (leftOut.length === 0) return [];
  const reasons = leftOut.map(({ verdict, reason, count }) =>
    `${count} ${verdict} (${escape(reason)})`
  );
  return [`Not run: ${reasons.join("; ")}.`, ""];
}

/** Formats text as inline code. */
function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

function escape(text: string): string {
  return text.replace(/[|<>`*_]/g, (character) => `\\${character}`);
}
