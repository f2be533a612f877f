/**
 * Chaos test: executes durable runs in several worker processes while it kills or stops the workers
 * and kills the database.
 *
 * @module
 */

import { openRuns, readRunResult, type Runs, type SignalResult } from "@parley/runtime/runs";
import { answerOf, chaosAgents, type ChaosRun, runOf } from "./agents.ts";
import { openEngine } from "./engine.ts";
import { WorkerProcesses } from "./processes.ts";
import type { WorkerRuntime } from "./runtimes.ts";
import type { Fault } from "./worker.ts";

/** Plan of a chaos test: the number of runs, and the faults to inject. */
export interface ChaosPlan {
  readonly seed: number;
  readonly workers: number;
  readonly runs: number;
  readonly kills: number;
  /** Number of workers that are stopped until all runs have ended and are then continued. */
  readonly stops: number;
  readonly databaseKills: number;
  readonly idempotent: boolean;
  /** Highest step number at which a worker causes a fault. */
  readonly maxStep: number;
}

/** A database that stores the runs. */
export interface ChaosDatabase {
  /** URL of a PostgreSQL database, or path of an SQLite file. */
  readonly url: string;
  /** Starts the database again after it was killed. */
  restart(): Promise<void>;
}

/** Counts of events and violations. */
export interface ChaosReport {
  readonly runs: number;
  readonly done: number;
  /** Descriptions of runs that did not end as expected. */
  readonly wrong: readonly string[];
  /** Steps that started again after they had been recorded. */
  readonly repeatedAfterRecord: readonly string[];
  /** Steps that started again because their worker was killed before it recorded them. */
  readonly repeatedInFlight: readonly string[];
  /** Steps that a worker recorded after it had lost the run. */
  readonly stale: readonly string[];
  /** Number of steps that stopped workers tried and failed to record after they were continued. */
  readonly fencedAfterStop: number;
  readonly approvals: number;
  /** Tool calls whose outcome was reported to the model as unknown. */
  readonly unknown: number;
}

/**
 * Executes a plan. The database must be empty. More runs are started until all faults have
 * occurred. The workers use the runtimes in turns.
 */
export async function runChaos(
  plan: ChaosPlan,
  database: ChaosDatabase,
  runtimes: readonly WorkerRuntime[],
  log: string,
): Promise<ChaosReport> {
  await Deno.writeTextFile(log, "");
  await using crew = new Crew(plan, runtimes, database, log);
  await using runs = openRuns(
    openEngine(database.url, () => {}),
    chaosAgents(plan.idempotent, () => {}),
    { onError: () => {} },
  );
  const chosen: ChaosRun[] = [];
  const startRuns = async (): Promise<void> => {
    const next = Array.from({ length: plan.runs }, (_, index) => runOf(chosen.length + index));
    for (const run of next) await runs.start(run);
    chosen.push(...next);
  };
  await startRuns();
  for (let index = 0; index < plan.workers; index++) crew.start();
  const approved = new Set<string>();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    if (crew.crashed.length > 0) throw new Error(`workers crashed: ${crew.crashed}`);
    try {
      await approve(runs, approved);
      if (await countEnded(runs) < chosen.length) continue;
      if (crew.faults === 0) break;
      await startRuns();
    } catch {
      // The database is down.
    }
  }
  await crew.resumeStopped();
  return await report(runs, chosen, approved.size, await Deno.readTextFile(log));
}

/**
 * Starts a new worker for each worker that was killed or stopped. Each new worker is assigned the
 * next faults in the plan: database kills, and one fault that the worker does not survive.
 */
class Crew implements AsyncDisposable {
  readonly #processes: WorkerProcesses;
  readonly #task: { readonly url: string; readonly log: string; readonly idempotent: boolean };
  readonly #faults: { readonly kind: Fault; readonly at: number }[];
  readonly #stopping: { readonly name: string; readonly pid: number }[] = [];
  #restarted: Promise<void> = Promise.resolve();
  #count = 0;
  #isEnding = false;
  /** Number of faults that have not occurred yet. */
  faults: number;
  /** Workers that exited without being killed. */
  readonly crashed: string[] = [];

