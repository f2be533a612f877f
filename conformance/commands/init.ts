/**
 * `parley-kit init`: writes a driver skeleton.
 *
 * @module
 */

import { folderOf, hasFileAbove, readText, writeText } from "../platform/fs.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { pluralize } from "../kit/pluralize.ts";
import { joinCommand } from "../kit/split_command.ts";
import { libraryOf } from "../kit/select_cases.ts";
import { neededOps } from "../runner/driver_executor.ts";
import { loadSuite } from "../suite.ts";
import { type Command, usageError } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { describeOperations } from "./describe_operations.ts";
import { goDriver } from "./init_go.ts";
import { javaDriver } from "./init_java.ts";
import { javascriptDriver } from "./init_javascript.ts";
import { pythonDriver } from "./init_python.ts";
import { rustDriver } from "./init_rust.ts";
import { programName } from "./program_name.ts";
import { readLibraries } from "./select_flags.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  lib: { type: "string", multiple: true },
  out: { type: "string" },
};

/** A driver skeleton. */
interface Skeleton {
  readonly format: (operations: readonly string[]) => string;
  /** Default file name. */
  readonly file: string;
  /** Returns the program and arguments that run a skeleton file. */
  readonly command: (path: string) => readonly string[];
  /** A file that the driver needs in its folder or in a parent folder. */
  readonly manifest?: {
    readonly name: string;
    /** Returns the text of the file for the name of the driver's file. */
    readonly text: (file: string) => string;
  };
}

const SKELETONS: ReadonlyMap<string, Skeleton> = new Map<string, Skeleton>([
  ["go", {
    format: goDriver,
    file: "parley_driver.go",
    command: (path) =>
      folderOf(path) === "." ? ["go", "run", "."] : ["go", "-C", folderOf(path), "run", "."],
    manifest: { name: "go.mod", text: () => "module parley_driver\n\ngo 1.23\n" },
  }],
  ["java", {
    format: javaDriver,
    file: "ParleyDriver.java",
    command: (path) => ["java", path],
  }],
  ["javascript", {
    format: javascriptDriver,
    file: "parley_driver.mjs",
    command: (path) => ["node", path],
  }],
  ["python", {
    format: pythonDriver,
    file: "parley_driver.py",
    command: (path) => ["python3", path],
  }],
  ["rust", {
    format: rustDriver,
    file: "parley_driver.rs",
    command: (path) => {
      const manifest = folderOf(path) === "." ? "Cargo.toml" : `${folderOf(path)}/Cargo.toml`;
      return ["cargo", "run", "--quiet", "--manifest-path", manifest];
    },
    manifest: {
      name: "Cargo.toml",
      text: (file) =>
        `[package]\nname = "parley_driver"\nversion = "0.0.0"\nedition = "2021"\n\n` +
        `[[bin]]\nname = "parley_driver"\npath = "${file}"\n`,
    },
  }],
]);

const LANGUAGES = [...SKELETONS.keys()].join(", ");

/** The `init` command. */
export const INIT: Command = {
  summary: "write a driver skeleton",
  usage: `parley-kit init LANGUAGE [--lib comm|runtime|mcp|model] [--out FILE]

Writes a driver that runs as is. All of its operations report "unsupported";
implement one after another. Languages: ${LANGUAGES}.
  --lib NAME                 include the operations of this library (repeatable;
                             default: comm)
  --out FILE                 file to write (default: parley_driver.*,
                             ParleyDriver.java)

For Go and Rust, init also writes go.mod or Cargo.toml, unless FILE is already
part of a Go module or Cargo package.`,
  run: initCommand,
};

async function initCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const [language, ...more] = args.words;
  if (language === undefined) {
    throw usageError(`Cannot write a driver: a language is required (supported: ${LANGUAGES})`);
  }
  const skeleton = SKELETONS.get(language);
  if (skeleton === undefined || more.length > 0) {
    throw usageError(
      `Cannot write a driver in "${
        args.words.join(" ")
      }": the language must be one of ${LANGUAGES}`,
    );
  }
  const path = args.text("out") ?? skeleton.file;
  if (await readText(path) !== undefined) {
    throw usageError(`Cannot write "${path}": the file already exists`);
  }
  const libraries = readLibraries(args) ?? ["comm"];
  const ops = operationsOf(libraries);
  await writeText(path, skeleton.format(describeOperations(ops)));
  const folder = folderOf(path);
  if (skeleton.manifest !== undefined && !await hasFileAbove(folder, skeleton.manifest.name)) {
    const { name, text } = skeleton.manifest;
    const file = path.split("/").at(-1) ?? path;
    await writeText(folder === "." ? name : `${folder}/${name}`, text(file));
    io.out(`Wrote ${name}.\n`);
  }
  io.out(`Wrote ${path} with ${pluralize(ops.length, "operation")}. Run the driver with:\n\n`);
  io.out(
    `  ${programName(io.env)} run --driver "${joinCommand(skeleton.command(path))}" ${
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
