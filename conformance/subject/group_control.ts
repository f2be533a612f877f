/**
 * Kills groups of processes. The differences between operating systems are here.
 *
 * @module
 */

import { KitError, KitErrorCode } from "../kit/error.ts";
import { type Child, startChild } from "../platform/child_process.ts";

/** Kills groups of processes, and all registered ones at the end. */
export interface GroupControl {
  /** Registers a group. */
  add(group: number): void;
  /** Kills a group and removes its registration. */
  drop(group: number): void;
  /** Sends a signal, such as `TERM`, to a group. */
  send(group: number, signal: string): void;
  /** Kills a group that was started before the end and registered after it. Never rejects. */
  killLate(group: number): Promise<unknown>;
  /** Kills all registered groups. */
  close(): Promise<void>;
}

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
 * Starts a watchdog, a shell process that reads commands from a pipe. When the pipe closes, for
 * example because the runner was killed, the watchdog kills all registered process groups.
 *
 * @throws {KitError} With code `subject_start` if the shell cannot be started.
 */
export async function startPosixControl(): Promise<GroupControl> {
  const watchdog = await startChild(["sh", "-c", SCRIPT]).catch((cause: Error) => {
    const message = `Cannot start process watchdog "sh": ${cause.message}`;
    throw new KitError(KitErrorCode.SubjectStart, message, { cause });
  });
  return new PosixControl(watchdog);
}

class PosixControl implements GroupControl {
  readonly #watchdog: Child;

  constructor(watchdog: Child) {
    this.#watchdog = watchdog;
  }

  add(group: number): void {
    this.#watchdog.write(`add ${group}\n`);
  }

  drop(group: number): void {
    this.#watchdog.write(`drop ${group}\n`);
  }

  send(group: number, signal: string): void {
    this.#watchdog.write(`send ${group} ${signal}\n`);
  }

  async killLate(group: number): Promise<unknown> {
    // A shell has already started as the watchdog. If this second shell fails to start, the
    // subject's process exits when its input ends.
    const kill = startChild(["sh", "-c", `kill -KILL "-${group}"`]).then(({ exited }) => exited);
    return await kill.catch(() => {});
  }

  async close(): Promise<void> {
    this.#watchdog.closeInput();
    await this.#watchdog.exited;
  }
}

/**
 * Kills processes and their descendants on Windows, which has no process groups. Every signal
 * kills, because Windows has no signals. If the runner is killed, its processes continue.
 */
export class WindowsControl implements GroupControl {
  readonly #start: typeof startChild;
  readonly #groups: Set<number> = new Set();
  readonly #kills: Promise<unknown>[] = [];

  /** Creates a `WindowsControl` that starts `taskkill` with the given function. */
  constructor(start: typeof startChild = startChild) {
    this.#start = start;
  }

  add(group: number): void {
    this.#groups.add(group);
  }

  drop(group: number): void {
    this.#groups.delete(group);
    this.send(group);
  }

  send(group: number): void {
    this.#kills.push(this.killLate(group));
  }

  async killLate(group: number): Promise<unknown> {
    const command = ["taskkill", "/PID", String(group), "/T", "/F"];
    // `taskkill` fails if the process has already exited.
    return await this.#start(command).then(({ exited }) => exited).catch(() => {});
  }

  async close(): Promise<void> {
    for (const group of this.#groups) this.send(group);
    this.#groups.clear();
    await Promise.all(this.#kills);
  }
}
