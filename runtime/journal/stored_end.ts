/**
 * The end of the text in an append-only storage.
 *
 * @module
 */

import { decodeLines, type JournalStore, readStored } from "./store.ts";

const NEWLINE = 0x0a;
const NO_BYTES = new Uint8Array();

/**
 * The position up to which the text of a store is known, and the bytes that must follow it. To
 * detect that the text was changed, it suffices to read these bytes again: a text that is longer
 * has lines of another program, a text that is shorter was truncated, and a text that was replaced
 * has another last line, because lines contain random ids or the keys of steps.
 */
export class StoredEnd {
  /** The whole text, until it is compared with the store. */
  #text: string | undefined;
  #position = 0;
  #bytes: Uint8Array = NO_BYTES;
  /** Whether the store was compared with the known end after text was last added. */
  #isCompared = false;

  /** The end of a text whose position in the store is not known. */
  static ofText(text: string): StoredEnd {
    const end = createEnd();
    end.#text = text;
    return end;
  }

  /** The end of a text that was read from the store as bytes. */
  static ofBytes(bytes: Uint8Array): StoredEnd {
    const end = createEnd();
    end.#position = lastLineStart(bytes);
    // A copy, because a view would keep the whole text in memory.
    end.#bytes = bytes.slice(end.#position);
    return end;
  }

  /** Length of the known text, in bytes; in characters until it is first compared. */
  get position(): number {
    return this.#text?.length ?? this.#position + this.#bytes.length;
  }

  /** Adds text that was appended to the store. */
  add(text: string): void {
    if (this.#text !== undefined) {
      this.#text += text;
      return;
    }
    const added = new TextEncoder().encode(text);
    if (this.#isCompared) this.#position += this.#bytes.length;
    this.#bytes = this.#isCompared ? added : concat(this.#bytes, added);
    this.#isCompared = false;
  }

  /** Reads the end of the text, and returns true if it is the known end. */
  async isUnchanged(store: JournalStore): Promise<boolean> {
    const bytes = await readStored(store, this.#position);
    if (this.#text !== undefined) {
      if (decodeLines(bytes) !== this.#text) return false;
      this.#text = undefined;
    } else if (!isEqual(bytes, this.#bytes)) {
      return false;
    }
    const start = lastLineStart(bytes);
    this.#position += start;
    this.#bytes = bytes.slice(start);
    this.#isCompared = true;
    return true;
  }
}

/** Creates an end. A class that refers to itself is renamed by bundlers. */
function createEnd(): StoredEnd {
  return new StoredEnd();
}

/** Returns the position of the last line, or of the last line's truncated part. */
function lastLineStart(bytes: Uint8Array): number {
  return bytes.lastIndexOf(NEWLINE, bytes.length - 2) + 1;
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

function isEqual(first: Uint8Array, second: Uint8Array): boolean {
  if (first.length !== second.length) return false;
  for (let index = 0; index < first.length; index++) {
    if (first[index] !== second[index]) return false;
  }
  return true;
}
