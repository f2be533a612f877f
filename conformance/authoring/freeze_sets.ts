/**
 * Changes of the requirement sets: a new draft set, and new released sets.
 *
 * @module
 */

import { type ErrataFile, ErratumEffect, strongestErrata } from "../kit/errata.ts";
import { readJson } from "../kit/json.ts";
import type { Suite } from "../kit/load_cases.ts";
import {
  belongsToFamily,
  readSetName,
  type RequirementSet,
  SET_FAMILIES,
  type SetCase,
} from "../kit/requirement_set.ts";
import { FORMAT, setDigest } from "../runner/case_digest.ts";
import {
  DRAFT_FILE,
  findSetProblems,
  readReleasedErrata,
  readReleasedSets,
  type SetFiles,
} from "./check_sets.ts";
import { compareCases, createDraft, type DraftSet, formatSet } from "./draft_set.ts";

/** Files to write and lines to print. */
export interface Frozen {
  readonly writes: SetFiles;
  readonly lines: readonly string[];
}

/** Facts about a release. */
export interface ReleaseFacts {
  /** Version of the kit. */
  readonly kit: string;
  /** Date, as `YYYY-MM-DD`. */
  readonly frozen: string;
  /**
   * The draft set of 14 days ago. Only cases that have not changed since then are released, because
   * a released case cannot be corrected.
   */
  readonly mature: DraftSet;
}

/**
 * Updates the draft set.
 *
 * @throws {RangeError} If a released set or one of its cases has changed.
 */
export function freezeDraft(files: SetFiles, suite: Suite): Frozen {
  assertReleased(files, suite);
  const draft = createDraft(suite);
  return {
    writes: new Map([[DRAFT_FILE, formatSet({ ...draft })]]),
    lines: compareCases(readDraft(files.get(DRAFT_FILE)).cases, draft.cases),
  };
}

/**
 * Creates the next released set of a family, without the cases that are disputed or withdrawn in
 * the newest set.
 *
 * @throws {RangeError} If the name is not a family, if a released set or one of its cases has
 * changed, or if the set would have the same cases as the newest set.
 */
export function releaseSet(
  family: string,
  { files, suite, facts }: {
    readonly files: SetFiles;
    readonly suite: Suite;
    readonly facts: ReleaseFacts;
  },
): Frozen {
  if (!SET_FAMILIES.includes(family)) throw notAFamily(family);
  assertReleased(files, suite);
  const { sets } = readReleasedSets(files);
  const own = sets.filter(({ name }) => name.startsWith(`${family}.`));
  const newest = own.find(({ name }) => name === `${family}.${own.length}`);
  const mature = new Map(facts.mature.cases.map(({ id, digest }) => [id, digest]));
  const doubtful = findDoubtful(readReleasedErrata(files, { sets, suite }).errata, newest?.name);
  const candidates = createDraft(suite).cases.filter(({ id }) => {
    const each = suite.get(id);
    return each !== undefined && belongsToFamily(each, family) && !doubtful.has(id);
  });
  const cases = candidates.filter(({ id, digest }) => mature.get(id) === digest);
  const changes = compareCases(newest?.cases ?? [], cases);
  if (changes.length === 0) {
    throw new RangeError(`Cannot release "${family}": no mature case differs from the newest set`);
  }
  const set = createSet(`${family}.${own.length + 1}`, cases, facts);
  return {
    writes: new Map([[`${set.name}.json`, formatSet({ ...set })]]),
    lines: [
      `${set.name} ${set.digest}, ${cases.length} cases`,
      ...changes,
      ...candidates.filter((each) => !cases.includes(each)).map(({ id }) =>
        `${id} is left out: it was added or changed in the last 14 days`
      ),
    ],
  };
}

/** Reads a draft set. A file in another format is an empty set. */
export function readDraft(text: string | undefined): DraftSet {
  const value = readJson(text ?? "")?.value;
  const cases = typeof value === "object" && value !== null && "cases" in value
    ? value.cases
    : undefined;
  // The file is written by this program.
  return { format: FORMAT, cases: Array.isArray(cases) ? cases as readonly SetCase[] : [] };
}

/** Returns the ids of the cases that are disputed or withdrawn in a set. */
function findDoubtful(
  errata: readonly ErrataFile[],
  name: string | undefined,
): ReadonlySet<string> {
  const own = strongestErrata(errata.filter(({ set }) => set === name));
  const doubts = [...own.values()].filter(({ effect }) =>
    effect === ErratumEffect.Disputed || effect === ErratumEffect.Withdrawn
  );
  return new Set(doubts.map((each) => each.case));
}

function createSet(
  name: string,
  cases: readonly SetCase[],
  { kit, frozen }: ReleaseFacts,
): RequirementSet {
  return { name, format: FORMAT, kit, frozen, digest: setDigest(name, cases), cases };
}

function assertReleased(files: SetFiles, suite: Suite): void {
  const problems = findSetProblems(files, suite);
  if (problems.length === 0) return;
  const advice = "Restore the case. A correction is an erratum, or a new case with a new id";
  throw new RangeError(
    `A released requirement set never changes:\n  ${problems.join("\n  ")}\n${advice}`,
  );
}

function notAFamily(name: string): RangeError {
  return readSetName(name) === undefined
    ? new RangeError(`Cannot release "${name}": the name must be one of ${SET_FAMILIES.join(", ")}`)
    : new RangeError(`Cannot release "${name}": a released set never changes`);
}
