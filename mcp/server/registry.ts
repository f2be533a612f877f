/**
 * Registry of tools, resources, resource templates or prompts, in order of registration.
 *
 * @module
 */

import { McpError, McpErrorCode } from "../shared/error.ts";
import { invalidCursor } from "./params.ts";
import type { Principal } from "./exchange_context.ts";

/**
 * A registered tool, resource, resource template or prompt, as passed to
 * {@linkcode McpServerConfig.visible}.
 */
export interface RegisteredItem {
  /** Kind of item. */
  readonly kind: "tool" | "resource" | "resource template" | "prompt";
  /** Name of the tool or prompt, URI of the resource, or URI template of the resource template. */
  readonly name: string;
}

/**
 * Returns `true` if a principal can see and use an item. An item is visible only if the function
 * returns exactly `true`. If the visibility function throws, the request fails.
 *
 * @param item Registered item.
 * @param principal Authenticated principal. `undefined` if the request is not authenticated.
 */
export type IsVisible = (item: RegisteredItem, principal: Principal | undefined) => boolean;

/** One page of a registry. */
export interface RegistryPage<Entry> {
  /** Entries on the page. */
  readonly entries: readonly Entry[];
  /** Cursor for the next page, absent on the last page. */
  readonly nextCursor?: string;
}

/** The names of the registered items of one kind, even those that no principal can see. */
export interface RegisteredNames {
  /** Number of items that have been added, replaced or removed so far. */
  readonly revision: number;
  /** Returns `true` if an item with the name, URI or URI template is registered. */
  has(name: string): boolean;
  /** Returns the names, URIs or URI templates of the items, in order of registration. */
  names(): Iterable<string>;
  /**
   * Returns `true` if a principal can see an item with the name, URI or URI template, even if no
   * such item is registered.
   */
  canSee(name: string, principal: Principal | undefined): boolean;
}

/**
 * The entries in order of registration, and the place of each key. A `Map` cannot be iterated from
 * one of its keys, so each page would pass over all earlier entries.
 */
interface Order<Entry> {
  readonly items: readonly { readonly key: string; readonly entry: Entry }[];
  readonly places: ReadonlyMap<string, number>;
}

function orderOf<Entry>(entries: ReadonlyMap<string, Entry>): Order<Entry> {
  const items = [...entries].map(([key, entry]) => ({ key, entry }));
  return { items, places: new Map(items.map(({ key }, place) => [key, place])) };
}

/** A registry of entries, keyed by name or URI. */
export class Registry<Entry> implements RegisteredNames {
  readonly #kind: RegisteredItem["kind"];
  readonly #onChange: (...keys: readonly string[]) => void;
  readonly #isVisible: IsVisible | undefined;
  #entries = new Map<string, Entry>();
  /** The order of the entries, or `undefined` if the entries have changed since it was needed. */
  #order: Order<Entry> | undefined;
  #isOffered = false;
  #revision = 0;

  /**
   * Creates an empty registry.
   *
   * @param kind Kind of entry.
   * @param onChange Called with the key of an entry that was added, replaced or removed. If the
   * entry that replaces another one has a different key, `onChange` is called once, with both keys.
   * @param isVisible Decides which principals can see an entry. If omitted, all principals can see
   * all entries.
   */
  constructor(
    kind: RegisteredItem["kind"],
    onChange: (...keys: readonly string[]) => void,
    isVisible?: IsVisible,
  ) {
    this.#kind = kind;
    this.#onChange = onChange;
    this.#isVisible = isVisible;
  }

