/**
 * The events of durable runs, which any process can read while a worker executes the run.
 *
 * @module
 */

import type { RunFailure } from "../shared/run_failure.ts";
import { defined } from "@parley/internal/json";
import type { Settings } from "@parley/internal/options";
import { callInBackground } from "@parley/internal/timers";
import type { LoopEvent } from "../loop/events.ts";
import { type LogEntry, toLogEntry } from "../log/log_entry.ts";
import type { RunLogOptions, RunReadOptions } from "../log/log_options.ts";
import { LogWriter } from "../log/log_writer.ts";
import { type LiveEvent, type LiveRun, readLive } from "../log/live_run.ts";
import type { RunClaim, RunHead, RunLog, RunPhase } from "../log/run_log.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { createAbortReason } from "../shared/platform.ts";
import type { RunClock } from "./clock.ts";
import type { RunEnd, RunJournal } from "./contracts.ts";
import type { RunRecord } from "./run_record.ts";
import { isBlocked, isEnded } from "./memory_journal.ts";
import { readRunInput } from "./run_input.ts";
import { readRunResult } from "./run_result.ts";

/** What all logs and readers of runs have in common. */
export interface RunEventsConfig {
  readonly log: RunLog;
  readonly journal: RunJournal;
  readonly clock: RunClock;
  readonly limits: Required<RunLogOptions>;
  /** Aborted when all readers must end. */
  readonly closed: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Time for which failed writes of events are repeated, in milliseconds. */
const RETRY_MS = 15_000;
/** Minimum time between two reads of a run's record by one reader, in milliseconds. */
const CHECK_MS = 1000;
/**
 * Time after which a reader ends the log of a run that has ended, in milliseconds. The worker ends
 * the log at the same time as the run, unless it crashes.
 */
const WORKER_END_MS = 5000;
/** Delay after which the logs of runs that cannot be read anymore are deleted, in milliseconds. */
const PURGE_DELAY_MS = 1000;
/** Number of runs that are listed at once. */
const PAGE = 1000;

/** Writes, reads and deletes the events of runs. */
export class RunEvents {
  readonly #config: RunEventsConfig;
  #readers = 0;
  /** Stops the timer after which logs are deleted. */
  #purge: (() => void) | undefined;

