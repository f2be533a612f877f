/**
 * Stores sessions as JSON Lines in files or in other append-only storage.
 *
 * @module
 */

import {
  assertJournalStore,
  endsInLine,
  type JournalStore,
  readStored,
  splitLines,
} from "../journal/store.ts";
import { CUT_MARK } from "../journal/text.ts";
import { assertCount, rejectArgument } from "@parley/internal/assert-argument";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import type { JsonValue } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
import { optionsReader, withDefault } from "@parley/internal/options";
import type { SessionStore } from "./store.ts";

const VERSION = 1;

/** A line in the stored text of a session. */
interface SessionLine {
  /** Random id that lets the writer recognize its own line. */
  readonly id: string;
  /** Number of records that the writer expected the session to have. */
  readonly n: number;
  readonly record: JsonValue;
}

/** A line of a session, with its position in the text. */
interface PlacedLine extends SessionLine {
  /** Number of bytes before the line. */
  readonly start: number;
}

/** Positions in the text of a session, so that only its end needs to be read again. */
interface KnownText {
  /** Position of the line of each record, in bytes. */
  readonly starts: readonly number[];
  /** Random id of the last record's line. */
  readonly lastId: string;
}

/** The text of a session from a record on. */
interface SessionText extends KnownText {
  /** The records from `index` on. */
  readonly records: readonly PlacedLine[];
  /** Index of the first of `records`. */
  readonly index: number;
  /** Whether the last line has no newline. */
  readonly isCut: boolean;
}

const EMPTY: KnownText = { starts: [], lastId: "" };

/** Options for {@linkcode jsonlSessions}. */
export interface JsonlSessionsOptions {
  /**
   * Maximum number of sessions whose storage is kept, with the positions of its records (8 bytes
   * each); a positive integer. When a session beyond this number is used, the storage of the least
   * recently used one is closed. The text of another session is read from its start.
   *
   * @default {1000}
   */
  readonly maxOpen?: number;
}

const readJsonlSessionsOptions = optionsReader<JsonlSessionsOptions>("options")({
  maxOpen: withDefault(1000, assertCount),
});

/** Storage for sessions as JSON Lines, created by {@linkcode jsonlSessions}. */
export interface JsonlSessions extends SessionStore, AsyncDisposable {
  /**
   * Returns the records of a session from an index, oldest first, as `loadFrom` of
   * {@linkcode SessionStore} does.
   *
   * @param sessionId Id of the session.
   * @param start Number of records before the result.
   */
  loadFrom(sessionId: string, start: number): Promise<readonly JsonValue[]>;
  /**
   * Closes the storage of all sessions, such as open files. The store can still be used, and must
   * then be closed again.
   *
   * @throws The error of a storage that cannot be closed.
   */
  close(): Promise<void>;
}

/**
 * Creates a store that keeps each session as JSON Lines, for example in one file per session.
 *
 * Several processes can write to the same session. Each line contains the number of its record. If
 * two processes write a record with the same number, the later line is ignored, and its writer's
 * `append` resolves to `false`. The storage must append each line atomically, as `fileStore` from
 * `@parley/runtime/file` does on a local file system. A line truncated by a crash is ignored; any
 * other damage, such as a missing line before another line, causes an error. The text of a session
 * is read once to load the session, and twice to append a record. If the storage has the method
 * `readBytes`, as `fileStore` has, only the lines after the last known record are read again, and
 * the storage is kept for the next call.
 *
 * @param open Returns the storage for the text of a session. A client may have chosen the session
 * id: before you use it in a file name, encode it, for example with `encodeURIComponent`, which
 * encodes path separators.
 * @param options Limit on the number of storages that are kept.
 * @throws {TypeError} If `open` is not a function.
 * @throws {RangeError} If `maxOpen` is not a positive integer.
 *
 * @example Store the lines in variables; for files, use `fileStore` from `@parley/runtime/file`
 * ```ts
 * import { ToolLoopAgent } from "@parley/runtime";
 * import type { JournalStore } from "@parley/runtime/journal";
 * import { AgentSession, jsonlSessions } from "@parley/runtime/session";
 * import { scriptedModel } from "@parley/runtime/testing";
 * import { assertEquals } from "@std/assert";
 *
 * const texts = new Map<string, string>();
 * const open = (id: string): JournalStore => ({
 *   read: () => Promise.resolve(texts.get(id) ?? ""),
 *   append(line) {
 *     texts.set(id, (texts.get(id) ?? "") + line);
 *     return Promise.resolve();
 *   },
 * });
 * const agent = new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
 * await new AgentSession(agent, { id: "chat-1", store: jsonlSessions(open) }).run("Hi");
 * assertEquals((await jsonlSessions(open).load("chat-1")).length, 1);
 * ```
 */
export function jsonlSessions(
  open: (sessionId: string) => JournalStore,
  options: JsonlSessionsOptions = {},
): JsonlSessions {
  if (typeof open !== "function") rejectArgument("open", "a function", open);
  return new LinesStore(open, readJsonlSessionsOptions(options).maxOpen);
}

/** A storage that is kept, and the positions in its text. */
interface KeptStorage {
  readonly storage: JournalStore;
  text: KnownText;
}

class LinesStore implements JsonlSessions {
  readonly #open: (sessionId: string) => JournalStore;
  readonly #maxOpen: number;
  /** Kept storages by session id, the least recently used one first. */
  readonly #kept = new Map<string, KeptStorage>();

  constructor(open: (sessionId: string) => JournalStore, maxOpen: number) {
    this.#open = open;
    this.#maxOpen = maxOpen;
  }

