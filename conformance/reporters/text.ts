/**
 * Output for the terminal: failures, which are printed when they occur, and a summary.
 *
 * @module
 */

import { pluralize } from "../kit/pluralize.ts";
import {
  countResults,
  formatHeadline,
  formatLastLine,
  listRetriedControls,
} from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";
import {
  type CaseResult,
  type CaseRun,
  describeState,
  isFailingVerdict,
  Verdict,
} from "../kit/verdict.ts";
import { listMissingFixtures } from "../kit/missing_fixtures.ts";
import { formatNames, groupReasons, isGrouped } from "./reasons.ts";
import { findErrorLine } from "../kit/error_lines.ts";
import { escapeText, excerpt } from "../kit/escape_text.ts";

/** Options for {@linkcode formatResult}. */
export interface TextOptions {
  /** Command that starts the kit, such as `parley-kit`. */
  readonly program: string;
  /**
   * Command that reruns a case, without the case id, such as `parley-kit run --driver x --only`.
   */
  readonly again: string;
  /** Whether to use colors. */
  readonly colors: boolean;
  /** Whether to print the message log of each failed case. */
  readonly trace: boolean;
}

const MAX_LINE = 400;

/**
 * Formats a failure or a disputed case. Returns an empty string for all other results, and for
 * failures that {@linkcode formatSummary} prints once per reason.
 */
export function formatResult(result: CaseResult, options: TextOptions): string {
  if (result.state === "disputed") return formatDisputed(result);
  const isShown = isFailingVerdict(result.verdict) && !isGrouped(result) &&
    result.isDifference !== true;
  return isShown ? `${formatFailure(result, options).join("\n")}\n` : "";
}

/** Formats the result of a disputed case, which is shown also if it passes. */
function formatDisputed(result: CaseResult): string {
  if (isGrouped(result)) return "";
  const lines = [`~ ${result.id} ${describeState(result)}`, `verdict   ${result.verdict}`];
  return `${lines.map(cut).join("\n    ")}\n`;
}

/** Formats the end of a report. The last line contains the number of cases for each outcome. */
export function formatSummary(report: Report): string {
  const headline = formatHeadline(report);
  const lines = [
    ...report.stale.map(({ id, reason }) => `! baseline entry ${id} is stale: ${reason}`),
    ...formatReasons(report.results),
    ...listRetriedControls(report.results).map(({ id, transport, passed }) =>
      `- control ${id}${
        transport === undefined ? "" : ` (${transport})`
      } failed and was run again: ${passed ? "passed" : "failed"}`
    ),
    ...formatDifferences(report),
    formatRun(report),
    ...(headline === undefined ? [] : [headline]),
    formatLastLine(report),
  ];
  return `${lines.join("\n")}\n`;
}

/** Lists the decisions of this project that the subject does not share. */
function formatDifferences({ results }: Report): readonly string[] {
  const different = results.filter((result) =>
    result.isDifference === true && isFailingVerdict(result.verdict) && !isGrouped(result)
  );
  if (different.length === 0) return [];
  return [
    "differences from Parley, on points that no contract determines:",
    ...different.map(({ id, title }) => `≠ ${id}  ${cut(title)}`),
  ];
}

function formatFailure(result: CaseResult, options: TextOptions): readonly string[] {
  const { id, title, level, transport, verdict, isRequired, provokedBy } = result;
  const mark = paint(isRequired ? "✗" : "~", isRequired ? 31 : 33, options);
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["verdict", verdict === Verdict.Fail ? undefined : verdict],
    ["sent", result.sent],
    ["expected", result.expected],
    ["got", result.got],
    ["note", result.note],
    [
      "state",
      result.state === undefined ? undefined : `${result.state}: the result does not count`,
    ],
    ["stderr", result.stderr === undefined ? undefined : findErrorLine(result.stderr)],
    // An invariant sends nothing itself.
    ["again", `${options.again} ${[id, ...(provokedBy ?? []).slice(0, 3)].join(" --only ")}`],
    ["why", `${options.program} explain ${id}`],
  ];
  return [
    `${mark} ${id}  ${level}${transport === undefined ? "" : `  (${transport})`}`,
    `    ${cut(title)}`,
    ...facts.flatMap(([name, fact]) =>
      fact === undefined ? [] : [`    ${name.padEnd(9)} ${cut(fact)}`]
    ),
    ...(options.trace ? (result.trace ?? []).map((line) => `      ${cut(line)}`) : []),
    "",
  ];
}

/** Formats the names of the subjects, the number of cases and the duration. */
function formatRun(report: Report): string {
  const { retriedControls } = countResults(report);
  const names = report.subjects.map(({ name, version }) => `${name} ${version}`).join(", ");
  const seconds = (report.ms / 1000).toFixed(1);
  return [
    `${printable(names)}: ${pluralize(report.results.length, "case")} in ${seconds} s`,
    ...(retriedControls > 0 ? [`${pluralize(retriedControls, "control")} run again`] : []),
    ...(report.isInterrupted ? ["interrupted"] : []),
  ].join(", ");
}

/** A result, or the reason why a case cannot be run. */
type Excluded = CaseRun & Partial<Pick<CaseResult, "id" | "countsAsFailure">>;

/** Formats the reasons why cases were not tested, with the number of cases for each reason. */
export function formatReasons(results: readonly Excluded[]): readonly string[] {
  return groupReasons(results.filter(isGrouped)).flatMap(({ reason, names, results: group }) => {
    const failure = group.find(({ countsAsFailure }) => countsAsFailure === true);
    const [first] = group;
    const text = printable([
      `${group.length} ${first?.verdict}: ${reason}`,
      ...(names.length === 0 ? [] : [formatNames(names)]),
    ].join(": "));
    const line = failure === undefined ? `- ${text}` : `✗ ${text}, for example ${failure.id}`;
    if (first?.failedControl !== undefined) return [line, formatControlHint(first.failedControl)];
    return first?.missingFixtures === undefined ? [line] : [line, ...formatFixtureHint(group)];
  });
}

/** Names of the lists in which the fixtures of a server are. */
const FIXTURE_LISTS = ["tool", "prompt", "resource", "template"] as const;

/**
 * Formats the fixtures that make cases testable: those that make most cases testable come first.
 */
function formatFixtureHint(results: readonly CaseRun[]): readonly string[] {
  const missing = listMissingFixtures(results);
  const total = missing.reduce((sum, { cases }) => sum + cases, 0);
  const lines = FIXTURE_LISTS.flatMap((kind) => {
    const prefix = `${kind}:`;
    const own = missing.filter(({ fixtures }) => fixtures[0]?.startsWith(prefix))
      .map(({ fixtures, cases }) =>
        [fixtures.map((name) => name.replace(prefix, "")).join(" + "), cases] as const
      );
    return own.length === 0 ? [] : [printable(`    ${`${kind}s`.padEnd(9)} ${formatNames(own)}`)];
  });
  return [
    `    hint      add these to run ${
      pluralize(total, "more case")
    }; PROTOCOL.md describes all fixtures`,
    ...lines,
  ];
}

function formatControlHint(control: string): string {
  return `    hint      first make ${control} pass: until then, negative cases with this control are not evaluated`;
}

/** Replaces invisible characters, which the subject could use to manipulate the terminal. */
function printable(text: string): string {
  return escapeText(text.replaceAll("\n", "⏎"));
}

function cut(text: string): string {
  return excerpt(printable(text), MAX_LINE);
}

function paint(text: string, color: number, { colors }: TextOptions): string {
  return colors ? `\x1b[${color}m${text}\x1b[0m` : text;
}
