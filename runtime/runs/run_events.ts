/**
 * The events of durable runs, which any process can read while a worker executes the run.
 *
 * @module
 */

import { defined, isRecord } from "@parley/internal/json";
import type { Settings } from "@parley/internal/options";
import { callInBackground } from "@parley/internal/timers";
import { readLogEntry, toLogEntry } from "../log/log_entry.ts";
import type { RunReadOptions } from "../log/log_options.ts";
import { type LiveEvent, type LiveReading, type LiveRun, readLive } from "../log/live_run.ts";
import { detachable, type ReaderPlace, ReaderPlaces } from "../log/reader_places.ts";
import type { RunHead, RunLogFilter } from "../log/run_log.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { ExecutionLog, type RunEventsConfig } from "./execution_log.ts";
import { claimOf, isFinal, lastEventOf, notStarted, stateOf } from "./log_content.ts";
import { isBlocked, isEnded } from "./memory_journal.ts";
import { readRunInput } from "./run_input.ts";
import type { RunRecord } from "./run_record.ts";

/** Minimum time between two reads of a run's record by one reader, in milliseconds. */
const CHECK_MS = 1000;
/**
 * Time after which a reader ends the log of a run that has ended, in milliseconds. The worker ends
 * the log at the same time as the run, unless it crashes.
 */
const WORKER_END_MS = 5000;
/** Delay after which the logs of runs that cannot be read anymore are deleted, in milliseconds. */
const PURGE_DELAY_MS = 1000;
/** Number of runs in one list. */
const PAGE = 1000;

/** Writes, reads and deletes the events of runs. */
export class RunEvents {
  readonly #config: RunEventsConfig;
  readonly #places: ReaderPlaces;
  /** Stops the timer after which logs are deleted. */
  #purge: (() => void) | undefined;

