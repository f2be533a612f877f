/**
 * Runs a command-line program in the current process. The program does not depend on a specific
 * JavaScript runtime.
 *
 * @module
 */

import { readFile } from "node:fs/promises";
import process from "node:process";

/** A command-line program's access to output, files, environment variables and interrupts. */
export interface CliIo {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Reads a text file. */
  readonly readFile: (path: string) => Promise<string>;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Signal that is aborted when the command must stop. */
  readonly signal: AbortSignal;
}

/**
 * Runs a program with the arguments and streams of the current process, and exits. SIGINT and
 * SIGTERM abort the program's signal. A second signal terminates the process immediately.
 */
export async function runProgram(
  main: (args: readonly string[], io: CliIo) => Promise<number>,
): Promise<void> {
  const interrupt = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => interrupt.abort(new Error(signal)));
  }
  const code = await main(process.argv.slice(2), {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    readFile: (path) => readFile(path, "utf8"),
    env: process.env,
    signal: interrupt.signal,
  });
  process.exit(code);
}
