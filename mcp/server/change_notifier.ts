/**
 * Change events for a server's lists and resources.
 *
 * @module
 */

import { reportRejection } from "@parley/internal/report-rejection";
import {
  BusConnection,
  type BusConnectionOptions,
  type Change,
  type ChangeBus,
  toPublic,
} from "./change_bus.ts";

/** Source of change events. */
export interface ChangeSource {
  /**
   * Resolves once changes announced by other processes are also received. If there is no change
   * bus, resolves immediately.
   *
   * @throws {McpError} With code `protocol_error` and `rpcCode` -32603 if the change bus rejects
   * the subscription. The next call to `ready()` tries to subscribe again.
   */
  ready(): Promise<void>;
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
  readonly #bus: BusConnection | undefined;

  /**
   * Creates a source without listeners.
   *
   * @param bus Bus that carries changes from all processes, the maximum number of changes waiting
   * to be published, and the maximum time to wait for the bus when the source is closed.
   * @param onError Called with errors that listeners throw or reject with. A listener that throws
   * therefore neither makes a registration fail nor prevents other listeners from receiving a
   * change.
   */
  constructor(
    onError: (error: unknown) => void,
    bus?:
      & { readonly changeBus: ChangeBus }
      & Pick<BusConnectionOptions, "maxUnpublishedChanges" | "closeTimeoutMs">,
  ) {
    this.#onError = onError;
    this.#bus = bus && new BusConnection(bus.changeBus, {
      maxUnpublishedChanges: bus.maxUnpublishedChanges,
      closeTimeoutMs: bus.closeTimeoutMs,
      onChange: (change) => this.#notify(change),
      onError,
    });
  }

  /** Number of registered listeners. */
  get size(): number {
    return this.#listeners.size;
  }

  /** Registers a listener. Returns a function that removes the listener. */
  listen(onChange: (change: Change) => void, onEnd: () => void = ignore): () => void {
    const listener = { onChange, onEnd };
    this.#listeners.add(listener);
    // The bus connection has already reported the error.
    this.ready().catch(() => {});
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves once changes announced by other processes are also received. */
  async ready(): Promise<void> {
    await this.#bus?.ready();
  }

  /** Notifies all listeners of a change, in this process and in the processes on the bus. */
  announce(change: Change): void {
    this.#notify(change);
    this.#bus?.publish(toPublic(change));
  }

  /** Notifies all listeners that the source is closed, and disconnects from the bus. */
  async end(): Promise<void> {
    this.#callAll(({ onEnd }) => onEnd());
    await this.#bus?.close();
  }

  #notify(change: Change): void {
    this.#callAll(({ onChange }) => onChange(change));
  }

  #callAll(call: (listener: Listener) => unknown): void {
    for (const listener of this.#listeners) {
      try {
        reportRejection(call(listener), this.#onError);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}

function ignore(): void {}
