/**
 * Registry of tools, resources, resource templates or prompts, in order of registration.
 *
 * @module
 */

import { McpError, McpErrorCode } from "../shared/error.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";

/** One page of a registry. */
export interface RegistryPage<Entry> {
  /** Entries on the page. */
  readonly entries: readonly Entry[];
  /** Cursor for the next page. Absent on the last page. */
  readonly nextCursor?: string;
}

/** A registry of entries by key. */
export class Registry<Entry> {
  readonly #kind: string;
  readonly #onChange: () => void;
  readonly #entries = new Map<string, Entry>();
  #isOffered = false;

  /**
   * Creates an empty registry.
   *
   * @param kind Kind of entry for error messages, such as `tool`.
   * @param onChange Called when an entry is added or removed.
   */
  constructor(kind: string, onChange: () => void) {
    this.#kind = kind;
    this.#onChange = onChange;
  }

  /** Whether an entry has ever been added. A declared capability is not withdrawn when the last entry is removed. */
  get isOffered(): boolean {
    return this.#isOffered;
  }

  /**
   * Adds an entry.
   *
   * @throws {McpError} With code `protocol_error` if the key is already registered.
   */
  add(key: string, entry: Entry): void {
    if (this.#entries.has(key)) {
      const reason = `${this.#kind} "${key}" is already registered`;
      const message =
        `Cannot register ${this.#kind} "${key}": already registered; remove it first to replace it`;
      throw new McpError(McpErrorCode.ProtocolError, { reason }, message);
    }
    this.#entries.set(key, entry);
    this.#isOffered = true;
    this.#onChange();
  }

  /** Removes an entry. Returns `true` if the entry was registered. */
  remove(key: string): boolean {
    const removed = this.#entries.delete(key);
    if (removed) this.#onChange();
    return removed;
  }

  /** Returns an entry, or `undefined` if the key is not registered. */
  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Returns all entries. */
  values(): IterableIterator<Entry> {
    return this.#entries.values();
  }

  /**
   * Returns the page after a cursor. The cursor is the key of the last entry on the previous page, so pages neither
   * repeat nor skip entries when entries are added between two requests.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the cursor is not the key of an entry.
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
