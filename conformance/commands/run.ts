/**
 * `parley-kit run`: runs cases against an implementation.
 *
 * @module
 */

import { type Baseline, parseBaseline, updateBaseline } from "../kit/baseline.ts";
import type { Suite } from "../kit/load_cases.ts";
import { KitError, KitErrorCode } from "../kit/error.ts";
import { pluralize } from "../kit/pluralize.ts";
import { joinCommand } from "../kit/split_command.ts";
import { exitCode } from "../kit/counts.ts";
import type { Report } from "../kit/report.ts";
import { Verdict } from "../kit/verdict.ts";
import { appendText, checkTarget, makeFolder, readText, writeText } from "../platform/fs.ts";
import { type Arguments, type Flag, readArguments } from "../platform/read_arguments.ts";
import { formatBadgeJson, formatBadgeSvg } from "../reporters/badge.ts";
import { formatAnnotations } from "../reporters/github.ts";
import { formatHtml, type PageOptions } from "../reporters/html/page.ts";
import { formatJson } from "../reporters/json.ts";
import { formatJunit } from "../reporters/junit.ts";
import { formatMarkdown } from "../reporters/markdown.ts";
import { formatSummary } from "../reporters/text.ts";
import { run, type RunOptions } from "../runner/run.ts";
import { type Command, usageError } from "./command.ts";
import { programName } from "./program_name.ts";
import { ResultPrinter } from "./result_printer.ts";
import { openStreams, STANDARD_OUTPUT, streamResult } from "./result_stream.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { readNamedSuite, readSelection, SELECT_FLAGS, SELECT_USAGE } from "./select_flags.ts";
import {
  describeSubject,
  type NamedSubject,
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

/** Formats a report as text. */
type Format = (report: Report, options: PageOptions) => string;

/**
 * Formats that `--report` accepts, each with the names of the files that it writes, which are
 * appended to the path that the user specifies.
 */
const FORMATS: ReadonlyMap<string, readonly (readonly [suffix: string, format: Format])[]> =
  new Map([
    ["json", [["", formatJson]]],
    ["junit", [["", formatJunit]]],
    ["md", [["", formatMarkdown]]],
    ["html", [["", formatHtml]]],
    ["badge", [["/badge.svg", formatBadgeSvg], ["/badge.json", formatBadgeJson]]],
  ]);

/** Prefix of a report whose lines are written when results occur. */
const STREAM = "jsonl=";
const DEFAULT_BASELINE = "parley-baseline.json";

/** The `run` command. */
export const RUN: Command = {
  summary: "run cases against an implementation",
  usage: `parley-kit run [SUBJECT.json] [options]

Subject (in the repository, the default is the Parley libraries):
${SUBJECT_USAGE}

Cases:
${SELECT_USAGE}

Options:
  --strict                   require SHOULD cases, and do not succeed if
                             required cases are untestable
  --revision DATE            MCP protocol version (default: 2025-11-25)
  --baseline FILE            list of known failures (default:
                             ${DEFAULT_BASELINE}, if the file exists)
  --update-baseline          write the failures of this run to the baseline
  --timeout-factor N         multiply all timeouts by N
  --seed N                   seed for the subject's random choices (default: 1)
  --bail N                   stop after N required cases have failed
  --report FORMAT=FILE       write a report: html, json, junit or md
                             (repeatable)
  --report jsonl=FILE        write a line of JSON for each result, when it
                             occurs (-: standard output)
  --report badge=DIR         write badge.svg and badge.json to a folder
  --trace                    print the messages of each failed case

Exit codes:
  0    all required cases that were tested passed, or are known failures
  1    unexpected failures, stale baseline entries, or required cases that
       were not run or, with --strict, are untestable
  2    invalid usage, or the subject does not start
  3    error in the kit itself
  4    no case was run
  130  interrupted`,
  run: runCommand,
};

async function runCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const streams = args.texts("report").flatMap(readStream);
  const reports = args.texts("report").filter((text) => readStream(text).length === 0)
    .flatMap(readReport);
  for (const { folder, path } of reports) {
    if (folder !== undefined) await makeFolder(folder);
    await checkTarget(path);
  }
  const named = await readSubject(args);
  const baselinePath = args.text("baseline") ?? DEFAULT_BASELINE;
  const baseline = await readBaseline(baselinePath, args.text("baseline") !== undefined);
  const isUpdate = args.has("update-baseline");
  const options = await readOptions(args);
  const program = programName(io.env);
  const again = formatCommand(program, named, args);
  // Standard output contains only the result lines if the user asks for them.
  const isPiped = streams.includes(STANDARD_OUTPUT);
  const out = isPiped ? io.err : io.out;
  const text = { program, again, colors: io.colors && !isPiped, trace: args.has("trace") };
  const printer = new ResultPrinter(io, text, out);
  await openStreams(streams);
  const report = await run({
    ...options,
    subject: named.subject,
    ...(isUpdate ? {} : { baseline }),
    signal: io.signal,
    onResult: async (result) => {
      printer.add(result);
      await streamResult(result, streams, io);
    },
  });
  printer.clear();
  // The results are printed first, so they are not lost if writing the baseline or a report fails.
  if (io.env.GITHUB_ACTIONS === "true") out(formatAnnotations(report));
  out(formatSummary(report));
  const page = { suite: options.suite, again };
  const { GITHUB_STEP_SUMMARY: summary } = io.env;
  await writeAll([
    ...reports.map(({ path, format }) => () => writeText(path, format(report, page))),
    ...(summary ? [() => appendText(summary, formatMarkdown(report))] : []),
    ...(isUpdate ? [() => writeBaseline(baselinePath, report, { old: baseline, io })] : []),
  ]);
  return exitCode(report);
}

