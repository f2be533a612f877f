/**
 * `parley-kit cases`: converts a recording to cases.
 *
 * @module
 */

import { formatCaseFile } from "../kit/format_cases.ts";
import { readCaseFile } from "../kit/load_cases.ts";
import { pluralize } from "../kit/pluralize.ts";
import { writeText } from "../platform/fs.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { parseRecording } from "../recording/format.ts";
import { toCaseFile } from "../recording/to_cases.ts";
import { type Command, usageError } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { needText } from "./select_flags.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  area: { type: "string" },
  out: { type: "string", short: "o" },
  golden: { type: "boolean" },
};

/** The `cases` command. */
export const CASES: Command = {
  summary: "convert a recording to cases",
  usage: `parley-kit cases from RECORDING --area mcp/recorded/NAME -o FILE [--golden]

Writes one case per recorded request. Times, UUIDs and values that the recording
lists as volatile become matchers, and cursors are captured. The level of the
cases is INFO; change it when you add a clause.
  --area AREA                first part of the case ids
  -o, --out FILE             file to write
  --golden                   compare prose word by word; by default, any string
                             matches`,
  run: casesCommand,
};

async function casesCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const [verb, path, ...more] = args.words;
  const area = args.text("area");
  const out = args.text("out");
  if (
    verb !== "from" || path === undefined || more.length > 0 || area === undefined ||
    out === undefined
  ) {
    throw usageError("Cannot write cases: a recording, --area and -o are required");
  }
  const recording = parseRecording(await needText(path, "recording"), path);
  const file = toCaseFile(recording, { area, isGolden: args.has("golden") });
  const checked = readCaseFile(file);
  if (!checked.ok) throw usageError(`Cannot convert recording "${path}": ${checked.reason}`);
  await writeText(out, formatCaseFile(file));
  io.out(`Wrote ${pluralize(checked.value.cases.length, "case")} to ${out}\n`);
  return 0;
}
