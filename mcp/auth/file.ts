/**
 * A store for OAuth credentials in a file that several processes can share, for Node.js 22.13 or
 * later, Deno and Bun.
 *
 * ```ts ignore
 * import { McpClient } from "@parley/mcp/client";
 * import { fileStore } from "@parley/mcp/auth/file";
 * import { openLoopback } from "@parley/mcp/auth/loopback";
 *
 * const { redirectUri, authorize } = await openLoopback({ port: 8910 });
 * const client = new McpClient({
 *   transport: { type: "http", url: "https://mcp.example.com" },
 *   auth: { discover: true, redirectUri, authorize, store: fileStore("credentials.json") },
 * });
 * await client.connect(); // Opens a browser unless the file contains tokens.
 * ```
 *
 * @module
 */

import { mkdir, open, readFile, rename, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { MAX_TIMER_MS } from "@parley/internal/timers";
import { McpError } from "../shared/error.ts";
import { type CredentialStore, KeyedLock } from "./credential_store.ts";
import { FileLock, type HeldLock, ignoreMissing } from "./file_lock.ts";
import { parseObject } from "./parse_object.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";

export type { CredentialStore } from "./credential_store.ts";

/** Options for {@linkcode fileStore}. */
export interface FileStoreOptions {
  /**
   * Time after which a lock is taken from a process that has stopped responding or has exited on
   * another host, in milliseconds. The lock of a process that has exited on the same host is taken
   * immediately.
   *
   * @default {60_000}
   */
  readonly staleMs?: number;
  /**
   * Maximum size of the file, in bytes. A larger file is not read, and values that would exceed the
   * size are not saved.
   *
   * @default {1_048_576}
   */
  readonly maxBytes?: number;
}

const readOptions = optionsReader<FileStoreOptions>("options")({
  staleMs: withDefault(60_000, int32From(1)),
  maxBytes: withDefault(1_048_576, assertCount),
});

/** Additional time to wait while other processes save values, in milliseconds. */
const SAVE_MS = 10_000;

/** File mode: only the current user can read and write the file, because it contains secrets. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/**
 * Creates a credential store in a file. Several processes can share the file: they log in once, and
 * send each refresh token once.
 *
 * The file is replaced atomically, and is readable only by the current user (mode 0600) on POSIX
 * systems. It is not encrypted: if the operating system has a keychain, a store in the keychain is
 * safer. The folder `<path>.locks` next to the file contains the lock files, which contain no
 * secrets. The file system must support hard links.
 *
 * On Deno, the store requires permission to read and write the file and the folder of locks. With
 * `--allow-all`, the locks of processes that have exited are detected immediately.
 *
 * @param path Path to the file; relative paths are resolved against the current directory. The file
 * and missing folders are created when the first value is saved.
 * @param options Limits on the size of the file and on the age of locks.
 * @returns A store whose functions reject with an `McpError` with code `auth_error` if the file
 * cannot be read or written, is damaged or exceeds `maxBytes`.
 * @throws {TypeError} If `path` is not a non-empty string.
 * @throws {RangeError} If `staleMs` or `maxBytes` is not a positive integer.
 *
 * @example Share credentials among processes
 * ```ts
 * import { McpClient } from "@parley/mcp/client";
 * import { fileStore } from "@parley/mcp/auth/file";
 * import { assertEquals } from "@std/assert";
 *
 * const store = fileStore("missing/credentials.json");
 * const client = new McpClient({
 *   transport: { type: "http", url: "https://mcp.example.com" },
 *   auth: { discover: true, store, clientId: "my-client" },
 * });
 * assertEquals(client.connected, false);
 * assertEquals(await store.load("anything"), undefined);
 * ```
 */
export function fileStore(path: string, options: FileStoreOptions = {}): CredentialStore {
  if (typeof path !== "string" || path === "") rejectArgument("path", "a non-empty string", path);
  const { staleMs, maxBytes } = readOptions(options);
  const folder = `${path}.locks`;
  const saves = new KeyedLock();
  const report = async <T>(action: string, act: () => Promise<T>): Promise<T> => {
    try {
      return await act();
    } catch (cause) {
      if (cause instanceof McpError) throw cause;
      throw McpError.authError(`${action} ${quoteUntrusted(path)} failed`, { cause });
    }
  };
  return {
    load: async (key) =>
      await report("reading", async () => (await readEntries(path, maxBytes)).get(key)),
    save: async (key, value) => {
      const signal = AbortSignal.timeout(Math.min(staleMs + SAVE_MS, MAX_TIMER_MS));
      await report("writing", async () => {
        // Saves in this process wait for each other here, where the order of the calls is kept.
        const turn = await saves.acquire("", signal);
        try {
          await replaceEntry(key, value, { path, folder, maxBytes, staleMs, signal });
        } finally {
          await turn[Symbol.asyncDispose]();
        }
      });
    },
    lock: async (key, signal) => {
      const name = `key-${await digest(key)}`;
      try {
        return await new FileLock(folder, name, staleMs).acquire(signal);
      } catch (error) {
        signal.throwIfAborted();
        return await report("locking", () => Promise.reject(error));
      }
    },
  };
}

/** Reads the values in the file. A missing file has no values. */
async function readEntries(path: string, maxBytes: number): Promise<ReadonlyMap<string, string>> {
  const found = await stat(path).catch(ignoreMissing);
  if (found === undefined) return new Map();
  if (found.size > maxBytes) throw tooLarge(path, maxBytes);
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  if (text === undefined) return new Map();
  // The content is not quoted, because it is secret.
  const entries = Object.entries(parseObject(text) ?? { damaged: false });
  return new Map(entries.map(([key, value]) => {
    if (typeof value === "string") return [key, value];
    throw McpError.authError(
      `the credential file ${quoteUntrusted(path)} is damaged; delete it to log in again`,
    );
  }));
}

/**
 * Reads, changes and replaces the file under a lock, so that no value of another process is lost.
 */
async function replaceEntry(
  key: string,
  value: string | undefined,
  { path, folder, maxBytes, staleMs, signal }:
    & Required<FileStoreOptions>
    & { readonly path: string; readonly folder: string; readonly signal: AbortSignal },
): Promise<void> {
  const lock = await new FileLock(folder, "write", staleMs).acquire(signal);
  try {
    const entries = new Map(await readEntries(path, maxBytes));
    if (value === undefined) entries.delete(key);
    else entries.set(key, value);
    await writeEntries(entries, { path, folder, maxBytes, lock });
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

/** Replaces the file. The new file is complete on the disk before it gets the name. */
async function writeEntries(
  entries: ReadonlyMap<string, string>,
  { path, folder, maxBytes, lock }: {
    readonly path: string;
    readonly folder: string;
    readonly maxBytes: number;
    readonly lock: HeldLock;
  },
): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(Object.fromEntries(entries)));
  if (bytes.length > maxBytes) throw tooLarge(path, maxBytes);
  await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
  // If the process exits before the file is renamed, the next holder of the lock deletes the file,
  // because it belongs to an earlier holder.
  const part = join(folder, `write.${lock.generation}.new`);
  try {
    // A file that exists may have another mode, or be a link to another file.
    await unlink(part).catch(ignoreMissing);
    const file = await open(part, "wx", FILE_MODE);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    // A process that was suspended may have lost the lock, and would undo the save of another one.
    if (!await lock.isHeld()) throw new Error("another process has acquired the lock");
    await rename(part, path);
  } catch (error) {
    await unlink(part).catch(() => {});
    throw error;
  }
}

function tooLarge(path: string, maxBytes: number): McpError {
  return McpError.authError(
    `the credential file ${quoteUntrusted(path)} exceeds ${maxBytes} bytes ("maxBytes")`,
  );
}

/** Returns a file name for a key, which can contain URLs. */
async function digest(key: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return Array.from(new Uint8Array(hash, 0, 16), (byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
