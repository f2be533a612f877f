/**
 * A watchdog for the processes of a run.
 *
 * The watchdog is a shell process that reads commands from a pipe. When the pipe closes, for
 * example because the runner was killed, the watchdog kills all registered process groups.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { type Child, startChild } from "../platform/child_process.ts";

const SCRIPT = `
groups=" "
forget() {
  case "$groups" in *" $1 "*) groups="\${groups%% "$1" *} \${groups#* "$1" }";; esac
}
while read -r order group signal; do
  case $order in
    add) groups="$groups$group " ;;
    drop) kill -KILL "-$group" 2>/dev/null; forget "$group" ;;
    send) kill "-$signal" "-$group" 2>/dev/null ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
exit 0
`;

/**
 * Starts a watchdog. Requires a POSIX shell.
 *
 * @throws {KitError} With code `subject_start` if the shell cannot be started.
 */
export async function watchProcessGroups(): Promise<ProcessGroups> {
  const watchdog = await startChild(["sh", "-c", SCRIPT]).catch((cause: Error) => {
    const message = `Cannot start process watchdog "sh": ${cause.message}`;
    throw new KitError(KitErrorCode.SubjectStart, message, { cause });
  });
  return new ProcessGroups(watchdog);
}

/** Process groups started in one run. */
export class ProcessGroups {
  readonly #watchdog: Child;
  readonly #lateKills: Promise<unknown>[] = [];
  #isClosed = false;

  /** Creates a `ProcessGroups` object for a running watchdog. */
  constructor(watchdog: Child) {
    this.#watchdog = watchdog;
  }

  /** Registers a process group, or kills it if {@linkcode ProcessGroups.close} has been called. */
  add(group: number): void {
    if (!this.#isClosed) return this.#order(`add ${group}`);
    // A shell has already started as the watchdog. If this second shell fails to start, the
    // subject's process exits when its input ends.
    const kill = startChild(["sh", "-c", `kill -KILL "-${group}"`]).then(({ exited }) => exited);
    this.#lateKills.push(kill.catch(() => {}));
  }

  /** Kills a process group and removes its registration. */
  drop(group: number): void {
    this.#order(`drop ${group}`);
  }

  /** Sends a signal, such as `TERM`, to a process group. */
  send(group: number, signal: string): void {
    this.#order(`send ${group} ${signal}`);
  }

  /**
   * Kills all process groups and stops the watchdog. A repeated call only waits until process
   * groups that were added after the first call are killed.
   */
  async close(): Promise<void> {
    if (!this.#isClosed) this.#watchdog.closeInput();
    this.#isClosed = true;
    await Promise.all([this.#watchdog.exited, ...this.#lateKills]);
  }

  /** Calls {@linkcode ProcessGroups.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #order(line: string): void {
    if (!this.#isClosed) this.#watchdog.write(`${line}\n`);
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
