/**
 * `parley-kit run`: runs cases against an implementation.
 *
 * @module
 */

import { type Baseline, parseBaseline, updateBaseline } from "../kit/baseline.ts";
import { exitCode, type Report } from "../kit/report.ts";
import { type CaseResult, describeFailure, isFailure } from "../kit/verdict.ts";
import { appendText, checkFolderOf, readText, writeText } from "../platform/fs.ts";
import { type Arguments, type Flag, readArguments } from "../platform/read_arguments.ts";
import { formatJson } from "../reporters/json.ts";
import { formatJunit } from "../reporters/junit.ts";
import { formatMarkdown } from "../reporters/markdown.ts";
import { formatText } from "../reporters/text.ts";
import { run, type RunOptions } from "../runner/run.ts";
import { type Command, usageError } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { readNamedSuite, readSelection, SELECT_FLAGS, SELECT_USAGE } from "./select_flags.ts";
import {
  describeSubject,
  readRevision,
  readSubject,
  SUBJECT_FLAGS,
  SUBJECT_USAGE,
} from "./subject_flags.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  ...SUBJECT_FLAGS,
  ...SELECT_FLAGS,
  strict: { type: "boolean" },
  revision: { type: "string" },
  baseline: { type: "string" },
  "update-baseline": { type: "boolean" },
  "timeout-factor": { type: "string" },
  seed: { type: "string" },
  bail: { type: "string" },
  report: { type: "string", multiple: true },
  trace: { type: "boolean" },
};

const FORMATS: Readonly<Record<string, (report: Report) => string>> = {
  json: formatJson,
  junit: formatJunit,
  md: formatMarkdown,
};

const DEFAULT_BASELINE = "parley-baseline.json";
/** Assumed width of the terminal if the width is unknown. */
const COLUMNS = 80;

/** The command `run`. */
export const RUN: Command = {
  summary: "run cases against an implementation",
  usage: `parley-kit run [SUBJECT.json] [options]

Subject (in the repository, the default is the Parley libraries):
${SUBJECT_USAGE}

Cases:
${SELECT_USAGE}

Options:
  --strict                   require SHOULD cases, and count required cases that
                             are untestable as failures
  --revision DATE            MCP protocol version (default: 2025-11-25)
  --baseline FILE            list of known failures (default:
                             ${DEFAULT_BASELINE}, if the file exists)
  --update-baseline          write the failures of this run to the baseline
  --timeout-factor N         multiply all timeouts by N
  --seed N                   seed for random choices of the subject (default: 1)
  --bail N                   stop after N required cases have failed
  --report FORMAT=FILE       write a report: json, junit or md (repeatable)
  --trace                    print the messages of each failed case

Exit codes:
  0    all required cases pass
  1    unexpected failures or stale baseline entries
  2    invalid usage, or the subject does not start
  3    error in the kit itself
  4    no case was run
  130  interrupted`,
  run: runCommand,
};

async function runCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const reports = args.texts("report").map(readReport);
  for (const { path } of reports) await checkFolderOf(path);
  const named = await readSubject(args);
  const baselinePath = args.text("baseline") ?? DEFAULT_BASELINE;
  const baseline = await readBaseline(baselinePath, args.text("baseline") !== undefined);
  const isUpdate = args.has("update-baseline");
  const progress = new Progress(io);
  const report = await run({
    ...await readOptions(args),
    subject: named.subject,
    ...(isUpdate ? {} : { baseline }),
    signal: io.signal,
    onResult: (result) => progress.add(result),
  });
  progress.clear();
  await reportToGithub(report, io);
  // The results are printed first, so they are not lost if writing the baseline or a report fails.
  io.out(formatText(report, {
    again: ["parley-kit run", describeSubject(named), "--only"].filter(Boolean).join(" "),
    colors: io.colors,
    trace: args.has("trace"),
  }));
  for (const { path, format } of reports) await writeText(path, format(report));
  if (isUpdate) await writeBaseline(baselinePath, updateBaseline(report.results, baseline));
  return exitCode(report);
}

async function readOptions(args: Arguments): Promise<Omit<RunOptions, "subject">> {
  const revision = readRevision(args);
  const seed = readNumber(args, "seed");
  const bail = readNumber(args, "bail");
  const timeoutFactor = readNumber(args, "timeout-factor");
  return {
    suite: await readNamedSuite(args),
    select: await readSelection(args),
    isStrict: args.has("strict"),
    ...(revision === undefined ? {} : { revision }),
    ...(seed === undefined ? {} : { seed }),
    ...(bail === undefined ? {} : { bail }),
    ...(timeoutFactor === undefined ? {} : { timeoutFactor }),
  };
}

function readNumber(args: Arguments, name: string): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw usageError(`Cannot use --${name} "${text}": the value must be a positive number`);
}

function readReport(text: string): { path: string; format: (report: Report) => string } {
  const [name = "", ...rest] = text.split("=");
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  const path = rest.join("=");
  if (format !== undefined && path !== "") return { path, format };
  throw usageError(
    `Cannot use --report "${text}": the value must be json=FILE, junit=FILE or md=FILE`,
  );
}

async function readBaseline(path: string, isNamed: boolean): Promise<Baseline> {
  const text = await readText(path);
  if (text !== undefined) return parseBaseline(text, path);
  if (!isNamed) return { entries: [] };
  throw usageError(`Cannot read baseline "${path}": no such file`);
}

async function writeBaseline(path: string, baseline: Baseline): Promise<void> {
  await writeText(path, `${JSON.stringify(baseline, null, 2)}\n`);
}

/** Writes annotations and a summary on GitHub Actions. */
async function reportToGithub(report: Report, io: CommandIo): Promise<void> {
  const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = io.env;
  if (GITHUB_STEP_SUMMARY) await appendText(GITHUB_STEP_SUMMARY, formatMarkdown(report));
  if (GITHUB_ACTIONS !== "true") return;
  for (const result of report.results.filter(isFailure)) {
    const message = describeFailure(result).replace(/[%\r\n]/g, (c) => encodeURIComponent(c));
    io.out(`::${result.isRequired ? "error" : "warning"} title=${result.id}::${message}\n`);
  }
}

/** Truncates a line to one column less than the terminal's width, because some terminals wrap full lines. */
function cutTo(columns: number, line: string): string {
  return line.length < columns ? line : `${line.slice(0, Math.max(columns - 2, 0))}…`;
}

/** Prints the progress of a run on a single terminal line. */
class Progress {
  readonly #io: CommandIo;
  #done = 0;
  #failed = 0;

  constructor(io: CommandIo) {
    this.#io = io;
  }

  add(result: CaseResult): void {
    this.#done++;
    if (isFailure(result)) this.#failed++;
    if (!this.#io.isTerminal) return;
    const line = `${this.#done} done, ${this.#failed} failed  ${result.id}`;
    this.#io.err(`\r\x1b[K${cutTo(this.#io.columns ?? COLUMNS, line)}`);
  }

  clear(): void {
    if (this.#io.isTerminal) this.#io.err("\r\x1b[K");
  }
}
