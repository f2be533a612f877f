/**
 * Durable runs: starting, signalling, cancelling, listing and executing them.
 *
 * @module
 */

import { type ApprovalDecision, readApprovalDecision } from "../loop/approval.ts";
import { assertTurn } from "../loop/conversation.ts";
import { formatSorted } from "../loop/decisions.ts";
import type { JournalEntry } from "../journal/journal.ts";
import {
  assertArgumentDate,
  assertObject,
  assertOptionalFunction,
  rejectArgument,
} from "../shared/assertions.ts";
import { callOnError } from "../shared/call_on_error.ts";
import { AgentError } from "../shared/error.ts";
import { createErrorPrinter } from "../shared/error_printer.ts";
import { defined, isJsonValue, type JsonValue } from "../shared/json.ts";
import { assertLimit } from "../shared/limits.ts";
import type { UserTurn } from "../shared/model.ts";
import { toStepValue } from "../shared/step_value.ts";
import { addressesOf, type AgentVersions, assertAgents, isAccepted } from "./agent_versions.ts";
import { delay, type RunClock, systemClock } from "./clock.ts";
import type {
  RunDelivery,
  RunEngine,
  RunFilter,
  RunRecord,
  RunStatus,
  SignalOutcome,
} from "./contracts.ts";
import { executeRun, isApprovalKey, toFailure } from "./execute_run.ts";
import { isEnded } from "./memory_journal.ts";
import { type RecorderOptions, sizeOfJson } from "./step_recorder.ts";

