/**
 * Worker processes that a test kills.
 *
 * @module
 */

import { runtimeOf, type WorkerRuntime } from "./runtimes.ts";
import type { WorkerTask } from "./worker.ts";

/**
 * Starts each worker in a separate process group, with the runtimes in turns. Disposing the object
 * kills all process groups, including stopped groups.
 */
export class WorkerProcesses implements AsyncDisposable {
  readonly #runtimes: readonly WorkerRuntime[];
  readonly #onLine: (line: string) => void;
  readonly #children: Set<Deno.ChildProcess> = new Set();
  #count = 0;

  constructor(runtimes: readonly WorkerRuntime[], onLine: (line: string) => void) {
    this.#runtimes = runtimes;
    this.#onLine = onLine;
  }

  /** Starts a worker. The returned `ended` promise resolves when the worker exits. */
  start(task: WorkerTask): {
    readonly pid: number;
    readonly ended: Promise<Deno.CommandStatus>;
  } {
    const runtime = this.#runtimes[this.#count++ % this.#runtimes.length];
    if (runtime === undefined) throw new TypeError('"runtimes" must not be empty');
    const [command, args] = runtimeOf(runtime);
    const child = new Deno.Command(command, {
      args: [...args, JSON.stringify(task)],
      // The worker exits when its standard input ends, even if the test process is killed.
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
      detached: true,
      env: { NO_COLOR: "1" },
    }).spawn();
    this.#children.add(child);
    return { pid: child.pid, ended: this.#follow(child) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const children = [...this.#children];
    for (const { pid } of children) killGroup(pid);
    await Promise.all(children.map(({ status }) => status));
  }

  async #follow(child: Deno.ChildProcess): Promise<Deno.CommandStatus> {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      for (const line of text.split("\n")) if (line !== "") this.#onLine(line);
    }
    const status = await child.status;
    this.#children.delete(child);
    return status;
  }
}

function killGroup(pid: number): void {
  try {
    Deno.kill(-pid, "SIGKILL");
  } catch (error) {
    // The process had already exited.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
