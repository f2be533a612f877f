/**
 * `parley-kit list`: lists the ids, levels and titles of cases.
 *
 * @module
 */

import { pluralize } from "../kit/pluralize.ts";
import { selectCases } from "../kit/select_cases.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { type Command, usageError } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { readNamedSuite, readSelection, SELECT_FLAGS, SELECT_USAGE } from "./select_flags.ts";
import { escapeText } from "../kit/escape_text.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  ...SELECT_FLAGS,
  json: { type: "boolean" },
  clauses: { type: "boolean" },
  files: { type: "boolean" },
};

/** The `list` command. */
export const LIST: Command = {
  summary: "list cases",
  usage: `parley-kit list [options]

Cases:
${SELECT_USAGE}

Options:
  --clauses                  show the clauses of each case
  --files                    show the file of each case
  --json                     print one JSON object per case and line`,
  run: listCommand,
};

async function listCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  if (args.words.length > 0) {
    throw usageError(`Cannot list "${args.words[0]}": unexpected argument; use --only PATTERN`);
  }
  const suite = await readNamedSuite(args);
  const cases = selectCases(suite.values(), await readSelection(args));
  for (const each of cases) {
    const clauses = args.has("clauses") ? `  [${each.clauses.join(", ")}]` : "";
    const file = args.has("files") ? `  ${each.file}` : "";
    const line = `${each.level.padEnd(6)} ${each.id}  ${each.title}${clauses}${file}`;
    io.out(`${args.has("json") ? JSON.stringify(each) : escapeText(line)}\n`);
  }
  if (!args.has("json")) io.out(`${pluralize(cases.length, "case")}\n`);
  return cases.length === 0 ? 4 : 0;
}
