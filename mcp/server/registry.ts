/**
 * The things of one kind that a server offers, in the order in which they were registered.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";

/** One page of a registry. */
export interface RegistryPage<Entry> {
  /** The entries of the page. */
  readonly entries: readonly Entry[];
  /** Where the next page begins; absent on the last one. */
  readonly nextCursor?: string;
}

/** Entries by key. Tells when it changes. */
export class Registry<Entry> {
  readonly #kind: string;
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Entry>();
  #isOffered = false;

  /** Makes an empty registry of a kind of thing, such as `tool`. */
  constructor(kind: string, onChange: () => void) {
    this.#kind = kind;
    this.#onChange = onChange;
  }

  /** Whether there is or has been anything: a capability that was declared is not taken back. */
  get isOffered(): boolean {
    return this.#isOffered;
  }

  /** Adds an entry. */
  add(key: string, entry: Entry): void {
    if (this.#entries.has(key)) {
      throw McpError.protocolError(`${this.#kind} "${key}" is already registered`);
    }
    this.#entries.set(key, entry);
    this.#isOffered = true;
    this.#onChange();
  }

  /** Removes an entry; says whether there was one. */
  remove(key: string): boolean {
    const removed = this.#entries.delete(key);
    if (removed) this.#onChange();
    return removed;
  }

  /** Looks an entry up. */
  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** All entries. */
  values(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /**
   * The page after a cursor. A cursor is the key of the last entry before the page, so that a page neither repeats nor
   * leaves out anything when the registry grows between two pages.
   *
   * @throws {McpError} `protocol_error` (-32602) when there is no entry of that key (any more)
   */
  page(cursor: string | undefined, size: number): RegistryPage<Entry> {
    const keys = [...this.#entries.keys()];
    const start = cursor === undefined ? 0 : keys.indexOf(cursor) + 1;
    if (cursor !== undefined && start === 0) {
      throw McpError.protocolError('Invalid params: "cursor" is not a valid cursor', {
        rpcCode: RpcErrorCode.InvalidParams,
      });
    }
    const entries = [...this.#entries.values()].slice(start, start + size);
    const last = keys[start + size - 1];
    return start + size < keys.length && last !== undefined
      ? { entries, nextCursor: last }
      : { entries };
  }
}
