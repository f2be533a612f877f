/**
 * Markdown page with the results for third-party implementations.
 *
 * @module
 */

import { CaseLevel } from "../kit/case.ts";
import { fitsId } from "../kit/select_cases.ts";
import { Verdict } from "../kit/verdict.ts";
import { type FailingCase, isDifference, type LeftOut, type SubjectResult } from "./result.ts";
import { code, escape, markNames, markValues } from "./mark_values.ts";
import type { ThirdPartySubject } from "./subject.ts";

/** A subject with its results. */
export interface ReportEntry {
  /** The subject. */
  readonly subject: ThirdPartySubject;
  /** The results. */
  readonly result: SubjectResult;
}

const HEAD = `# Third-party implementations

Results of running the kit's cases on third-party implementations, written by
\`deno task kit:third-party\`. The cases test this project's [specification](./spec/). A failing MUST
or SHOULD case tests a requirement of the Model Context Protocol, JSON-RPC, HTTP or, for agent loops,
the specification that this project implements. A *difference* is a failing case that tests a decision
made by this project on a point that those documents leave open. An implementation with a difference
can still behave as its own documentation says. \`parley-kit explain ID\` shows the messages of a case
and the clause that the case tests. Values that change from run to run are replaced with placeholders
such as \`<n>\` and \`<uuid>\`.
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
    "| implementation | version | language | passed | failing MUST | failing SHOULD | differences | n/a | untestable | date, kit |",
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
    `identifies itself as ${code(result.says)}`,
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

/** Formats the failing cases, grouped by the note that explains them. Failing cases without a note come last. */
function formatFailingCases(
  { notes = [] }: ThirdPartySubject,
  failing: readonly FailingCase[],
): readonly string[] {
  const noteOf = ({ id }: FailingCase): number => {
    const found = notes.findIndex(({ cases }) => cases.some((each) => fitsId(each, id)));
    return found === -1 ? notes.length : found;
  };
  const groups = [...notes.map(({ text }) => text), "Other failing cases:"]
    .map((text, index) => ({ text, cases: failing.filter((each) => noteOf(each) === index) }));
  return groups.filter(({ cases }) => cases.length > 0).flatMap(({ text, cases }) => [
    ...(notes.length === 0 ? [] : [text, ""]),
    ...cases.map(formatFailingCase),
    "",
  ]);
}

function formatFailingCase(red: FailingCase): string {
  const { id, transport, verdict, expected, got } = red;
  const level = isDifference(red) ? `difference (${red.level})` : red.level;
  const where = transport === undefined ? "" : ` (${transport})`;
  return `- \`${id}\`${where} ${level}: expected ${markValues(expected)}, ${
    formatActual(verdict, got)
  }`;
}

/** Formats the actual behavior as the end of a sentence that begins with the expected behavior. */
function formatActual(verdict: Verdict, got: string): string {
  if (verdict === Verdict.Noise) return `got ${code(got)}`;
  const [, reason] = verdict === Verdict.Crash ? /^no response: (.*)/.exec(got) ?? [] : [];
  return reason === undefined ? `got ${markValues(got)}` : `but ${escape(reason)}`;
}

const LEFT_OUT_TITLES: readonly (readonly [Verdict, string])[] = [
  [Verdict.NotApplicable, "Cases that are not applicable (`n/a`), with the number of cases:"],
  [Verdict.Untestable, "Cases that are `untestable`, with the number of cases:"],
];

function formatLeftOut({ leftOut }: SubjectResult): readonly string[] {
  return LEFT_OUT_TITLES.flatMap(([verdict, title]) => {
    const groups = Map.groupBy(
      leftOut.filter((each) => each.verdict === verdict),
      ({ reason }) => toGroup(reason),
    );
    if (groups.size === 0) return [];
    return [title, "", ...[...groups].map(([group, cases]) => formatReasons(group, cases)), ""];
  });
}

/** Removes the first quoted name from a reason, so that reasons that differ only in the name are equal. */
function toGroup(reason: string): string {
  return reason.replace(/ "[^"]*"/, "");
}

function formatReasons(group: string, cases: readonly LeftOut[]): string {
  const [only] = cases;
  if (cases.length === 1 && only !== undefined) {
    return `- ${markNames(only.reason)} (${only.count})`;
  }
  const names = cases.map(({ reason, count }) => {
    const [, name = reason] = /"([^"]*)"/.exec(reason) ?? [];
    return `${code(name)} (${count})`;
  });
  return `- ${escape(group)}: ${names.join(", ")}`;
}
