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

import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import type { JournalStore } from "./journal/jsonl.ts";
import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import { AgentError, errorMessageOf } from "./shared/error.ts";
import { isRecord } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";

export type { JournalStore } from "./journal/jsonl.ts";

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
const NEWLINE = 0x0a;

/**
 * Creates a store that keeps the text of a journal or a session in a file.
 *
 * Each call to `append` adds the text with one write in append mode (`O_APPEND`), and resolves when
 * the file is synchronized with the disk. On a local file system, several processes can therefore
 * append to the same file. The store holds no open file between calls. The first call to `append`
 * creates the file and missing folders. On POSIX systems, only the current user can access a new
 * file (mode 0600) or a new folder (mode 0700); the permissions of existing files and folders do
 * not change.
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
export function fileStore(path: string, options: FileStoreOptions = {}): JournalStore {
  if (typeof path !== "string" || path === "") rejectArgument("path", "a non-empty string", path);
  const { maxBytes } = readFileStoreOptions(options);
  return {
    async read(): Promise<string> {
      try {
        return decodeLines(await readBytes(path, maxBytes));
      } catch (cause) {
        if (isMissing(cause)) return "";
        throw AgentError.core(`Cannot read "${path}": ${errorMessageOf(cause)}`, { cause });
      }
    },
    async append(text): Promise<void> {
      try {
        await appendBytes(path, new TextEncoder().encode(text), maxBytes);
      } catch (cause) {
        throw AgentError.core(`Cannot append to "${path}": ${errorMessageOf(cause)}`, { cause });
      }
    },
  };
}

async function readBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    assertSize((await file.stat()).size, maxBytes);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function appendBytes(path: string, bytes: Uint8Array, maxBytes: number): Promise<void> {
  const file = await openToAppend(path);
  try {
    assertSize((await file.stat()).size + bytes.length, maxBytes);
    // A second write after an incomplete one could append behind the text of another process.
    const { bytesWritten } = await file.write(bytes);
    if (bytesWritten < bytes.length) {
      throw new Error(`only ${bytesWritten} of ${bytes.length} bytes were written`);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Opens the file. The folder is created only if it is missing, because its creation can require
 * more permissions.
 */
async function openToAppend(path: string): Promise<FileHandle> {
  try {
    return await open(path, "a", FILE_MODE);
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
    return await open(path, "a", FILE_MODE);
  }
}

function assertSize(size: number, maxBytes: number): void {
  if (size > maxBytes) throw new RangeError(`the size of ${size} bytes exceeds ${maxBytes} bytes`);
}

/** Decodes UTF-8, except for an incomplete character at the end of a line. */
function decodeLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let start = 0; start <= bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    // With `stream`, the decoder waits for the rest of an incomplete character instead of throwing.
    lines.push(decoder.decode(bytes.subarray(start, end), { stream: true }));
    start = end + 1;
  }
  return lines.join("\n");
}

function isMissing(error: unknown): boolean {
  return isRecord(error) && error.code === "ENOENT";
}
