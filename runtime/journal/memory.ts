/**
 * A journal in memory, and its text form: the snapshot of a run.
 *
 * @module
 */

import type { Journal, JournalEntry } from "./journal.ts";
import { formatEntry, parseEntries } from "./text.ts";

/**
 * Keeps steps in memory. Its text form, one JSON object a line, is a snapshot that can be stored anywhere and read back.
 *
 * @example Suspend a run for an approval and resume it from text
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * async function makeAgent(turns: Parameters<typeof scriptedModel>[0]): Promise<ToolLoopAgent> {
 *   const agent = new ToolLoopAgent({
 *     name: "clerk",
 *     model: scriptedModel(turns),
 *     approvalHandler: () => ({ decision: "defer" }),
 *   });
 *   agent.registry.register({ name: "pay", inputSchema: { type: "object" }, execute: () => "paid" });
 *   await agent.initialize();
 *   return agent;
 * }
 *
 * const journal = new MemoryJournal();
 * const today = await makeAgent([{ calls: [{ toolName: "pay" }] }]);
 * const open = await today.run("Pay", { runId: "r1", stepRunner: recordSteps(journal) });
 * assertEquals(open.stopReason, "approval_pending");
 * const snapshot = journal.toText();
 *
 * // Another day, another process.
 * const tomorrow = await makeAgent([{ text: "Done" }]);
 * const [waiting] = open.pending?.approvals ?? [];
 * const output = await tomorrow.run("Pay", {
 *   runId: "r1",
 *   stepRunner: recordSteps(MemoryJournal.fromText(snapshot)),
 *   decisions: { [waiting?.key ?? ""]: { decision: "approve" } },
 * });
 * assertEquals(output.finalText, "Done");
 * ```
 */
export class MemoryJournal implements Journal {
  readonly #entries: Map<string, JournalEntry> = new Map();

  /**
   * Reads a journal back from its text.
   *
   * @param text what {@linkcode MemoryJournal.toText} gave
   * @throws {AgentError} code `core`: a line is damaged or of another version
   */
  static fromText(text: string): MemoryJournal {
    const journal = createJournal();
    for (const entry of parseEntries(text)) journal.#entries.set(entry.key, entry);
    return journal;
  }

  /** How many steps it keeps. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Looks up a step.
   *
   * @param key the step's key
   */
  get(key: string): JournalEntry | undefined {
    return this.#entries.get(key);
  }

  /**
   * Keeps a step.
   *
   * @param entry the step
   */
  append(entry: JournalEntry): Promise<void> {
    this.#entries.set(entry.key, entry);
    return Promise.resolve();
  }

  /** The journal as text: one JSON object a line, in the order of recording. */
  toText(): string {
    return [...this.#entries.values()].map(formatEntry).join("");
  }
}

/** Outside of the class: a class that names itself gets another name from bundlers. */
function createJournal(): MemoryJournal {
  return new MemoryJournal();
}
