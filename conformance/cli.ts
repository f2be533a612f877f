/**
 * The kit's command line, `parley-kit`.
 *
 *     deno run -A jsr:@parley/conformance/cli run --driver "python3 my_driver.py"
 *     npx -p @parley/conformance parley-kit run --driver "python3 my_driver.py"
 *
 * @module
 */

import { CASES } from "./commands/cases.ts";
import type { Command } from "./commands/command.ts";
import type { CommandIo } from "./kit/command_io.ts";
import { DIFF } from "./commands/diff.ts";
import { DOCTOR } from "./commands/doctor.ts";
import { EXPLAIN } from "./commands/explain.ts";
import { INIT } from "./commands/init.ts";
import { LIST } from "./commands/list.ts";
import { RUN } from "./commands/run.ts";
import { PEER } from "./commands/peer.ts";
import { programName } from "./commands/program_name.ts";
import { RECORD } from "./commands/record.ts";
import { KitError, KitErrorCode } from "./kit/error.ts";
import { runProgram } from "./platform/run_program.ts";
import { KIT_VERSION } from "./runner/version.ts";
import { escapeText } from "./kit/escape_text.ts";

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ["run", RUN],
  ["list", LIST],
  ["explain", EXPLAIN],
  ["diff", DIFF],
  ["doctor", DOCTOR],
  ["init", INIT],
  ["record", RECORD],
  ["peer", PEER],
  ["cases", CASES],
]);

export type { CommandIo };

/** Maps each error code to an exit code. */
const EXIT_CODES: Readonly<Record<KitErrorCode, number>> = {
  [KitErrorCode.Usage]: 2,
  [KitErrorCode.BadFile]: 2,
  [KitErrorCode.SubjectStart]: 2,
  [KitErrorCode.NothingToRun]: 4,
  [KitErrorCode.KitFault]: 3,
};

const INTERRUPTED = 130;

/**
 * Runs a command line.
 *
 * @param args Arguments, without the program name.
 * @param io Access to output, environment variables and interrupts.
 * @returns The exit code. 0: all required cases pass. 1: failures. 2: invalid usage, or the subject
 *   failed to start. 3: error in the kit itself. 4: no case was run. 130: interrupted.
 *
 * @example List the cases of one topic
 * ```ts
 * import { main } from "@parley/conformance/cli";
 * import { assertEquals, assertStringIncludes } from "@std/assert";
 *
 * let text = "";
 * const code = await main(["list", "--only", "comm/ed25519/sign-test-*"], {
 *   out: (more) => text += more,
 *   err: () => {},
 *   isTerminal: false,
 *   colors: false,
 *   env: {},
 *   signal: new AbortController().signal,
 * });
 * assertEquals(code, 0);
 * assertStringIncludes(text, "5 cases");
 * ```
 */
export async function main(args: readonly string[], io: CommandIo): Promise<number> {
  const [name = "help", ...rest] = args;
  const command = COMMANDS.get(name);
  if (command === undefined) return await mainHelp(name, io);
  if (isHelpRequested(rest)) {
    io.out(`${command.usage}\n`);
    return 0;
  }
  try {
    return await command.run(rest, io);
  } catch (error) {
    if (io.signal.aborted) return INTERRUPTED;
    if (!(error instanceof KitError)) throw error;
    io.err(`parley-kit: ${error.message}\n`);
    if (error.code === KitErrorCode.Usage) {
      io.err(`Run "${programName(io.env)} ${name} --help" for usage.\n`);
    }
    return EXIT_CODES[error.code];
  }
}

/**
 * Returns true if the arguments request help. Arguments after `--` are ignored, because they belong
 * to the recorded command.
 */
function isHelpRequested(words: readonly string[]): boolean {
  const split = words.indexOf("--");
  const own = split < 0 ? words : words.slice(0, split);
  return own.includes("--help") || own.includes("-h");
}

async function mainHelp(name: string, io: CommandIo): Promise<number> {
  await Promise.resolve();
  if (name === "--version") {
    io.out(`${KIT_VERSION}\n`);
    return 0;
  }
  const isAsked = ["help", "--help", "-h"].includes(name);
  if (!isAsked) io.err(`parley-kit: Cannot run "${escapeText(name)}": unknown command\n`);
  const lines = [...COMMANDS].map(([each, { summary }]) => `  ${each.padEnd(10)} ${summary}`);
  (isAsked ? io.out : io.err)(
    `parley-kit COMMAND [options]\n\n${
      lines.join("\n")
    }\n\nRun "parley-kit COMMAND --help" for details.\n`,
  );
  return isAsked ? 0 : 2;
}

// Before version 24, Node.js lacks `import.meta.main`, so the npm package starts bin.ts instead of
// this file.
if ((import.meta as { readonly main?: boolean }).main === true) await runProgram(main);
