/**
 * This process: arguments, environment, output, signals. The one door to `node:process`.
 *
 * @module
 */

import process from "node:process";

/** Writes text to standard output. */
export function writeOut(text: string): void {
  process.stdout.write(text);
}

/** Writes text to standard error. */
export function writeError(text: string): void {
  process.stderr.write(text);
}

/**
 * Lets a reader of the output leave early, as `head` does: what is left to do is done, and the exit code tells. Whatever
 * else keeps output from being written is an error.
 */
export function letReadersLeave(): void {
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

/** Reads standard input as it comes. */
export function readInput(onChunk: (chunk: Uint8Array) => void, onEnd: () => void): void {
  process.stdin.on("data", onChunk);
  process.stdin.once("end", onEnd);
}

/** Leaves at once. */
export function exitNow(code: number): never {
  return process.exit(code);
}

/** Whether a person sits at standard error: then a progress line makes sense. */
export function isTerminal(): boolean {
  return process.stderr.isTTY === true;
}

/** How many columns the terminal at standard error has, where there is one. */
export function terminalColumns(): number | undefined {
  return process.stderr.columns;
}

/** Whether standard output is a terminal, and nobody has asked for it without colours. */
export function hasColors(): boolean {
  return process.stdout.isTTY === true && !process.env.NO_COLOR;
}

/** The arguments of the command line. */
export function commandLine(): readonly string[] {
  return process.argv.slice(2);
}

/** Returns true if a module is the program of this process. Node.js before version 24 has no `import.meta.main`. */
export function isMainModule(
  { url, main }: { readonly url: string; readonly main?: boolean },
): boolean {
  return main ?? new URL(url).pathname === process.argv[1];
}

/** The environment of this process. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** The folder this process works in. */
export function workingFolder(): string {
  return process.cwd();
}

/** The program and arguments that start a script with the runtime at work here. */
export function runtimeCommand(script: string): readonly string[] {
  return "Deno" in globalThis
    ? [process.execPath, "run", "-A", script]
    : [process.execPath, script];
}

/** Sets the code this process will exit with, once it has nothing left to do. */
export function setExitCode(code: number): void {
  process.exitCode = code;
}

/** An abort signal for the interrupts of a terminal or a service manager, and the way to stop listening. */
export interface Interrupts {
  readonly signal: AbortSignal;
  readonly stop: () => void;
}

/** Listens for SIGINT and SIGTERM. */
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
