/**
 * Journals that record the steps of runs so that an interrupted run can be resumed.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { assertFunction, assertMethods } from "@parley/internal/assert-argument";
import { optionsReader, withDefault } from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import type { JsonValue } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import type { StepKind, StepRunner } from "./step_runner.ts";

/** A recorded step. */
export interface JournalEntry {
  /** Version of the entry format. */
  readonly v: 1;
  /** Key of the step. */
  readonly key: string;
  /** Kind of step. */
  readonly kind: StepKind;
  /** Value that the step returned. */
  readonly value: JsonValue;
  /**
   * Time at which the step was recorded, in milliseconds since the Unix epoch. The recorded time
   * does not affect a resumed run. Entries written by other programs may lack a time.
   */
  readonly at?: number;
}

/** Options for {@linkcode recordSteps}. */
export interface RecordStepsOptions {
  /**
   * Returns the current time, in milliseconds since the Unix epoch. If the result is not a finite
   * number, the step is not recorded. If omitted, `Date.now` is used.
   */
  readonly now?: () => number;
}

const readRecordStepsOptions = optionsReader<RecordStepsOptions>("options")({
  now: withDefault(() => Date.now(), assertFunction),
});

/** Storage for the steps of runs. */
export interface Journal {
  /**
   * Returns the recorded step, or `undefined` if the journal does not contain a step with this key.
   *
   * @param key Key of the step.
   */
  get(key: string): JournalEntry | undefined;
  /**
   * Records a step. Resolves when the step is stored durably.
   *
   * `append` must reject if a step with the same key is already recorded, and leave the recorded
   * step unchanged. Checking the key and recording the step must be one atomic operation, for
   * example the insertion of a row with a unique key. The start of a tool that is not safe to
   * repeat is a step, so a second process that executes the same run cannot execute the tool. A run
   * waits for `append` without a timeout, even if the run is aborted, so `append` must reject if
   * the storage does not respond.
   *
   * @param entry Step to record.
   */
  append(entry: JournalEntry): Promise<void>;
}

const VERSION = 1;
const KINDS: ReadonlySet<unknown> = new Set<StepKind>([
  "run",
  "model",
  "tool",
  "approval",
  "repair",
  "begin",
  "suspended",
  "wait",
]);

/** Work in progress in a journal. */
interface JournalWork {
  /**
   * Steps in progress, keyed by step key. Resolves with the recorded step, or with `undefined` if
   * the step throws. Rejects if the journal fails.
   */
  readonly steps: Map<string, Promise<JournalEntry | undefined>>;
  /** Locks, keyed by their key. Resolves when the last owner that requested the lock has ended. */
  readonly locks: Map<string, Promise<void>>;
}

/**
 * The work in progress, keyed by journal. Several step runners can share one journal, and a journal
 * that an application implements has no place for this state.
 */
const WORK: WeakMap<Journal, JournalWork> = new WeakMap();

/**
 * Creates a step runner that records steps in a journal. A recorded step is not executed again. The
 * step runner can be used for any number of runs with different ids.
 *
 * The same run can be executed several times concurrently, for example because two requests contain
 * the same approval. In one process, a step is then executed once, even if several step runners use
 * the journal: the other executions wait and receive the recorded value. If the step throws, the
 * next execution executes the step. Between processes, the `append` method of the journal ensures
 * that a step is recorded once.
 *
 * @param journal Journal that stores the steps.
 * @param options Clock for the recorded times.
 * @throws {TypeError} If `journal` does not have `get` and `append` methods, or `now` is not a
 * function.
 *
 * @example Repeat a run without calling the model again
 * ```ts
 * import { runToolLoop, ToolRegistry } from "@parley/runtime";
 * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const stepRunner = recordSteps(new MemoryJournal());
 * const model = scriptedModel([{ text: "Once" }]);
 * const config = { model, registry: new ToolRegistry(), stepRunner, runId: "run-1" };
 * const first = await runToolLoop(config, "Hello");
 * const second = await runToolLoop(config, "Hello");
 * assertEquals([second.finalText, model.requests.length], [first.finalText, 1]);
 * ```
 */
export function recordSteps(journal: Journal, options: RecordStepsOptions = {}): StepRunner {
  assertMethods("journal", "a Journal", journal, ["get", "append"]);
  const { now } = readRecordStepsOptions(options);
  const { locks, steps } = workOf(journal);

  async function execute(
    key: string,
    kind: StepKind,
    step: () => Promise<JsonValue>,
  ): Promise<JsonValue> {
    const { promise, resolve, reject } = Promise.withResolvers<JournalEntry | undefined>();
    // Without this handler, a failure of the journal is an unhandled rejection if no other
    // execution waits for the step.
    promise.catch(() => {});
    steps.set(key, promise);
    try {
      const entry = { v: VERSION, key, kind, value: await step(), at: askClock(now) } as const;
      try {
        await journal.append(entry);
      } catch (error) {
        reject(error);
        throw error;
      }
      resolve(entry);
      return entry.value;
    } finally {
      resolve(undefined);
      steps.delete(key);
    }
  }

  return {
    async run(key, kind, step): Promise<JsonValue> {
      for (;;) {
        const inProgress = steps.get(key);
        const recorded = inProgress ? await inProgress : journal.get(key);
        if (recorded?.kind === kind) return recorded.value;
        if (recorded !== undefined) {
          throw AgentError.core(
            `Cannot resume the run: journal step "${key}" is a ${recorded.kind} step, not a ${kind} step`,
          );
        }
        if (inProgress === undefined) return await execute(key, kind, step);
      }
    },

    async lock(key, work) {
      const before = locks.get(key);
      const { promise, resolve } = Promise.withResolvers<void>();
      locks.set(key, promise);
      try {
        await before;
        return await work();
      } finally {
        resolve();
        if (locks.get(key) === promise) locks.delete(key);
      }
    },
  };
}

function workOf(journal: Journal): JournalWork {
  const known = WORK.get(journal);
  if (known !== undefined) return known;
  const work: JournalWork = { steps: new Map(), locks: new Map() };
  WORK.set(journal, work);
  return work;
}

/**
 * Validates a recorded step.
 *
 * @param value The step as parsed JSON.
 * @returns The step, or a description of the error.
 *
 * @example Reject an unsupported version
 * ```ts
 * import { readJournalEntry } from "@parley/runtime/journal";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readJournalEntry({ v: 2 }), '"v" must be 1, got 2');
 * ```
 */
export function readJournalEntry(value: unknown): JournalEntry | string {
  if (!isRecord(value)) return "not a JSON object";
  const { v, key, kind, value: recorded, at } = value;
  if (v !== VERSION) return `"v" must be ${VERSION}, got ${formatValue(v)}`;
  if (typeof key !== "string") return '"key" must be a string';
  if (!isStepKind(kind)) return `unknown step kind ${formatValue(kind)}`;
  if (recorded === undefined) return '"value" is missing';
  if (at !== undefined && !Number.isFinite(at)) return '"at" must be a number';
  // `recorded` is a JSON value because the entry was parsed from JSON.
  const entry: JournalEntry = { v, key, kind, value: recorded as JsonValue };
  return typeof at === "number" ? { ...entry, at } : entry;
}

function isStepKind(value: unknown): value is StepKind {
  return KINDS.has(value);
}
