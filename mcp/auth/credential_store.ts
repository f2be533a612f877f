/**
 * Storage for OAuth tokens and client registrations.
 *
 * @module
 */

import { McpError } from "../shared/error.ts";

/**
 * A store for tokens and client credentials. The stored values are secret: keep them in a keychain,
 * or in a file that only the current user can read.
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
}

/**
 * Wraps a store. The methods of the wrapper reject with an {@linkcode McpError} with code
 * `auth_error` if the store fails.
 */
export function reportStoreErrors(store: CredentialStore): CredentialStore {
  const report = <T>(action: string, act: () => Promise<T> | T): Promise<T> =>
    Promise.resolve().then(act).catch((cause) => {
      throw McpError.authError(`${action} the credential store failed`, { cause });
    });
  return {
    load: (key) => report("reading from", () => store.load(key)),
    save: (key, value) => report("writing to", () => store.save(key, value)),
  };
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
  return {
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
