/**
 * `parley-kit diff`: compares two reports.
 *
 * @module
 */

import type { CommandIo } from "../kit/command_io.ts";
import { diffReports } from "../kit/diff_reports.ts";
import { parseReport } from "../kit/read_report.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { formatDiff } from "../reporters/diff_text.ts";
import { type Command, usageError } from "./command.ts";
import { needText } from "./select_flags.ts";

const FLAGS: Readonly<Record<string, Flag>> = { json: { type: "boolean" } };

/** The `diff` command. */
export const DIFF: Command = {
  summary: "compare two reports",
  usage: `parley-kit diff BEFORE.json AFTER.json [--json]

Compares two reports that --report json=FILE has written. Only results of cases
that have not changed between the reports are compared, so the reports can be
from different versions of the kit and of the subject. The errata of released
requirement sets are applied to both reports.
  --json                     print one JSON object

Exit codes:
  0  no MUST case is worse
  1  a MUST case passed before, and fails now
  2  invalid usage, or a file is not a report`,
  run: diffCommand,
};

async function diffCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const [first, second, ...more] = args.words;
  if (first === undefined || second === undefined || more.length > 0) {
    throw usageError("Cannot compare reports: exactly two files are required");
  }
  const before = parseReport(await needText(first, "report"), first);
  const after = parseReport(await needText(second, "report"), second);
  const diff = diffReports(before, after);
  if (args.has("json")) io.out(`${JSON.stringify(diff, null, 2)}\n`);
  else {
    const reports = [{ path: first, report: before }, { path: second, report: after }];
    io.out(formatDiff(reports, diff));
  }
  return diff.worseMust === 0 ? 0 : 1;
}
