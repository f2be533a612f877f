/**
 * Starts, signals, cancels, lists and executes durable runs.
 *
 * @module
 */

import { assertSize } from "../shared/json_size.ts";
import type { ApprovalDecision } from "../loop/approval.ts";
import type { RunReadOptions } from "../log/log_options.ts";
import type { LiveRun } from "../log/live_run.ts";
import type { JournalEntry } from "../journal/journal.ts";
import { assertDate, assertRecord, rejectArgument } from "@parley/internal/assert-argument";
import { abortable, settlesBefore } from "@parley/internal/abortable";
import { AgentError } from "../shared/error.ts";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { isJsonValue, type JsonValue } from "../shared/json.ts";
import { keepProcessRunning } from "@parley/internal/timers";
import { type AgentVersions, assertAgents, isAccepted } from "./agent_versions.ts";
import { boundEngine, openedWithin } from "./bounded_engine.ts";
import type { RunEngine, RunFilter } from "./contracts.ts";
import type { RunRecord, RunSignal } from "./run_record.ts";
import { isApprovalKey } from "./execute_run.ts";
import { RunEnds } from "./run_ends.ts";
import { RunEvents } from "./run_events.ts";
import {
  assertRunId,
  assertSignalKey,
  type ListedRun,
  type OpenRunsOptions,
  readDecision,
  readOpenRunsOptions,
  readResultOptions,
  readRunReadOptions,
  readWorkOptions,
  type RunResultOptions,
  type RunStart,
  type RunWorkOptions,
  type SignalResult,
} from "./run_options.ts";
import { readRunFilter } from "./run_filter.ts";
import { RunWorker, wake } from "./run_worker.ts";
import type { RecorderOptions } from "./step_recorder.ts";
import { readStart, startRun } from "./start_run.ts";
import { waitForResult } from "./wait_for_result.ts";

/**
 * Durable runs. Created by {@linkcode openRuns}.
 *
 * A recorded step is not executed again. A step that was interrupted by a crash is executed again,
 * as for a resumed run; the agent's `onUnknownOutcome` option determines whether an interrupted
 * tool is executed again. An agent whose tools or sub-agents defer approvals must have an
 * `approvalHandler`: without a handler, once a run has received a decision, every further tool call
 * waits for a decision.
 *
 * @example Cancel a run
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryRuns, openRuns } from "@parley/runtime/runs";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const make = () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([]) });
 * await using runs = openRuns(memoryRuns(), { clerk: { version: "1", make } });
 * await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
 * assertEquals([await runs.cancel("r1"), await runs.cancel("r1")], [true, false]);
 * ```
 */
export class Runs implements AsyncDisposable {
  readonly #engine: Promise<RunEngine>;
  readonly #agents: AgentVersions;
  readonly #options: Required<OpenRunsOptions>;
  readonly #recorderOptions: Omit<RecorderOptions, "signal">;
  /** Aborted by `close()`. */
  readonly #closed = new AbortController();
  readonly #workers: Set<Promise<void>> = new Set();
  readonly #ends: RunEnds = new RunEnds();
  #events: RunEvents | undefined;
  #closing: Promise<void> | undefined;

  /** Creates a `Runs` object. Call {@linkcode openRuns} instead of the constructor. */
  constructor(
    engine: RunEngine | Promise<RunEngine>,
    agents: AgentVersions,
    options: OpenRunsOptions,
  ) {
    assertRecord("engine", engine);
    assertAgents(agents);
    const settings = readOpenRunsOptions(options);
    const { clock, engineTimeoutMs, journalTimeoutMs, maxSteps, maxValueBytes } = settings;
    const onError = createErrorReporter("Runs", settings.onError);
    this.#engine = Promise.resolve(engine).then((opened) => boundEngine(opened, engineTimeoutMs));
    // If the engine cannot be opened, every method rejects with the error.
    this.#engine.catch(() => {});
    this.#agents = agents;
    const { maxRunReaders = Math.max(Math.floor(settings.maxReaders / 10), 10) } = settings;
    this.#options = { ...settings, maxRunReaders, onError };
    this.#recorderOptions = { clock, maxSteps, maxValueBytes, journalTimeoutMs };
  }

