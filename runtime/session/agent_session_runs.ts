/**
 * The runs of an `AgentSession`, from loading the session to adding the record of the run.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { defined } from "@parley/internal/json";
import type { ToolLoopAgent } from "../agent/agent.ts";
import type { StepRunner } from "../journal/step_runner.ts";
import { assertTurn } from "../loop/conversation.ts";
import type { RunOptions } from "../loop/options.ts";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import type { UserTurn } from "../shared/model.ts";
import type { AgentStopReason, PartialLoopOutput, ToolLoopOutput } from "../shared/output.ts";
import type { Schema } from "../shared/typed_schema.ts";
import {
  type AgentSessionOptions,
  readSessionOptions,
  type SessionRunOptions,
} from "./agent_session_options.ts";
import { encodeRunIdPrefix, hasRecord, type SessionStopReason, toSessionRecord } from "./record.ts";
import { addedMessages, partialOutputOf, type SessionPosition } from "./run_output.ts";
import { RunSignal } from "./run_signal.ts";
import { SessionReader } from "./session_reader.ts";
import {
  isStartedWithOtherTurn,
  readRunStart,
  replayRecorded,
  type WatchedRunner,
  watchRunner,
} from "./step_runners.ts";
import type { SessionStore } from "./store.ts";

/** A run of the session, from loading the session to adding the run's record. */
export interface SessionRun extends SessionPosition {
  readonly options: RunOptions;
  readonly signal: RunSignal;
  readonly runner: WatchedRunner | undefined;
}

/** Opens and closes the runs of a session. */
export class AgentSessionRuns<S extends Schema> {
  /** Id of the session. */
  readonly id: string;
  /** Reader of the records of the session. */
  readonly reader: SessionReader;
  readonly #agent: ToolLoopAgent<S>;
  readonly #runIdPrefix: string;
  readonly #store: SessionStore;
  readonly #stepRunner: StepRunner | undefined;
  readonly #maxRecords: number;

  /**
   * @throws {TypeError} If `id` is not a non-empty string, or an option has the wrong type.
   * @throws {RangeError} If a limit is not a positive integer.
   */
  constructor(agent: ToolLoopAgent<S>, options: AgentSessionOptions) {
    const { id, store, stepRunner, maxRecords, maxChars } = readSessionOptions(options);
    this.#agent = agent;
    this.id = id;
    this.#runIdPrefix = encodeRunIdPrefix(id);
    this.#store = store;
    this.#stepRunner = stepRunner;
    this.#maxRecords = maxRecords;
    this.reader = new SessionReader(id, store, { maxRecords, maxChars });
  }

