/**
 * A worker that executes durable runs.
 *
 * @module
 */

import { toFailure } from "../shared/run_failure.ts";
import { AgentError } from "../shared/error.ts";
import { defined } from "@parley/internal/json";
import { addressesOf, type AgentVersions, isAccepted } from "./agent_versions.ts";
import { backOff } from "../shared/back_off.ts";
import { delay } from "./clock.ts";
import type { CloseOutcome, OpenRun, RunDelivery, RunEnd, RunEngine } from "./contracts.ts";
import type { NewRun, RunRecord, RunStatus } from "./run_record.ts";
import type { ExecutionLog } from "./execution_log.ts";
import type { RunEvents } from "./run_events.ts";
import { executeRun } from "./execute_run.ts";
import { MAX_PAGE } from "./run_filter.ts";
import type { RecorderOptions } from "./step_recorder.ts";

/** Delays between attempts to recover runs while the engine is failing, in milliseconds. */
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 60_000;

/** Configuration of a worker. */
export interface RunWorkerConfig {
  readonly agents: AgentVersions;
  readonly recorder: Omit<RecorderOptions, "signal">;
  readonly maxAttempts: number;
  /** Maximum time for creating and initializing, or for terminating, an agent. */
  readonly agentTimeoutMs: number;
  /** Called with errors: failed attempts, damaged runs, and runs that no agent accepts. */
  readonly onError: (error: unknown) => void;
  /** Stores the events of runs. If omitted, the events are not stored. */
  readonly events?: RunEvents | undefined;
  /** Called when the worker has recorded that a run has ended or is waiting. */
  readonly onEnd: (runId: string) => void;
}

/** Executes the runs that an engine delivers. */
export class RunWorker {
  readonly #engine: RunEngine;
  readonly #config: RunWorkerConfig;

  constructor(engine: RunEngine, config: RunWorkerConfig) {
    this.#engine = engine;
    this.#config = config;
  }

  /**
   * Executes runs until the signal is aborted. The worker also delivers runs whose delivery request
   * was lost in a crash, and reports runs that no agent accepts.
   */
  async work(concurrency: number, signal: AbortSignal): Promise<void> {
    const { queue } = this.#engine;
    const working = queue.work(
      addressesOf(this.#config.agents),
      { concurrency, signal },
      (runId, delivery) => this.#handle(runId, delivery),
    );
    await Promise.all([working, this.#recover(signal)]);
  }

  /** Repairs what crashed processes have left, until it succeeds or the signal is aborted. */
  async #recover(signal: AbortSignal): Promise<void> {
    const { clock } = this.#config.recorder;
    const reported = new Set<string>();
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#requestDeliveries(reported, signal);
        return await this.#config.events?.sweep();
      } catch (error) {
        if (signal.aborted) return;
        this.#config.onError(error);
        await delay(clock, backOff(attempt, FIRST_DELAY_MS, MAX_DELAY_MS), signal).catch(() => {});
      }
    }
  }