/** Options for {@linkcode openRuns}. */
export interface OpenRunsOptions {
  /**
   * Maximum size of a message, signal, recorded value and result, in bytes of UTF-8 JSON; a positive integer.
   *
   * @default {33_554_432}
   */
  readonly maxValueBytes?: number;
  /**
   * Maximum number of recorded steps per run; a positive integer. A run that needs more steps fails.
   *
   * @default {10_000}
   */
  readonly maxSteps?: number;
  /**
   * Number of attempts after which a run fails; a positive integer. Attempts that fail because of the engine, and
   * executions that end with a crash, do not count.
   *
   * @default {5}
   */
  readonly maxAttempts?: number;
  /**
   * Time for which a failed call to record a step is repeated, in milliseconds. The result of a step is lost if the step
   * cannot be recorded within this time, and the step counts as interrupted.
   *
   * @default {60_000}
   */
  readonly journalTimeoutMs?: number;
  /**
   * Time between two reads of a run in `result`, in milliseconds. If a worker of the same object ends the run, `result`
   * does not wait for the next read.
   *
   * @default {1000}
   */
  readonly pollIntervalMs?: number;
  /** Clock for delays, recorded times and `ToolContext.sleep`. If omitted, the clock of the system is used. */
  readonly clock?: RunClock;
  /**
   * Called with errors that reject no promise: failed attempts to execute a run, and runs that no agent of the program
   * accepts. If omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

/** A run to start. */
export interface RunStart {
  /** Id of the run: 1 to 256 characters. Starting a run with the id of an equal run has no effect. */
  readonly runId: string;
  /** Name of the agent. */
  readonly agent: string;
  /** Message from the user: text or parts. */
  readonly input: UserTurn;
  /** Earliest start time of the run. If omitted, the run starts immediately. */
  readonly due?: Date;
  /**
   * Transaction of the caller, of a type that the engine defines. The run is started if and when the transaction is
   * committed. If omitted, the run is started when the promise resolves.
   */
  readonly tx?: unknown;
}

/** A run in a list. */
export interface ListedRun extends RunRecord {
  /** Whether an agent of this program accepts the run's version. Other programs may accept the version. */
  readonly isAccepted: boolean;
}

/** Options for {@linkcode Runs.work}. */
export interface RunWorkOptions {
  /**
   * Maximum number of runs that are executed at the same time; a positive integer.
   *
   * @default {4}
   */
  readonly concurrency?: number;
  /** Signal that stops the worker. Runs in progress are put back. */
  readonly signal?: AbortSignal;
}

const MAX_RUN_ID_LENGTH = 256;
const MAX_KEY_LENGTH = 4096;
const MAX_PAGE = 1000;

/**
 * Opens durable runs: runs of agents that are stored and executed by an engine, and that continue on another worker
 * after a crash.
 *
 * @param engine Engine that stores and delivers the runs.
 * @param agents Agents that execute the runs, by name.
 * @param options Limits, clock and error listener.
 * @throws {TypeError} If the engine, an agent or an option has the wrong type.
 * @throws {RangeError} If a limit is out of range.
 *
 * @example Wait for an approval, and continue after the decision
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { memoryRuns, openRuns } from "@parley/runtime/runs";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const model = scriptedModel([{ calls: [{ toolName: "pay" }] }, { text: "Paid" }]);
 * const runs = openRuns(memoryRuns(), {
 *   clerk: {
 *     version: "1",
 *     make: () =>
 *       new ToolLoopAgent({
 *         name: "clerk",
 *         model,
 *         tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => "ok" }],
 *         approvalHandler: () => ({ decision: "defer" }),
 *       }),
 *   },
 * });
 * const working = runs.work();
 * await runs.start({ runId: "r1", agent: "clerk", input: "Pay the bill" });
 * // A person sees what waits for a decision, here as soon as the run waits.
 * let [waiting] = await runs.list({ status: "waiting" });
 * while (waiting === undefined) {
 *   await new Promise((resolve) => setTimeout(resolve, 10));
 *   [waiting] = await runs.list({ status: "waiting" });
 * }
 * await runs.signal("r1", waiting.waitingFor[0]?.key ?? "", { decision: "approve" });
 * assertEquals((await runs.result("r1")).status, "done");
 * await runs.close();
 * await working;
 * ```
 */
export function openRuns(
  engine: RunEngine | Promise<RunEngine>,
  agents: AgentVersions,
  options: OpenRunsOptions = {},
): Runs {
  return new Runs(engine, agents, options);
}

/**
 * Durable runs. Created by {@linkcode openRuns}.
 *
 * A step of a run that is recorded is not executed again. A step that was interrupted by a crash is executed again, as
 * for a resumed run; the option `onUnknownOutcome` of the agent determines this for tools. An agent whose tools or
 * sub-agents defer approvals must have an `approvalHandler`: without one, every tool call of a run that has a decision
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
  readonly #options: Required<Omit<OpenRunsOptions, "journalTimeoutMs" | "maxSteps">>;
  readonly #recorderOptions: Omit<RecorderOptions, "signal">;
  /** Aborted by `close()`. */
  readonly #closed = new AbortController();
  readonly #workers: Set<Promise<void>> = new Set();
  /** Resolvers of callers that wait for the end of a run, by run id. */
  readonly #waiters: Map<string, Set<() => void>> = new Map();
  #closing: Promise<void> | undefined;

  /** Creates an object for durable runs. Use {@linkcode openRuns} instead. */
  constructor(
    engine: RunEngine | Promise<RunEngine>,
    agents: AgentVersions,
    options: OpenRunsOptions = {},
  ) {
    assertObject("engine", engine);
    assertAgents(agents);
    const given: unknown = options;
    assertObject("options", given);
    const { clock = systemClock, maxAttempts = 5, maxSteps = 10_000 } = options;
    const { journalTimeoutMs = 60_000, maxValueBytes = 33_554_432 } = options;
    const { onError = createErrorPrinter("Runs"), pollIntervalMs = 1000 } = options;
    assertLimit("maxAttempts", maxAttempts, 1);
    assertLimit("maxSteps", maxSteps, 1);
    assertLimit("maxValueBytes", maxValueBytes, 1);
    assertLimit("journalTimeoutMs", journalTimeoutMs);
    assertLimit("pollIntervalMs", pollIntervalMs);
    assertOptionalFunction("onError", onError);
    this.#engine = Promise.resolve(engine);
    // Every method rejects with the error of an engine that cannot be opened.
    this.#engine.catch(() => {});
    this.#agents = agents;
    this.#options = { clock, maxAttempts, maxValueBytes, onError, pollIntervalMs };
    this.#recorderOptions = { clock, maxSteps, maxValueBytes, journalTimeoutMs };
  }

