/**
 * Formats durable runs for a terminal.
 *
 * @module
 */

import type { JournalEntry } from "../journal/journal.ts";
import type { RunRecord, RunSignal, RunStatus, RunWait } from "../runs/run_record.ts";
import { escapeText, excerpt } from "@parley/internal/escape-text";

/** Appearance of the output. */
export interface OutputStyle {
  /** Whether the output contains ANSI colors. */
  readonly colors: boolean;
  /** Maximum length of a line in a list, in characters. */
  readonly columns: number;
  /** Current time, in milliseconds since the Unix epoch. */
  readonly now: number;
}

type Color = keyof typeof SGR;

/** Parameters for the ANSI escape sequence "select graphic rendition". */
const SGR = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34 } as const;

const STATUS_COLORS: Readonly<Partial<Record<RunStatus, Color>>> = {
  running: "blue",
  waiting: "yellow",
  done: "green",
  failed: "red",
  cancelled: "dim",
};

/** Formats a list of runs as a table. */
export function formatList(runs: readonly RunRecord[], style: OutputStyle): string {
  if (runs.length === 0) return "No runs\n";
  const rows = runs.map((run) => [
    escapeText(run.runId),
    escapeText(`${run.agent} ${run.version}`),
    run.status,
    formatAge(run.updatedAt, style.now),
    escapeText(detailOf(run)),
  ]);
  const header = ["RUN", "AGENT", "STATUS", "UPDATED", "DETAIL"];
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0))
  );
  const toLine = (row: readonly string[]): string[] =>
    row.map((cell, column) => column === 4 ? cell : cell.padEnd(widths[column] ?? 0));
  const start = widths.slice(0, 4).reduce((sum, width) => sum + width + 2, 0);
  const lines = rows.map((row, index) => {
    const [id = "", agent = "", status = "", age = "", detail = ""] = toLine(row);
    const color = STATUS_COLORS[runs[index]?.status ?? "queued"];
    const shown = shorten(detail, Math.max(style.columns - start, 20));
    return [id, agent, paint(status, color, style), age, shown].join("  ").trimEnd();
  });
  return [paint(toLine(header).join("  "), "bold", style), ...lines, ""].join("\n");
}

/**
 * Formats a run with its input, its result, and the decisions, signals and times that it waits for.
 */
export function formatRun(run: RunRecord, style: OutputStyle): string {
  const { agent, createdAt, due, error, input, metadata, party, result, runId } = run;
  const { status, updatedAt, version } = run;
  const toTime = (time: string): string => `${time} (${formatAge(time, style.now)})`;
  const id = paint(escapeText(runId), "bold", style);
  const fields = [
    ["Agent", `${agent}, version ${version}`],
    ["Party", party],
    ["Metadata", metadata && JSON.stringify(metadata)],
    ["Started", toTime(createdAt)],
    ["Updated", toTime(updatedAt)],
    ["Due", due],
    ["Input", JSON.stringify(input)],
    ["Result", result === undefined ? undefined : JSON.stringify(result)],
    ["Error", error && `${error.code}: ${error.message}`],
  ] as const;
  return [
    `${id}  ${paint(status, STATUS_COLORS[status], style)}`,
    ...formatFields(fields),
    ...run.waitingFor.flatMap((wait) => ["", ...formatWait(runId, wait, style)]),
    "",
  ].join("\n");
}

/** Formats a recorded step as one line. */
export function formatStep(
  { at, key, kind, value }: JournalEntry,
  { colors, columns, now }: OutputStyle,
): string {
  const time = at === undefined ? "-" : new Date(at).toISOString();
  const start = `${time.padEnd(24)}  ${kind.padEnd(9)}  ${escapeText(key)}  `;
  const text = shorten(escapeText(JSON.stringify(value)), Math.max(columns - start.length, 20));
  return `${start}${paint(text, "dim", { colors, columns, now })}\n`;
}

/** Formats a signal as one line. */
export function formatSignal({ key, value }: RunSignal, style: OutputStyle): string {
  const start = `${escapeText(key)}  `;
  const text = escapeText(JSON.stringify(value));
  return `${start}${
    paint(shorten(text, Math.max(style.columns - start.length, 20)), "dim", style)
  }\n`;
}

/** Formats JSON so that the text contains no invisible characters, which can come from any user. */
export function formatJson(value: unknown): string {
  const text = JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => character.split("").map(toJsonEscape).join(""),
  );
  return `${text}\n`;
}

/** Returns the JSON escape sequence of a UTF-16 code unit. */
function toJsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function detailOf({ due, error, status, waitingFor }: RunRecord): string {
  if (status === "waiting") return waitingFor.map(summaryOf).join(", ");
  if (error !== undefined) return `${error.code}: ${error.message}`;
  return status === "queued" && due !== undefined ? `starts ${due}` : "";
}

function summaryOf(wait: RunWait): string {
  if (wait.kind === "approval") return `approval of ${wait.toolName}`;
  return wait.kind === "signal" ? `signal ${wait.key}` : `until ${wait.due}`;
}

function formatWait(runId: string, wait: RunWait, style: OutputStyle): readonly string[] {
  const agents = wait.path.join(" > ");
  const toTitle = (text: string): string => paint(escapeText(text), "yellow", style);
  if (wait.kind === "time") {
    return [toTitle(`Waits until ${wait.due} for ${wait.toolName} (${agents})`)];
  }
  const signal = `parley-runs signal ${quote(runId)} ${quote(wait.key)}`;
  if (wait.kind === "signal") {
    return [
      toTitle(`Waits for a signal for ${wait.toolName} (${agents})`),
      ...formatFields([["Key", wait.key], ["Send", `${signal} VALUE`]]),
    ];
  }
  return [
    toTitle(`Waits for a decision on ${wait.toolName} (${agents})`),
    ...formatFields([
      ["Input", JSON.stringify(wait.input)],
      ["Reason", wait.reason],
      ["Key", wait.key],
      ["Approve", `${signal} true`],
      ["Deny", `${signal} false`],
    ]),
  ];
}

function formatFields(
  fields: readonly (readonly [name: string, text: string | undefined])[],
): readonly string[] {
  return fields.flatMap(([name, text]) =>
    text === undefined ? [] : [`  ${name.padEnd(8)}  ${escapeText(text)}`]
  );
}

/** Quotes a string for a POSIX shell if it contains special characters. */
function quote(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function formatAge(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

function shorten(text: string, length: number): string {
  return text.length > length ? excerpt(text, length - 1) : text;
}

function paint(text: string, color: Color | undefined, { colors }: OutputStyle): string {
  return colors && color !== undefined ? `\x1b[${SGR[color]}m${text}\x1b[0m` : text;
}
