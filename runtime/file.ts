/**
 * Journals and sessions in files, for Node.js 22.13 or later, Deno and Bun.
 *
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { fileStore } from "@parley/runtime/file";
 * import { AgentSession, jsonlSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const store = jsonlSessions((id) => fileStore(`sessions/${encodeURIComponent(id)}.jsonl`));
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * const session = new AgentSession(agent, { id: "chat-1", store });
 * // `session.run("Hi")` creates the folder and the file.
 * assertEquals(await session.messages(), []);
 * ```
 *
 * @module
 */

import { type FileHandle, mkdir, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { decodeLines, type JournalStore } from "./journal/store.ts";
import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import { AgentError, errorMessageOf } from "./shared/error.ts";
import { isRecord } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
import { callInBackground } from "@parley/internal/timers";

export type { JournalStore } from "./journal/store.ts";

/** Storage in a file, created by {@linkcode fileStore}. */
export interface FileStore extends JournalStore, AsyncDisposable {
  /**
   * Reads the end of the file. The result is empty if the file ends before, or does not exist.
   *
   * @param start Number of bytes before the result.
   */
  readBytes(start: number): Promise<Uint8Array>;
  /**
   * Closes the file after the calls in progress. The next call to `append` opens it again. Can be
   * called repeatedly.
   */
  close(): Promise<void>;
}

/** Options for {@linkcode fileStore}. */
export interface FileStoreOptions {
  /**
   * Maximum size of the file, in bytes; a positive integer. A larger file is not read, and text
   * that would exceed the size is not appended. The default exceeds the size of a session with the
   * default `maxChars`, so that a session reaches its own limit before a run instead of the limit
   * of the file after the run.
   *
   * @default {268_435_456}
   */
  readonly maxBytes?: number;
}

const readFileStoreOptions = optionsReader<FileStoreOptions>("options")({
  maxBytes: withDefault(268_435_456, assertCount),
});

/**
 * File mode: only the owner of the process can read and write a new file, because it contains
 * conversations.
 */
const FILE_MODE = 0o600;
/** File mode of new folders. */
const FOLDER_MODE = 0o700;
/**
 * Time after the last call for which the file stays open, in milliseconds. Opening and closing the
 * file for each line doubles the time that a line takes.
 */
const OPEN_MS = 1000;

/**
 * Creates a store that keeps the text of a journal or a session in a file.
 *
 * Each call to `append` adds the text with one write in append mode (`O_APPEND`), and resolves when
 * the file is synchronized with the disk. On a local file system, several processes can therefore
 * append to the same file. The first call to `append` creates the file and missing folders, and
 * keeps the file open. The file is closed by `close`, or one second after the last call, so a
 * program can use many stores. If the file is replaced or deleted meanwhile, the next call uses the
 * new file. The calls of a store are executed one after another. On POSIX systems, only the current
 * user can access a new file (mode 0600) or a new folder (mode 0700); the permissions of existing
 * files and folders do not change.
 *
 * The file must contain valid UTF-8. A character that a crash has truncated at the end of a line is
 * dropped; a journal or a session ignores such a line.
 *
 * If a client has chosen the name of the file, for example as the id of a session, encode the name
 * with `encodeURIComponent`, which encodes path separators, and add an extension, which makes the
 * names `.` and `..` harmless. A name that is too long for the file system causes an error. On a
 * file system that does not distinguish upper and lower case, as on macOS and Windows, the names
 * `a` and `A` refer to the same file, so a server should accept only ids in lower case.
 *
 * @param path Path to the file; relative paths are resolved against the current directory.
 * @param options Limit on the size of the file.
 * @returns A store whose `read` and `append` reject with an `AgentError` with code `core` if the
 * file cannot be read or written, is not valid UTF-8 or exceeds `maxBytes`.
 * @throws {TypeError} If `path` is not a non-empty string.
 * @throws {RangeError} If `maxBytes` is not a positive integer.
 *
 * @example Record the steps of a run in a file
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import { fileStore } from "@parley/runtime/file";
 * import { JsonlJournal, recordSteps } from "@parley/runtime/journal";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 *
 * const store = fileStore("runs/order-7.jsonl");
 * const runOrContinue = async () => {
 *   const stepRunner = recordSteps(await JsonlJournal.open(store));
 *   return await agent.run("Ship the order", { runId: "order-7", stepRunner });
 * };
 * assertEquals(await store.read(), ""); // `runOrContinue()` creates the folder and the file
 * ```
 */
export function fileStore(path: string, options: FileStoreOptions = {}): FileStore {
  if (typeof path !== "string" || path === "") rejectArgument("path", "a non-empty string", path);
  const { maxBytes } = readFileStoreOptions(options);
  return new OpenedFile(path, maxBytes);
}

/** An open file, and what identifies it on its device. */
interface FileToAppend {
  readonly handle: FileHandle;
  readonly dev: number;
  readonly ino: number;
}

/** A file that stays open between calls. */
class OpenedFile implements FileStore {
  readonly #path: string;
  readonly #maxBytes: number;
  #file: FileToAppend | undefined;
  /** Promise for the most recent call. */
  #last: Promise<unknown> = Promise.resolve();
  #stopTimer = (): void => {};

  constructor(path: string, maxBytes: number) {
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  async read(): Promise<string> {
    return await this.#call("read", async () => decodeLines(await this.#readFrom(0)));
  }

  async readBytes(start: number): Promise<Uint8Array> {
    return await this.#call("read", () => this.#readFrom(start));
  }

  async append(text: string): Promise<void> {
    await this.#call("append to", () => this.#append(new TextEncoder().encode(text)));
  }

  async close(): Promise<void> {
    await this.#call("close", () => this.#release());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** Executes a call after the calls in progress. */
  async #call<T>(verb: string, work: () => Promise<T>): Promise<T> {
    this.#stopTimer();
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    try {
      return await work();
    } catch (cause) {
      throw AgentError.core(`Cannot ${verb} "${this.#path}": ${errorMessageOf(cause)}`, { cause });
    } finally {
      resolve();
      if (this.#last === promise && this.#file !== undefined) {
        this.#stopTimer = callInBackground(() => this.#releaseUnused(), OPEN_MS);
      }
    }
  }

  #releaseUnused(): void {
    // The file has been synchronized, so an error while closing it loses nothing.
    this.close().catch(() => {});
  }

  async #readFrom(start: number): Promise<Uint8Array> {
    const size = await this.#sizeOf();
    if (size === undefined) return new Uint8Array();
    assertSize(size, this.#maxBytes);
    if (this.#file !== undefined) return await readBytes(this.#file.handle, start, size);
    const handle = await open(this.#path, "r");
    try {
      return await readBytes(handle, start, size);
    } finally {
      await handle.close();
    }
  }

  async #append(bytes: Uint8Array): Promise<void> {
    assertSize((await this.#sizeOf() ?? 0) + bytes.length, this.#maxBytes);
    const { handle } = this.#file ??= await openToAppend(this.#path);
    try {
      // A second write after an incomplete one could append behind the text of another process.
      const { bytesWritten } = await handle.write(bytes);
      if (bytesWritten < bytes.length) {
        throw new Error(`only ${bytesWritten} of ${bytes.length} bytes were written`);
      }
      await handle.datasync();
    } catch (error) {
      await this.#release();
      throw error;
    }
  }

  /**
   * Returns the size of the file at the path, or `undefined` if it does not exist. Closes the open
   * file if it is no longer the file at the path.
   */
  async #sizeOf(): Promise<number | undefined> {
    const found = await statFile(this.#path);
    const { dev, ino } = this.#file ?? {};
    if (found?.dev !== dev || found?.ino !== ino) await this.#release();
    return found?.size;
  }

  async #release(): Promise<void> {
    const { handle } = this.#file ?? {};
    this.#file = undefined;
    await handle?.close();
  }
}

async function statFile(
  path: string,
): Promise<{ readonly size: number; readonly dev: number; readonly ino: number } | undefined> {
  try {
    const found = await stat(path);
    // Some file systems report a size of 0 for a folder, which would be read as an empty text.
    if (found.isDirectory()) throw new Error("EISDIR: the path is a folder");
    return found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readBytes(handle: FileHandle, start: number, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(Math.max(size - start, 0));
  let length = 0;
  while (length < bytes.length) {
    const { bytesRead } = await handle.read(bytes, length, bytes.length - length, start + length);
    // The file has been truncated meanwhile.
    if (bytesRead === 0) return bytes.slice(0, length);
    length += bytesRead;
  }
  return bytes;
}

/**
 * Opens the file. The folder is created only if it is missing, because its creation can require
 * more permissions.
 */
async function openToAppend(path: string): Promise<FileToAppend> {
  const handle = await openOrCreate(path);
  try {
    const { dev, ino } = await handle.stat();
    return { handle, dev, ino };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openOrCreate(path: string): Promise<FileHandle> {
  try {
    return await open(path, "a+", FILE_MODE);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    return await open(path, "a+", FILE_MODE);
  }
}

function assertSize(size: number, maxBytes: number): void {
  if (size > maxBytes) throw new RangeError(`the size of ${size} bytes exceeds ${maxBytes} bytes`);
}

function isMissing(error: unknown): boolean {
  return isRecord(error) && error.code === "ENOENT";
}
