/**
 * The command line of the command that creates a project.
 *
 * @module
 */

import { createProject, ProjectError } from "@parley/internal/create-project";
import { escapeText } from "@parley/internal/escape-text";
import { STARTERS } from "./starters.ts";

/** Output of the command. */
export interface InitIo {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
}

const USAGE = `npx @parley/runtime init KIND FOLDER

Creates a project in a new folder, whose name is the name of the project.

Kinds
  agent   an agent with a tool
  team    an agent with a sub-agent
  acp     an agent for editors, with the Agent Client Protocol

With Deno: deno run -A jsr:@parley/runtime/init KIND FOLDER
The command "npx -p @parley/runtime parley-runs" manages durable runs.

Exit codes
  0 success   2 the arguments are invalid, or the folder cannot be created
`;

/**
 * Creates a project.
 *
 * @param args Arguments, excluding the program name: the optional word `init`, the kind (`agent`,
 * `team` or `acp`), and the path to the new folder.
 * @param io Functions that write the output.
 * @returns The exit code. 0: success. 2: the arguments are invalid, or the folder cannot be
 * created.
 *
 * @example Report an unknown project kind
 * ```ts
 * import { main } from "@parley/runtime/init";
 * import { assertEquals, assertStringIncludes } from "@std/assert";
 *
 * let text = "";
 * const code = await main(["init", "robot", "my-robot"], {
 *   out: () => {},
 *   err: (more) => text += more,
 * });
 * assertEquals(code, 2);
 * assertStringIncludes(text, 'the kind must be "agent", "team" or "acp", got "robot"');
 * ```
 */
export async function main(args: readonly string[], { out, err }: InitIo): Promise<number> {
  if (args[0] === "help" || args.includes("--help") || args.includes("-h")) {
    out(USAGE);
    return 0;
  }
  try {
    out(await createProject(args[0] === "init" ? args.slice(1) : args, STARTERS));
    return 0;
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error;
    err(`${escapeText(error.message)}\nRun "npx @parley/runtime --help" for usage.\n`);
    return 2;
  }
}
