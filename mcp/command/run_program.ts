/**
 * Runs a command-line program in the current process. The program does not depend on a specific
 * JavaScript runtime.
 *
 * @module
 */

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { text } from "node:stream/consumers";

/** A command-line program's access to output, files, environment variables and interrupts. */
export interface CliIo {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Reads a text file. */
  readonly readFile: (path: string) => Promise<string>;
  /** Writes a file, which replaces a file of the same name. */
  readonly writeFile: (path: string, bytes: Uint8Array) => Promise<void>;
  /** Reads the text on standard input, until its end. */
  readonly readStdin: () => Promise<string>;
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
  // If the reader of the output has ended, such as `head`, the rest of the output is not needed.
  process.stdout.on("error", () => interrupt.abort(new Error("EPIPE")));
  const code = await main(process.argv.slice(2), {
    out: (more) => void process.stdout.write(more),
    err: (more) => void process.stderr.write(more),
    readFile: (path) => readFile(path, "utf8"),
    writeFile,
    readStdin: () => text(process.stdin),
    env: process.env,
    signal: interrupt.signal,
  });
  // Writes to a pipe are asynchronous on some systems, and `exit()` would discard them.
  await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  process.exit(code);
}
