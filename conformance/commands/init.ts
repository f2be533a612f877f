/**
 * `parley-kit init`: writes a driver skeleton.
 *
 * @module
 */

import { readText, writeText } from "../platform/fs.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { pluralize } from "../kit/pluralize.ts";
import { libraryOf } from "../kit/select_cases.ts";
import { neededOps } from "../runner/driver_executor.ts";
import { loadSuite } from "../suite.ts";
import { type Command, usageError } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { pythonDriver } from "./init_python.ts";
import { readLibraries } from "./select_flags.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  lib: { type: "string", multiple: true },
  out: { type: "string" },
};

/** The command `init`. */
export const INIT: Command = {
  summary: "write a driver skeleton",
  usage: `parley-kit init python [--lib comm|runtime|mcp] [--out FILE]

Writes a driver that runs as is. All of its operations report "unsupported";
implement one after another.
  --lib NAME                 include the operations of this library (repeatable;
                             default: comm)
  --out FILE                 file to write (default: parley_driver.py)`,
  run: initCommand,
};

async function initCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const [language, ...more] = args.words;
  if (language === undefined) {
    throw usageError("Cannot write a driver: a language is required (supported: python)");
  }
  if (language !== "python" || more.length > 0) {
    throw usageError(
      `Cannot write a driver in "${args.words.join(" ")}": the only supported language is python`,
    );
  }
  const path = args.text("out") ?? "parley_driver.py";
  if (await readText(path) !== undefined) {
    throw usageError(`Cannot write "${path}": the file already exists`);
  }
  const libraries = readLibraries(args) ?? ["comm"];
  const ops = operationsOf(libraries);
  await writeText(path, pythonDriver(ops));
  io.out(`Wrote ${path} with ${pluralize(ops.length, "operation")}. Run the driver with:\n\n`);
  io.out(
    `  parley-kit run --driver "python3 ${path}" ${
      libraries.map((lib) => `--lib ${lib}`).join(" ")
    }\n`,
  );
  return 0;
}

/** Returns the names of the operations that the cases for the given libraries need. */
function operationsOf(libraries: readonly string[]): readonly string[] {
  const cases = [...loadSuite().values()].filter(({ id }) => libraries.includes(libraryOf(id)));
  return [...new Set(cases.flatMap(neededOps))].sort();
}
