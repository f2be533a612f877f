/**
 * Journals that record the steps of runs so that an interrupted run can be resumed.
 *
 * @module
 */

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
   * Returns the current time, in milliseconds since the Unix epoch. If omitted, `Date.now` is used.
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

/**
 * Creates a step runner that records steps in a journal. A recorded step is not executed again. The
 * step runner can be used for any number of runs with different ids.
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
  return {
    async run(key, kind, step): Promise<JsonValue> {
      const recorded = journal.get(key);
      if (recorded === undefined) {
        const value = await step();
        await journal.append({ v: VERSION, key, kind, value, at: now() });
        return value;
      }
      if (recorded.kind === kind) return recorded.value;
      throw AgentError.core(
        `Cannot resume the run: journal step "${key}" is a ${recorded.kind} step, not a ${kind} step`,
      );
    },
  };
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
  if (at !== undefined && typeof at !== "number") return '"at" must be a number';
  // `recorded` is a JSON value because the entry was parsed from JSON.
  const entry: JournalEntry = { v, key, kind, value: recorded as JsonValue };
  return at === undefined ? entry : { ...entry, at };
}

function isStepKind(value: unknown): value is StepKind {
  return KINDS.has(value);
}