  /**
   * Starts a run with the current version of the agent.
   *
   * @param run Id, agent and message of the run.
   * @returns `true` if the run was started, and `false` if an equal run was started before.
   * @throws {TypeError} If the agent is unknown, or the id or the message is invalid.
   * @throws {RangeError} If the message is too large.
   * @throws {AgentError} With code `run_conflict` if there is a run with the same id and a different agent or message.
   */
  async start(run: RunStart): Promise<boolean> {
    assertObject("run", run);
    const { agent, due, input: turn, runId, tx } = run;
    assertRunId(runId);
    const version = Object.hasOwn(this.#agents, agent) ? this.#agents[agent]?.version : undefined;
    if (version === undefined) rejectArgument("agent", "the name of an agent", agent);
    if (turn === undefined) rejectArgument("input", "a string or an array of parts", turn);
    assertTurn("input", turn);
    if (due !== undefined) assertArgumentDate("due", due);
    const input = toStepValue(turn);
    this.#assertSize("input", input);
    const { journal, queue } = await this.#open();
    const dueText = due?.toISOString();
    const added = { runId, agent, version, input, ...defined({ due: dueText }) };
    const isNew = await journal.create(added, tx);
    const existing = isNew ? undefined : await journal.get(runId);
    if (existing !== undefined) {
      const isEqual = existing.agent === agent &&
        formatSorted(existing.input) === formatSorted(input);
      if (!isEqual) {
        const reason = "there is a run with the same id and a different agent or message";
        throw AgentError.run("run_conflict", "start", { runId, reason });
      }
      // The earlier call may have failed after it stored the run.
      if (existing.status === "queued") await this.#wake(existing);
    } else await queue.wake({ runId, agent, version }, { id: "0", ...defined({ due, tx }) });
    return isNew;
  }

  /**
   * Sends a signal to a run: the decision on an approval, or a value that a tool waits for with `ToolContext.wait`. The
   * first signal with a key is kept. A signal may be sent before the run waits for it.
   *
   * @param runId Id of the run.
   * @param key Key of the signal. The key of a decision is the `key` of the approval in `waitingFor`.
   * @param value Value of the signal. The value of a decision is an `ApprovalDecision` or a boolean.
   * @returns `"stored"` or `"present"` if the run has the signal with this value, `"conflict"` if it has the signal
   * with a different value, and `"ended"`, `"full"` or `"not_found"` if the signal was not stored.
   * @throws {TypeError} If the key is not a non-empty string of at most 4096 characters, the value is not a JSON value,
   * or the value for an approval is not a decision.
   * @throws {RangeError} If the value is too large.
   */
  async signal(
    runId: string,
    key: string,
    value: JsonValue | ApprovalDecision,
  ): Promise<SignalOutcome> {
    assertRunId(runId);
    assertText("key", key, MAX_KEY_LENGTH);
    const content = isApprovalKey(runId, key) ? readDecision(value) : value;
    if (!isJsonValue(content)) rejectArgument("value", "a JSON value", value);
    this.#assertSize("value", content);
    const { journal } = await this.#open();
    const outcome = await journal.signal(runId, key, content);
    if (outcome === "stored" || outcome === "present") {
      const run = await journal.get(runId);
      if (run?.status === "queued") await this.#wake(run);
    }
    return outcome;
  }

  /**
   * Cancels a run. A worker that executes the run can no longer record steps, and its tool calls are aborted.
   *
   * @param runId Id of the run.
   * @returns `true` if the run was cancelled, and `false` if there is no such run or it has already ended.
   */
  async cancel(runId: string): Promise<boolean> {
    assertRunId(runId);
    const { journal, queue } = await this.#open();
    const isCancelled = await journal.cancel(runId);
    const run = await journal.get(runId);
    // An earlier call may have failed before it reached the queue.
    if (run?.status === "cancelled") await queue.drop(run);
    if (isCancelled) this.#announce(runId);
    return isCancelled;
  }

  /**
   * Returns a run, or `undefined` if there is no such run.
   *
   * @param runId Id of the run.
   */
  async get(runId: string): Promise<RunRecord | undefined> {
    assertRunId(runId);
    return await (await this.#open()).journal.get(runId);
  }

  /**
   * Lists runs in a stable order. `isAccepted` is `false` for runs that no agent of this program executes.
   *
   * @param filter Filter and page. If omitted, the first 100 runs.
   * @throws {RangeError} If `limit` is not an integer from 1 to 1000.
   */
  async list(filter: RunFilter = {}): Promise<readonly ListedRun[]> {
    if (filter.limit !== undefined) assertLimit("limit", filter.limit, 1, MAX_PAGE);
    const runs = await (await this.#open()).journal.list(filter);
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
   * Deletes runs that are done, failed or cancelled, with their steps and signals.
   *
   * @param before Only runs whose last change is earlier than this time.
   * @returns Number of deleted runs.
   */
  async purge(before: Date): Promise<number> {
    assertArgumentDate("before", before);
    return await (await this.#open()).journal.purge(before);
  }

  /**
   * Waits until a run is done, failed or cancelled, and returns it.
   *
   * @param runId Id of the run.
   * @param options Signal that ends the wait.
   * @throws {AgentError} With code `run_not_found` if there is no such run.
   * @throws The signal's reason if the signal is aborted.
   */
  async result(
    runId: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<RunRecord> {
    assertRunId(runId);
    const { clock, pollIntervalMs } = this.#options;
    const { journal } = await this.#open();
    for (;;) {
      signal?.throwIfAborted();
      this.#closed.signal.throwIfAborted();
      const announced = this.#onAnnounce(runId);
      try {
        const run = await journal.get(runId);
        if (run === undefined) {
          throw AgentError.run("run_not_found", "wait for", {
            runId,
            reason: "there is no such run",
          });
        }
        if (isEnded(run.status)) return run;
        const stop = AbortSignal.any([
          announced.signal,
          this.#closed.signal,
          ...signal ? [signal] : [],
        ]);
        await delay(clock, pollIntervalMs, stop).catch(() => {});
      } finally {
        announced.cancel();
      }
    }
  }

  /**
   * Executes runs until the signal is aborted or `close()` is called. Also delivers runs whose request for delivery was
   * lost in a crash, and reports runs that no agent of this program accepts.
   *
   * @param options Concurrency and signal.
   * @throws {RangeError} If `concurrency` is not a positive integer.
   */
  async work(options: RunWorkOptions = {}): Promise<void> {
    const { concurrency = 4, signal } = options;
    assertLimit("concurrency", concurrency, 1);
    const stopped = AbortSignal.any([this.#closed.signal, ...signal ? [signal] : []]);
    const working = this.#work(concurrency, stopped);
    this.#workers.add(working);
    try {
      await working;
    } finally {
      this.#workers.delete(working);
    }
  }

  /** Stops the workers, puts their runs back, and closes the engine. Further calls return the same promise. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  /** Calls {@linkcode Runs.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#closed.abort(closedError());
    await Promise.allSettled(this.#workers);
    const [engine] = await Promise.allSettled([this.#engine]);
    if (engine.status === "fulfilled") await engine.value[Symbol.asyncDispose]();
  }

  async #open(): Promise<RunEngine> {
    this.#closed.signal.throwIfAborted();
    return await this.#engine;
  }

  async #work(concurrency: number, signal: AbortSignal): Promise<void> {
    const { queue } = await this.#open();
    const working = queue.work(
      addressesOf(this.#agents),
      { concurrency, signal },
      (runId, delivery) => this.#handle(runId, delivery),
    );
    const recovering = this.#recover(signal).catch((error) => {
      if (!signal.aborted) callOnError(this.#options.onError, error);
    });
    await Promise.all([working, recovering]);
  }

  /** Requests the delivery of all queued runs, and reports the open runs that no agent accepts. */
  async #recover(signal: AbortSignal): Promise<void> {
    const reported = new Set<string>();
    const { journal } = await this.#engine;
    for (const status of ["queued", "running", "waiting"] satisfies RunStatus[]) {
      for (const agent of Object.keys(this.#agents)) {
        let after: string | undefined;
        do {
          signal.throwIfAborted();
          const filter = { status, agent, limit: MAX_PAGE, ...defined({ after }) };
          const page = await journal.list(filter);
          for (const run of page) {
            if (!isAccepted(this.#agents, run)) this.#reportNotAccepted(run, reported);
            else if (status === "queued") await this.#wake(run);
          }
          after = page.at(-1)?.runId;
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
    callOnError(this.#options.onError, error);
  }

  /** Requests the delivery of a queued run. The epoch makes the request unique, so a repeated request has no effect. */
  async #wake({ agent, due, epoch, runId, version }: RunRecord): Promise<void> {
    const { queue } = await this.#engine;
    const options = due === undefined ? {} : { due: new Date(due) };
    await queue.wake({ agent, runId, version }, { id: String(epoch), ...options });
  }

  async #handle(runId: string, delivery: RunDelivery): Promise<void> {
    try {
      // A signal that arrives while the run is being closed causes another execution.
      while (!await this.#execute(runId, delivery));
    } catch (error) {
      // The runs of a stopped worker are put back, and this is not reported.
      if (!delivery.signal.aborted) callOnError(this.#options.onError, error);
      throw error;
    }
  }

  /** Executes a run once. Returns `false` if the run must be executed again. */
  async #execute(runId: string, delivery: RunDelivery): Promise<boolean> {
    const { journal, queue } = await this.#engine;
    delivery.signal.throwIfAborted();
    const open = await journal.open(runId);
    if (open === undefined) return true;
    const { agent: name, epoch, version } = open.run;
    const agent = isAccepted(this.#agents, open.run) ? this.#agents[name] : undefined;
    if (agent === undefined) {
      const reason =
        `the queue delivered version "${version}" of agent "${name}", which is not accepted`;
      const error = AgentError.run("run_version_not_accepted", "execute", { runId, reason });
      await journal.close(runId, epoch, { status: "queued", error: toFailure(error) });
      throw error;
    }
    const { end, retry } = await executeRun({
      journal,
      open,
      agent,
      delivery,
      options: this.#recorderOptions,
      maxAttempts: this.#options.maxAttempts,
    });
    if (end === undefined) return true;
    const outcome = await journal.close(runId, epoch, end);
    if (outcome === "fenced") return true;
    if (retry !== undefined) throw retry.error;
    if (outcome === "signalled") return false;
    if (end.status === "waiting" && end.due !== undefined) {
      const due = new Date(end.due);
      await queue.wake({ agent: name, runId, version }, { id: `due/${epoch}`, due });
    }
    if (end.status === "done" || end.status === "failed") this.#announce(runId);
    return true;
  }

  #onAnnounce(runId: string): { readonly signal: AbortSignal; cancel(): void } {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    const waiters = this.#waiters.get(runId) ?? new Set();
    this.#waiters.set(runId, waiters.add(abort));
    return {
      signal: controller.signal,
      cancel: () => {
        waiters.delete(abort);
        if (waiters.size === 0) this.#waiters.delete(runId);
      },
    };
  }

  #announce(runId: string): void {
    for (const resolve of [...this.#waiters.get(runId) ?? []]) resolve();
  }

  #assertSize(name: string, value: JsonValue): void {
    const { maxValueBytes } = this.#options;
    const bytes = sizeOfJson(value);
    if (bytes <= maxValueBytes) return;
    throw new RangeError(`"${name}" must have at most ${maxValueBytes} bytes, got ${bytes}`);
  }
}

function closedError(): AgentError {
  return AgentError.core("Cannot use the runs: they are closed");
}

function assertText(name: string, value: unknown, maxLength: number): void {
  // Databases cannot store a null character or an unpaired surrogate.
  const isText = typeof value === "string" && value.length >= 1 && value.length <= maxLength &&
    !value.includes("\0") && value.isWellFormed();
  if (!isText) rejectArgument(name, `a string of 1 to ${maxLength} characters`, value);
}

function assertRunId(runId: unknown): void {
  assertText("runId", runId, MAX_RUN_ID_LENGTH);
}

function readDecision(value: unknown): ApprovalDecision {
  const decision = readApprovalDecision(value);
  if (decision !== undefined && decision.decision !== "defer") return decision;
  return rejectArgument("value", "an ApprovalDecision that approves or denies", value);
}
