/**
 * What has happened in a run, step by step: enough to go on after a crash, or another day.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import { isRecord, type JsonValue } from "../shared/json.ts";
import type { StepKind, StepRunner } from "./step_runner.ts";

/** One recorded step. */
export interface JournalEntry {
  /** The version of this format: 1. */
  readonly v: 1;
  /** The step's key. */
  readonly key: string;
  /** What the step is. */
  readonly kind: StepKind;
  /** What the step returned. */
  readonly value: JsonValue;
}

/** Keeps the steps of runs. */
export interface Journal {
  /**
   * Looks up a step.
   *
   * @param key the step's key
   */
  get(key: string): JournalEntry | undefined;
  /**
   * Keeps a step; resolves when it is safe.
   *
   * @param entry the step
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
]);

/**
 * Runs steps through a journal: a recorded step is not run again.
 *
 * @param journal where the steps are kept
 * @returns the step runner, for any number of runs with different ids
 *
 * @example Run again, and nothing happens twice
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
export function recordSteps(journal: Journal): StepRunner {
  return {
    async run(key, kind, step): Promise<JsonValue> {
      const recorded = journal.get(key);
      if (recorded === undefined) {
        const value = await step();
        await journal.append({ v: VERSION, key, kind, value });
        return value;
      }
      if (recorded.kind === kind) return recorded.value;
      throw AgentError.core(
        `Cannot resume the run: the journal's step "${key}" is a ${recorded.kind} step, not a ${kind} step`,
      );
    },
  };
}

/**
 * Reads a recorded step.
 *
 * @param value anything
 * @returns the step, or what is wrong with it
 *
 * @example Another version
 * ```ts
 * import { readJournalEntry } from "@parley/runtime/journal";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(readJournalEntry({ v: 2 }), "its version is 2, not 1");
 * ```
 */
export function readJournalEntry(value: unknown): JournalEntry | string {
  if (!isRecord(value)) return "it is no object";
  const { v, key, kind, value: recorded } = value;
  if (v !== VERSION) return `its version is ${JSON.stringify(v) ?? "missing"}, not ${VERSION}`;
  if (typeof key !== "string") return "it has no key";
  if (!isStepKind(kind)) return "its kind is unknown";
  if (recorded === undefined) return "it has no value";
  // The text was JSON, so whatever stands in it is a JSON value.
  return { v, key, kind, value: recorded as JsonValue };
}

function isStepKind(value: unknown): value is StepKind {
  return KINDS.has(value);
}
