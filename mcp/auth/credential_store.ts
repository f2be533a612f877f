/**
 * Where credentials are kept between calls, and between runs of a program.
 *
 * @module
 */

/**
 * Keeps tokens and the credentials that authorization servers have given out. What it keeps is secret: a keychain is the
 * right place, a file only when nobody else can read it.
 */
export interface CredentialStore {
  /**
   * Reads what was saved; undefined when there is nothing.
   *
   * @param key a text of printable characters, with addresses in it
   */
  load(key: string): Promise<string | undefined> | string | undefined;
  /**
   * Saves a text.
   *
   * @param key as for `load`
   * @param value the text; undefined forgets what was saved
   */
  save(key: string, value: string | undefined): Promise<void> | void;
}

/** How much a store in memory keeps before it forgets the oldest. */
const MAX_ENTRIES = 1000;

/**
 * A store that lasts as long as the program.
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
