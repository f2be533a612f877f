/**
 * Text and JSON in the rows of a database.
 *
 * @module
 */

import { asRecord } from "@parley/internal/json";
import { type JournalEntry, readJournalEntry } from "../journal/journal.ts";
import { AgentError } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";

/**
 * Escapes the characters that PostgreSQL cannot store: U+0000, and surrogates without a partner,
 * which a driver would replace, so that different texts would become equal.
 */
export function toStorable(text: string): string {
  return text.replace(/[\0\\\p{Surrogate}]/gu, (character) => {
    if (character === "\\") return "\\\\";
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Returns the text that {@linkcode toStorable} has escaped. */
export function fromStorable(text: string): string {
  return text.replace(
    /\\(?:\\|u([0-9a-f]{4}))/g,
    (_, code?: string) => code === undefined ? "\\" : String.fromCharCode(parseInt(code, 16)),
  );
}

/** Returns a value as JSON, which contains no characters that PostgreSQL cannot store. */
export function format(value: unknown): string {
  return JSON.stringify(value);
}

/** Returns values as a JSON array of JSON texts. */
export function formatAll(values: readonly JsonValue[]): string {
  return JSON.stringify(values.map(format));
}

/**
 * Parses a JSON column of a row, whose column `n` identifies the row.
 *
 * @throws {AgentError} With code `core` if the column is damaged.
 */
export function parseColumn(row: unknown, column: string, owner: string): JsonValue {
  const { n, [column]: text } = asRecord(row);
  try {
    return JSON.parse(String(text));
  } catch (cause) {
    throw AgentError.core(`Cannot read ${column} ${n} of ${owner}: the row is damaged`, { cause });
  }
}

/**
 * Reads a step of a session.
 *
 * @throws {AgentError} With code `core` if the value is not a step.
 */
export function readStep(value: unknown, key: string): JournalEntry {
  const entry = readJournalEntry(value);
  if (typeof entry !== "string") return entry;
  throw AgentError.core(`Cannot read a step of session "${key}": ${entry}`);
}
