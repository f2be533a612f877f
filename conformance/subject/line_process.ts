/**
 * A process that speaks in lines on its standard output.
 *
 * @module
 */

import { type Child, type Exit, startChild } from "../platform/child_process.ts";
import { LineSplitter } from "./lines.ts";
import type { ProcessGroups } from "./process_groups.ts";
import { TIMED_OUT, waitFor } from "./wait_for.ts";

/** How to start a process and what to do with its lines. */
export interface LineProcessOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Who watches over it. */
  readonly groups: ProcessGroups;
  /** Called with each line of standard output. */
  readonly onLine: (line: string) => void;
  /** Called once, when a line outgrows the limit; the process is ended then. */
  readonly onOverflow: (bytes: number) => void;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The longest line accepted; default 8 MiB. */
  readonly maxLineBytes?: number;
}

const MAX_LINE_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 8000;

/** Starts a process; rejects with the system's error when the command cannot be started. */
export async function startLineProcess(options: LineProcessOptions): Promise<LineProcess> {
  const { command, groups, onLine, onOverflow, env, maxLineBytes = MAX_LINE_BYTES } = options;
  const errors = new ErrorTail();
  let overflow = onOverflow;
  const lines = new LineSplitter(
    { line: onLine, overflow: (bytes) => overflow(bytes) },
    maxLineBytes,
  );
  const child = await startChild(command, {
    onOutput: (chunk) => lines.push(chunk),
    onErrorOutput: (chunk) => errors.add(chunk),
    ...(env === undefined ? {} : { env }),
  });
  groups.add(child.pid);
  overflow = (bytes) => {
    onOverflow(bytes);
    groups.send(child.pid, "KILL");
  };
  return new LineProcess(child, groups, errors, lines);
}

/** A running process, its group under watch. */
export class LineProcess {
  /** Resolves when it has ended, its group with it. */
  readonly exited: Promise<Exit>;
  readonly #child: Child;
  readonly #groups: ProcessGroups;
  readonly #errors: ErrorTail;

  /** Takes over a child; use {@linkcode startLineProcess}. */
  constructor(child: Child, groups: ProcessGroups, errors: ErrorTail, lines: LineSplitter) {
    this.#child = child;
    this.#groups = groups;
    this.#errors = errors;
    this.exited = child.exited.then((exit) => {
      lines.end();
      groups.drop(child.pid);
      return exit;
    });
  }

  /** Writes text or bytes to its standard input. */
  write(data: string | Uint8Array): void {
    this.#child.write(data);
  }

  /** Closes its standard input. */
  closeInput(): void {
    this.#child.closeInput();
  }

  /** Sends a signal, such as `TERM`, to its whole group. */
  signal(name: string): void {
    this.#groups.send(this.#child.pid, name);
  }

  /** The last lines it wrote to standard error. */
  errorTail(): string {
    return this.#errors.text();
  }

  /** Ends it at once, with everything it started. */
  async kill(): Promise<Exit> {
    this.signal("KILL");
    return await this.exited;
  }

  /**
   * Closes its input and waits for it to leave by itself.
   *
   * @param graceMs how long before it is killed
   * @returns how it ended, or undefined when it had to be killed
   */
  async stop(graceMs: number): Promise<Exit | undefined> {
    this.closeInput();
    const exit = await waitFor(this.exited, graceMs);
    if (exit !== TIMED_OUT) return exit;
    await this.kill();
    return undefined;
  }
}

/** Keeps the end of what a process writes to standard error. */
export class ErrorTail {
  readonly #decoder = new TextDecoder();
  #text = "";

  /** Takes the next bytes. */
  add(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.decode(chunk, { stream: true }))
      .slice(-MAX_ERROR_CHARACTERS);
  }

  /** The last twenty lines. */
  text(): string {
    return this.#text.trimEnd().split("\n").slice(-20).join("\n");
  }
}