  /** Returns true if a run was started and is not part of the conversation yet. */
  async hasUnfinished(): Promise<boolean> {
    const { length } = await this.reader.load();
    if (this.#stepRunner === undefined) return false;
    return await readRunStart(this.#stepRunner, this.#runIdAt(length)) !== undefined;
  }

  /**
   * Adds the finished iterations of the interrupted or waiting run to the session. Returns false if
   * there is no such run.
   */
  async abandon(signal: AbortSignal | undefined): Promise<boolean> {
    const { history, length, messages } = await this.reader.load(signal);
    if (this.#stepRunner === undefined) return false;
    const runId = this.#runIdAt(length);
    const start = await abortable(readRunStart(this.#stepRunner, runId), signal);
    if (start === undefined) return false;
    const run = { history, isJournaled: true, length, messages, runId };
    await this.#giveUp(run, this.#stepRunner, signal);
    return true;
  }

  /**
   * Loads the session. If the interrupted run was for a different turn, that run is added to the
   * session.
   */
  async open(turn: UserTurn | undefined, options: SessionRunOptions): Promise<SessionRun> {
    assertTurn("userMessage", turn);
    const { stepRunner = this.#stepRunner } = options;
    let { history, length, messages } = await this.reader.load(options.signal);
    const lastRunId = this.#runIdAt(length);
    const decisionKeys = Object.keys(options.decisions ?? {});
    if (turn === undefined && decisionKeys.length > 0) {
      const decidable = this.#assertDecidable(lastRunId, decisionKeys, stepRunner);
      await abortable(decidable, options.signal);
    }
    if (stepRunner !== undefined && turn !== undefined) {
      const start = await abortable(readRunStart(stepRunner, lastRunId), options.signal);
      if (isStartedWithOtherTurn(start, turn)) {
        const runId = lastRunId;
        const abandoned = { history, isJournaled: true, length, messages, runId };
        await this.#giveUp(abandoned, stepRunner, options.signal);
        ({ history, length, messages } = await this.reader.load(options.signal));
      }
    }
    if (length >= this.#maxRecords) {
      throw AgentError.core(
        `Cannot run in session "${this.id}": ` +
          `the session has reached the maximum number of records (${this.#maxRecords})`,
      );
    }
    const signal = new RunSignal(options.signal);
    const runner = stepRunner && watchRunner(stepRunner);
    const runId = this.#runIdAt(length);
    const runOptions = {
      ...options,
      ...defined({ history }),
      runId,
      messages,
      signal: signal.signal,
    };
    return {
      runId,
      isJournaled: runner !== undefined,
      length,
      messages,
      history,
      signal,
      runner,
      options: runner === undefined ? runOptions : { ...runOptions, stepRunner: runner },
    };
  }

  /**
   * Asserts that the journal contains the run that the decisions belong to. A run that has ended or
   * was abandoned must not continue because of a late decision.
   */
  async #assertDecidable(
    runId: string,
    decisionKeys: readonly string[],
    stepRunner: StepRunner | undefined,
  ): Promise<void> {
    const text = `Cannot apply the decisions in session "${this.id}": `;
    if (stepRunner === undefined) {
      throw AgentError.core(
        `${text}the session has no "stepRunner", so its run cannot continue`,
      );
    }
    const isForRun = decisionKeys.some((key) => key.startsWith(`${runId}/`));
    if (isForRun && await readRunStart(stepRunner, runId)) return;
    throw AgentError.core(
      `${text}the run does not wait for a decision, ` +
        "because it has ended, was abandoned or is not in the journal",
    );
  }

  #runIdAt(length: number): string {
    return `${this.#runIdPrefix}/${length}`;
  }

  /**
   * Adds the finished iterations of an interrupted run to the session. Replays the run up to the
   * first step that is not recorded.
   */
  async #giveUp(
    run: SessionPosition,
    stepRunner: StepRunner,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { history, messages, runId } = run;
    const runner = replayRecorded(stepRunner);
    const [end] = await Promise.allSettled([
      this.#agent.run(
        undefined,
        defined({ history, messages, runId, signal, stepRunner: runner }),
      ),
    ]);
    // The replay may have ended early, so its output may lack recorded iterations.
    signal?.throwIfAborted();
    const output = end.status === "fulfilled" ? end.value : partialOutputOf(end.reason);
    if (output === undefined) throw end.status === "rejected" ? end.reason : undefined;
    await this.#append(run, "abandoned", output);
  }

  /** Adds a run to the session. Returns the output of the run, or throws its error. */
  async close<Output extends ToolLoopOutput | undefined>(
    run: SessionRun,
    end: PromiseSettledResult<Output>,
  ): Promise<Output> {
    const canResume = (reason?: AgentStopReason) => run.runner?.canResume(reason) === true;
    if (end.status === "fulfilled") {
      const { value: output } = end;
      const isSkipped = !output || output.pending || canResume(output.stopReason);
      if (!isSkipped) await this.#append(run, output.stopReason, output);
      return output;
    }
    const output = partialOutputOf(end.reason);
    const error = run.signal.toCallerError(end.reason, output);
    if (output !== undefined && !canResume(output.stopReason)) {
      await this.#append(run, output.stopReason ?? "failed", output, { error });
    }
    throw error;
  }

  /** @param failed The run's error, if the run failed. */
  async #append(
    run: SessionPosition,
    stopReason: SessionStopReason,
    output: PartialLoopOutput,
    failed?: { readonly error: unknown },
  ): Promise<void> {
    const { isJournaled, length, runId } = run;
    const messages = addedMessages(run, output);
    if (messages.length === 0 && stopReason !== "abandoned") return;
    let isAdded: unknown;
    try {
      const record = toSessionRecord(runId, stopReason, messages, output);
      isAdded = await this.#store.append(this.id, record, length);
      if (typeof isAdded !== "boolean") {
        throw new TypeError('"store.append" must return a boolean');
      }
      isAdded ||= isJournaled && hasRecord(await this.#store.load(this.id), length, record);
    } catch (failure) {
      const text = `Cannot add the run to session "${this.id}": ${errorMessageOf(failure)}`;
      const cause = failed ? new AggregateError([failed.error, failure], text) : failure;
      throw AgentError.core(text, { cause, partialOutput: output });
    }
    if (isAdded) return;
    throw AgentError.sessionConflict(this.id, length, {
      partialOutput: output,
      ...failed && { cause: failed.error },
    });
  }
}
