/**
 * Journals that record runs so that a run can be resumed after a crash or a deferred approval.
 *
 * A run with a `runId` and a `stepRunner` records every model call, tool call and approval. If a
 * run is started again with the same id, message and journal, it reads the recorded steps and
 * continues after the last one. Use {@linkcode recordSteps} to create a step runner.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * const options = { runId: "r1", stepRunner: recordSteps(new MemoryJournal()) };
 * await agent.run("Hi", options);
 * assertEquals((await agent.run("Hi", options)).finalText, "Hello"); // the model was called once
 * ```
 *
 * The text of a journal is a snapshot of a suspended run; see {@linkcode MemoryJournal.toText}. To
 * record steps in another system, implement {@linkcode Journal}, or {@linkcode StepRunner} with the
 * properties that its documentation lists.
 *
 * @module
 */

export {
  type Journal,
  type JournalEntry,
  readJournalEntry,
  recordSteps,
  type RecordStepsOptions,
} from "./journal/journal.ts";
export { JsonlJournal } from "./journal/jsonl.ts";
export { MemoryJournal } from "./journal/memory.ts";
export type { StepKind, StepRunner } from "./journal/step_runner.ts";
export type { JournalStore } from "./journal/store.ts";
