/**
 * A value that many callers need and that is loaded from another server.
 *
 * @module
 */

import { Cooldown, isWithin } from "./cooldown.ts";

/** Options for {@linkcode SharedLoad}. */
export interface SharedLoadOptions<T> {
  /** Loads the value. Must settle within a limited time. */
  readonly load: () => Promise<T>;
  /** Time for which an older value is used if it cannot be loaded again, in milliseconds. */
  readonly usableMs: number;
}

/**
 * Loads a value at a limited rate, however many callers there are: one load at a time, no load
 * while the value is fresh, and a pause after each failure. Requests of strangers can therefore not
 * be turned into requests to the other server.
 */
export class SharedLoad<T> {
  readonly #options: SharedLoadOptions<T>;
  readonly #cooldown = new Cooldown();
  #loading: Promise<T> | undefined;
  #value: { readonly value: T; readonly loadedAt: number } | undefined;

  constructor(options: SharedLoadOptions<T>) {
    this.#options = options;
  }

  /** Whether the last load has failed, so that the value may be outdated. */
  get isFailing(): boolean {
    return this.#cooldown.isFailing;
  }

  /**
   * Returns the value.
   *
   * @param freshMs Time for which a value is used without loading it again, in milliseconds.
   * @throws The error of the last load, if it has failed and no usable value is available.
   */
  async get(freshMs: number): Promise<T> {
    const { usableMs } = this.#options;
    const known = this.#value;
    if (known !== undefined && isWithin(known.loadedAt, freshMs)) return known.value;
    try {
      this.#cooldown.assertOver();
      this.#loading ??= this.#load().finally(() => this.#loading = undefined);
      return await this.#loading;
    } catch (error) {
      if (known !== undefined && isWithin(known.loadedAt, usableMs)) return known.value;
      throw error;
    }
  }

  async #load(): Promise<T> {
    try {
      const value = await this.#options.load();
      this.#value = { value, loadedAt: Date.now() };
      this.#cooldown.succeed();
      return value;
    } catch (error) {
      this.#cooldown.fail(error);
      throw error;
    }
  }
}
