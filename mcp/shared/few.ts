/**
 * A map for what is mostly one thing at a time.
 *
 * @module
 */

/**
 * Values by key, in the order in which they came. The built-in map makes a new table whenever its last entry goes, which on
 * Node 20 took a fifth of the time of a call in memory: so an entry that is alone is kept beside it.
 */
export class Few<Key, Value> {
  readonly #others = new Map<unknown, Value>();
  /** The entry beside the map, where there is one: undefined is no key. */
  #key: Key | undefined;
  #value: Value | undefined;

  /** How many entries there are. */
  get size(): number {
    return this.#others.size + (this.#key === undefined ? 0 : 1);
  }

  /** The value of a key. */
  get(key: unknown): Value | undefined {
    return key === this.#key ? this.#value : this.#others.get(key);
  }

  /** Sets the value of a key. */
  set(key: Key, value: Value): void {
    if (this.size > 0 && key !== this.#key) {
      this.#others.set(key, value);
    } else {
      this.#key = key;
      this.#value = value;
    }
  }

  /** Removes an entry; says whether there was one. */
  delete(key: Key): boolean {
    if (key !== this.#key) return this.#others.delete(key);
    this.#key = undefined;
    this.#value = undefined;
    return true;
  }

  /** All values. */
  values(): Value[] {
    const others = [...this.#others.values()];
    return this.#value === undefined ? others : [this.#value, ...others];
  }
}
