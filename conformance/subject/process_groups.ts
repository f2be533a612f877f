/**
 * A watchdog over every process that a run starts.
 *
 * It is a shell of its own that reads orders from a pipe. When the pipe ends, even because the runner was killed
 * outright, it ends every process group that it still knows.
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
 * Starts a watchdog; it needs a POSIX shell.
 *
 * @throws {KitError} `subject_start` when there is no shell, or it may not be run
 */
export async function watchProcessGroups(): Promise<ProcessGroups> {
  const watchdog = await startChild(["sh", "-c", SCRIPT]).catch((cause: Error) => {
    const message = `Cannot start process watchdog "sh": ${cause.message}`;
    throw new KitError(KitErrorCode.SubjectStart, message, { cause });
  });
  return new ProcessGroups(watchdog);
}

/** The process groups of one run. */
export class ProcessGroups {
  readonly #watchdog: Child;
  #isClosed = false;

  /** Takes over a running watchdog. */
  constructor(watchdog: Child) {
    this.#watchdog = watchdog;
  }

  /** Puts a group under watch. */
  add(group: number): void {
    this.#order(`add ${group}`);
  }

  /** Ends what is left of a group, and forgets it. */
  drop(group: number): void {
    this.#order(`drop ${group}`);
  }

  /** Sends a signal, such as `TERM`, to a group. */
  send(group: number, signal: string): void {
    this.#order(`send ${group} ${signal}`);
  }

  /** Ends all groups and the watchdog. May be called again. */
  async close(): Promise<void> {
    if (!this.#isClosed) this.#watchdog.closeInput();
    this.#isClosed = true;
    await this.#watchdog.exited;
  }

  /** The same as {@linkcode ProcessGroups.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #order(line: string): void {
    if (!this.#isClosed) this.#watchdog.write(`${line}\n`);
  }
}
