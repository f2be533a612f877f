/**
 * The processes of a run, which are killed at its end.
 *
 * @module
 */

import { isWindows } from "../platform/process.ts";
import { type GroupControl, startPosixControl, WindowsControl } from "./group_control.ts";

/**
 * Starts the control of the processes of a run. Requires a POSIX shell, except on Windows.
 *
 * @throws {KitError} With code `subject_start` if the shell cannot be started.
 */
export async function watchProcessGroups(): Promise<ProcessGroups> {
  return new ProcessGroups(isWindows() ? new WindowsControl() : await startPosixControl());
}

/** Process groups started in one run. On Windows, a process and its descendants are a group. */
export class ProcessGroups {
  readonly #control: GroupControl;
  readonly #lateKills: Promise<unknown>[] = [];
  /** Resolves when all process groups are killed. Set by `close()`. */
  #closing: Promise<void> | undefined;

  /** Creates a `ProcessGroups` object. */
  constructor(control: GroupControl) {
    this.#control = control;
  }

  /** Registers a process group, or kills it if {@linkcode ProcessGroups.close} has been called. */
  add(group: number): void {
    if (this.#closing === undefined) this.#control.add(group);
    else this.#lateKills.push(this.#control.killLate(group));
  }

  /** Kills a process group and removes its registration. */
  drop(group: number): void {
    if (this.#closing === undefined) this.#control.drop(group);
  }

  /** Sends a signal, such as `TERM`, to a process group. */
  send(group: number, signal: string): void {
    if (this.#closing === undefined) this.#control.send(group, signal);
  }

  /**
   * Kills all process groups. A repeated call only waits until process groups that were added after
   * the first call are killed.
   */
  async close(): Promise<void> {
    this.#closing ??= this.#control.close();
    await Promise.all([this.#closing, ...this.#lateKills]);
  }

  /** Calls {@linkcode ProcessGroups.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/**
 * Calls a function with a watchdog. An interrupt kills the subject's processes, which settles
 * pending operations.
 */
export async function withProcessGroups<T>(
  signal: AbortSignal | undefined,
  act: (groups: ProcessGroups) => Promise<T>,
): Promise<T> {
  const groups = await watchProcessGroups();
  const onAbort = (): void => void groups.close();
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    // The signal may have been aborted while the watchdog was starting.
    signal?.throwIfAborted();
    return await act(groups);
  } finally {
    signal?.removeEventListener("abort", onAbort);
    await groups.close();
  }
}
