/**
 * Append-only storage for the text of a journal or a session.
 *
 * @module
 */

import { assertMethods, rejectArgument } from "@parley/internal/assert-argument";

const NEWLINE = 0x0a;

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
  /**
   * Reads the end of the text, as UTF-8. With this method, recording a step or a run takes the same
   * time however long the text is. If omitted, the whole text is read instead.
   *
   * @param start Number of bytes before the result. The result is empty if the text ends
   * before.
   */
  readBytes?(start: number): Promise<Uint8Array>;
  /**
   * Releases the resources of the store, such as an open file. The store can still be used,
   * and must then be closed again. If omitted, the store holds nothing.
   */
  close?(): Promise<void>;
}

/**
 * Asserts that a value is a store.
 *
 * @param name Name of the argument, as the caller spells it.
 * @throws {TypeError} If a method is missing or not a function.
 */
export function assertJournalStore(name: string, store: JournalStore): void {
  assertMethods(name, "a JournalStore", store, ["read", "append"]);
  const { close, readBytes } = store;
  const optional = [close !== undefined && "close", readBytes !== undefined && "readBytes"];
  assertMethods(name, "a JournalStore", store, optional.filter((method) => method !== false));
}

/**
 * Reads the text of a store from a position, in bytes.
 *
 * @throws {TypeError} If the store does not return text or bytes.
 */
export async function readStored(store: JournalStore, start: number): Promise<Uint8Array> {
  if (store.readBytes !== undefined) {
    const bytes: unknown = await store.readBytes(start);
    return bytes instanceof Uint8Array
      ? bytes
      : rejectArgument("store.readBytes()", "a Uint8Array", bytes);
  }
  const text: unknown = await store.read();
  if (typeof text !== "string") rejectArgument("text", "a string", text);
  return new TextEncoder().encode(text).subarray(start);
}

/** A line of a text. */
export interface TextLine {
  /** Number of bytes before the line. */
  readonly start: number;
  /** The line without its newline, and without an incomplete character at its end. */
  readonly text: string;
}

/**
 * Decodes the lines of a text that end with a newline.
 *
 * @throws {TypeError} If the text is not UTF-8, also after the last newline.
 */
export function splitLines(bytes: Uint8Array): readonly TextLine[] {
  const lines: TextLine[] = [];
  for (let start = 0;;) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline === -1) {
      decodeLine(bytes.subarray(start));
      return lines;
    }
    lines.push({ start, text: decodeLine(bytes.subarray(start, newline)) });
    start = newline + 1;
  }
}

/** Returns true if the last line of a text has no newline. */
export function endsInLine(bytes: Uint8Array): boolean {
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE;
}

/** Decodes UTF-8, except for an incomplete character at the end of a line. */
export function decodeLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let start = 0; start <= bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    lines.push(decodeLine(bytes.subarray(start, end)));
    start = end + 1;
  }
  return lines.join("\n");
}

function decodeLine(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  // With `stream`, the decoder waits for the rest of an incomplete character instead of throwing.
  return decoder.decode(bytes, { stream: true });
}