  async load(sessionId: string): Promise<readonly JsonValue[]> {
    const kept = this.#use(sessionId);
    return (await readAll(kept)).records.map(({ record }) => record);
  }

  async loadFrom(sessionId: string, start: number): Promise<readonly JsonValue[]> {
    const { index, records } = await readFrom(this.#use(sessionId), start);
    return records.slice(Math.max(start - index, 0)).map(({ record }) => record);
  }

  async append(sessionId: string, record: JsonValue, expectedLength: number): Promise<boolean> {
    const kept = this.#use(sessionId);
    const { isCut, starts } = await readFrom(kept, expectedLength);
    if (starts.length !== expectedLength) return false;
    const id = crypto.randomUUID();
    const line = JSON.stringify({ v: VERSION, n: expectedLength, id, record });
    const cut = isCut ? `\n${CUT_MARK}\n` : "";
    await kept.storage.append(`${cut}${line}\n`);
    // Another process may have appended a line with the same number first.
    const { index, records } = await readFrom(kept, expectedLength);
    return records[expectedLength - index]?.id === id;
  }

  async close(): Promise<void> {
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(kept.map(({ storage }) => storage.close?.()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #use(sessionId: string): KeptStorage {
    const known = this.#kept.get(sessionId);
    const kept = known ?? { storage: openChecked(this.#open, sessionId), text: EMPTY };
    if (kept.storage.readBytes === undefined) return kept;
    this.#kept.delete(sessionId);
    this.#kept.set(sessionId, kept);
    const [oldest] = this.#kept;
    if (this.#kept.size > this.#maxOpen && oldest !== undefined) {
      const [oldestId, { storage }] = oldest;
      this.#kept.delete(oldestId);
      // Records are stored durably before `append` resolves, so the error loses nothing.
      storage.close?.().catch(() => {});
    }
    return kept;
  }
}

function openChecked(open: (sessionId: string) => JournalStore, sessionId: string): JournalStore {
  const storage = open(sessionId);
  assertJournalStore("open(sessionId)", storage);
  return storage;
}

/** Reads the whole text of a session. */
async function readAll(kept: KeptStorage): Promise<SessionText> {
  const bytes = await readStored(kept.storage, 0);
  return kept.text = parseText(bytes, { starts: [], lastId: "", index: 0 });
}

/**
 * Reads the text of a session from the last known record, or from the record at an index if that is
 * lower. Reads the whole text if the last known record is no longer at its position, because the
 * text was truncated or replaced.
 */
async function readFrom(kept: KeptStorage, from: number): Promise<SessionText> {
  const { lastId, starts } = kept.text;
  const last = starts.length - 1;
  const index = Math.min(Math.max(from, 0), last);
  const start = starts[index];
  if (start === undefined) return await readAll(kept);
  const text = parseEnd(await readStored(kept.storage, start), { lastId, starts, index });
  if (text?.records[last - index]?.id !== lastId) return await readAll(kept);
  kept.text = text;
  return text;
}

/** Parses the end of a text, or returns `undefined` if it does not continue the known text. */
function parseEnd(
  bytes: Uint8Array,
  known: KnownText & { readonly index: number },
): SessionText | undefined {
  try {
    return parseText(bytes, known);
  } catch {
    // The error names the line in the whole text, which is read next.
    return undefined;
  }
}

/**
 * Parses the text of a session from a record on. Ignores a last line without a newline, lines
 * truncated by a crash, and lines whose number an earlier line already uses.
 *
 * @param bytes Text from the record at `index` on.
 * @throws {AgentError} With code `core` if a line is damaged, missing or has an unsupported
 * version.
 */
function parseText(
  bytes: Uint8Array,
  { index: from, starts: known }: KnownText & { readonly index: number },
): SessionText {
  const position = known[from] ?? 0;
  const records: PlacedLine[] = [];
  const lines = splitLines(bytes);
  for (const [at, { start, text }] of lines.entries()) {
    // `CUT_MARK` marks the preceding line as truncated. A line is empty if its writer finished it
    // only after another process had appended `CUT_MARK`.
    if (text === "" || text === CUT_MARK || lines[at + 1]?.text === CUT_MARK) continue;
    const parsed = parseLine(text, at);
    const next = from + records.length;
    if (parsed.n > next) {
      const reason = `record ${next} is missing before record ${parsed.n}`;
      throw AgentError.core(`Cannot read the session: line ${at + 1}: ${reason}`);
    }
    if (parsed.n === next) records.push({ ...parsed, start: position + start });
  }
  const starts = [...known.slice(0, from), ...records.map(({ start }) => start)];
  const lastId = records.at(-1)?.id ?? "";
  return { records, index: from, starts, lastId, isCut: endsInLine(bytes) };
}

function parseLine(line: string, index: number): SessionLine {
  const parsed = readLine(parseJson(line, index));
  if (typeof parsed !== "string") return parsed;
  throw AgentError.core(`Cannot read the session: line ${index + 1}: ${parsed}`);
}

function parseJson(line: string, index: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const reason = errorMessageOf(cause);
    throw AgentError.core(`Cannot read the session: line ${index + 1}: ${reason}`, { cause });
  }
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Validates a line. Returns a description of the error if the line is invalid. */
function readLine(value: unknown): SessionLine | string {
  if (!isRecord(value)) return "not a JSON object";
  const { v, id, n, record } = value;
  if (v !== VERSION) return `"v" must be ${VERSION}, got ${formatValue(v)}`;
  if (typeof id !== "string") return '"id" must be a string';
  if (!isIndex(n)) return '"n" must be a non-negative integer';
  if (record === undefined) return '"record" is missing';
  // `record` is a JSON value because the line was parsed from JSON.
  return { id, n, record: record as JsonValue };
}