  constructor(config: RunEventsConfig) {
    this.#config = config;
    config.closed.addEventListener("abort", () => this.#purge?.(), { once: true });
  }

  /**
   * Starts the log of an execution. If the log fails, reports the error; the run is then executed
   * without a log.
   */
  async open(run: RunRecord): Promise<ExecutionLog | undefined> {
    const { log, onError } = this.#config;
    const { epoch, runId } = run;
    try {
      // The log of an ended run is left by an earlier run with the same id.
      const isNew = (await log.head(runId))?.phase === "ended";
      const head = await log.claim(runId, claimOf(run, { epoch, isNew }));
      return head && new ExecutionLog(run, this.#config);
    } catch (cause) {
      const text = `Cannot store the events of run "${runId}": ${errorMessageOf(cause)}`;
      onError(AgentError.core(text, { cause }));
      return undefined;
    }
  }

  /** Returns a run that can be read, or `undefined` if the run does not exist or has ended. */
  async attach(
    runId: string,
    { after, signal, until }: Settings<RunReadOptions, "until">,
  ): Promise<LiveRun | undefined> {
    const { closed, journal, log } = this.#config;
    const run = await journal.get(runId);
    if (run === undefined) return undefined;
    const head = await log.head(runId);
    if (isEnded(run.status) && head?.isReadable !== true) return undefined;
    const isLeft = head?.phase === "ended" && !isEnded(run.status);
    if (isLeft) await log.delete(runId, head.epoch);
    const start = head === undefined || isLeft ? notStarted(run) : head;
    return {
      sessionId: runId,
      runId,
      epoch: start.epoch,
      turn: readRunInput(run.input).turn,
      [Symbol.asyncIterator]: () => {
        const detached = new AbortController();
        const signals = [detached.signal, closed, ...signal ? [signal] : []];
        const events = this.#read(start, { after, until, signal: AbortSignal.any(signals) });
        return {
          next: () => events.next(),
          return: async () => {
            detached.abort();
            return await events.return();
          },
        };
      },
    };
  }

  /** Ends the log of a run that was cancelled while no worker executed it. */
  async endCancelled(runId: string): Promise<void> {
    const { journal, log, onError } = this.#config;
    try {
      const head = await log.head(runId);
      const run = await journal.get(runId);
      const isIdle = head?.phase === "waiting" || head?.phase === "released";
      if (isIdle && run?.status === "cancelled") await this.#complete(head, run);
    } catch (error) {
      onError(error);
    }
  }

  /** Deletes the logs of runs that cannot be read anymore, now and later. */
  purgeLater(): void {
    if (this.#purge !== undefined || this.#config.closed.aborted) return;
    const ms = this.#config.limits.keepEndedMs + PURGE_DELAY_MS;
    this.#purge = callInBackground(() => {
      this.#purge = undefined;
      this.#deleteEnded().then((isEmpty) => isEmpty || this.purgeLater(), this.#config.onError);
    }, ms);
  }

  /** Resolves with whether no log of an ended run is left. */
  async #deleteEnded(): Promise<boolean> {
    const { log } = this.#config;
    let isEmpty = true;
    let after: string | undefined;
    do {
      const page = await log.list({ phase: "ended", limit: PAGE, ...defined({ after }) });
      for (const { epoch, isReadable, key } of page) {
        const isDeleted = !isReadable && await log.delete(key, epoch);
        isEmpty &&= isDeleted;
      }
      after = page.at(-1)?.key;
    } while (after !== undefined);
    return isEmpty;
  }

  #read(
    start: RunHead,
    { after, signal, until }: {
      readonly after: string | undefined;
      readonly signal: AbortSignal;
      readonly until: "waiting" | "ended";
    },
  ): AsyncGenerator<LiveEvent, void> {
    const { log } = this.#config;
    const { key } = start;
    const check = this.#createCheck();
    let isStarted = start.epoch > 0;
    return readLive(start, {
      log: {
        // A run that no worker has opened yet is not part of the log.
        head: async () => {
          const head = await log.head(key);
          isStarted ||= head !== undefined;
          return isStarted ? head : start;
        },
        read: (...range) => log.read(...range),
        changed: (...wait) => log.changed(...wait),
      },
      owner: `run "${key}"`,
      after,
      until,
      signal,
      onIdle: check,
      onRead: () => this.#addReader(),
    });
  }

  /**
   * Returns the function that decides what a reader does while the log does not grow. The worker
   * that executes a run holds no lease of its log, so the record of the run tells whether the run
   * continues.
   */
  #createCheck(): (head: RunHead) => Promise<"look" | "wait" | "end"> {
    let checkedAt = -Infinity;
    let seen: { readonly head: RunHead; readonly since: number } | undefined;
    return async (head) => {
      const now = this.#config.clock.now();
      if (now - checkedAt < CHECK_MS) return "wait";
      checkedAt = now;
      const run = await this.#config.journal.get(head.runId);
      if (run === undefined) return "end";
      const hasStopped = isEnded(run.status) || isBlocked(run) && head.phase !== "waiting";
      if (!hasStopped) return "wait";
      if (seen?.head.epoch !== head.epoch || seen.head.phase !== head.phase) {
        seen = { head, since: now };
      }
      if (head.phase === "running" && now - seen.since < WORKER_END_MS) return "wait";
      await this.#complete(head, run);
      return "look";
    };
  }

  /** Ends the log of a run whose worker has crashed, or that no worker has executed. */
  async #complete(head: RunHead, run: RunRecord): Promise<void> {
    const { clock, limits: { keepEndedMs: keepMs }, log } = this.#config;
    const { runId } = run;
    let { epoch } = head;
    if (head.phase !== "running") {
      epoch = Math.max(epoch + 1, run.epoch);
      const claimed = await log.claim(runId, claimOf(run, { epoch, isNew: false }));
      if (claimed === undefined) return;
    }
    const at = clock.now();
    const phase = isEnded(run.status) ? "ended" : "waiting";
    const events = [...phase === "ended" ? [lastEventOf(run, at)] : [], stateOf(run, phase, at)];
    await log.finish(runId, epoch, {
      phase,
      entries: events.map(toLogEntry),
      keepMs,
      result: null,
    });
    this.purgeLater();
  }

  #addReader(): () => void {
    const { maxReaders } = this.#config.limits;
    if (this.#readers >= maxReaders) throw AgentError.capacityExceeded("readers", maxReaders);
    this.#readers++;
    return () => {
      this.#readers--;
    };
  }
}

