/**
 * Child processes on Deno and Node.js. The only module that imports `node:child_process` and
 * `cross-spawn`.
 *
 * @module
 */

import type { spawn as spawnProgram } from "node:child_process";
import crossSpawn from "cross-spawn";
import { environment, isWindows } from "./process.ts";

/**
 * On Windows, starts scripts such as `npx.cmd`, which `node:child_process` cannot find or start
 * without a shell. On other operating systems, `cross-spawn` calls `spawn()` of
 * `node:child_process`. The package has no type declarations.
 */
const spawn: typeof spawnProgram = crossSpawn;

/** Time allowed for reading a process's remaining output after its exit, in milliseconds. */
const PIPE_MS = 250;

/** Exit status of a process. */
export interface Exit {
  /** Exit code, or `null` if the process was terminated by a signal. */
  readonly code: number | null;
  /** Signal that terminated the process, or `null`. */
  readonly signal: string | null;
}

/** Options for {@linkcode startChild}. */
export interface ChildOptions {
  /** Called with each chunk of standard output. */
  readonly onOutput?: (chunk: Uint8Array) => void;
  /** Called with each chunk of standard error. */
  readonly onErrorOutput?: (chunk: Uint8Array) => void;
  /** Variables to add to the environment that the process inherits. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory. Defaults to the current working directory. */
  readonly cwd?: string;
}

/** A child process that leads a new process group, except on Windows. */
export interface Child {
  /** Process id, which is also the id of the process group. */
  readonly pid: number;
  /** Resolves when the process has exited and its output has been read. */
  readonly exited: Promise<Exit>;
  /**
   * Writes to standard input. Write errors are ignored if the process no longer reads its standard
   * input.
   */
  write(data: string | Uint8Array): void;
  /** Closes standard input. */
  closeInput(): void;
}

const START_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such program",
  EACCES: "permission denied",
};

/** Replaces system error codes with readable messages. */
function toStartError(cause: Error): Error {
  const reason = "code" in cause ? START_FAULTS[String(cause.code)] : undefined;
  return reason === undefined ? cause : new Error(reason, { cause });
}

/**
 * Starts a command without a shell.
 *
 * @param command The program and its arguments.
 * @param options Output callbacks. Output without a callback is discarded.
 * @returns The running process. Rejects with the operating system's error if the command cannot be
 * started.
 */
export function startChild(command: readonly string[], options: ChildOptions = {}): Promise<Child> {
  const { onOutput, onErrorOutput, env, cwd } = options;
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      // On Windows, a detached process opens a console window.
      detached: !isWindows(),
      windowsHide: true,
      stdio: ["pipe", onOutput ? "pipe" : "ignore", onErrorOutput ? "pipe" : "ignore"],
      ...(env === undefined ? {} : { env: { ...environment(), ...env } }),
      ...(cwd === undefined ? {} : { cwd }),
    });
    // Write errors after the process has exited are ignored, because callers detect the exit
    // through `exited`.
    child.stdin?.on("error", () => {});
    if (onOutput) child.stdout?.on("data", onOutput);
    if (onErrorOutput) child.stderr?.on("data", onErrorOutput);
    const exited = new Promise<Exit>((settle) => {
      child.once("close", (code, signal) => settle({ code, signal }));
      // A grandchild process can keep the pipes open after the process has exited.
      child.once("exit", (code, signal) => {
        const timer = setTimeout(() => {
          child.stdout?.destroy();
          child.stderr?.destroy();
          settle({ code, signal });
        }, PIPE_MS);
        child.once("close", () => clearTimeout(timer));
      });
    });
    child.once("error", (cause) => reject(toStartError(cause)));
    child.once("spawn", () => {
      resolve({
        pid: child.pid ?? 0,
        exited,
        write: (data) => void child.stdin?.write(data),
        closeInput: () => void child.stdin?.end(),
      });
    });
  });
}

/**
 * Runs a command with the streams and in the process group of the current process, until the
 * command exits.
 */
export function startInSameGroup(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit", env: { ...environment(), ...env } });
    child.once("error", reject);
    child.once("exit", () => resolve());
  });
}
