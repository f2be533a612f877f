/**
 * A journal in a file or in other append-only storage.
 *
 * @module
 */

import type { Journal, JournalEntry } from "./journal.ts";
import { MemoryJournal } from "./memory.ts";
import { CUT_MARK, formatEntry } from "./text.ts";

/** Storage for the text of a journal, for example a file. This package does not open files itself. */
export interface JournalStore {
  /** Reads the whole text of the journal. Returns `""` if the storage is empty or does not exist yet. */
  read(): Promise<string>;
  /**
   * Appends a line. Resolves when the line is stored durably.
   *
   * @param text The line, including its newline.
   */
  append(text: string): Promise<void>;
}

/**
 * A journal that stores steps as JSON Lines.
 *
 * If a crash truncates the last line, this line is ignored when the journal is opened again, and its step is executed
 * again. Any other damaged line causes an error. Only one process at a time may open a store.
 *
 * @example Store the lines in a variable; for a file, use `readFile` and `appendFile`
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
  /**
   * Promise for the most recent append operation. Appends run sequentially so that lines are not interleaved. After one
   * append fails, all later appends fail.
   */
  #last: Promise<void> = Promise.resolve();

  /**
   * Creates a journal. Use {@linkcode JsonlJournal.open} instead.
   *
   * @param store Storage for the journal's lines.
   * @param text Current content of the storage.
   * @throws {AgentError} With code `core` if a line is damaged or has an unsupported version.
   */
  constructor(store: JournalStore, text: string) {
    this.#store = store;
    this.#entries = MemoryJournal.fromText(text);
  }

  /**
   * Opens the journal in a store.
   *
   * @param store Storage for the journal's lines.
   * @throws {AgentError} With code `core` if a line is damaged or has an unsupported version.
   */
  static async open(store: JournalStore): Promise<JsonlJournal> {
    const text = await store.read();
    const journal = createJournal(store, text);
    if (text !== "" && !text.endsWith("\n")) await store.append(`\n${CUT_MARK}\n`);
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
   * Records a step. Resolves when the store has appended the step. After a failed call, all further calls reject
   * because the last line may be truncated. To continue, create a new journal with {@linkcode JsonlJournal.open}.
   *
   * @param entry Step to record.
   */
  append(entry: JournalEntry): Promise<void> {
    this.#last = this.#last.then(async () => {
      await this.#store.append(formatEntry(entry));
      await this.#entries.append(entry);
    });
    return this.#last;
  }
}

/**
 * Creates a journal outside the class body. If a class refers to itself, bundlers rename the class, which changes its
 * `name` property.
 */
function createJournal(store: JournalStore, text: string): JsonlJournal {
  return new JsonlJournal(store, text);
}
