/**
 * The step runner for a durable run.
 *
 * @module
 */

import type { JournalEntry } from "../journal/journal.ts";
import type { StepKind, StepRunner } from "../journal/step_runner.ts";
import { formatValue } from "@parley/internal/format-value";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import { sizeOfJson } from "../shared/json_size.ts";
import { backOff } from "../shared/back_off.ts";
import { delay, type RunClock } from "./clock.ts";
import type { AppendOutcome, OpenRun, RunJournal } from "./contracts.ts";

/** Delay before a failed call to the journal is first retried, in milliseconds. */
const FIRST_DELAY_MS = 100;
/** Maximum delay between retries of a call to the journal, in milliseconds. */
const MAX_DELAY_MS = 5000;

/** Limits for the recorder. */
export interface RecorderOptions {
  /** Clock for recorded times and delays. */
  readonly clock: RunClock;
  /** Maximum number of steps per run. */
  readonly maxSteps: number;
  /** Maximum size of a recorded value, in bytes of UTF-8 JSON. */
  readonly maxValueBytes: number;
  /** How long a failed call to the journal is retried, in milliseconds. */
  readonly journalTimeoutMs: number;
  /**
   * The delivery's abort signal. After the signal is aborted, failed calls to the journal are not
   * retried.
   */
  readonly signal: AbortSignal;
}

/**
 * Records the steps of an open run in its journal.
 *
 * After the first failure to record a step, the recorder starts no further steps and aborts the
 * run.
 */
export class StepRecorder implements StepRunner {
  readonly #journal: RunJournal;
  readonly #runId: string;
  readonly #epoch: number;
  readonly #steps: Map<string, JournalEntry>;
  readonly #options: RecorderOptions;
  readonly #aborted = new AbortController();
  /** The first failure to record a step. */
  failure: unknown;

  constructor(journal: RunJournal, { run, steps }: OpenRun, options: RecorderOptions) {
    this.#journal = journal;
    this.#runId = run.runId;
    this.#epoch = run.epoch;
    this.#steps = new Map(steps);
    this.#options = options;
  }

  /** Aborted after the first failure to record a step. */
  get signal(): AbortSignal {
    return this.#aborted.signal;
  }

  /** Returns the recorded value, or executes the step and records its value. */
  async run(
    key: string,
    kind: StepKind,
    step: () => Promise<JsonValue>,
  ): Promise<JsonValue> {
    const recorded = this.#steps.get(key);
    if (recorded !== undefined) {
      if (recorded.kind === kind) return recorded.value;
      throw this.#fail(
        this.#error(
          "run_damaged",
          `step "${key}" is a ${recorded.kind} step, not a ${kind} step`,
        ),
      );
    }
    if (this.failure !== undefined) throw this.failure;
    const value = await step();
    if (this.failure !== undefined) throw this.failure;
    await this.#record({ v: 1, key, kind, value, at: this.#options.clock.now() });
    return value;
  }

  async #record(entry: JournalEntry): Promise<void> {
    const { maxSteps, maxValueBytes } = this.#options;
    if (this.#steps.size >= maxSteps) {
      throw this.#fail(
        this.#error("run_limit", `the run has reached the maximum number of steps (${maxSteps})`),
      );
    }
    // A database would change such a key or reject it again and again.
    if (!isStorable(entry.key)) {
      const reason = `the key of step ${formatValue(entry.key)} is not a text that can be stored`;
      throw this.#fail(this.#error("run_limit", reason));
    }
    const bytes = sizeOfJson(entry.value);
    if (bytes > maxValueBytes) {
      const reason =
        `the value of step "${entry.key}" has ${bytes} bytes, more than ${maxValueBytes}`;
      throw this.#fail(this.#error("run_limit", reason));
    }
    this.#steps.set(entry.key, entry);
    const outcome = await this.#append(entry);
    if (outcome === "stored") return;
    this.#steps.delete(entry.key);
    throw this.#fail(
      outcome === "fenced"
        ? this.#error("run_fenced", "the run was opened by another worker, cancelled or closed")
        : this.#error("run_damaged", `step "${entry.key}" was recorded by another program`),
    );
  }

  /**
   * Appends a step. If the journal fails, retries the call, because the step may have had effects
   * that must be recorded.
   */
  async #append(entry: JournalEntry): Promise<AppendOutcome> {
    const { clock, journalTimeoutMs, signal } = this.#options;
    const startedAt = clock.now();
    for (let attempt = 1;; attempt++) {
      try {
        const outcome = await this.#journal.append(this.#runId, this.#epoch, entry);
        // If a retry finds the step already present, the failed call has stored the step.
        return outcome === "present" && attempt > 1 ? "stored" : outcome;
      } catch (error) {
        const waitMs = backOff(attempt, FIRST_DELAY_MS, MAX_DELAY_MS);
        const isLast = clock.now() + waitMs - startedAt > journalTimeoutMs;
        if (isLast || signal.aborted || AgentError.isAgentError(error)) throw this.#fail(error);
        await delay(clock, waitMs, signal).catch(() => {});
      }
    }
  }

  #fail(error: unknown): unknown {
    this.failure ??= error;
    this.#aborted.abort(this.failure);
    return this.failure;
  }

  #error(code: "run_damaged" | "run_fenced" | "run_limit", reason: string): AgentError {
    return AgentError.run(code, "continue", { runId: this.#runId, reason });
  }
}

/**
 * Returns true if a text contains neither null characters nor lone surrogates, which some databases
 * cannot store.
 */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
