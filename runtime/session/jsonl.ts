/**
 * Stores sessions as JSON Lines in files or in other append-only storage.
 *
 * @module
 */

import type { JournalStore } from "../journal/store.ts";
import { CUT_MARK } from "../journal/text.ts";
import { assertMethods, rejectArgument } from "@parley/internal/assert-argument";
import { AgentError, errorMessageOf } from "../shared/error.ts";
import { formatValue } from "@parley/internal/format-value";
import type { JsonValue } from "../shared/json.ts";
import { isRecord } from "@parley/internal/json";
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

/**
 * Creates a store that keeps each session as JSON Lines, for example in one file per session.
 *
 * Several processes can write to the same session. Each line contains the number of its record. If
 * two processes write a record with the same number, the later line is ignored, and its writer's
 * `append` resolves to `false`. The storage must append each line atomically, as `fileStore` from
 * `@parley/runtime/file` does on a local file system. A line truncated by a crash is ignored; any
 * other damage, such as a missing line before another line, causes an error. The text of a session
 * is read once to load the session, and twice to append a record.
 *
 * @param open Returns the storage for the text of a session. A client may have chosen the session
 * id: before you use it in a file name, encode it, for example with `encodeURIComponent`, which
 * encodes path separators.
 * @throws {TypeError} If `open` is not a function.
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
export function jsonlSessions(open: (sessionId: string) => JournalStore): SessionStore {
  if (typeof open !== "function") rejectArgument("open", "a function", open);
  return {
    async load(sessionId): Promise<readonly JsonValue[]> {
      const text = await openChecked(open, sessionId).read();
      return parseRecords(text).map(({ record }) => record);
    },
    async append(sessionId, record, expectedLength): Promise<boolean> {
      const storage = openChecked(open, sessionId);
      const text = await storage.read();
      if (parseRecords(text).length !== expectedLength) return false;
      const id = crypto.randomUUID();
      const line = JSON.stringify({ v: VERSION, n: expectedLength, id, record });
      const cut = text === "" || text.endsWith("\n") ? "" : `\n${CUT_MARK}\n`;
      await storage.append(`${cut}${line}\n`);
      // Another process may have appended a line with the same number first.
      return parseRecords(await storage.read())[expectedLength]?.id === id;
    },
  };
}

function openChecked(open: (sessionId: string) => JournalStore, sessionId: string): JournalStore {
  const storage = open(sessionId);
  assertMethods("open(sessionId)", "a JournalStore", storage, ["read", "append"]);
  return storage;
}

/**
 * Parses the text of a session. Ignores a last line without a newline, lines truncated by a crash,
 * and lines whose number an earlier line already uses.
 *
 * @throws {AgentError} With code `core` if a line is damaged, missing or has an unsupported
 * version.
 */
function parseRecords(text: string): readonly SessionLine[] {
  const records: SessionLine[] = [];
  const lines = text.split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    // `CUT_MARK` marks the preceding line as truncated. A line is empty if its writer finished it
    // only after another process had appended `CUT_MARK`.
    if (line === "" || line === CUT_MARK || lines[index + 1] === CUT_MARK) continue;
    const parsed = parseLine(line, index);
    if (parsed.n > records.length) {
      const reason = `record ${records.length} is missing before record ${parsed.n}`;
      throw AgentError.core(`Cannot read the session: line ${index + 1}: ${reason}`);
    }
    if (parsed.n === records.length) records.push(parsed);
  }
  return records;
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