  /**
   * Whether an entry has ever been added. A declared capability is not withdrawn when the last
   * entry is removed.
   */
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
      throw this.#failure("register", key, "already registered; update it, or remove it first");
    }
    this.#entries.set(key, entry);
    this.#order = undefined;
    this.#isOffered = true;
    this.#revision++;
    this.#onChange(key);
  }

  /**
   * Replaces an entry. The new entry has the position of the replaced entry, and can have another
   * key.
   *
   * @throws {McpError} With code `protocol_error` if another entry has the new key.
   */
  replace(key: string, newKey: string, entry: Entry): void {
    if (newKey === key) {
      this.#entries.set(key, entry);
    } else {
      if (this.#entries.has(newKey)) throw this.#failure("rename", newKey, "already registered");
      this.#entries = new Map(
        Array.from(this.#entries, ([each, old]) => each === key ? [newKey, entry] : [each, old]),
      );
    }
    this.#order = undefined;
    this.#revision++;
    if (newKey === key) this.#onChange(key);
    else this.#onChange(key, newKey);
  }

  /** Removes an entry. Returns `true` if the entry was registered. */
  remove(key: string): boolean {
    const removed = this.#entries.delete(key);
    if (!removed) return false;
    this.#order = undefined;
    this.#revision++;
    this.#onChange(key);
    return true;
  }

  /**
   * Returns an entry, or `undefined` if the key is not registered or the principal cannot see the
   * entry.
   */
  get(key: string, principal: Principal | undefined): Entry | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || this.canSee(key, principal) ? entry : undefined;
  }

  /** Number of entries that have been added, replaced or removed so far. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether entries can be hidden from principals. */
  get canHide(): boolean {
    return this.#isVisible !== undefined;
  }

  /**
   * Returns the first entry after a key, in order of registration, that the principal can see and
   * that a function selects. Returns `undefined` if there is none, or if the key is not registered.
   *
   * @param key Key of an entry. If `undefined`, the search starts at the first entry.
   */
  next(
    key: string | undefined,
    principal: Principal | undefined,
    isSelected: (entry: Entry) => boolean,
  ): Entry | undefined {
    const { items, places } = this.#order ??= orderOf(this.#entries);
    const place = key === undefined ? -1 : places.get(key);
    if (place === undefined) return undefined;
    for (let at = place + 1; at < items.length; at++) {
      const item = items[at];
      if (item === undefined || !isSelected(item.entry)) continue;
      if (this.canSee(item.key, principal)) return item.entry;
    }
    return undefined;
  }

  /** Returns an entry, even if no principal can see it. */
  entry(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /**
   * Returns the entry to replace.
   *
   * @throws {McpError} With code `protocol_error` if the key is not registered.
   */
  replaceable(key: string): Entry {
    const entry = this.#entries.get(key);
    if (entry === undefined) throw this.#failure("update", key, "not registered");
    return entry;
  }

  /** Returns `true` if the key is registered, even if no principal can see the entry. */
  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Returns the keys of all entries, even those that no principal can see. */
  names(): Iterable<string> {
    return this.#entries.keys();
  }

  /** Returns `true` if the principal cannot see one of the entries that a function selects. */
  hides(principal: Principal | undefined, isSelected: (entry: Entry) => boolean): boolean {
    if (this.#isVisible === undefined) return false;
    for (const [key, entry] of this.#entries) {
      if (isSelected(entry) && !this.canSee(key, principal)) return true;
    }
    return false;
  }

  /** Yields all entries that the principal can see. */
  *values(principal: Principal | undefined): Generator<Entry, void> {
    for (const [key, entry] of this.#entries) if (this.canSee(key, principal)) yield entry;
  }

  /**
   * Returns the page of visible entries after a cursor. The cursor is the key of the last entry on
   * the previous page, so pages neither repeat nor skip entries when entries are added between two
   * requests.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32602 if the cursor is not the key
   * of a visible entry.
   */
  page(
    cursor: string | undefined,
    size: number,
    principal: Principal | undefined,
  ): RegistryPage<Entry> {
    const { items, places } = this.#order ??= orderOf(this.#entries);
    const place = cursor === undefined ? -1 : places.get(cursor);
    if (place === undefined || (cursor !== undefined && !this.canSee(cursor, principal))) {
      throw invalidCursor();
    }
    const entries: Entry[] = [];
    let nextCursor = "";
    for (let at = place + 1; at < items.length; at++) {
      const item = items[at];
      if (item === undefined || !this.canSee(item.key, principal)) continue;
      if (entries.length === size) return { entries, nextCursor };
      entries.push(item.entry);
      nextCursor = item.key;
    }
    return { entries };
  }

  /**
   * Returns `true` if a principal can see an entry with the key, even if no such entry is
   * registered.
   */
  canSee(key: string, principal: Principal | undefined): boolean {
    // A JavaScript caller may return a promise, which must not count as `true`.
    return this.#isVisible === undefined ||
      this.#isVisible({ kind: this.#kind, name: key }, principal) === true;
  }

  #failure(verb: string, key: string, fact: string): McpError {
    const reason = `${this.#kind} "${key}" is ${fact}`;
    const message = `Cannot ${verb} ${this.#kind} "${key}": ${fact}`;
    return new McpError(McpErrorCode.ProtocolError, { reason }, message);
  }
}
