/**
 * A journal in a file, or anything else that lines can be appended to.
 *
 * @module
 */

import type { Journal, JournalEntry } from "./journal.ts";
import { MemoryJournal } from "./memory.ts";
import { CUT_MARK, formatEntry } from "./text.ts";

/** Where a journal's text is kept. This package opens no files: two calls of the platform's are all it takes. */
export interface JournalStore {
  /** Reads the whole text; `""` when there is none yet. */
  read(): Promise<string>;
  /**
   * Appends a text, and resolves when it is safe.
   *
   * @param text one line, with its newline
   */
  append(text: string): Promise<void>;
}

/**
 * Keeps steps as lines of JSON in a store.
 *
 * A crash may cut the last line: it does not count when the journal is opened again, and its step is run again. Damage
 * anywhere else is an error. One process at a time may have a store open.
 *
 * @example Over a text in memory; with files, `read` and `append` are `readFile` and `appendFile`
 * ```ts
 * import { JsonlJournal, type JournalStore } from "@parley/runtime/journal";
 * import { assertEquals } from "@std/assert";
 *
 * let text = "";
 * const store: JournalStore = {
 *   read: () => Promise.resolve(text),
 *   append(line) {
 *     text += line;
 *     return Promise.resolve();
 *   },
 * };
 * const journal = await JsonlJournal.open(store);
 * await journal.append({ v: 1, key: "r/start", kind: "run", value: null });
 * assertEquals((await JsonlJournal.open(store)).get("r/start")?.kind, "run");
 * ```
 */
export class JsonlJournal implements Journal {
  readonly #store: JournalStore;
  readonly #entries: MemoryJournal;
  /** Appends are made one after the other, so that lines do not mix; a failed one fails those after it. */
  #last: Promise<void> = Promise.resolve();

  /**
   * Made by {@linkcode JsonlJournal.open}.
   *
   * @param store where the lines are
   * @param text what it holds now
   * @throws {AgentError} code `core`: a line is damaged or of another version
   */
  constructor(store: JournalStore, text: string) {
    this.#store = store;
    this.#entries = MemoryJournal.fromText(text);
  }

  /**
   * Opens the journal in a store.
   *
   * @param store where the lines are
   * @returns the journal
   * @throws {AgentError} code `core`: a line is damaged or of another version
   */
  static async open(store: JournalStore): Promise<JsonlJournal> {
    const text = await store.read();
    const journal = createJournal(store, text);
    if (text !== "" && !text.endsWith("\n")) await store.append(`\n${CUT_MARK}\n`);
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
   * Keeps a step; resolves when the store has it. After a failure the journal takes no more: a line may have been cut, and
   * has to be looked at by opening the store again.
   *
   * @param entry the step
   */
  append(entry: JournalEntry): Promise<void> {
    this.#last = this.#last.then(async () => {
      await this.#store.append(formatEntry(entry));
      await this.#entries.append(entry);
    });
    return this.#last;
  }
}

/** Outside of the class: a class that names itself gets another name from bundlers. */
function createJournal(store: JournalStore, text: string): JsonlJournal {
  return new JsonlJournal(store, text);
}
