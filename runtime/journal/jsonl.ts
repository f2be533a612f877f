/**
 * A journal in a file or in other append-only storage.
 *
 * @module
 */

import { assertMethods } from "@parley/internal/assert-argument";
import { AgentError } from "../shared/error.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { MemoryJournal } from "./memory.ts";
import { assertNotRecorded, CUT_MARK, formatEntry, formatOwner, isLastOwner } from "./text.ts";

/** Maximum length, in characters, of a journal that is read before every appended line. */
const MAX_CHECKED_LENGTH = 1_048_576;
/**
 * Number of lines appended between two reads of a journal that exceeds `MAX_CHECKED_LENGTH`. A
 * higher number saves time, but delays the detection of a new owner of the store.
 */
const CHECK_INTERVAL = 64;

/**
 * Storage for the text of a journal or a session. `fileStore` from `@parley/runtime/file` stores
 * the text in a file.
 *
 * After a crash of the process or the machine, a run can be resumed only from the lines that were
 * stored durably. If `append` resolves before a line is stored durably, steps from the last few
 * seconds can be lost in a power failure, and are then executed again.
 *
 * The first lines of a text are a valid text, so a journal or a session cannot detect that the last
 * lines are missing, for example because an older copy of the text was restored: the steps after
 * these lines are executed again, and a session continues from an earlier record.
 *
 * A run does not interrupt the recording of a step, even if the run is aborted, so both methods
 * must reject if the storage does not respond.
 */
export interface JournalStore {
  /**
   * Reads the whole text of the journal. Returns `""` if the storage is empty or does not exist
   * yet.
   */
  read(): Promise<string>;
  /**
   * Appends a line. Resolves when the line is stored durably and `read` returns it.
   *
   * @param text The line, including its newline.
   */
  append(text: string): Promise<void>;
}

/**
 * A journal that stores steps as JSON Lines.
 *
 * If a crash truncates the last line, the line is ignored when the journal is reopened, and the
 * step is executed again. A damaged line that is not a truncated last line causes an error, as does
 * a missing line: the member `n` of each line is the number of different steps before the line.
 *
 * The journal is intended for programs that run in one process. Only one process at a time can
 * record steps. The journal uses no lock file, because a crash would leave the lock file behind,
 * and because a process id has no meaning in another container. {@linkcode JsonlJournal.open}
 * appends a line with a random id, which makes the new journal the owner of the store. A journal
 * that no longer owns the store rejects the next step. To detect a new owner, a journal reads the
 * store before it appends a line; if the text exceeds 1,048,576 characters, the journal does so
 * only before every 64th line, and before and after each line that records the start of a tool that
 * is not safe to repeat. Use one store per run, or per small group of runs, to keep the text of the
 * journal short. A model call, or a tool that is safe to repeat, can be executed by both processes
 * if it is in progress when the owner of the store changes.
 *
 * Open the journal once per process, and share it among all requests.
 *
 * @example Store the lines in a variable; for a file, use `fileStore` from `@parley/runtime/file`
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
   * Promise for the most recent append operation. Appends run sequentially so that lines are not
   * interleaved. After one append fails, all later appends fail.
   */
  #last: Promise<void> = Promise.resolve();
  /** Id of this journal in the store. `undefined` if the journal was not created with `open`. */
  #owner: string | undefined;
  /** Length of the text, in characters, as read and written by this journal. */
  #length: number;
  #appendCount = 0;

  /**
   * Creates a journal. Call {@linkcode JsonlJournal.open} instead of the constructor.
   *
   * @param store Storage for the journal's lines.
   * @param text Current content of the storage.
   * @throws {AgentError} With code `core` if a line is damaged or has an unsupported version.
   */
  constructor(store: JournalStore, text: string) {
    this.#store = store;
    this.#entries = MemoryJournal.fromText(text);
    this.#length = text.length;
  }

  /**
   * Opens the journal in a store. Journals that were opened earlier in this store can no longer
   * record steps.
   *
   * @param store Storage for the journal's lines.
   * @throws {AgentError} With code `core` if a line is damaged or has an unsupported version.
   */
  static async open(store: JournalStore): Promise<JsonlJournal> {
    assertMethods("store", "a JournalStore", store, ["read", "append"]);
    const before = await store.read();
    // A damaged journal must not be modified.
    MemoryJournal.fromText(before);
    const owner = crypto.randomUUID();
    const cut = before === "" || before.endsWith("\n") ? "" : `\n${CUT_MARK}\n`;
    await store.append(cut + formatOwner(owner));
    // The previous owner may have appended lines before the new owner line was stored.
    const journal = createJournal(store, await store.read());
    journal.#owner = owner;
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
   * Records a step. Resolves when the store has appended the step. After a failed call to `append`,
   * all further calls reject because the last line may be truncated. To continue recording, create
   * a new journal with {@linkcode JsonlJournal.open}.
   *
   * @param entry Step to record.
   * @throws {TypeError} If the entry is invalid.
   * @throws {AgentError} With code `core` if another journal has been opened in the store, or if a
   * step with the same key is already recorded.
   */
  async append(entry: JournalEntry): Promise<void> {
    let rejection: { readonly error: unknown } | undefined;
    this.#last = this.#last.then(async () => {
      try {
        assertNotRecorded(this.#entries, entry);
      } catch (error) {
        // The store is unchanged, so later steps can be recorded.
        rejection = { error };
        return;
      }
      await this.#write(entry);
    });
    await this.#last;
    if (rejection !== undefined) throw rejection.error;
  }

  async #write(entry: JournalEntry): Promise<void> {
    // A tool that is not safe to repeat is executed after its start is recorded. Another process
    // may open the journal between a check and the line, so only a check after the line proves that
    // no other process has recorded the same start.
    const isStart = entry.kind === "begin";
    await this.#assertOwner(isStart);
    const line = formatEntry(entry, this.#entries.size);
    await this.#store.append(line);
    this.#length += line.length;
    if (isStart) await this.#assertOwner(isStart);
    await this.#entries.append(entry);
  }

  /**
   * Reads the store to detect lines appended by other processes.
   *
   * @param isRequired Whether to read the store regardless of its length.
   */
  async #assertOwner(isRequired: boolean): Promise<void> {
    const isDue = isRequired || this.#length <= MAX_CHECKED_LENGTH ||
      this.#appendCount % CHECK_INTERVAL === 0;
    this.#appendCount++;
    if (!isDue) return;
    const text = await this.#store.read();
    // A journal that was not created with `open` has no owner line, but knows the length.
    const isOwner = this.#owner === undefined || isLastOwner(text, this.#owner);
    if (isOwner && text.length === this.#length) return;
    throw AgentError.core(
      "Cannot record a step: another process has opened the journal; use one journal per process",
    );
  }
}

/**
 * Calls the journal's private constructor. If a class refers to itself, bundlers rename the class,
 * which changes its `name` property.
 */
function createJournal(store: JournalStore, text: string): JsonlJournal {
  return new JsonlJournal(store, text);
}
