/**
 * Change events for a server's lists and resources.
 *
 * @module
 */

/** A change to a list (`tools`, `prompts` or `resources`), or an update to one resource (`resource`). */
export type Change =
  | { readonly kind: "tools" }
  | { readonly kind: "prompts" }
  | { readonly kind: "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** Source of change events. */
export interface ChangeSource {
  /** Number of registered listeners. */
  readonly size: number;
  /**
   * Registers a listener. Returns a function that removes the listener.
   *
   * @param onChange Called with every change.
   * @param onEnd Called when the source is closed.
   */
  listen(onChange: (change: Change) => void, onEnd?: () => void): () => void;
}

interface Listener {
  readonly onChange: (change: Change) => void;
  readonly onEnd: () => void;
}

/** Forwards change events to all registered listeners. */
export class ChangeNotifier implements ChangeSource {
  readonly #listeners = new Set<Listener>();
  readonly #onError: (error: unknown) => void;

  /**
   * Creates a source without listeners.
   *
   * @param onError Called with errors that listeners throw, so that one listener cannot fail a registration or keep a
   * change from other listeners.
   */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Number of registered listeners. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Registers a listener. Returns a function that removes the listener. */
  listen(onChange: (change: Change) => void, onEnd: () => void = ignore): () => void {
    const listener = { onChange, onEnd };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notifies all listeners of a change. */
  announce(change: Change): void {
    this.#callAll(({ onChange }) => onChange(change));
  }

  /** Notifies all listeners that the source is closed. */
  end(): void {
    this.#callAll(({ onEnd }) => onEnd());
  }

  #callAll(call: (listener: Listener) => void): void {
    for (const listener of this.#listeners) {
      try {
        call(listener);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

function ignore(): void {}
