/**
 * The current process: arguments, environment, output and signals. The only module that imports
 * `node:process`.
 *
 * @module
 */

import process from "node:process";
import { toFilePath } from "./file_path.ts";

/** Returns true on Windows, which has neither process groups nor POSIX signals. */
export function isWindows(): boolean {
  return process.platform === "win32";
}

/** Writes text to standard output. */
export function writeOut(text: string): void {
  process.stdout.write(text);
}

/** Writes text to standard error. */
export function writeError(text: string): void {
  process.stderr.write(text);
}

/**
 * Ignores the error that occurs if the reader of standard output closes the pipe, as `head` does.
 * Any other error on standard output or standard error is thrown.
 */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: Error) => {
      if (!("code" in error) || error.code !== "EPIPE") throw error;
    });
  }
}

/** Writes bytes to standard output. */
export function writeBytes(bytes: Uint8Array): void {
  process.stdout.write(bytes);
}

/** Reads chunks of standard input. */
export function readInput(onChunk: (chunk: Uint8Array) => void, onEnd: () => void): void {
  process.stdin.on("data", onChunk);
  process.stdin.once("end", onEnd);
}

/** Stops reading standard input until {@linkcode resumeInput} is called. */
export function pauseInput(): void {
  process.stdin.pause();
}

/** Continues to read standard input. */
export function resumeInput(): void {
  process.stdin.resume();
}

/** Calls a function on each signal with the given name, instead of exiting. */
export function handleSignal(name: string, onSignal: () => void): void {
  process.on(name, onSignal);
}

/** Exits immediately. */
export function exitNow(code: number): never {
  return process.exit(code);
}

/** Returns true if standard error is a terminal. */
export function isTerminal(): boolean {
  return process.stderr.isTTY === true;
}

/** Returns the terminal's width, or `undefined` if it is unknown. */
export function terminalColumns(): number | undefined {
  return process.stderr.columns;
}

/** Returns true if standard output is a terminal and `NO_COLOR` is not set. */
export function hasColors(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}

/** Returns the command-line arguments. */
export function commandLine(): readonly string[] {
  return process.argv.slice(2);
}

/**
 * Returns true if a module is this process's main program. Node.js has no `import.meta.main` before
 * version 24.
 */
export function isMainModule(
  { url, main }: { readonly url: string; readonly main?: boolean },
): boolean {
  return main ?? toFilePath(url, isWindows()) === process.argv[1];
}

/** Returns the environment variables. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Returns the working directory. */
export function workingFolder(): string {
  return process.cwd();
}

/** Returns the program and arguments that start a script with the current runtime. */
export function runtimeCommand(script: string): readonly string[] {
  return "Deno" in globalThis
    ? [process.execPath, "run", "-A", script]
    : [process.execPath, script];
}

/** Sets the exit code of the process. */
export function setExitCode(code: number): void {
  process.exitCode = code;
}

/** An abort signal for interrupts, and a function that removes the signal listeners. */
export interface Interrupts {
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/** Creates an abort signal that is aborted by SIGINT and SIGTERM. */
export function listenForInterrupts(): Interrupts {
  const controller = new AbortController();
  const onSignal = (): void => controller.abort(new Error("Interrupted"));
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    stop: () => {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
