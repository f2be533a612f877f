/**
 * A supervisor of child processes that, like a container orchestrator, restarts each process that
 * was killed.
 *
 * @module
 */

import { type ClusterEvent, readEvent } from "./events.ts";

/** A process to supervise. */
export interface ProcessPlan {
  /** Name of the process, such as `worker-1`. */
  readonly name: string;
  /** File name of the program, relative to this example's folder. */
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

interface RunningProcess {
  readonly plan: ProcessPlan;
  readonly child: Deno.ChildProcess;
  readonly ended: Promise<void>;
  readonly onReady: () => void;
  isReady: boolean;
  isKilled: boolean;
}

/** Time within which processes must stop before they are killed, in milliseconds. */
const STOP_MS = 5000;

/** Maximum number of standard-error characters that are stored per process. */
const MAX_ERROR_CHARS = 4000;

/**
 * Starts processes, kills them, and restarts killed processes. Disposing the supervisor stops all
 * processes.
 */
export class Supervisor implements AsyncDisposable {
  readonly #processes: Map<string, RunningProcess> = new Map();
  readonly #onEvent: (event: ClusterEvent) => void;
  readonly #onFailure: (error: Error) => void;
  #isStopping = false;

  /**
   * Creates a supervisor without processes.
   *
   * @param onEvent Called with each event from a process, and with each change to a process's
   * state.
   * @param onFailure Called if a process exits without having been killed.
   */
  constructor(onEvent: (event: ClusterEvent) => void, onFailure: (error: Error) => void) {
    this.#onEvent = onEvent;
    this.#onFailure = onFailure;
  }

  /** Starts a process. Resolves when the process is ready. */
  start(plan: ProcessPlan): Promise<void> {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--frozen", "--no-prompt", "--allow-env", "--allow-read"],
        ...["--allow-sys", "--allow-net=127.0.0.1"],
        ...["--config", new URL("deno.json", import.meta.url).pathname],
        new URL(plan.program, import.meta.url).pathname,
      ],
      env: { NO_COLOR: "1", ...plan.env },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      // In a separate process group, the child process does not receive Ctrl-C, so the supervisor
      // can stop it.
      detached: true,
    }).spawn();
    const { promise, resolve } = Promise.withResolvers<void>();
    const started = { plan, child, onReady: resolve, isReady: false, isKilled: false };
    this.#processes.set(plan.name, { ...started, ended: this.#follow(plan, child) });
    this.#report(plan.name, "started", { pid: child.pid });
    return promise;
  }

  /**
   * Kills one of the processes that are ready, selected by name with `choose`. Returns `true` if a
   * process was killed.
   */
  kill(choose: (names: readonly string[]) => string | undefined): boolean {
    const ready = [...this.#processes.values()].filter(({ isReady, isKilled }) =>
      isReady && !isKilled
    );
    const name = choose(ready.map(({ plan }) => plan.name));
    const chosen = ready.find(({ plan }) => plan.name === name);
    if (chosen === undefined) return false;
    chosen.isKilled = true;
    this.#report(chosen.plan.name, "killed", { pid: chosen.child.pid });
    signalTo(chosen.child, "SIGKILL");
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    const processes = [...this.#processes.values()];
    // A child process stops when its standard input is closed.
    await Promise.allSettled(processes.map(({ child }) => child.stdin.close()));
    const timer = setTimeout(() => {
      for (const { child } of processes) signalTo(child, "SIGKILL");
    }, STOP_MS);
    await Promise.all(processes.map(({ ended }) => ended));
    clearTimeout(timer);
  }

  async #follow(plan: ProcessPlan, child: Deno.ChildProcess): Promise<void> {
    const errors = readTail(child.stderr);
    for await (const line of linesOf(child.stdout)) {
      const event = readEvent(plan.name, line);
      if (event.type === "ready") this.#setReady(plan.name, event);
      else this.#onEvent(event);
    }
    const [{ code }, text] = await Promise.all([child.status, errors]);
    if (this.#isStopping) return;
    const isKilled = this.#processes.get(plan.name)?.isKilled === true;
    this.#report(plan.name, "ended", {});
    if (isKilled) void this.start(plan);
    else this.#onFailure(new Error(`${plan.name} exited with code ${code}: ${text.trim()}`));
  }

  #setReady(name: string, { url }: ClusterEvent): void {
    const process = this.#processes.get(name);
    if (process !== undefined) process.isReady = true;
    this.#report(name, "ready", { url });
    process?.onReady();
  }

  #report(process: string, state: string, members: Readonly<Record<string, unknown>>): void {
    this.#onEvent({ type: "process", at: Date.now(), process, state, ...members });
  }
}

function signalTo(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // The process has already exited.
  }
}

/** Splits a stream into lines. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${text}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/** Reads a stream to the end, and returns its last characters. */
async function readTail(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  let tail = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    tail = (tail + text).slice(-MAX_ERROR_CHARS);
  }
  return tail;
}
