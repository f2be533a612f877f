/**
 * Options and arguments for durable runs.
 *
 * @module
 */

import { type ApprovalDecision, readApprovalDecision } from "../loop/approval.ts";
import {
  assertCount,
  assertNonNegative,
  assertOptionalBoolean,
  assertOptionalFunction,
  assertOptionalSignal,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { int32From, oneOf } from "@parley/internal/option-checks";
import { namesOf, type OptionsReader, optionsReader, withDefault } from "@parley/internal/options";
import {
  RUN_LOG_RULES,
  RUN_READ_RULES,
  type RunLogOptions,
  type RunReadOptions,
} from "../log/log_options.ts";
import type { BudgetLimits } from "../budget/limits.ts";
import type { JsonObject } from "../shared/json.ts";
import type { MessageInput, UserTurn } from "../shared/model.ts";
import type { PriceTable } from "../shared/prices.ts";
import type { RunClock } from "./clock.ts";
import type { SignalOutcome } from "./contracts.ts";
import type { RunRecord, RunWait } from "./run_record.ts";
import { CLOCK_RULE } from "./memory.ts";
import { isStorable } from "./step_recorder.ts";

/** Options for {@linkcode openRuns}. */
export interface OpenRunsOptions extends RunLogOptions {
  /**
   * Whether the events of runs are stored while a worker executes them, so that `attach` can read
   * them in any process. Each batch of events is a write to the engine. Workers and readers must
   * both set the option. Without it, `keepEndedMs` and the other options for events have no effect.
   *
   * @default {false}
   */
  readonly storeEvents?: boolean;
  /**
   * Maximum number of readers of one run in this process; a positive integer. Defaults to a tenth
   * of `maxReaders`, and at least 10.
   */
  readonly maxRunReaders?: number;
  /**
   * Maximum size of each message, signal, recorded value and result, in bytes of UTF-8 JSON; a
   * positive integer.
   *
   * @default {33_554_432}
   */
  readonly maxValueBytes?: number;
  /**
   * Maximum number of recorded steps per run; a positive integer. A run that needs more steps
   * fails.
   *
   * @default {10_000}
   */
  readonly maxSteps?: number;
  /**
   * Number of attempts after which a run fails; a positive integer. Attempts that fail because of
   * the engine, and executions that crash, do not count toward this limit.
   *
   * @default {5}
   */
  readonly maxAttempts?: number;
  /**
   * How long a failed attempt to record a step is retried, in milliseconds. If a step cannot be
   * recorded within this time, its result is lost, and the step counts as interrupted.
   *
   * @default {60_000}
   */
  readonly journalTimeoutMs?: number;
  /**
   * Maximum time for a call to the engine, in milliseconds. A call that takes longer rejects with a
   * `TimeoutError`; a worker tries again.
   *
   * @default {60_000}
   */
  readonly engineTimeoutMs?: number;
  /**
   * Maximum time for creating and initializing an agent, and for terminating it, in milliseconds.
   * An attempt whose agent is not ready in time fails.
   *
   * @default {60_000}
   */
  readonly agentTimeoutMs?: number;
  /**
   * Interval at which `result` reads a run, in milliseconds. If a worker of the same `Runs` object
   * ends the run, `result` does not wait for the next read.
   *
   * @default {1000}
   */
  readonly pollIntervalMs?: number;
  /**
   * Time after which `result` reports a run that does not end without help to `onError`, in
   * milliseconds. `Infinity` disables the reports.
   *
   * @default {10_000}
   */
  readonly warnAfterMs?: number;
  /**
   * Clock for delays, recorded times and `ToolContext.sleep`. If omitted, the system clock is used.
   */
  readonly clock?: RunClock;
  /**
   * Called with errors that do not reject a promise: failed attempts to execute a run, damaged
   * runs, runs that no agent of the program accepts, runs that `result` waits for and that do not
   * end without help, and exceptions from an agent's `onTerminate`.
   * If omitted, each distinct error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

/** Names of the options for durable runs that have a default. */
export type OpenRunsDefault = Exclude<keyof OpenRunsOptions, "maxRunReaders" | "onError">;

/** Reads the options for durable runs. */
export const readOpenRunsOptions: OptionsReader<OpenRunsOptions, OpenRunsDefault> = optionsReader<
  OpenRunsOptions
>("options")({
  ...RUN_LOG_RULES,
  storeEvents: withDefault(false, assertOptionalBoolean),
  maxRunReaders: assertCount,
  maxValueBytes: withDefault(33_554_432, assertCount),
  maxSteps: withDefault(10_000, assertCount),
  maxAttempts: withDefault(5, assertCount),
  journalTimeoutMs: withDefault(60_000, assertNonNegative),
  engineTimeoutMs: withDefault(60_000, int32From(1)),
  agentTimeoutMs: withDefault(60_000, int32From(1)),
  pollIntervalMs: withDefault(1000, assertNonNegative),
  warnAfterMs: withDefault(10_000, assertNonNegative),
  clock: CLOCK_RULE,
  onError: assertOptionalFunction,
});

/** A run to start. */
export interface RunStart {
  /**
   * Id of the run: 1 to 256 characters. Starting a run again with the same id, agent, messages,
   * budget and metadata has no effect.
   */
  readonly runId: string;
  /** Name of the agent. */
  readonly agent: string;
  /** Message from the user: text or parts. */
  readonly input: UserTurn;
  /**
   * Earlier conversation, without a system message, which is stored with the run. The messages are
   * validated when the run is executed. If omitted, the message begins the conversation.
   */
  readonly messages?: readonly MessageInput[];
  /**
   * Party on whose behalf the run is started, such as the sender of a task: 1 to 256 characters.
   * The engine limits the number of stored runs of each party. Omit the party for runs that the
   * program starts itself.
   */
  readonly party?: string;
  /**
   * Data of the program that is stored with the run and passed to `AgentVersion.make`: a JSON
   * object of at most 65,536 bytes in UTF-8. The metadata never changes. An empty object and no
   * metadata are equal. If omitted, the run has no metadata.
   */
  readonly metadata?: JsonObject;
  /** Earliest start time of the run. If omitted, the run starts immediately. */
  readonly due?: Date;
  /**
   * Limits of the run, in addition to the budget of the agent. The limits are stored with the run,
   * so `prices` must be a table. After a crash, the run is charged for its recorded steps. If
   * omitted, only the budget of the agent applies.
   */
  readonly budget?: Omit<BudgetLimits, "prices"> & { readonly prices?: PriceTable };
  /**
   * The caller's transaction, of a type that the engine defines. The run is started if and when the
   * transaction is committed. If omitted, the run has already been started when the promise
   * resolves.
   */
  readonly tx?: unknown;
}

/** A run in a list. */
export interface ListedRun extends RunRecord {
  /**
   * Whether an agent in this program accepts the run's version. If `false`, agents in other
   * programs may accept the version.
   */
  readonly isAccepted: boolean;
}

/** Options for {@linkcode Runs.work}. */
export interface RunWorkOptions {
  /**
   * Maximum number of runs that are executed concurrently; a positive integer.
   *
   * @default {4}
   */
  readonly concurrency?: number;
  /** Signal that stops the worker. Runs in progress are returned to the queue. */
  readonly signal?: AbortSignal;
}

/** Options for {@linkcode Runs.result}. */
export interface RunResultOptions {
  /** Signal that aborts the wait. */
  readonly signal?: AbortSignal;
  /**
   * Whether to wait until the run has ended, or only until the run has ended or waits for a
   * decision or a signal. A run that waits only for a scheduled time continues automatically and is
   * not returned.
   *
   * @default {"ended"}
   */
  readonly until?: "ended" | "waiting";
}

/**
 * Result of {@linkcode Runs.signal}. The outcome `"stored_not_awaited"` means that the signal is
 * recorded, but the run waits for other signals, for example because the key is misspelled.
 */
export type SignalResult =
  | {
    /** Whether the signal is recorded. */
    readonly outcome: SignalOutcome;
  }
  | {
    /** The signal is recorded, and the run does not wait for it. */
    readonly outcome: "stored_not_awaited";
    /** Decisions, signals and scheduled times that the run waits for. */
    readonly waitingFor: readonly RunWait[];
  };

/** Reads the options of a worker. */
export const readWorkOptions: OptionsReader<RunWorkOptions, "concurrency"> = optionsReader<
  RunWorkOptions
>("options")({ concurrency: withDefault(4, assertCount), signal: assertOptionalSignal });

/** Reads the options of a reader. */
export const readRunReadOptions: OptionsReader<RunReadOptions, "until"> = optionsReader<
  RunReadOptions
>("options")(RUN_READ_RULES);

/** Reads the options for waiting for a run. */
export const readResultOptions: OptionsReader<RunResultOptions, "until"> = optionsReader<
  RunResultOptions
>("options")({
  signal: assertOptionalSignal,
  until: withDefault("ended", oneOf("ended", "waiting")),
});

/**
 * Names of the members of a run to start. A misspelled `due` would otherwise start the run
 * immediately.
 */
export const START_NAMES: ReadonlySet<string> = namesOf<RunStart>({
  runId: true,
  agent: true,
  input: true,
  messages: true,
  party: true,
  metadata: true,
  due: true,
  budget: true,
  tx: true,
});

const MAX_RUN_ID_LENGTH = 256;
const MAX_KEY_LENGTH = 4096;

function assertText(name: string, value: unknown, maxLength: number): void {
  if (isText(value, maxLength)) return;
  rejectArgument(name, `a string of 1 to ${maxLength} characters`, value);
}

function isText(value: unknown, maxLength: number): boolean {
  return typeof value === "string" && value.length >= 1 && value.length <= maxLength &&
    isStorable(value);
}

/** Returns true if a value can be the key of a signal. */
export function isSignalKey(key: unknown): boolean {
  return isText(key, MAX_KEY_LENGTH);
}

/**
 * Validates the id of a run.
 *
 * @throws {TypeError} If the id is not a string of 1 to 256 characters that a database can store.
 */
export function assertRunId(runId: unknown): void {
  assertText("runId", runId, MAX_RUN_ID_LENGTH);
}

/**
 * Validates the id of a run, or text with which ids start.
 *
 * @throws {TypeError} If the text is not a string of 1 to 256 characters that a database can store.
 */
export function assertIdText(name: string, text: unknown): void {
  assertText(name, text, MAX_RUN_ID_LENGTH);
}

/**
 * Validates the party of a run.
 *
 * @throws {TypeError} If the party is not a string of 1 to 256 characters that a database can
 * store.
 */
export function assertParty(party: unknown): void {
  assertText("party", party, MAX_RUN_ID_LENGTH);
}

/**
 * Validates the key of a signal.
 *
 * @throws {TypeError} If the key is not a string of 1 to 4096 characters that a database can store.
 */
export function assertSignalKey(key: unknown): void {
  assertText("key", key, MAX_KEY_LENGTH);
}

/**
 * Reads the decision from a signal.
 *
 * @throws {TypeError} If the value is not a decision that approves or denies a tool call.
 */
export function readDecision(value: unknown): ApprovalDecision {
  const decision = readApprovalDecision(value);
  if (decision !== undefined && decision.decision !== "defer") return decision;
  return rejectArgument("value", "an ApprovalDecision that approves or denies", value);
}
