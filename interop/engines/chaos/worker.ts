/**
 * A worker process for the chaos tests. The command-line argument is a {@linkcode WorkerTask} as
 * JSON.
 *
 * The worker appends a line to the log for each model call, tool execution, opened run and recorded
 * step. At a certain step, the worker kills itself, stops itself, or asks its parent to kill the
 * database.
 *
 * @module
 */

import { appendFileSync } from "node:fs";
import process from "node:process";
import { openRuns, type RunEngine } from "@parley/runtime/runs";
import { chaosAgents } from "./agents.ts";
import { openEngine } from "./engine.ts";

/** A fault that a worker causes at a certain step. */
export type Fault = "database" | "kill" | "kill-after" | "stop";

/** Command-line argument of a worker process. */
export interface WorkerTask {
  readonly name: string;
  /** URL of a PostgreSQL database, or path of an SQLite file. */
  readonly url: string;
  readonly log: string;
  readonly idempotent: boolean;
  /**
   * A fault occurs at step `at`, counted from 1 after the previous fault. A `kill-after` fault
   * occurs after the step is recorded. All other faults occur before the step is recorded. All
   * faults except the last are of the kind `database`, which the worker survives.
   */
  readonly faults: readonly { readonly kind: Fault; readonly at: number }[];
}

const task: WorkerTask = JSON.parse(process.argv[2] ?? "{}");

function log(...words: readonly unknown[]): void {
  appendFileSync(task.log, `${words.join(" ")} ${task.name}\n`);
}

function withFault(engine: RunEngine): RunEngine {
  const { journal } = engine;
  const append = journal.append.bind(journal);
  const open = journal.open.bind(journal);
  const faults = [...task.faults];
  let steps = 0;
  journal.open = async (runId) => {
    const opened = await open(runId);
    if (opened !== undefined) log("open", runId, opened.run.epoch);
    return opened;
  };
  journal.append = async (runId, epoch, entry) => {
    // Only an interrupted tool call can have an unknown outcome.
    if (task.idempotent || entry.kind === "tool") steps++;
    const kind = steps === faults[0]?.at ? faults.shift()?.kind : undefined;
    if (kind !== undefined) steps = 0;
    if (kind === "kill") process.kill(process.pid, "SIGKILL");
    if (kind === "database") process.stdout.write("database\n");
    if (kind === "stop") {
      log("stop", runId);
      process.stdout.write("stop\n");
      process.kill(process.pid, "SIGSTOP");
      // The database may have been killed while the worker was stopped.
      while (!await journal.get(runId).then(() => true, () => false));
    }
    // A worker that has lost the run must not store a step.
    const before = await journal.get(runId).catch(() => undefined);
    const appending = append(runId, epoch, entry);
    if (kind === "kill-after") {
      await appending.catch(() => {});
      process.kill(process.pid, "SIGKILL");
    }
    const outcome = await appending;
    const isStale = outcome === "stored" && before !== undefined && before.epoch > epoch;
    log(isStale ? "stale" : outcome, entry.key);
    return outcome;
  };
  return engine;
}

function onError(error: unknown): void {
  log("error", String(error).replaceAll("\n", " "));
}

process.stdin.on("end", () => process.exit()).resume();
const engine = await openEngine(task.url, onError);
const agents = chaosAgents(task.idempotent, (key) => log("begin", key));
await openRuns(withFault(engine), agents, { onError }).work({ concurrency: 2 });
