/**
 * Compares the released requirement sets with the cases.
 *
 * A released set never changes, and neither do its cases. There is no list of exceptions: a case
 * that is wrong gets an erratum, and its correction is a new case with a new id.
 *
 * @module
 */

import { type ErrataFile, readErrata } from "../kit/errata.ts";
import type { Suite } from "../kit/load_cases.ts";
import { readJson } from "../kit/json.ts";
import { readRequirementSet, readSetName, type RequirementSet } from "../kit/requirement_set.ts";
import { caseDigest, setDigest } from "../runner/case_digest.ts";

/** Texts of the files in a folder of requirement sets, keyed by file name. */
export type SetFiles = ReadonlyMap<string, string>;

/** Name of the file of the draft set. */
export const DRAFT_FILE = "draft.json";

/** End of the names of the files of errata. */
export const ERRATA_SUFFIX = ".errata.json";

/** Result of reading the released sets of a folder. */
export interface ReleasedSets {
  readonly sets: readonly RequirementSet[];
  /** Reason for each file that is not a valid set. */
  readonly problems: readonly string[];
}

/** Reads the released sets of a folder, in the order of their names. */
export function readReleasedSets(files: SetFiles): ReleasedSets {
  const sets: RequirementSet[] = [];
  const problems: string[] = [];
  for (const file of [...files.keys()].sort()) {
    if (file === DRAFT_FILE || file.endsWith(ERRATA_SUFFIX)) continue;
    const result = readRequirementSet(readJson(files.get(file) ?? "")?.value);
    if (!result.ok) problems.push(`${file}: ${result.reason}`);
    else if (file !== `${result.value.name}.json`) {
      problems.push(`${file} contains the set "${result.value.name}"`);
    } else sets.push(result.value);
  }
  return { sets, problems };
}

/** Describes everything in the released sets that does not agree with the cases. */
export function findSetProblems(files: SetFiles, suite: Suite): readonly string[] {
  const { sets, problems } = readReleasedSets(files);
  return [
    ...problems,
    ...findMissingNumbers(sets),
    ...sets.flatMap((set) => [...findDigestProblem(set), ...findChangedCases(set, suite)]),
    ...readReleasedErrata(files, { sets, suite }).problems,
  ];
}

/** Reads the errata of released sets. */
export function readReleasedErrata(
  files: SetFiles,
  { sets, suite }: { readonly sets: readonly RequirementSet[]; readonly suite: Suite },
): { readonly errata: readonly ErrataFile[]; readonly problems: readonly string[] } {
  const errata: ErrataFile[] = [];
  const problems: string[] = [];
  for (const [file, text] of files) {
    if (!file.endsWith(ERRATA_SUFFIX)) continue;
    const name = file.slice(0, -ERRATA_SUFFIX.length);
    const set = sets.find((each) => each.name === name);
    if (set === undefined) {
      problems.push(`${file}: "${name}" is not a released set`);
      continue;
    }
    const result = readErrata(readJson(text)?.value, { set, suite });
    if (result.ok) errata.push(result.value);
    else problems.push(`${file}: ${result.reason}`);
  }
  return { errata, problems };
}

function findDigestProblem({ name, digest, cases }: RequirementSet): readonly string[] {
  return digest === setDigest(name, cases)
    ? []
    : [`${name}.json: the digest is not the digest of the cases`];
}

function findChangedCases(
  { name, format, cases }: RequirementSet,
  suite: Suite,
): readonly string[] {
  return cases.flatMap(({ id, level, digest }) => {
    const each = suite.get(id);
    if (each === undefined) return [`${name}: ${id} is removed`];
    if (each.state !== undefined) return [`${name}: ${id} is released, but its state is proposed`];
    return each.level === level && caseDigest(each, format) === digest
      ? []
      : [`${name}: ${id} has changed`];
  });
}

/** The numbers of a family start with 1 and have no gap, because no set is deleted. */
function findMissingNumbers(sets: readonly RequirementSet[]): readonly string[] {
  const names = new Set(sets.map(({ name }) => name));
  return sets.flatMap(({ name }) => {
    const { family = "", number = "" } = readSetName(name) ?? {};
    const previous = `${family}.${Number(number) - 1}`;
    return number === "1" || names.has(previous) ? [] : [`${previous}.json is missing`];
  });
}
