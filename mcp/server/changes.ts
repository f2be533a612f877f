/**
 * News of a server: what it offers has changed, a resource has changed.
 *
 * @module
 */

/** A piece of news. */
export type Change =
  | { readonly kind: "tools" }
  | { readonly kind: "prompts" }
  | { readonly kind: "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** Passes news on to whoever listens. */
export class Changes {
  readonly #listeners = new Set<(change: Change) => void>();

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Listens until the function that is returned is called. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells everybody. */
  announce(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
