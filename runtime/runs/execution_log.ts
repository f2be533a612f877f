/**
 * The log of one execution of a durable run.
 *
 * @module
 */

import type { LogEntry } from "../log/log_entry.ts";
import type { RunLogOptions } from "../log/log_options.ts";
import { LogWriter } from "../log/log_writer.ts";
import type { RunLog, RunPhase } from "../log/run_log.ts";
import type { LoopEvent } from "../loop/events.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { RunClock } from "./clock.ts";
import type { RunEnd, RunJournal } from "./contracts.ts";
import { failureOf, isFinal, lastEventOf, phaseOf, stateOf } from "./log_content.ts";
import type { RunRecord } from "./run_record.ts";

/** Settings of all logs and readers of runs. */
export interface RunEventsConfig {
  readonly log: RunLog;
  readonly journal: RunJournal;
  readonly clock: RunClock;
  readonly limits: Required<RunLogOptions> & { readonly maxRunReaders: number };
  /** Aborted when all readers must end. */
  readonly closed: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Time for which failed writes of events are repeated, in milliseconds. */
const RETRY_MS = 15_000;

/** The log of one execution of a run. */
export class ExecutionLog {
  readonly #run: RunRecord;
  readonly #config: RunEventsConfig;
  readonly #writer: LogWriter;
  /** The event that ends the execution, which is written when the outcome is known. */
  #last: LoopEvent | undefined;
  #isLastWritten = false;

  constructor(run: RunRecord, config: RunEventsConfig) {
    const { clock, limits, log, onError } = config;
    const { epoch, runId } = run;
    this.#run = run;
    this.#config = config;
    this.#writer = new LogWriter(
      { log, key: runId, owner: `run "${runId}"`, epoch, onHold: () => {}, onError },
      {
        flushMs: limits.flushMs,
        maxEvents: limits.maxRunEvents,
        maxChars: limits.maxRunChars,
        retryMs: RETRY_MS,
      },
    );
    this.#writer.add(stateOf(run, "running", clock.now()));
  }

  /** Adds an event of the execution. Never throws. */
  add(event: LoopEvent): void {
    const isLast = event.runId === this.#run.runId &&
      (event.type === "run_finished" || event.type === "run_failed");
    if (isLast) this.#last = event;
    else this.#writer.add(event);
  }

  /**
   * Writes the events before the outcome is recorded, so that the readers of a run that has ended
   * find all of them. Never rejects.
   */
  async flush(end: RunEnd): Promise<void> {
    const { clock } = this.#config;
    const last = end.status === "failed" && this.#last?.type !== "run_failed"
      ? failureOf(this.#run, end.error, clock.now())
      : this.#last;
    this.#last = last;
    const isWritten = phaseOf(end) !== "released" && last !== undefined;
    if (isWritten) this.#writer.add(last);
    await this.#writer.flush();
    this.#isLastWritten = isWritten && !this.#writer.isBroken;
  }

  /** Ends the log after the outcome has been recorded. Never rejects. */
  async end(end: RunEnd): Promise<void> {
    const phase = phaseOf(end);
    const isMissing = phase !== "released" && !this.#isLastWritten;
    await this.#finish(phase, isMissing && this.#last !== undefined ? [this.#last] : []);
  }

  /** Ends the log of an execution that has no outcome, if the run was cancelled. Never rejects. */
  async endFenced(): Promise<void> {
    const { clock, journal, onError } = this.#config;
    try {
      const run = await journal.get(this.#run.runId);
      if (run?.status !== "cancelled") return;
      await this.#writer.flush();
      const last = this.#last;
      if (last === undefined || !isFinal(last, run.runId)) {
        await this.#finish("ended", [lastEventOf(run, clock.now())]);
      } else {
        await this.#finish("ended", this.#isLastWritten ? [] : [last]);
      }
    } catch (error) {
      onError(error);
    }
  }

  async #finish(phase: Exclude<RunPhase, "running">, events: readonly LogEntry[]): Promise<void> {
    const { clock, limits: { keepEndedMs: keepMs }, log, onError } = this.#config;
    const { epoch, runId } = this.#run;
    const entries = this.#writer.encode([...events, stateOf(this.#run, phase, clock.now())]);
    try {
      await log.finish(runId, epoch, { phase, entries, keepMs, result: null });
    } catch (cause) {
      const text = `Cannot end the log of run "${runId}": ${errorMessageOf(cause)}`;
      onError(AgentError.core(text, { cause }));
    }
  }
}
