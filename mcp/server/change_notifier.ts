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
   * @param onChange hears the news
   * @param onEnd hears that there will be none any more
   */
  listen(onChange: (change: Change) => void, onEnd?: () => void): () => void;
}

interface Listener {
  readonly onChange: (change: Change) => void;
  readonly onEnd: () => void;
}

/** Passes news on to whoever listens. */
export class ChangeNotifier implements ChangeSource {
  readonly #listeners = new Set<Listener>();

  /** How many listen. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Listens. */
  listen(onChange: (change: Change) => void, onEnd: () => void = ignore): () => void {
    const listener = { onChange, onEnd };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells everybody. */
  announce(change: Change): void {
    for (const { onChange } of this.#listeners) onChange(change);
  }

  /** Ends all streams of news. */
  end(): void {
    for (const { onEnd } of this.#listeners) onEnd();
  }
}

function ignore(): void {}
