/**
 * A process that writes lines to its standard output.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { type Child, type Exit, startChild } from "../platform/child_process.ts";
import { ErrorOutput } from "./error_output.ts";
import { ByteLineSplitter, decodeLine } from "./lines.ts";
import type { ProcessGroups } from "./process_groups.ts";
import { TIMED_OUT, waitFor } from "./wait_for.ts";

/** Options for {@linkcode startLineProcess}. */
export interface LineProcessOptions {
  /** Program and arguments. */
  readonly command: readonly string[];
  /** Watchdog for the process. */
  readonly groups: ProcessGroups;
  /** Called with each line of standard output. */
  readonly onLine: (line: string) => void;
  /** Called with the bytes of each line of standard output, before `onLine`. */
  readonly onBytes?: (line: Uint8Array) => void;
  /** Called once, before the process is killed, if a line exceeds `maxLineBytes`. */
  readonly onOverflow: (bytes: number) => void;
  /** Variables to add to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Maximum length of a line, in bytes.
   *
   * @default {8_388_608}
   */
  readonly maxLineBytes?: number;
}

const MAX_LINE_BYTES = 8 * 1024 * 1024;

/**
 * Starts a process.
 *
 * @throws {KitError} With code `subject_start` if the command cannot be started.
 */
export async function startLineProcess(options: LineProcessOptions): Promise<LineProcess> {
  const { command, groups, onLine, onBytes, onOverflow, env } = options;
  const { maxLineBytes = MAX_LINE_BYTES } = options;
  const errors = new ErrorOutput();
  let overflow = onOverflow;
  const lines = new ByteLineSplitter({
    line: (bytes) => {
      onBytes?.(bytes);
      onLine(decodeLine(bytes));
    },
    overflow: (bytes) => overflow(bytes),
  }, maxLineBytes);
  const child = await startChild(command, {
    onOutput: (chunk) => lines.push(chunk),
    onErrorOutput: (chunk) => errors.add(chunk),
    ...(env === undefined ? {} : { env }),
  }).catch((cause: Error) => {
    const message = `Cannot start "${command[0] ?? ""}": ${cause.message}`;
    throw new KitError(KitErrorCode.SubjectStart, message, { cause });
  });
  groups.add(child.pid);
  overflow = (bytes) => {
    onOverflow(bytes);
    groups.send(child.pid, "KILL");
  };
  return new LineProcess(child, groups, errors, lines);
}

/** A running process whose process group is watched. */
export class LineProcess {
  /** Resolves when the process has exited and the rest of its process group has been killed. */
  readonly exited: Promise<Exit>;
  readonly #child: Child;
  readonly #groups: ProcessGroups;
  readonly #errors: ErrorOutput;

  /**
   * Creates a `LineProcess` for a running child process. Use {@linkcode startLineProcess} to start
   * a process.
   */
  constructor(child: Child, groups: ProcessGroups, errors: ErrorOutput, lines: ByteLineSplitter) {
    this.#child = child;
    this.#groups = groups;
    this.#errors = errors;
    this.exited = child.exited.then((exit) => {
      lines.end();
      groups.drop(child.pid);
      return exit;
    });
  }

  /** Writes to standard input. */
  write(data: string | Uint8Array): void {
    this.#child.write(data);
  }

  /** Closes standard input. */
  closeInput(): void {
    this.#child.closeInput();
  }

  /** Sends a signal, such as `TERM`, to the process group. */
  signal(name: string): void {
    this.#groups.send(this.#child.pid, name);
  }

  /** Starts a case: {@linkcode errorExcerpt} omits the output of earlier cases. */
  beginCase(): void {
    this.#errors.begin();
  }

  /** Excerpt from standard error since the last case started. */
  errorExcerpt(): string {
    return this.#errors.excerpt();
  }

  /** Kills the process group. */
  async kill(): Promise<Exit> {
    this.signal("KILL");
    return await this.exited;
  }

  /**
   * Closes standard input and waits for the process to exit.
   *
   * @param graceMs Time after which the process is killed, in milliseconds.
   * @returns The exit status, or `undefined` if the process was killed.
   */
  async stop(graceMs: number): Promise<Exit | undefined> {
    this.closeInput();
    const exit = await waitFor(this.exited, graceMs);
    if (exit !== TIMED_OUT) return exit;
    await this.kill();
    return undefined;
  }
}