  /** Requests the delivery of all queued runs, and reports the open runs that no agent accepts. */
  async #requestDeliveries(reported: Set<string>, signal: AbortSignal): Promise<void> {
    const { journal } = this.#engine;
    for (const status of ["queued", "running", "waiting"] satisfies RunStatus[]) {
      for (const agent of Object.keys(this.#config.agents)) {
        let after: RunRecord | undefined;
        do {
          signal.throwIfAborted();
          const page = await journal.list({ status, agent, limit: MAX_PAGE, after });
          for (const run of page) {
            if (!isAccepted(this.#config.agents, run)) this.#reportNotAccepted(run, reported);
            else if (status === "queued") await wake(this.#engine, run);
          }
          after = page.at(-1);
        } while (after !== undefined);
      }
    }
  }

  #reportNotAccepted({ agent, runId, version }: RunRecord, reported: Set<string>): void {
    const name = JSON.stringify([agent, version]);
    if (reported.has(name)) return;
    reported.add(name);
    const reason = `no agent of this program accepts version "${version}" of agent "${agent}"; ` +
      'add the version to "accepts", or run a program with this version';
    const error = AgentError.run("run_version_not_accepted", "execute", { runId, reason });
    this.#config.onError(error);
  }

  async #handle(runId: string, delivery: RunDelivery): Promise<void> {
    try {
      // A signal that arrives while the run is being closed causes another execution.
      while (!await this.#execute(runId, delivery));
    } catch (error) {
      // The runs of a stopped worker are returned to the queue without an error report.
      if (!delivery.signal.aborted) this.#config.onError(error);
      throw error;
    }
  }

  /** Opens a run. Reports a damaged run instead of retrying, because a retry would fail too. */
  async #open(runId: string): Promise<OpenRun | undefined> {
    try {
      return await this.#engine.journal.open(runId);
    } catch (error) {
      if (!AgentError.isAgentError(error) || !error.is("run_damaged")) throw error;
      this.#config.onError(error);
      this.#config.onEnd(runId);
      return undefined;
    }
  }

  /** Executes a run once. Returns `false` if the run must be executed again. */
  async #execute(runId: string, delivery: RunDelivery): Promise<boolean> {
    const { journal, queue } = this.#engine;
    delivery.signal.throwIfAborted();
    const open = await this.#open(runId);
    if (open === undefined) return true;
    const { agent: name, epoch, party, version } = open.run;
    const agent = isAccepted(this.#config.agents, open.run) ? this.#config.agents[name] : undefined;
    if (agent === undefined) {
      const reason =
        `the queue delivered version "${version}" of agent "${name}", which is not accepted`;
      const error = AgentError.run("run_version_not_accepted", "execute", { runId, reason });
      await journal.close(runId, epoch, { status: "queued", error: toFailure(error) });
      throw error;
    }
    const log = await this.#config.events?.open(open.run);
    const { end, retry } = await executeRun({
      journal,
      open,
      agent,
      delivery,
      options: this.#config.recorder,
      maxAttempts: this.#config.maxAttempts,
      limits: { timeoutMs: this.#config.agentTimeoutMs, onError: this.#config.onError },
      onEvent: log && ((event) => log.add(event)),
    });
    const outcome = end && await this.#close(open.run, end, log);
    if (end === undefined || outcome === "fenced") {
      await log?.endFenced();
      return true;
    }
    if (retry !== undefined) throw retry.error;
    if (outcome === "signalled") return false;
    if (end.status === "waiting" && end.due !== undefined) {
      const due = new Date(end.due);
      const address = { agent: name, runId, version, ...defined({ party }) };
      await queue.wake(address, { id: `due/${epoch}`, due });
    }
    if (end.status !== "queued") this.#config.onEnd(runId);
    return true;
  }

  /** Records the outcome of an execution, after its events and before the end of their log. */
  async #close(
    { epoch, runId }: RunRecord,
    end: RunEnd,
    log: ExecutionLog | undefined,
  ): Promise<CloseOutcome> {
    await log?.flush(end);
    const outcome = await this.#engine.journal.close(runId, epoch, end);
    if (outcome === "closed") await log?.end(end);
    this.#config.events?.purgeLater();
    return outcome;
  }
}

/**
 * Requests the delivery of a queued run. The request is identified by the run's epoch, so repeating
 * it has no effect.
 */
export async function wake(
  { queue }: RunEngine,
  { agent, due, epoch, party, runId, version }: RunRecord,
): Promise<void> {
  const options = due === undefined ? {} : { due: new Date(due) };
  const address = { agent, runId, version, ...defined({ party }) };
  await queue.wake(address, { id: String(epoch), ...options });
}

/**
 * Requests the delivery of a run that was just stored. The epoch of the run differs from that of a
 * deleted run with the same id, whose delivery may not have ended. A run that was stored in a
 * transaction cannot be read yet.
 */
export async function wakeNew(
  { journal, queue }: RunEngine,
  { agent, party, runId, version }: NewRun,
  { due, tx }: { readonly due: Date | undefined; readonly tx: unknown },
): Promise<void> {
  const epoch = tx === undefined ? (await journal.get(runId))?.epoch : undefined;
  const address = { runId, agent, version, ...defined({ party }) };
  await queue.wake(address, { id: String(epoch ?? 0), ...defined({ due, tx }) });
}