  /**
   * Starts a run with the current version of the agent.
   *
   * @param run Id, agent, message and metadata of the run.
   * @returns `true` if the run was started, and `false` if an identical run already exists.
   * @throws {TypeError} If the agent is unknown, or the id, the message or the metadata
   * is invalid.
   * @throws {RangeError} If the message or the metadata is too large.
   * @throws {AgentError} With code `run_conflict` if there is a run with the same id and a
   * different agent, message, budget or metadata, and with code `run_limit` if the party has too
   * many runs.
   */
  async start(run: RunStart): Promise<boolean> {
    const start = readStart(run, this.#agents, this.#options.maxValueBytes);
    const engine = await this.#open();
    await this.#events?.deleteLeft(run.runId);
    return await startRun(engine, start);
  }

  /**
   * Sends a signal to a run: the decision on an approval, or a value that a tool waits for with
   * `ToolContext.wait`. If several signals have the same key, only the first is stored. A signal
   * may be sent before the run waits for it.
   *
   * @param runId Id of the run.
   * @param key Key of the signal. The key of a decision is the `key` of the approval in
   * `waitingFor`.
   * @param value Value of the signal. The value of a decision is an `ApprovalDecision` or a
   * boolean.
   * @returns The `outcome`: `"stored"` or `"present"` if the signal is stored with this value,
   * `"stored_not_awaited"` if it is stored and the run waits for something else, which is listed in
   * `waitingFor`, `"conflict"` if the signal is stored with a different value, and `"ended"`,
   * `"full"` or `"not_found"` if the signal was not stored.
   * @throws {TypeError} If the key is not a non-empty string of at most 4096 characters, the value
   * is not a JSON value, or the value for an approval is not a decision.
   * @throws {RangeError} If the value is too large.
   */
  async signal(
    runId: string,
    key: string,
    value: JsonValue | ApprovalDecision,
  ): Promise<SignalResult> {
    assertRunId(runId);
    assertSignalKey(key);
    const content = isApprovalKey(runId, key) ? readDecision(value) : value;
    if (!isJsonValue(content)) rejectArgument("value", "a JSON value", value);
    assertSize("value", content, this.#options.maxValueBytes);
    const engine = await this.#open();
    const { journal } = engine;
    const before = await journal.get(runId);
    const outcome = await journal.signal(runId, key, content);
    if (outcome !== "stored" && outcome !== "present") return { outcome };
    const run = await journal.get(runId);
    if (run?.status === "queued") await wake(engine, run);
    // If the run had waited for the signal, it would be queued, or its epoch would be higher.
    return outcome === "stored" && run?.status === "waiting" && run.epoch === before?.epoch
      ? { outcome: "stored_not_awaited", waitingFor: run.waitingFor }
      : { outcome };
  }

  /**
   * Cancels a run. A worker that executes the run can no longer record steps, and its tool calls
   * are aborted.
   *
   * @param runId Id of the run.
   * @returns `true` if the run was cancelled, and `false` if the run does not exist or has already
   * ended.
   */
  async cancel(runId: string): Promise<boolean> {
    assertRunId(runId);
    const { journal, queue } = await this.#open();
    await this.#events?.deleteLeft(runId);
    const isCancelled = await journal.cancel(runId);
    const run = await journal.get(runId);
    // An earlier call may have cancelled the run and then failed to remove it from the queue.
    if (run?.status === "cancelled") await queue.drop(run);
    if (isCancelled) {
      this.#ends.announce(runId);
      await this.#events?.endCancelled(runId);
    }
    return isCancelled;
  }

  /**
   * Attaches to a run whose events are stored (`storeEvents`): a run that has not started, that a
   * worker of any process executes, that waits, or that has ended a moment ago (`keepEndedMs`).
   *
   * The events are read in a loop over the run. The loop ends when the run ends, when it waits for
   * a decision or a signal, and when the `Runs` object is closed; leaving it does not affect the
   * run. A run that another worker continues, or that continues after it has waited, repeats its
   * events after a `log_reset`, and so does a run that does not have the cursor `after`. The loop
   * rejects with code `capacity_exceeded` if this process has too many readers, and with code
   * `core` if the events are deleted before the reader has received all of them.
   *
   * @param runId Id of the run.
   * @param options Position of the reader, end of the loop, and signal.
   * @returns The run, or `undefined` if there is no such run, or its events cannot be read anymore.
   * @throws {TypeError} If `storeEvents` is not set, the engine cannot store events, or an option
   * has the wrong type.
   *
   * @example Read the text of a run while it is executed
   * ```ts
   * import { ToolLoopAgent } from "@parley/runtime";
   * import { memoryRuns, openRuns } from "@parley/runtime/runs";
   * import { scriptedModel } from "@parley/runtime/testing";
   * import { assertEquals } from "@std/assert";
   *
   * const make = () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hi" }]) });
   * const clerk = { version: "1", make };
   * await using runs = openRuns(memoryRuns(), { clerk }, { storeEvents: true });
   * const working = runs.work();
   * await runs.start({ runId: "r1", agent: "clerk", input: "Hello" });
   * let text = "";
   * for await (const { event } of await runs.attach("r1") ?? []) {
   *   if (event.type === "log_reset") text = "";
   *   if (event.type === "text_delta" && event.path.length === 1) text += event.text;
   * }
   * assertEquals(text, "Hi");
   * await runs.close();
   * await working;
   * ```
   */
  async attach(runId: string, options: RunReadOptions = {}): Promise<LiveRun | undefined> {
    assertRunId(runId);
    const reading = readRunReadOptions(options);
    await this.#open();
    if (this.#events !== undefined) return await this.#events.attach(runId, reading);
    throw new TypeError('Cannot attach to a run: set the option "storeEvents" of openRuns()');
  }

  /**
   * Returns a run, or `undefined` if the run does not exist.
   *
   * @param runId Id of the run.
   */
  async get(runId: string): Promise<RunRecord | undefined> {
    assertRunId(runId);
    return await (await this.#open()).journal.get(runId);
  }

  /**
   * Lists runs. `isAccepted` is `false` for runs that no agent in this program accepts.
   *
   * @param filter Filter, order and pagination options. If omitted, the first 100 runs are
   * returned.
   * @throws {TypeError} If a member of the filter has the wrong type, or `after` contains no
   * `updatedAt` and the order is `"updated"`.
   * @throws {RangeError} If `limit` is not an integer between 1 and 1000.
   */
  async list(filter: RunFilter = {}): Promise<readonly ListedRun[]> {
    const conditions = readRunFilter(filter);
    const runs = await (await this.#open()).journal.list(conditions);
    return runs.map((run) => ({ ...run, isAccepted: isAccepted(this.#agents, run) }));
  }

  /**
   * Iterates over the recorded steps of a run, in the order in which they were recorded.
   *
   * @param runId Id of the run.
   */
  async *steps(runId: string): AsyncIterable<JournalEntry> {
    assertRunId(runId);
    yield* (await this.#open()).journal.steps(runId);
  }

  /**
   * Iterates over the signals that a run has received, including decisions, in the order of their
   * arrival.
   *
   * @param runId Id of the run.
   */
  async *signals(runId: string): AsyncIterable<RunSignal> {
    assertRunId(runId);
    yield* (await this.#open()).journal.signals(runId);
  }

  /**
   * Deletes runs that are done, failed or cancelled, with their steps and signals.
   *
   * @param before Runs whose last change, by the clock of the engine, is earlier are deleted.
   * @returns Number of deleted runs.
   */
  async purge(before: Date): Promise<number> {
    assertDate("before", before);
    const { journal } = await this.#open();
    const count = await journal.purge(before);
    await this.#events?.sweep();
    return count;
  }

  /**
   * Waits until a run is done, failed or cancelled, and returns the run. After `warnAfterMs`, a run
   * that waits for a decision or a signal, or that no worker of this object executes, is reported
   * to `onError`.
   *
   * @param runId Id of the run.
   * @param options Signal that aborts the wait, and whether to return a run that waits for a
   * decision or a signal.
   * @throws {AgentError} With code `run_not_found` if the run does not exist.
   * @throws The signal's reason if the signal is aborted.
   */
  async result(runId: string, options: RunResultOptions = {}): Promise<RunRecord> {
    assertRunId(runId);
    const { signal, until } = readResultOptions(options);
    const { clock, onError, pollIntervalMs, warnAfterMs } = this.#options;
    const { journal } = await abortable(this.#open(), signal);
    return await waitForResult(runId, {
      journal,
      ends: this.#ends,
      clock,
      pollIntervalMs,
      warnAfterMs,
      until,
      signal,
      closed: this.#closed.signal,
      isServed: (run) => this.#workers.size > 0 && isAccepted(this.#agents, run),
      onError,
    });
  }

  /**
   * Executes runs until the signal is aborted or `close()` is called. Until then, the process keeps
   * running, even if there is no run to execute. The worker also delivers runs
   * whose delivery request was lost in a crash, and reports runs that no agent of this program
   * accepts. If the journal fails while the worker searches for runs to deliver or report, the
   * worker reports the error to `onError` and tries again.
   *
   * @param options Maximum concurrency, and the signal that stops the worker.
   * @throws {RangeError} If `concurrency` is not a positive integer.
   */
  async work(options: RunWorkOptions = {}): Promise<void> {
    const { concurrency, signal } = readWorkOptions(options);
    const stopped = AbortSignal.any([this.#closed.signal, ...signal ? [signal] : []]);
    const working = this.#work(concurrency, stopped);
    this.#workers.add(working);
    // A worker without runs has no timers, and a process without timers ends.
    const release = keepProcessRunning();
    try {
      await working;
    } finally {
      release();
      this.#workers.delete(working);
    }
  }

  /**
   * Stops the workers, returns their runs to the queue, and closes the engine. Idempotent.
   */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** Calls {@linkcode Runs.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#closed.abort(AgentError.core("Cannot use the runs: the engine is closed"));
    await Promise.allSettled(this.#workers);
    const disposing = this.#engine.then((engine) => engine[Symbol.asyncDispose](), () => {});
    const opening = openedWithin(this.#engine, this.#options.engineTimeoutMs);
    await opening.then(() => disposing, () => void disposing.catch(this.#options.onError));
  }

  async #open(): Promise<RunEngine> {
    const { engineTimeoutMs } = this.#options;
    const engine = await openedWithin(this.#engine, engineTimeoutMs, this.#closed.signal);
    this.#openEvents(engine);
    return engine;
  }

  #openEvents({ journal, log }: RunEngine): void {
    const { clock, onError, storeEvents, ...limits } = this.#options;
    if (!storeEvents || this.#events !== undefined) return;
    if (log === undefined) {
      throw new TypeError('Cannot store the events of runs: the engine has no "log"');
    }
    const { signal: closed } = this.#closed;
    this.#events = new RunEvents({ log, journal, clock, limits, closed, onError });
  }

  async #work(concurrency: number, signal: AbortSignal): Promise<void> {
    if (!await settlesBefore(this.#engine, signal)) return;
    const engine = await this.#engine;
    this.#openEvents(engine);
    const { agentTimeoutMs, maxAttempts, onError } = this.#options;
    await new RunWorker(engine, {
      agents: this.#agents,
      recorder: this.#recorderOptions,
      maxAttempts,
      agentTimeoutMs,
      onError,
      events: this.#events,
      onEnd: (runId) => this.#ends.announce(runId),
    }).work(concurrency, signal);
  }
}
