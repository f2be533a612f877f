/**
 * Notes that apply to several subjects.
 *
 * @module
 */

import type { Note } from "./subject.ts";

/** A note that applies to several subjects. */
export interface SharedNote {
  /** Explanation for readers of the report. */
  readonly text: string;
  /** URL of the issue in which the cause was reported. */
  readonly issue?: string;
  /** Names of the subjects that fail, keyed by case id or pattern. */
  readonly failing: Readonly<Record<string, readonly string[]>>;
}

/** Returns the notes for the subject with the given name. */
export function notesFor(name: string, notes: readonly SharedNote[]): readonly Note[] {
  return notes.flatMap(({ failing, ...note }) => {
    const cases = Object.entries(failing).flatMap(([pattern, subjects]) =>
      subjects.includes(name) ? [pattern] : []
    );
    return cases.length === 0 ? [] : [{ cases, ...note }];
  });
}
