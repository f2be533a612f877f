/**
 * Storage for OAuth tokens and client registrations.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2 RFC 9700, section 4.14.2}
 * @module
 */

import { Semaphore } from "@parley/internal/semaphore";

/**
 * A store for tokens and client credentials. The stored values are secret: keep them in a keychain,
 * or in a file that only the current user can read. `credentialStoreChecks` in
 * `@parley/mcp/testing` checks an implementation.
 */
export interface CredentialStore {
  /**
   * Loads a value. Returns `undefined` if the key does not exist.
   *
   * @param key Key that consists of printable characters and can contain URLs.
   */
  load(key: string): Promise<string | undefined> | string | undefined;
  /**
   * Saves a value.
   *
   * @param key Key that consists of printable characters and can contain URLs.
   * @param value Value to save, or `undefined` to delete the key.
   */
  save(key: string, value: string | undefined): Promise<void> | void;
  /**
   * Acquires the lock of a key. If the lock is held, waits until it is released or its holder has
   * exited. A client holds the lock while it refreshes tokens and during a login, because most
   * authorization servers accept a refresh token only once.
   *
   * A store that several processes share must have this function. Clients of one process that share
   * a store do not need it.
   *
   * @param key Key of the tokens.
   * @param signal Signal that ends the wait.
   * @returns A promise of the lock, which is released when it is disposed.
   */
  lock?(key: string, signal: AbortSignal): Promise<AsyncDisposable>;
}

/**
 * Maximum number of entries in the in-memory store, which evicts the oldest entry when it is full.
 */
const MAX_ENTRIES = 1000;

/**
 * Creates an in-memory store, whose content is lost when the process exits.
 *
 * @example Share credentials among clients
 * ```ts
 * import { McpClient } from "@parley/mcp";
 * import { memoryStore } from "@parley/mcp/auth";
 * import { assertEquals } from "@std/assert";
 *
 * const store = memoryStore();
 * const client = new McpClient({
 *   transport: { type: "http", url: "https://mcp.example.com" },
 *   auth: { discover: true, store, clientId: "my-client" },
 * });
 * assertEquals(client.connected, false);
 * assertEquals(await store.load("anything"), undefined);
 * ```
 */
export function memoryStore(): CredentialStore {
  const entries = new Map<string, string>();
  const locks = new KeyedLock();
  return {
    lock: (key, signal) => locks.acquire(key, signal),
    load: (key) => entries.get(key),
    save: (key, value) => {
      entries.delete(key);
      if (value === undefined) return;
      entries.set(key, value);
      const [oldest] = entries.keys();
      if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    },
  };
}

/** Locks within one process, one for each key. */
export class KeyedLock {
  readonly #locks = new Map<string, { readonly permit: Semaphore; users: number }>();

  /**
   * Waits for the lock of a key, the longest waiting caller first.
   *
   * @throws The signal's reason if the signal is aborted.
   */
  async acquire(key: string, signal: AbortSignal): Promise<AsyncDisposable> {
    const lock = this.#locks.get(key) ?? { permit: new Semaphore(1), users: 0 };
    this.#locks.set(key, lock);
    lock.users++;
    let isHeld = true;
    const leave = (): void => {
      if (--lock.users === 0) this.#locks.delete(key);
    };
    try {
      await lock.permit.acquire(signal);
    } catch (error) {
      leave();
      throw error;
    }
    return {
      [Symbol.asyncDispose]: () => {
        if (isHeld) {
          isHeld = false;
          lock.permit.release();
          leave();
        }
        return Promise.resolve();
      },
    };
  }
}
