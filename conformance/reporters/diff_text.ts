/**
 * Differences between two reports, for the terminal.
 *
 * @module
 */

import { describeErrata } from "../kit/counts.ts";
import {
  type Change,
  CHANGE_KINDS,
  type ChangeKind,
  type ReportDiff,
} from "../kit/diff_reports.ts";
import { escapeText } from "../kit/escape_text.ts";
import type { ComparedReport } from "../kit/read_report.ts";

/** A report and the path of its file. */
export interface NamedReport {
  readonly path: string;
  readonly report: ComparedReport;
}

/** Maximum number of lines for changes that are neither better nor worse. */
const MAX_LINES = 20;

/** Headings of the kinds of changes. */
const HEADINGS: Readonly<Record<ChangeKind, string>> = {
  worse: "worse",
  better: "better",
  changed: "not comparable",
  newlyRun: "newly tested",
  noLongerRun: "no longer tested",
  added: "only in the second report",
  gone: "only in the first report",
  uncounted: "disputed or proposed, does not count",
};

/** Formats the differences between two reports. */
export function formatDiff(reports: readonly NamedReport[], diff: ReportDiff): string {
  const sets = new Set(reports.map(({ report }) => formatSets(report)));
  const lines = [
    ...reports.map(formatHead),
    ...(sets.size > 1
      ? ["The requirement sets differ: only cases that are equal in both are compared."]
      : []),
    ...formatBody(diff),
  ];
  return `${lines.map(escapeText).join("\n")}\n`;
}

function formatHead({ path, report }: NamedReport): string {
  const { subjects, kit, startedAt } = report;
  const names = subjects.map(({ name, version }) => `${name} ${version}`).join(", ");
  return `${path}: ${[names, startedAt.slice(0, 10), `kit ${kit}`, formatSets(report)].join(", ")}`;
}

function formatSets({ requirements = [] }: ComparedReport): string {
  const sets = requirements.map(({ name, digest }) => `${name} (digest ${digest.slice(0, 8)})`);
  return sets.length === 0 ? "no requirement set" : sets.join(", ");
}

function formatBody(diff: ReportDiff): readonly string[] {
  const errata = diff.errata.length === 0
    ? []
    : ["", `${describeErrata(diff.errata.length)} applied: ${diff.errata.join(", ")}`];
  const count = (kind: ChangeKind): string => `${diff[kind].length} ${HEADINGS[kind]}`;
  return [
    ...errata,
    ...CHANGE_KINDS.flatMap((kind) => formatChanges(kind, diff[kind])),
    "",
    `${count("worse")} (${diff.worseMust} MUST), ${count("better")}, ${count("changed")}`,
  ];
}

function formatChanges(kind: ChangeKind, changes: readonly Change[]): readonly string[] {
  if (changes.length === 0) return [];
  const limit = kind === "worse" || kind === "better" ? changes.length : MAX_LINES;
  const left = changes.length - limit;
  return [
    "",
    `${HEADINGS[kind]}: ${changes.length}`,
    ...changes.slice(0, limit).map(formatChange),
    ...(left > 0 ? [`  and ${left} more (--json lists all)`] : []),
  ];
}

function formatChange(
  { id, transport, level, isDifference, before, after, reason }: Change,
): string {
  const name = transport === undefined ? id : `${id} (${transport})`;
  const group = isDifference === true ? "decision" : level;
  const verdicts = [before, after].filter((verdict) => verdict !== undefined).join(" to ");
  return `  ${group.padEnd(6)} ${name}: ${verdicts}${reason === undefined ? "" : `; ${reason}`}`;
}
