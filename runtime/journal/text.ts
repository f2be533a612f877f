/**
 * Journals as text: one JSON object a line.
 *
 * @module
 */

import { AgentError, errorMessageOf } from "../shared/error.ts";
import { type JournalEntry, readJournalEntry } from "./journal.ts";

/**
 * Stands after a line that a crash has cut, so that damage by a crash and damage by anything else stay apart.
 */
export const CUT_MARK = '{"v":1,"cut":true}';

/** One entry as a line, with its newline. */
export function formatEntry(entry: JournalEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

/**
 * Reads the text of a journal. A last line without its newline was cut by a crash and is left out, as are marked ones.
 *
 * @throws {AgentError} code `core`: a line is damaged or of another version
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
