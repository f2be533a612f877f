/**
 * The `parley-runs` process: arguments, output, environment, interrupts and the installed database
 * driver.
 *
 * @module
 */

import { existsSync } from "node:fs";
import process from "node:process";

/** Functions and values through which `parley-runs` accesses its environment. */
export interface RunsCliIo {
  /** Writes to standard output. */
  readonly out: (text: string) => void;
  /** Writes to standard error. */
  readonly err: (text: string) => void;
  /** Whether standard output supports ANSI colors. */
  readonly colors: boolean;
  /** Width of the terminal, in characters. */
  readonly columns: number;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the current time, in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Returns true if a file exists. */
  readonly hasFile: (path: string) => boolean;
  /** Imports the user-installed `pg-boss` package. */
  readonly importPgBoss: () => Promise<unknown>;
  /** Aborted when the user interrupts the command. */
  readonly signal: AbortSignal;
}

/** Width of the output if standard output is not a terminal. */
const DEFAULT_COLUMNS = 160;

/**
 * Runs a command line with the arguments and output of the current process, and sets its exit code.
 */
export async function runProgram(
  main: (args: readonly string[], io: RunsCliIo) => Promise<number>,
): Promise<void> {
  const interrupt = new AbortController();
  const onSignal = (): void => interrupt.abort(new Error("Interrupted"));
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: Error) => {
      // A reader such as `head` may close the output pipe early.
      if (!("code" in error) || error.code !== "EPIPE") throw error;
    });
  }
  try {
    process.exitCode = await main(process.argv.slice(2), {
      out: (text) => void process.stdout.write(text),
      err: (text) => void process.stderr.write(text),
      colors: process.stdout.isTTY === true && !process.env.NO_COLOR,
      columns: process.stdout.columns ?? DEFAULT_COLUMNS,
      env: process.env,
      now: Date.now,
      hasFile: existsSync,
      importPgBoss,
      signal: interrupt.signal,
    });
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
  }
}

async function importPgBoss(): Promise<unknown> {
  // The specifier is computed so that package registries and bundlers do not add the driver to the
  // dependencies.
  const specifier = "Deno" in globalThis ? "npm:pg-boss@12" : "pg-boss";
  return await import(specifier);
}
