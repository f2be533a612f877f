/**
 * Builds of the drivers that other languages' tools build, in a folder that git ignores.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { startChild } from "../platform/child_process.ts";
import type { Toolchain } from "./subject.ts";

interface Tool {
  /** Command that succeeds if the tool is installed. */
  readonly probe: readonly string[];
  /** Debian packages that contain the tool. */
  readonly packages: string;
  /** Commands that build the project in a folder. */
  readonly commands: (folder: string, output: string) => readonly (readonly string[])[];
}

const TOOLS: Readonly<Record<Toolchain, Tool>> = {
  python: {
    probe: ["python3", "-m", "venv", "--help"],
    packages: "python3-venv",
    commands: (folder, output) => [
      ["python3", "-m", "venv", output],
      [`${output}/bin/pip`, "install", "--quiet", "--requirement", `${folder}/requirements.txt`],
    ],
  },
  go: {
    probe: ["go", "version"],
    packages: "golang",
    // The path of the output is relative to the folder of the project.
    commands: (folder, output) => [
      [
        "go",
        "build",
        "-C",
        folder,
        "-o",
        `${"../".repeat(folder.split("/").length)}${output}/driver`,
      ],
    ],
  },
  rust: {
    probe: ["cargo", "--version"],
    packages: "cargo",
    commands: (folder, output) => [[
      ...["cargo", "build", "--release", "--locked", "--quiet"],
      ...["--manifest-path", `${folder}/Cargo.toml`, "--target-dir", output],
    ]],
  },
  java: {
    probe: ["mvn", "--version"],
    packages: "maven",
    commands: (folder, output) => [[
      ...["mvn", "--quiet", "--batch-mode", "--file", `${folder}/pom.xml`],
      ...[`-DbuildDirectory=${"../".repeat(folder.split("/").length)}${output}`, "package"],
    ]],
  },
};

/**
 * Builds a project.
 *
 * @param folder Folder of the project, relative to the root of the repository.
 * @param output Folder for the build, relative to the root of the repository.
 * @returns The command that installs the tool if the tool is missing; otherwise `undefined`.
 * @throws {KitError} With code `usage` if the build fails.
 */
export async function build(
  tool: Toolchain,
  folder: string,
  output: string,
): Promise<string | undefined> {
  const { probe, packages, commands } = TOOLS[tool];
  if ((await runCommand(probe)).code !== 0) return `apt-get install ${packages}`;
  for (const command of commands(folder, output)) {
    const { code, errors } = await runCommand(command);
    if (code !== 0) {
      throw new KitError(KitErrorCode.Usage, `Cannot build ${folder}: ${errors.trim()}`);
    }
  }
  return undefined;
}

/** Runs a command. The code is `null` if the program cannot be started. */
async function runCommand(
  command: readonly string[],
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const chunks: Uint8Array[] = [];
  const collect = (chunk: Uint8Array): void => void chunks.push(chunk);
  try {
    const child = await startChild(command, { onOutput: collect, onErrorOutput: collect });
    child.closeInput();
    const { code } = await child.exited;
    return { code, errors: await new Blob(chunks.map((chunk) => Uint8Array.from(chunk))).text() };
  } catch (error) {
    return { code: null, errors: String(error) };
  }
}