  constructor(
    plan: ChaosPlan,
    runtimes: readonly WorkerRuntime[],
    database: ChaosDatabase,
    log: string,
  ) {
    this.#faults = faultsOf(plan);
    this.faults = this.#faults.length;
    this.#task = { url: database.url, log, idempotent: plan.idempotent };
    this.#processes = new WorkerProcesses(runtimes, (line) => {
      this.faults--;
      if (line !== "database") return;
      this.#restarted = this.#restarted.then(() => database.restart());
    });
  }

  start(): void {
    const name = `w${this.#count++}`;
    const end = this.#faults.findIndex(({ kind }) => kind !== "database");
    const faults = this.#faults.splice(0, end < 0 ? Infinity : end + 1);
    const { ended, pid } = this.#processes.start({ ...this.#task, name, faults });
    const fault = faults.at(-1);
    const isKilled = fault?.kind === "kill" || fault?.kind === "kill-after";
    void ended.then(({ code, signal }) => {
      if (signal !== "SIGKILL") this.crashed.push(`${name} with exit code ${code}`);
      if (!isKilled || this.#isEnding) return;
      this.faults--;
      this.start();
    });
    // A new worker replaces each worker that stops.
    if (fault?.kind === "stop") {
      this.#stopping.push({ name, pid });
      this.start();
    }
  }

  /** Continues the stopped workers, and waits until each of them has failed to record a step. */
  async resumeStopped(): Promise<void> {
    await this.#restarted;
    for (const { name, pid } of this.#stopping) {
      Deno.kill(pid, "SIGCONT");
      const outcome = new RegExp(`^stop .* ${name}$[^]*^(?:fenced|stale) .* ${name}$`, "m");
      await untilText(this.#task.log, (text) => outcome.test(text));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    await this.#restarted;
    await this.#processes[Symbol.asyncDispose]();
  }
}

/**
 * Approves all tool calls that are waiting for approval, and adds the keys of the approvals to a
 * set.
 */
async function approve(runs: Runs, approved: Set<string>): Promise<void> {
  for (const { runId, waitingFor } of await runs.list({ status: "waiting", limit: 1000 })) {
    for (const { key } of waitingFor) {
      const outcome = await decide(runs, runId, key);
      if (outcome === "stored" || outcome === "present") approved.add(key);
    }
  }
}

/**
 * Approves a tool call, and repeats the approval if the database fails, because the decision might
 * be lost.
 */
async function decide(runs: Runs, runId: string, key: string): Promise<SignalResult["outcome"]> {
  for (;;) {
    try {
      return (await runs.signal(runId, key, true)).outcome;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function countEnded(runs: Runs): Promise<number> {
  const statuses = ["done", "failed"] as const;
  const lists = statuses.map((status) => runs.list({ status, limit: 1000 }));
  return (await Promise.all(lists)).flat().length;
}

/** Returns the faults of a plan in an order that depends only on the seed. */
function faultsOf({ databaseKills, kills, maxStep, seed, stops }: ChaosPlan) {
  const random = randomFrom(seed);
  const repeat = (kind: Fault, count: number): readonly Fault[] => Array(count).fill(kind);
  return [
    ...repeat("kill", Math.ceil(kills / 2)),
    ...repeat("kill-after", Math.floor(kills / 2)),
    ...repeat("stop", stops),
    ...repeat("database", databaseKills),
  ].map((kind) => ({ kind, at: 1 + Math.floor(random() * maxStep), order: random() }))
    .sort((one, other) => one.order - other.order);
}

/** Returns pseudorandom numbers from 0 to 1 that depend only on the seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Waits until a file's text satisfies a condition. */
export async function untilText(path: string, isTrue: (text: string) => boolean): Promise<void> {
  using watcher = Deno.watchFs(path);
  if (isTrue(await Deno.readTextFile(path))) return;
  for await (const _ of watcher) if (isTrue(await Deno.readTextFile(path))) return;
}

async function report(
  runs: Runs,
  chosen: readonly ChaosRun[],
  approvals: number,
  log: string,
): Promise<ChaosReport> {
  const wrong: string[] = [];
  let [done, unknown] = [0, 0];
  for (const run of chosen) {
    const ended = await runs.result(run.runId);
    const { error, status } = ended;
    if (status === "done") done++;
    const { finalText = "", value } = readRunResult(ended) ?? {};
    const answer: readonly string[] = Object(value).results ??
      String(finalText).split(/,(?![^[]*\])/);
    const expected = answerOf(run);
    const isWrong = !areExpected(answer, expected);
    unknown += answer.filter((one) => one === "unknown").length;
    if (status !== "done" || isWrong) {
      wrong.push(`${run.runId} ${status} ${error?.message ?? answer}`);
    }
  }
  return { runs: chosen.length, done, wrong, approvals, unknown, ...readLog(log) };
}

/**
 * Returns true if each result is the expected one or unknown, also in the results of a sub-agent.
 */
function areExpected(results: readonly string[], expected: readonly string[]): boolean {
  const innerOf = (result = ""): readonly string[] => result.match(/r[0-9.]+|unknown/g) ?? [];
  return results.length === expected.length && results.every((result, index) => {
    if (result === expected[index] || result === "unknown") return true;
    return result.startsWith("[") && areExpected(innerOf(result), innerOf(expected[index]));
  });
}

/** Counts the steps in a log. */
function readLog(text: string) {
  const [begun, stored, stopped] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const repeatedAfterRecord: string[] = [];
  const repeatedInFlight: string[] = [];
  const stale: string[] = [];
  let fencedAfterStop = 0;
  for (const line of text.trimEnd().split("\n")) {
    const words = line.split(" ");
    const [event = "", key = ""] = words;
    const name = words.at(-1) ?? "";
    if (event === "stop") stopped.add(name);
    if (event === "stored") stored.add(key);
    if (event === "stale") stale.push(line);
    if (event === "fenced" && stopped.has(name)) fencedAfterStop++;
    if (event !== "begin") continue;
    if (stored.has(key) && !stopped.has(name)) repeatedAfterRecord.push(line);
    else if (begun.has(key)) repeatedInFlight.push(line);
    begun.add(key);
  }
  return { repeatedAfterRecord, repeatedInFlight, stale, fencedAfterStop };
}