  constructor(config: RunEventsConfig) {
    this.#config = config;
    const { maxReaders, maxRunReaders } = config.limits;
    this.#places = new ReaderPlaces({ maxReaders, maxOwnerReaders: maxRunReaders, owner: "run" });
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
    // The log is read before the run: a log that has ended although the run has not was left by an
    // earlier run with the same id.
    const earlier = await log.head(runId);
    const run = await journal.get(runId);
    if (run === undefined) return undefined;
    const hasEnded = isEnded(run.status);
    const head = hasEnded && earlier?.isReadable !== true ? await log.head(runId) : earlier;
    if (hasEnded && head?.isReadable !== true) return undefined;
    const isLeft = head?.phase === "ended" && !hasEnded;
    if (isLeft) await log.delete(runId, head.epoch);
    const start = head === undefined || isLeft ? notStarted(run) : startOf(head, run);
    return {
      sessionId: runId,
      runId,
      epoch: start.epoch,
      turn: turnOf(run),
      [Symbol.asyncIterator]: () =>
        detachable(this.#places.reserve(runId), (place, detached) => {
          const signals = [detached, closed, ...signal ? [signal] : []];
          return this.#read(start, place, { after, until, signal: AbortSignal.any(signals) });
        }),
    };
  }

  /**
   * Deletes the log that an earlier run with the same id has left. Called before a run is started
   * or cancelled, because the log could then be its own. Never rejects.
   */
  async deleteLeft(runId: string): Promise<void> {
    const { journal, log, onError } = this.#config;
    try {
      // The log is read before the run, as in `attach`.
      const head = await log.head(runId);
      if (head === undefined) return;
      const run = await journal.get(runId);
      const isLeft = run === undefined || head.phase === "ended" && !isEnded(run.status);
      if (isLeft) await log.delete(runId, head.epoch);
    } catch (error) {
      onError(error);
    }
  }

  /** Ends the log of a run that was cancelled while no worker executed it. */
  async endCancelled(runId: string): Promise<void> {
    const { journal, log, onError } = this.#config;
    try {
      const head = await log.head(runId);
      const run = await journal.get(runId);
      const isOpen = head?.phase === "running" || head?.phase === "ended";
      if (run?.status === "cancelled" && !isOpen) {
        await this.#complete(head ?? notStarted(run), run);
      }
    } catch (error) {
      onError(error);
    }
  }

  /**
   * Ends the logs of runs that have ended without their worker, and deletes the logs of deleted
   * runs.
   */
  async sweep(): Promise<void> {
    const { journal, log } = this.#config;
    for await (const head of this.#list({})) {
      if (head.phase === "ended") continue;
      const run = await journal.get(head.key);
      if (run === undefined) await log.delete(head.key, head.epoch);
      else if (isEnded(run.status)) await this.#complete(head, run);
    }
    this.purgeLater();
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
    for await (const { epoch, isReadable, key } of this.#list({ phase: "ended" })) {
      const isDeleted = !isReadable && await log.delete(key, epoch);
      isEmpty &&= isDeleted;
    }
    return isEmpty;
  }

  /** Lists all logs, page by page. */
  async *#list(filter: Pick<RunLogFilter, "phase">): AsyncGenerator<RunHead, void> {
    let after: string | undefined;
    do {
      const page = await this.#config.log.list({ ...filter, limit: PAGE, ...defined({ after }) });
      yield* page;
      after = page.at(-1)?.key;
    } while (after !== undefined);
  }

  #read(
    start: RunHead,
    place: ReaderPlace,
    { after, signal, until }: {
      readonly after: string | undefined;
      readonly signal: AbortSignal;
      readonly until: "waiting" | "ended";
    },
  ): AsyncGenerator<LiveEvent, void> {
    const { journal } = this.#config;
    return readLive(start, {
      log: this.#createView(start, after),
      owner: `run "${start.key}"`,
      after,
      until,
      signal,
      isWaiting: async ({ runId }) => {
        const run = await journal.get(runId);
        return run === undefined || isBlocked(run);
      },
      onIdle: this.#createCheck(),
      onRead: () => place.start(),
    });
  }

  /**
   * Returns the log as a reader sees it: it contains a run that no worker has opened yet, and it
   * rejects if the events are deleted before the reader has received the last one.
   */
  #createView(start: RunHead, after: string | undefined): LiveReading["log"] {
    const { log } = this.#config;
    let isStarted = start.epoch > 0;
    let hasEnd = start.phase === "ended" && after === `${start.epoch}.${start.count - 1}`;
    return {
      head: async (key) => {
        const head = await log.head(key);
        isStarted ||= head !== undefined;
        if (head !== undefined || hasEnd) return head;
        if (!isStarted) return start;
        throw AgentError.core(`Cannot read the rest of run "${key}": its events have been deleted`);
      },
      read: async (...range) => {
        const entries = await log.read(...range);
        const last = entries.at(-1);
        hasEnd ||= isRecord(last) && last.type === "run_state" && last.state === "ended";
        return entries;
      },
      changed: (...wait) => log.changed(...wait),
    };
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
    // The events of another execution are not those of the run.
    const isNewest = run.epoch === head.epoch || run.status === "cancelled";
    let { epoch } = head;
    if (head.phase !== "running" || !isNewest) {
      epoch = Math.max(epoch + 1, run.epoch);
      const claimed = await log.claim(runId, claimOf(run, { epoch, isNew: false }));
      if (claimed === undefined) return;
    }
    const at = clock.now();
    const phase = isEnded(run.status) ? "ended" : "waiting";
    const isMissing = phase === "ended" && !await this.#hasFinal(run, epoch);
    const events = [...isMissing ? [lastEventOf(run, at)] : [], stateOf(run, phase, at)];
    const entries = events.map(toLogEntry);
    await log.finish(runId, epoch, { phase, entries, keepMs, result: null });
    this.purgeLater();
  }

  /** Resolves with whether the last entry of an execution is the end of the run. */
  async #hasFinal(run: RunRecord, epoch: number): Promise<boolean> {
    const { log } = this.#config;
    const { count = 0 } = await log.head(run.runId) ?? {};
    if (count === 0) return false;
    const [entry] = await log.read(run.runId, epoch, { from: count - 1, limit: 1 });
    const event = entry === undefined ? "no entry" : readLogEntry(entry);
    return typeof event !== "string" && isFinal(event, run.runId);
  }
}

/**
 * Returns the state from which a run is read. If the run has received what it waited for, the
 * reader waits for the next execution, which repeats the events.
 */
function startOf(head: RunHead, run: RunRecord): RunHead {
  const continues = head.phase === "waiting" && !isBlocked(run) && !isEnded(run.status);
  return continues ? { ...head, first: head.count } : head;
}

/** Returns the message of a run, unless the record is damaged. */
function turnOf({ input }: RunRecord): LiveRun["turn"] {
  try {
    return readRunInput(input).turn;
  } catch {
    // The error of the run, which its readers receive, describes the damage.
    return undefined;
  }
}
