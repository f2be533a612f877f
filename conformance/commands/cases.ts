/**
 * `parley-kit cases`: turn a recording into cases.
 *
 * @module
 */

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

/** The command `cases`. */
export const CASES: Command = {
  summary: "turn a recording into cases",
  usage: `parley-kit cases from RECORDING --area mcp/recorded/NAME -o FILE [--golden]

One case per request, level INFO until you give it a clause. Prose becomes "any
text" unless --golden; what the recording calls volatile, times and UUIDs become
matchers; a cursor is captured where the server gives it.`,
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
    throw usageError("Cannot make cases: write cases from RECORDING --area AREA -o FILE");
  }
  const recording = parseRecording(await needText(path, "recording"), path);
  const file = toCaseFile(recording, { area, isGolden: args.has("golden") });
  const checked = readCaseFile(file);
  if (!checked.ok) throw usageError(`Cannot make cases of "${path}": ${checked.reason}`);
  await writeText(out, `${JSON.stringify(file, null, 2)}\n`);
  io.out(`Wrote ${pluralize(checked.value.cases.length, "case")} to ${out}\n`);
  return 0;
}