/**
 * Writes all files, even if writing one of them fails.
 *
 * @throws {KitError} With code `bad_file` if a file is not writable.
 */
async function writeAll(writes: readonly (() => Promise<void>)[]): Promise<void> {
  const problems: string[] = [];
  for (const write of writes) {
    await write().catch((error: unknown) => {
      if (!(error instanceof KitError)) throw error;
      problems.push(error.message);
    });
  }
  if (problems.length > 0) throw new KitError(KitErrorCode.BadFile, problems.join("; "));
}

/** Formats the command that reruns one case, without the case id. */
function formatCommand(program: string, named: NamedSubject, args: Arguments): string {
  const cases = args.texts("cases").flatMap((path) => ["--cases", path]);
  const revision = readRevision(args);
  const words = [...cases, ...(revision === undefined ? [] : ["--revision", revision]), "--only"];
  return [`${program} run`, describeSubject(named), joinCommand(words)].filter(Boolean).join(" ");
}

async function readOptions(
  args: Arguments,
): Promise<Omit<RunOptions, "subject" | "suite"> & { readonly suite: Suite }> {
  const revision = readRevision(args);
  const seed = readNumber(args, "seed", "integer");
  const bail = readNumber(args, "bail", "integer");
  const timeoutFactor = readNumber(args, "timeout-factor", "number");
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

function readNumber(args: Arguments, name: string, type: "integer" | "number"): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  const hasType = type === "integer" ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (hasType && value > 0) return value;
  throw usageError(`Cannot use --${name} "${text}": the value must be a positive ${type}`);
}

/** A file to write. `folder` is created if it does not exist. */
interface ReportFile {
  readonly path: string;
  readonly folder?: string;
  readonly format: Format;
}

/** Returns the path of a report of the format `jsonl`. */
function readStream(text: string): readonly string[] {
  return text.startsWith(STREAM) && text !== STREAM ? [text.slice(STREAM.length)] : [];
}

function readReport(text: string): readonly ReportFile[] {
  const [name = "", ...rest] = text.split("=");
  const files = FORMATS.get(name);
  const path = rest.join("=");
  if (files !== undefined && path !== "") {
    return files.map(([suffix, format]) =>
      suffix === "" ? { path, format } : { path: path + suffix, folder: path, format }
    );
  }
  throw usageError(
    `Cannot use --report "${text}": the value must be html=FILE, json=FILE, junit=FILE, jsonl=FILE, md=FILE or badge=DIR`,
  );
}

async function readBaseline(path: string, isNamed: boolean): Promise<Baseline> {
  const text = await readText(path);
  if (text !== undefined) return parseBaseline(text, path);
  if (!isNamed) return { entries: [] };
  throw usageError(`Cannot read baseline "${path}": no such file`);
}

/**
 * Writes the failures of a complete run. An incomplete run would remove the entries of the cases
 * that were not run.
 */
async function writeBaseline(
  path: string,
  { results }: Report,
  { old, io }: { readonly old: Baseline; readonly io: CommandIo },
): Promise<void> {
  const left = results.filter(({ verdict }) => verdict === Verdict.NotRun).length;
  if (left > 0) {
    const reason = `${pluralize(left, "case")} not run`;
    return io.err(`parley-kit: Cannot update baseline "${path}": ${reason}\n`);
  }
  const baseline = updateBaseline(results, old);
  await writeText(path, `${JSON.stringify(baseline, null, 2)}\n`);
}
