/**
 * Journals: runs that survive a crash, wait for a person, or are replayed.
 *
 * A run with a `runId` and a `stepRunner` records every model call, tool call and approval. Run again with the same id,
 * message and journal, it repeats what is recorded without doing it, and goes on from there.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * await agent.initialize();
 * const options = { runId: "r1", stepRunner: recordSteps(new MemoryJournal()) };
 * await agent.run("Hi", options);
 * assertEquals((await agent.run("Hi", options)).finalText, "Hello"); // the model was asked once
 * ```
 *
 * A snapshot of a suspended run is the text of its journal: {@linkcode MemoryJournal.toText}. Durable engines need no
 * journal of ours: each is a {@linkcode StepRunner} of a line, for example `{ run: (key, _kind, step) => ctx.run(key, step) }`.
 *
 * @module
 */

export {
  type Journal,
  type JournalEntry,
  readJournalEntry,
  recordSteps,
} from "./journal/journal.ts";
export { type JournalStore, JsonlJournal } from "./journal/jsonl.ts";
export { MemoryJournal } from "./journal/memory.ts";
export type { StepKind, StepRunner } from "./journal/step_runner.ts";