/** The log of one execution of a run. */
export class ExecutionLog {
  readonly #run: RunRecord;
  readonly #config: RunEventsConfig;
  readonly #writer: LogWriter;
  /** The event that ends the execution, which is written when the outcome is known. */
  #last: LoopEvent | undefined;

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
    if (phaseOf(end) !== "released" && last !== undefined) this.#writer.add(last);
    await this.#writer.flush();
  }

  /** Ends the log after the outcome has been recorded. Never rejects. */
  async end(end: RunEnd): Promise<void> {
    await this.#finish(phaseOf(end), []);
  }

  /** Ends the log of an execution that has no outcome, if the run was cancelled. Never rejects. */
  async endFenced(): Promise<void> {
    const { clock, journal, onError } = this.#config;
    try {
      const run = await journal.get(this.#run.runId);
      if (run?.status !== "cancelled") return;
      await this.#writer.flush();
      await this.#finish("ended", [this.#last ?? lastEventOf(run, clock.now())]);
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

/** Returns the phase of the log after an execution with the given outcome. */
function phaseOf(end: RunEnd): Exclude<RunPhase, "running"> {
  if (end.status === "done" || end.status === "failed") return "ended";
  const isBlocked = end.status === "waiting" && end.waitingFor.some(({ kind }) => kind !== "time");
  return isBlocked ? "waiting" : "released";
}

function claimOf(
  { runId }: RunRecord,
  { epoch, isNew }: { readonly epoch: number; readonly isNew: boolean },
): RunClaim {
  // The record of the run contains the message and the metadata.
  const content = { turn: null, turnId: undefined, metadata: {} };
  return { runId, isNew, ...content, leaseMs: 0, seenEpoch: 0, epoch, keepRuns: 0 };
}

/** Returns the state of a run that no worker has opened yet. */
function notStarted({ createdAt, runId }: RunRecord): RunHead {
  const at = Date.parse(createdAt);
  return {
    key: runId,
    runId,
    epoch: 0,
    phase: "released",
    isLeased: false,
    isStopping: false,
    turn: null,
    turnId: undefined,
    metadata: {},
    takeovers: 0,
    first: 0,
    count: 0,
    result: null,
    isReadable: true,
    startedAt: at,
    changedAt: at,
  };
}

function stateOf({ runId }: RunRecord, state: RunPhase, at: number): LogEntry {
  return { type: "run_state", state, runId, path: [], at };
}

/** Returns the last event of a run that has ended, from its record. */
function lastEventOf(run: RunRecord, at: number): LoopEvent {
  const { error, runId } = run;
  const result = readRunResult(run);
  if (result !== undefined) {
    const output = { ...result, messages: [], iterations: [], usageByModel: {} };
    return { type: "run_finished", runId, path: [], at, stopReason: result.stopReason, output };
  }
  if (error !== undefined) return failureOf(run, error, at);
  const cancelled = createAbortReason("The run was cancelled", "AbortError");
  return { type: "run_failed", runId, path: [], at, error: cancelled };
}

function failureOf({ runId }: RunRecord, { code, message }: RunFailure, at: number): LoopEvent {
  const error = new Error(message);
  error.name = code;
  return { type: "run_failed", runId, path: [], at, error };
}
