/**
 * The JSON Lines format of journals.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { type JournalEntry, readJournalEntry } from "./journal.ts";

/** Line that marks the preceding line as truncated by a crash. Damaged lines without this mark cause an error. */
export const CUT_MARK = '{"v":1,"cut":true}';

/** Formats an entry as one line, including the newline. */
export function formatEntry(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Parses the text of a journal. Ignores a last line without a newline and lines marked as truncated.
 *
 * @throws {AgentError} With code `core` if a line is damaged or has an unsupported version.
 */
export function parseEntries(text: string): readonly JournalEntry[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.flatMap((line, index) => {
    const isCut = line === CUT_MARK || lines[index + 1] === CUT_MARK;
    return isCut ? [] : [parseEntry(line, index)];
  });
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
