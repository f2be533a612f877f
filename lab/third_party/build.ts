/**
 * Builds the programs in `drivers/third_party` with the toolchains for their languages.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import { startChild } from "../../conformance/platform/child_process.ts";

const SOURCES = "lab/drivers/third_party";
const BUILDS = ".scratch/third_party";

/** Commands of a toolchain. The first word of each command must be installed. */
interface Toolchain {
  /** Command that installs the toolchain on Debian. */
  readonly install: string;
  /** Commands that build the program in `source` and write to `target`. */
  readonly commands: (source: string, target: string) => readonly (readonly string[])[];
}

const TOOLCHAINS: Readonly<Record<string, Toolchain>> = {
  go: {
    install: "apt-get install golang",
    commands: (source, target) => [
      ["mkdir", "-p", target],
      ["go", "-C", source, "build", "-o", `${fromRoot(source)}/${target}/`, "./..."],
    ],
  },
  java: {
    install: "apt-get install maven",
    commands: (source, target) => [[
      ...["mvn", "--quiet", "--batch-mode", "--file", `${source}/pom.xml`],
      ...[`-DbuildDirectory=${fromRoot(source)}/${target}`, "package"],
    ]],
  },
  python: {
    install: "apt-get install python3-venv",
    commands: (source, target) => [
      ["python3", "-m", "venv", target],
      [`${target}/bin/pip`, "install", "--quiet", "-r", `${source}/requirements.txt`],
    ],
  },
  rust: {
    install: "apt-get install cargo",
    commands: (source, target) => [
      [
        "cargo",
        "build",
        "--quiet",
        "--locked",
        "--manifest-path",
        `${source}/Cargo.toml`,
        "--target-dir",
        target,
      ],
    ],
  },
};

/** Returns the build folder of a program, which version control ignores. */
export function buildFolder(program: string): string {
  return `${BUILDS}/${program.replaceAll("/", "-")}`;
}

/**
 * Builds a program. Repeated builds compile only what has changed.
 *
 * @param program Folder of the program in `drivers/third_party`, such as `go/mcp`. The first part
 *   of the path is the language.
 * @param onSkip Called with the reason and the command that installs the toolchain, if the
 * toolchain is missing.
 * @returns Whether the program has been built.
 * @throws {KitError} With code `bad_file` if the build fails.
 */
export async function buildProgram(
  program: string,
  onSkip: (reason: string) => void,
): Promise<boolean> {
  const [language = ""] = program.split("/");
  const toolchain = TOOLCHAINS[language];
  if (toolchain === undefined) {
    throw new KitError(
      KitErrorCode.BadFile,
      `Cannot build ${program}: no toolchain for ${language}`,
    );
  }
  for (const command of toolchain.commands(`${SOURCES}/${program}`, buildFolder(program))) {
    if (!await runCommand(program, command)) {
      const [name] = command;
      onSkip(`Skipped ${program}: ${name} is not installed. Install it with: ${toolchain.install}`);
      return false;
    }
  }
  return true;
}

/** Runs a command. Returns false if the command is not installed. */
async function runCommand(program: string, command: readonly string[]): Promise<boolean> {
  const output: string[] = [];
  const decoder = new TextDecoder();
  const keep = (chunk: Uint8Array): void => void output.push(decoder.decode(chunk));
  const child = await startChild(command, { onOutput: keep, onErrorOutput: keep })
    .catch((cause: Error) => {
      if (cause.message === "no such program") return undefined;
      throw cause;
    });
  if (child === undefined) return false;
  child.closeInput();
  const { code } = await child.exited;
  if (code === 0) return true;
  throw new KitError(
    KitErrorCode.BadFile,
    `Cannot build ${program}: ${command.join(" ")}\n${output.join("").trim()}`,
  );
}

/** Returns the path from a folder to the root of the repository. */
function fromRoot(folder: string): string {
  return folder.split("/").map(() => "..").join("/");
}
