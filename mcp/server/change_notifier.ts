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

/** Where news of a server can be heard. */
export interface ChangeSource {
  /** How many listen. */
  readonly size: number;
  /**
   * Listens until the function that is returned is called.
   *
   * @param heard hears the news
   * @param ended hears that there will be none any more
   */
  listen(heard: (change: Change) => void, ended?: () => void): () => void;
}

interface Listener {
  readonly heard: (change: Change) => void;
  readonly ended: () => void;
}

/** Passes news on to whoever listens. */
export class Changes implements ChangeSource {
  readonly #listeners = new Set<Listener>();

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Listens. */
  listen(heard: (change: Change) => void, ended: () => void = ignore): () => void {
    const listener = { heard, ended };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells everybody. */
  announce(change: Change): void {
    for (const { heard } of this.#listeners) heard(change);
  }

  /** Ends all streams of news. */
  end(): void {
    for (const { ended } of this.#listeners) ended();
  }
}

function ignore(): void {}
