/**
 * The JSON Lines format of journals.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
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
 * Asserts that a journal does not contain a step with the key of an entry.
 *
 * @throws {AgentError} With code `core` if the journal contains a step with this key.
 */
export function assertNotRecorded(journal: Pick<Journal, "get">, { key }: JournalEntry): void {
  if (journal.get(key) === undefined) return;
  throw AgentError.core(`Cannot record a step: the journal already contains step "${key}"`);
}

/** Formats an entry as one line, including the newline. */
export function formatEntry(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Parses the text of a journal. Ignores lines that record the journal's owner, a last line without
 * a newline, and lines marked as truncated.
 *
 * @throws {AgentError} With code `core` if a line is damaged or has an unsupported version.
 */
export function parseEntries(text: string): readonly JournalEntry[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.flatMap((line, index) => {
    const isCut = line === CUT_MARK || lines[index + 1] === CUT_MARK;
    return isCut || isOwnerLine(line) ? [] : [parseEntry(line, index)];
  });
}

function isOwnerLine(line: string): boolean {
  return line.startsWith(OWNER_START) && /^[\w-]+"\}$/.test(line.slice(OWNER_START.length));
}

function parseEntry(line: string, index: number): JournalEntry {
  const entry = readJournalEntry(parseLine(line, index));
  if (typeof entry !== "string") return entry;
  throw AgentError.core(`Cannot read the journal: line ${index + 1}: ${entry}`);
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
