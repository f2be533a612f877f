/**
 * Runs a command-line program in the current process. The program does not depend on a specific
 * JavaScript runtime.
 *
 * @module
 */

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { abortable } from "@parley/internal/abortable";
import { ExitCode, messageOf } from "./exit_code.ts";

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
  /**
   * Asks the user for a line of text. Resolves to `undefined` at the end of the input. Absent if
   * the program has no terminal.
   */
  readonly ask?: (question: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Width of the terminal, in characters. Absent if standard output is not a terminal. */
  readonly columns?: number;
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Signal that is aborted when the command must stop. */
  readonly signal: AbortSignal;
}

/** Creates a function that asks on the terminal. Lines that are typed ahead are kept. */
function createAsk(): Exclude<CliIo["ask"], undefined> {
  let lines: AsyncIterator<string> | undefined;
  return async (question, signal) => {
    process.stderr.write(question);
    // The operating system edits the line, so that Ctrl-C is a signal in a question, too.
    const input = { input: process.stdin, terminal: false };
    lines ??= createInterface(input)[Symbol.asyncIterator]();
    let line: string | undefined;
    try {
      const { value, done } = await abortable(lines.next(), signal);
      line = done === true ? undefined : value;
      return line;
    } finally {
      // The user has typed no line break after the question.
      if (line === undefined) process.stderr.write("\n");
    }
  };
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
  let failure: string | undefined;
  let isOpen = true;
  // If the reader of the output has ended, such as `head`, the rest of the output is not needed.
  const fail = (error: unknown): void => {
    const message = messageOf(error);
    if (!/EPIPE|broken pipe/i.test(message)) failure ??= message;
    isOpen = false;
    interrupt.abort(new Error(message));
  };
  const code = await main(process.argv.slice(2), {
    out: createWrite(process.stdout, fail),
    err: createWrite(process.stderr, () => {}),
    readFile: (path) => readFile(path, "utf8"),
    writeFile,
    readStdin: () => text(process.stdin),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask: createAsk() } : {}),
    // Some terminals report the width 0.
    ...(process.stdout.isTTY && process.stdout.columns > 0
      ? { columns: process.stdout.columns }
      : {}),
    env: process.env,
    signal: interrupt.signal,
  });
  // Writes to a pipe are asynchronous on some systems, and `exit()` would discard them.
  if (isOpen) await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
  if (failure !== undefined) {
    process.stderr.write(`parley-mcp: Cannot write to standard output: ${failure}\n`);
  }
  process.exit(failure === undefined ? code : ExitCode.Usage);
}

/** The part of a standard stream that the program uses. */
interface OutputStream {
  write(text: string): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * Creates a function that writes to a stream. An error, for example because the reader of a pipe
 * has ended, is an event on Node.js and thrown on Deno.
 */
function createWrite(
  stream: OutputStream,
  onError: (error: unknown) => void,
): (text: string) => void {
  stream.on("error", onError);
  return (text) => {
    try {
      stream.write(text);
    } catch (error) {
      onError(error);
    }
  };
}
