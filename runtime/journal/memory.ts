/**
 * An in-memory journal that can be converted to text and back.
 *
 * @module
 */

import { rejectArgument } from "@parley/internal/assert-argument";
import type { Journal, JournalEntry } from "./journal.ts";
import { assertNotRecorded, formatEntry, parseEntries } from "./text.ts";

/**
 * A journal that stores steps in memory. {@linkcode MemoryJournal.toText} returns a snapshot that
 * can be stored anywhere.
 *
 * @example Suspend a run for an approval and resume it from a snapshot
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { MemoryJournal, recordSteps } from "@parley/runtime/journal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * function makeAgent(turns: Parameters<typeof scriptedModel>[0]): ToolLoopAgent {
 *   return new ToolLoopAgent({
 *     name: "clerk",
 *     model: scriptedModel(turns),
 *     tools: [{ name: "pay", inputSchema: { type: "object" }, execute: () => "paid" }],
 *     approvalHandler: () => ({ decision: "defer" }),
 *   });
 * }
 *
 * const journal = new MemoryJournal();
 * const today = makeAgent([{ calls: [{ toolName: "pay" }] }]);
 * const open = await today.run("Pay", { runId: "r1", stepRunner: recordSteps(journal) });
 * assertEquals(open.stopReason, "approval_pending");
 * const snapshot = journal.toText();
 *
 * // Later, in another process.
 * const tomorrow = makeAgent([{ text: "Done" }]);
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
   * Creates a journal from a snapshot.
   *
   * @param text Result of {@linkcode MemoryJournal.toText}.
   * @throws {AgentError} With code `core` if a line is damaged, missing or has an unsupported
   * version.
   */
  static fromText(text: string): MemoryJournal {
    if (typeof text !== "string") rejectArgument("text", "a string", text);
    const journal = createJournal();
    for (const entry of parseEntries(text)) {
      // If two processes recorded the same step, the first recorded step applies.
      if (!journal.#entries.has(entry.key)) journal.#entries.set(entry.key, entry);
    }
    return journal;
  }

  /** Number of recorded steps. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Returns the recorded step, or `undefined` if the journal does not contain a step with this key.
   *
   * @param key Key of the step.
   */
  get(key: string): JournalEntry | undefined {
    return this.#entries.get(key);
  }

  /**
   * Records a step.
   *
   * @param entry Step to record.
   * @throws {TypeError} If the entry is invalid.
   * @throws {AgentError} With code `core` if a step with the same key is already recorded.
   */
  // deno-lint-ignore require-await -- specified as asynchronous, so errors become rejections
  async append(entry: JournalEntry): Promise<void> {
    assertNotRecorded(this, entry);
    this.#entries.set(entry.key, entry);
  }

  /**
   * Returns the journal as JSON Lines, in the order in which the steps were recorded. The lines are
   * numbered, so that {@linkcode MemoryJournal.fromText} detects a missing line.
   */
  toText(): string {
    return [...this.#entries.values()].map(formatEntry).join("");
  }
}

/**
 * Creates a journal. This function is not part of the class because bundlers rename a class that
 * refers to itself, which changes the class's `name` property.
 */
function createJournal(): MemoryJournal {
  return new MemoryJournal();
}
