/**
 * The page that shows how others do on the kit's cases.
 *
 * @module
 */

import { CaseLevel } from "../kit/case.ts";
import { fitsId } from "../kit/select_cases.ts";
import { Verdict } from "../kit/verdict.ts";
import type { ForeignResult, RedCase } from "./result.ts";
import type { ForeignSubject } from "./subject.ts";

/** A subject with what came of it. */
export interface Judged {
  /** The subject. */
  readonly subject: ForeignSubject;
  /** What came of it. */
  readonly result: ForeignResult;
}

const HEAD = `# How others do

The kit's cases on implementations that nobody here wrote, as \`deno task kit:foreign\` finds them. The
cases ask for what this project's [specification](./spec/) says. A red MUST or SHOULD is one of a
protocol: of the Model Context Protocol, of JSON-RPC, of HTTP, or, for agent loops, of the text that
this project implements. A *difference* is a red case that stands on a decision of ours where those
leave a point open: others decided otherwise, and are right by their own documentation.
\`parley-kit explain ID\` shows the clause, where it comes from, and what the case sends.
`;

const TITLES: Readonly<Record<ForeignSubject["library"], string>> = {
  comm: "Messages (comm)",
  runtime: "Agent loops (runtime)",
  mcp: "Model Context Protocol (mcp)",
};

/** Writes the page. */
export function formatForeign(all: readonly Judged[]): string {
  const sections = (["comm", "runtime", "mcp"] as const).map((library) => {
    const own = all.filter(({ subject }) => subject.library === library);
    return own.length === 0 ? "" : formatLibrary(TITLES[library], own);
  });
  return [HEAD, ...sections.filter((section) => section !== "")].join("\n");
}

function formatLibrary(title: string, all: readonly Judged[]): string {
  return [
    `## ${title}`,
    "",
    "| subject | version | language | passed | red MUST | red SHOULD | differences | n/a | untestable | date, kit |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...all.map(formatRow),
    "",
    ...all.flatMap(formatSubject),
  ].join("\n");
}

function formatRow({ subject, result }: Judged): string {
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

function formatSubject({ subject, result }: Judged): readonly string[] {
  const { notes, revision, name } = subject;
  const facts = [
    `\`deno task kit:foreign ${name}\``,
    ...(revision === undefined ? [] : [`revision ${revision}`]),
    `calls itself ${escape(result.says)}`,
  ];
  return [
    `### ${escape(subject.title)}`,
    "",
    `${facts.join("; ")}.${notes === undefined ? "" : ` ${notes}`}`,
    "",
    ...formatReds(subject, result.red),
    ...formatLeftOut(result),
  ];
}

/** Red cases that one remark explains stand below it; the rest comes last. */
function formatReds({ remarks = [] }: ForeignSubject, red: readonly RedCase[]): readonly string[] {
  const remarkOf = ({ id }: RedCase): number => {
    const found = remarks.findIndex(({ cases }) => cases.some((each) => fitsId(each, id)));
    return found === -1 ? remarks.length : found;
  };
  const groups = [...remarks.map(({ text }) => text), "Without a remark:"]
    .map((text, index) => ({ text, cases: red.filter((each) => remarkOf(each) === index) }));
  return groups.filter(({ cases }) => cases.length > 0).flatMap(({ text, cases }) => [
    ...(remarks.length === 0 ? [] : [text, ""]),
    ...cases.map(formatRed),
    "",
  ]);
}

/** Whether it stands on a decision of ours alone. */
function isDifference({ basis }: RedCase): boolean {
  return basis === "decision";
}

function formatRed(red: RedCase): string {
  const { id, transport, verdict, expected, got } = red;
  const level = isDifference(red) ? `difference (${red.level})` : red.level;
  const what = verdict === Verdict.Fail ? "got" : verdict;
  const where = transport === undefined ? "" : ` (${transport})`;
  return `- \`${id}\`${where} ${level}: expected ${code(expected)}, ${what} ${code(got)}`;
}

function formatLeftOut({ leftOut }: ForeignResult): readonly string[] {
  if (leftOut.length === 0) return [];
  const reasons = leftOut.map(({ verdict, reason, count }) =>
    `${count} ${verdict} (${escape(reason)})`
  );
  return [`Not asked: ${reasons.join("; ")}.`, ""];
}

/** Text in back quotes, whatever is in it. */
function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

function escape(text: string): string {
  return text.replace(/[|<>`*_]/g, (character) => `\\${character}`);
}
