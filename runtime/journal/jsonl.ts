/**
 * A journal in a file or in other append-only storage.
 *
 * @module
 */

import { AgentError } from "../shared/error.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { MemoryJournal } from "./memory.ts";
import { assertJournalStore, decodeLines, type JournalStore, readStored } from "./store.ts";
import { StoredEnd } from "./stored_end.ts";
import { assertNotRecorded, CUT_MARK, formatEntry, formatOwner, isLastOwner } from "./text.ts";

/**
 * Maximum length, in bytes, of a journal that is read before every appended line, if its store has
 * no `readBytes`.
 */
const MAX_CHECKED_LENGTH = 1_048_576;
/**
 * Number of lines appended between two reads of a journal that exceeds `MAX_CHECKED_LENGTH`. A
 * higher number saves time, but delays the detection of a new owner of the store.
 */
const CHECK_INTERVAL = 64;

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
 * end of the store before it appends a line, and again after a line that records the start of a
 * tool that is not safe to repeat. If the store has no `readBytes`, the journal reads the whole
 * text; if that exceeds 1,048,576 bytes, the journal does so only before every 64th line, and
 * before and after each line that records such a start, so use one such store per run, or per small
 * group of runs. A model call, or a tool that is safe to repeat, can be executed by both processes
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
export class JsonlJournal implements Journal, AsyncDisposable {
  readonly #store: JournalStore;
  readonly #entries: MemoryJournal;
  /**
   * Promise for the most recent append operation. Appends run sequentially so that lines are not
   * interleaved. After one append fails, all later appends fail.
   */
  #last: Promise<void> = Promise.resolve();
  /** The end of the text, as read and written by this journal. */
  #end: StoredEnd;
  /** Whether another journal had already been opened in the store when this one was created. */
  #isReplaced = false;
  #isClosed = false;
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
    this.#end = StoredEnd.ofText(text);
  }

  /**
   * Opens the journal in a store. Journals that were opened earlier in this store can no longer
   * record steps.
   *
   * @param store Storage for the journal's lines.
   * @throws {AgentError} With code `core` if a line is damaged or has an unsupported version.
   */
  static async open(store: JournalStore): Promise<JsonlJournal> {
    assertJournalStore("store", store);
    const before = decodeLines(await readStored(store, 0));
    // A damaged journal must not be modified.
    MemoryJournal.fromText(before);
    const owner = crypto.randomUUID();
    const cut = before === "" || before.endsWith("\n") ? "" : `\n${CUT_MARK}\n`;
    await store.append(cut + formatOwner(owner));
    // The previous owner may have appended lines before the new owner line was stored.
    const bytes = await readStored(store, 0);
    const text = decodeLines(bytes);
    const journal = createJournal(store, text);
    journal.#end = StoredEnd.ofBytes(bytes);
    journal.#isReplaced = !isLastOwner(text, owner);
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
    if (this.#isClosed) throw AgentError.core("Cannot record a step: the journal is closed");
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

  /**
   * Waits for the steps that are being recorded, and closes the store, such as an open file.
   * Further steps are rejected; recorded steps can still be read. Can be called repeatedly.
   *
   * @throws {AgentError} With code `core` if the store cannot be closed.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    // The failure of a step was passed to the caller of `append`.
    await this.#last.catch(() => {});
    await this.#store.close?.();
  }

  /** Calls {@linkcode JsonlJournal.close}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #write(entry: JournalEntry): Promise<void> {
    // A tool that is not safe to repeat is executed after its start is recorded. Another process
    // may open the journal between a check and the line, so only a check after the line proves that
    // no other process has recorded the same start.
    const isStart = entry.kind === "begin";
    await this.#assertOwner(isStart);
    const line = formatEntry(entry, this.#entries.size);
    await this.#store.append(line);
    this.#end.add(line);
    if (isStart) await this.#assertOwner(isStart);
    await this.#entries.append(entry);
  }

  /**
   * Reads the store to detect lines appended by other processes, and a text that was truncated or
   * replaced.
   *
   * @param isRequired Whether to read the store regardless of its length.
   */
  async #assertOwner(isRequired: boolean): Promise<void> {
    const isDue = isRequired || this.#store.readBytes !== undefined ||
      this.#end.position <= MAX_CHECKED_LENGTH || this.#appendCount % CHECK_INTERVAL === 0;
    this.#appendCount++;
    if (!isDue) return;
    if (!this.#isReplaced && await this.#end.isUnchanged(this.#store)) return;
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
