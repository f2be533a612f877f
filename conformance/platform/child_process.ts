/**
 * Child processes, on Deno and Node: the one door to `node:child_process`.
 *
 * @module
 */

import { spawn } from "node:child_process";
import { environment } from "./process.ts";

/** How long to go on reading the output of a child that has gone, in milliseconds. */
const PIPE_MS = 250;

/** How a process ended. */
export interface Exit {
  /** The exit code, or null when a signal ended it. */
  readonly code: number | null;
  /** The signal that ended it, or null. */
  readonly signal: string | null;
}

/** What to do with what a child writes, and how to start it. */
export interface ChildOptions {
  /** Called with each chunk of standard output. */
  readonly onOutput?: (chunk: Uint8Array) => void;
  /** Called with each chunk of standard error. */
  readonly onErrorOutput?: (chunk: Uint8Array) => void;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folder to start in; default: that of this process. */
  readonly cwd?: string;
}

/** A process that was started here, leader of a process group of its own. */
export interface Child {
  /** Its id, which is also the id of its process group. */
  readonly pid: number;
  /** Resolves when it has ended and its output is read. */
  readonly exited: Promise<Exit>;
  /** Writes to its standard input; a child that no longer reads is not an error. */
  write(data: string | Uint8Array): void;
  /** Closes its standard input. */
  closeInput(): void;
}

const START_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "no such program",
  EACCES: "permission denied",
};

/** The system's words for it are not everybody's. */
function toStartError(cause: Error): Error {
  const reason = "code" in cause ? START_FAULTS[String(cause.code)] : undefined;
  return reason === undefined ? cause : new Error(reason, { cause });
}

/**
 * Starts a command without a shell.
 *
 * @param command the program and its arguments
 * @param options where its output goes; what is not asked for is thrown away
 * @returns the running child; rejects with the system's error when the command cannot be started
 */
export function startChild(command: readonly string[], options: ChildOptions = {}): Promise<Child> {
  const { onOutput, onErrorOutput, env, cwd } = options;
  const [program = "", ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      detached: true,
      stdio: ["pipe", onOutput ? "pipe" : "ignore", onErrorOutput ? "pipe" : "ignore"],
      ...(env === undefined ? {} : { env: { ...environment(), ...env } }),
      ...(cwd === undefined ? {} : { cwd }),
    });
    // A child that has gone makes writes fail; its exit says so, and says it better.
    child.stdin?.on("error", () => {});
    if (onOutput) child.stdout?.on("data", onOutput);
    if (onErrorOutput) child.stderr?.on("data", onErrorOutput);
    const exited = new Promise<Exit>((settle) => {
      child.once("close", (code, signal) => settle({ code, signal }));
      // A grandchild may hold the pipes open for ever after the child itself has gone.
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
