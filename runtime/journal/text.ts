/**
 * The JSON Lines format of journals.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { asRecord } from "@parley/internal/json";
import { type Journal, type JournalEntry, readJournalEntry } from "./journal.ts";

/**
 * Line that marks the preceding line as truncated by a crash. A damaged line that is not followed
 * by `CUT_MARK` causes an error.
 */
export const CUT_MARK = '{"v":1,"cut":true}';

/** Start of the line that a process appends when it opens the journal. */
const OWNER_START = '{"v":1,"owner":"';

/** Formats the line that declares the owner of the journal, including the newline. */
export function formatOwner(owner: string): string {
  return `${OWNER_START}${owner}"}\n`;
}

/** Returns true if no other process has opened the journal since the owner opened it. */
export function isLastOwner(text: string, owner: string): boolean {
  return text.lastIndexOf(`\n${OWNER_START}`) + 1 === text.lastIndexOf(formatOwner(owner));
}

/**
 * Asserts that an entry can be read again, and that a journal does not contain a step with its key.
 *
 * @throws {TypeError} If the entry is invalid.
 * @throws {AgentError} With code `core` if the journal contains a step with this key.
 */
export function assertNotRecorded(journal: Pick<Journal, "get">, entry: JournalEntry): void {
  const read = readJournalEntry(entry);
  if (typeof read === "string") throw new TypeError(`"entry" must be a journal entry: ${read}`);
  const { key } = entry;
  if (journal.get(key) === undefined) return;
  throw AgentError.core(`Cannot record a step: the journal already contains step "${key}"`);
}

/**
 * Formats an entry as one line, including the newline.
 *
 * @param index Number of different steps before the line, with which a reader detects a missing
 * line.
 */
export function formatEntry(entry: JournalEntry, index: number): string {
  return `${JSON.stringify({ ...entry, n: index })}\n`;
}

/**
 * Parses the text of a journal. Ignores lines that record the journal's owner, a last line without
 * a newline, and lines marked as truncated.
 *
 * @throws {AgentError} With code `core` if a line is damaged, missing or has an unsupported
 * version.
 */
export function parseEntries(text: string): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  // A repeated line must not replace a missing line, so each step is counted once.
  const keys = new Set<string>();
  const lines = text.split("\n").slice(0, -1);
  for (const [index, line] of lines.entries()) {
    const isCut = line === CUT_MARK || lines[index + 1] === CUT_MARK;
    if (isCut || isOwnerLine(line)) continue;
    const entry = parseEntry(line, index, keys.size);
    keys.add(entry.key);
    entries.push(entry);
  }
  return entries;
}

function isOwnerLine(line: string): boolean {
  return line.startsWith(OWNER_START) && /^[\w-]+"\}$/.test(line.slice(OWNER_START.length));
}

function parseEntry(line: string, index: number, count: number): JournalEntry {
  const value = parseLine(line, index);
  const entry = readJournalEntry(value);
  const problem = typeof entry === "string" ? entry : findGap(value, count);
  if (typeof entry !== "string" && problem === undefined) return entry;
  throw AgentError.core(`Cannot read the journal: line ${index + 1}: ${problem}`);
}

/**
 * Returns a description of the error if entries before a line are missing. If two processes write
 * to the journal for a moment, two lines can have the same number, which is not an error.
 *
 * @param count Number of different steps before the line.
 */
function findGap(value: unknown, count: number): string | undefined {
  const { n } = asRecord(value);
  if (n === undefined) return undefined;
  if (typeof n !== "number" || !Number.isSafeInteger(n) || n < 0) {
    return '"n" must be a non-negative integer';
  }
  return n > count ? `entry ${count} is missing before entry ${n}` : undefined;
}

function parseLine(line: string, index: number): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw AgentError.core(`Cannot read the journal: line ${index + 1}: ${errorMessageOf(cause)}`, {
      cause,
    });
  }
}
