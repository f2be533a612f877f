/**
 * Follows durable runs while their workers are killed.
 *
 * @module
 */

import { ToolLoopAgent } from "@parley/runtime";
import { type LiveEvent, openRuns, type Runs } from "@parley/runtime/runs";
import { scriptedModel } from "@parley/runtime/testing";
import { openEngine } from "./chaos/engine.ts";
import { runtimeOf, type WorkerRuntime } from "./chaos/runtimes.ts";

/** Numbers of runs and kills, and kinds of workers. */
export interface FollowPlan {
  readonly runs: number;
  /** Numbers of words after which a worker is killed, one number for each worker. */
  readonly kills: readonly number[];
  /** Number of workers at a time. */
  readonly workers: number;
  /** Called after each kill. */
  readonly onKill?: () => Promise<void>;
}

/** Events that the readers of a run have received. */
export interface FollowedRun {
  /** Reader that never loses its connection. */
  readonly steady: readonly LiveEvent[];
  /** Reader that attaches again after each few events. */
  readonly reconnecting: readonly LiveEvent[];
  /** Reader that attaches when the run has ended. */
  readonly late: readonly LiveEvent[];
}

/** What {@linkcode followRuns} returns. */
export interface FollowReport {
  readonly followed: readonly FollowedRun[];
  /** Lines that the tools and errors have written. */
  readonly log: readonly string[];
  readonly kills: number;
}

/** Number of events after which the second reader attaches again. */
const RECONNECT_AFTER = 7;

/** Executes runs, kills their workers and follows the runs. */
export async function followRuns(
  url: string,
  runtimes: readonly WorkerRuntime[],
  plan: FollowPlan,
  log: string,
): Promise<FollowReport> {
  await Deno.writeTextFile(log, "");
  const make = () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([]) });
  const engine = openEngine(url, () => {});
  await using runs = openRuns(engine, { clerk: { version: "1", make } }, { storeEvents: true });
  const ids = Array.from({ length: plan.runs }, (_, index) => `run-${index}`);
  for (const runId of ids) await runs.start({ runId, agent: "clerk", input: "Go" });
  const following = Promise.all(ids.map((runId) => follow(runs, runId)));
  await using crew = new Crew(url, log, runtimes, plan);
  const followed = await Promise.race([following, crew.failed]);
  const text = await Deno.readTextFile(log);
  return { followed, log: text.split("\n").slice(0, -1), kills: crew.kills };
}

async function follow(runs: Runs, runId: string): Promise<FollowedRun> {
  const [steady, reconnecting] = await Promise.all([
    Array.fromAsync(await runs.attach(runId) ?? []),
    readInParts(runs, runId),
  ]);
  return { steady, reconnecting, late: await Array.fromAsync(await runs.attach(runId) ?? []) };
}

/** Reads a run with a new connection for each few events. */
async function readInParts(runs: Runs, runId: string): Promise<readonly LiveEvent[]> {
  const events: LiveEvent[] = [];
  for (;;) {
    const cursor = events.at(-1)?.cursor;
    const run = await runs.attach(runId, cursor === undefined ? {} : { after: cursor });
    let count = 0;
    for await (const event of run ?? []) {
      events.push(event);
      if (++count === RECONNECT_AFTER) break;
    }
    if (count < RECONNECT_AFTER) return events;
  }
}

/** Starts a new worker for each worker that it kills. */
class Crew implements AsyncDisposable {
  readonly #command: readonly (readonly [string, readonly string[]])[];
  readonly #args: readonly string[];
  readonly #kills: number[];
  readonly #onKill: () => Promise<void>;
  readonly #children = new Map<number, Deno.ChildProcess>();
  #fail: (error: unknown) => void = () => {};
  #count = 0;
  #isEnding = false;
  kills = 0;
  /** Rejects if a worker exits that was not killed. */
  readonly failed: Promise<never> = new Promise((_, reject) => {
    this.#fail = reject;
  });

  constructor(url: string, log: string, runtimes: readonly WorkerRuntime[], plan: FollowPlan) {
    this.#command = runtimes.map(runtimeOf);
    this.#args = [url, log];
    this.#kills = [...plan.kills];
    this.#onKill = plan.onKill ?? (() => Promise.resolve());
    this.failed.catch(() => {});
    for (let index = 0; index < plan.workers; index++) this.#start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    const children = [...this.#children.values()];
    for (const child of children) child.kill("SIGKILL");
    await Promise.all(children.map(({ status }) => status));
  }

  #start(): void {
    const [command, args] = this.#command[this.#count++ % this.#command.length] ?? ["", []];
    const child = new Deno.Command(command, {
      args: [...args, ...this.#args],
      // The worker exits when its standard input ends, even if the test process is killed.
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
      env: { NO_COLOR: "1" },
    }).spawn();
    this.#children.set(child.pid, child);
    this.#watch(child).catch(this.#fail);
  }

  /** Kills the worker when it has streamed its number of words. */
  async #watch(child: Deno.ChildProcess): Promise<void> {
    const limit = this.#kills.shift();
    let words = 0;
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      words += text.split("\n").length - 1;
      if (limit === undefined || words < limit) continue;
      child.kill("SIGKILL");
      break;
    }
    const { code, signal } = await child.status;
    this.#children.delete(child.pid);
    if (this.#isEnding) return;
    if (signal !== "SIGKILL") throw new Error(`A worker has exited with ${signal ?? code}`);
    this.kills++;
    this.#start();
    await this.#onKill();
  }
}
