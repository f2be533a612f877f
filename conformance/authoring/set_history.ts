/**
 * Compares released requirement sets with their history: a released set is never deleted and never
 * changed, and an erratum is only added or ended. A change of a set together with its digest agrees
 * with the cases, so only the history shows it.
 *
 * @module
 */

import { isObject, readJson } from "../kit/json.ts";
import { ERRATA_SUFFIX, type SetFiles } from "./check_sets.ts";

/** The text of a file in a commit. */
export interface FileVersion {
  readonly commit: string;
  readonly name: string;
  readonly text: string;
}

/** Describes each version in the history with which the files do not agree. */
export function findHistoryProblems(
  history: readonly FileVersion[],
  files: SetFiles,
): readonly string[] {
  const found = history.flatMap(({ commit, name, text }) => {
    const now = files.get(name);
    const since = `since commit ${commit.slice(0, 8)}`;
    if (now === undefined) return [`${name} is removed ${since}`];
    if (name.endsWith(ERRATA_SUFFIX)) {
      return findLostErrata(text, now).map((id) => `${name}: ${id} is removed or changed ${since}`);
    }
    return now.trimEnd() === text.trimEnd() ? [] : [`${name} has changed ${since}`];
  });
  return [...new Set(found)];
}

/** Returns the ids of errata that a text contains and another text does not contain unchanged. */
function findLostErrata(before: string, after: string): readonly string[] {
  const now = new Map(readErrataList(after).map((each) => [each.id, each]));
  return readErrataList(before).flatMap((each) => {
    const other = now.get(each.id);
    const { ended, ...rest } = other ?? {};
    const isSame = JSON.stringify(each) === JSON.stringify(other) ||
      (ended !== undefined && JSON.stringify(each) === JSON.stringify(rest));
    return isSame ? [] : [String(each.id)];
  });
}

function readErrataList(text: string): readonly Readonly<Record<string, unknown>>[] {
  const value = readJson(text)?.value;
  const list = isObject(value) ? value.errata : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
