/**
 * `parley-kit init`: write the skeleton of a driver.
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
  summary: "write the skeleton of a driver",
  usage: `parley-kit init python [--lib comm|runtime|mcp] [--out FILE]

Writes a driver whose operations all answer "unsupported", to be filled in one
by one. It runs as it is.
  --lib NAME                 the operations of this library (may come again;
                             default comm)
  --out FILE                 where to write (default parley_driver.py)`,
  run: initCommand,
};

async function initCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const [language, ...more] = args.words;
  if (language === undefined) throw usageError("Cannot write a driver: name its language: python");
  if (language !== "python" || more.length > 0) {
    throw usageError(`Cannot write a driver in "${args.words.join(" ")}": only python is there`);
  }
  const path = args.text("out") ?? "parley_driver.py";
  if (await readText(path) !== undefined) {
    throw usageError(`Cannot write "${path}": it is there already`);
  }
  const libraries = readLibraries(args) ?? ["comm"];
  const ops = operationsOf(libraries);
  await writeText(path, pythonDriver(ops));
  io.out(`Wrote ${path} with ${pluralize(ops.length, "operation")}. Now:\n\n`);
  io.out(
    `  parley-kit run --driver "python3 ${path}" ${
      libraries.map((lib) => `--lib ${lib}`).join(" ")
    }\n`,
  );
  return 0;
}

/** The operations that the kit's cases call. */
function operationsOf(libraries: readonly string[]): readonly string[] {
  const cases = [...loadSuite().values()].filter(({ id }) => libraries.includes(libraryOf(id)));
  return [...new Set(cases.flatMap(neededOps))].sort();
}
