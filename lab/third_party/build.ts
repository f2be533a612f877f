/**
 * Builds the programs in `drivers/third_party` with the toolchains for their languages.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import { startChild } from "../../conformance/platform/child_process.ts";
import { watchProcessGroups } from "../../conformance/subject/process_groups.ts";

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

/** Options for {@linkcode buildProgram}. */
export interface BuildOptions {
  /**
   * Called with the reason and the command that installs the toolchain, if the toolchain is
   * missing.
   */
  readonly onSkip: (reason: string) => void;
  /** Stops the build when aborted. */
  readonly signal: AbortSignal;
  /**
   * Time allowed for each command.
   *
   * @default {1_200_000}
   */
  readonly limitMs?: number;
}

/**
 * Builds a program. Repeated builds compile only what has changed.
 *
 * @param program Folder of the program in `drivers/third_party`, such as `go/mcp`. The first part
 *   of the path is the language.
 * @returns Whether the program has been built.
 * @throws {KitError} With code `bad_file` if the build fails or does not end in time.
 */
export async function buildProgram(program: string, options: BuildOptions): Promise<boolean> {
  const [language = ""] = program.split("/");
  const toolchain = TOOLCHAINS[language];
  if (toolchain === undefined) {
    throw cannotBuild(program, `no toolchain for ${language}`);
  }
  for (const command of toolchain.commands(`${SOURCES}/${program}`, buildFolder(program))) {
    const end = await runCommand(command, options);
    if (end.kind === "missing") {
      const [name] = command;
      options.onSkip(
        `Skipped ${program}: ${name} is not installed. Install it with: ${toolchain.install}`,
      );
      return false;
    }
    if (end.kind === "failed") throw cannotBuild(program, `${command.join(" ")}\n${end.reason}`);
  }
  return true;
}

/** Result of a command. */
type CommandEnd =
  | { readonly kind: "done" }
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly reason: string };

/** Runs a command, and ends it with all its processes if it does not end in time. */
export async function runCommand(
  command: readonly string[],
  { signal, limitMs = 1_200_000 }: Omit<BuildOptions, "onSkip">,
): Promise<CommandEnd> {
  const output: string[] = [];
  const decoder = new TextDecoder();
  const keep = (chunk: Uint8Array): void => void output.push(decoder.decode(chunk));
  await using groups = await watchProcessGroups();
  const child = await startChild(command, { onOutput: keep, onErrorOutput: keep })
    .catch((cause: Error) => {
      if (cause.message === "no such program") return undefined;
      throw cause;
    });
  if (child === undefined) return { kind: "missing" };
  groups.add(child.pid);
  child.closeInput();
  const limit = AbortSignal.timeout(limitMs);
  const end = AbortSignal.any([signal, limit]);
  const stop = (): void => void groups.close();
  if (end.aborted) stop();
  end.addEventListener("abort", stop, { once: true });
  const { code } = await child.exited;
  end.removeEventListener("abort", stop);
  if (code === 0) return { kind: "done" };
  const lines = limit.aborted ? [`not finished within ${limitMs / 1000} seconds`] : [];
  return { kind: "failed", reason: [...lines, output.join("").trim()].join("\n").trim() };
}

function cannotBuild(program: string, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot build ${program}: ${reason}`);
}

/** Returns the path from a folder to the root of the repository. */
function fromRoot(folder: string): string {
  return folder.split("/").map(() => "..").join("/");
}
