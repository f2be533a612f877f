/**
 * The requirement sets of the kit, and the names by which a run selects them.
 *
 * @module
 */

import type { Case } from "./case.ts";
import { KitError, KitErrorCode } from "./error.ts";
import type { ErrataFile } from "./errata.ts";
import { ERRATA, RELEASED_SETS } from "./released_sets.ts";
import {
  belongsToFamily,
  DRAFT,
  protocolVersionOfFamily,
  readSetName,
  type RequirementSet,
  SET_FAMILIES,
} from "./requirement_set.ts";

/** A set that a run uses. */
export interface SelectedSet {
  /** Exact name, such as `mcp-2026-07-28.1` or `comm.draft`. */
  readonly name: string;
  /** Family of the set. */
  readonly family: string;
  /** The set, or `undefined` if it is a draft. */
  readonly released?: RequirementSet;
}

/** Released sets and their errata. */
export interface ReleasedRequirements {
  readonly sets: readonly RequirementSet[];
  readonly errata: readonly ErrataFile[];
}

/**
 * The released sets of the kit and their errata. Tests validate their files, because validation
 * takes time.
 */
export const KIT_REQUIREMENTS: ReleasedRequirements = {
  sets: RELEASED_SETS as readonly RequirementSet[],
  errata: ERRATA as readonly ErrataFile[],
};

/**
 * Finds the sets with the given names. The name of a family means its newest released set, or its
 * draft if no set is released.
 *
 * @param names Names of sets or families.
 * @param sets Released sets.
 * @throws {KitError} With code `usage` if a set is unknown.
 */
export function findSets(
  names: readonly string[],
  sets: readonly RequirementSet[] = KIT_REQUIREMENTS.sets,
): readonly SelectedSet[] {
  const found = names.map((name) => findSet(name, sets));
  return [...new Map(found.map((each) => [each.name, each])).values()];
}

/**
 * Returns the newest released sets of the families that a run without requirement sets concerns.
 *
 * @param version MCP protocol version of the run.
 * @param sets Released sets.
 */
export function findNewestSets(
  version: string,
  sets: readonly RequirementSet[],
): readonly SelectedSet[] {
  const families = SET_FAMILIES.filter((family) =>
    [undefined, version].includes(protocolVersionOfFamily(family))
  );
  return findSets(families, sets);
}

/**
 * Returns a function that tests whether a case is in one of the sets. The draft of a family
 * contains all cases that belong to the family.
 */
export function requirementTest(sets: readonly SelectedSet[]): (each: Case) => boolean {
  const tests = sets.map(({ family, released }) => {
    if (released === undefined) return (each: Case) => belongsToFamily(each, family);
    const ids = new Set(released.cases.map(({ id }) => id));
    return ({ id }: Case) => ids.has(id);
  });
  return (each) => tests.some((test) => test(each));
}

/**
 * Returns the MCP protocol version that all selected sets of mcp share, or `undefined` if they
 * share none.
 */
export function protocolVersionOf(names: readonly string[]): string | undefined {
  const versions = new Set(names.flatMap((name) => {
    const { family = "" } = readSetName(name) ?? {};
    return protocolVersionOfFamily(family) ?? [];
  }));
  const [version] = versions;
  return versions.size === 1 ? version : undefined;
}

function findSet(text: string, sets: readonly RequirementSet[]): SelectedSet {
  const { family, number } = readSetName(text) ?? {};
  if (family === undefined) throw unknownSet(text, SET_FAMILIES);
  const own = sets.filter(({ name }) => readSetName(name)?.family === family);
  if (number === DRAFT || (number === undefined && own.length === 0)) {
    return { name: `${family}.${DRAFT}`, family };
  }
  const released = number === undefined
    ? own.toSorted((one, other) => numberOf(other) - numberOf(one))[0]
    : own.find(({ name }) => name === text);
  if (released !== undefined) return { name: released.name, family, released };
  throw unknownSet(text, [family, ...own.map(({ name }) => name), `${family}.${DRAFT}`]);
}

function numberOf({ name }: RequirementSet): number {
  return Number(readSetName(name)?.number);
}

function unknownSet(name: string, known: readonly string[]): KitError {
  return new KitError(
    KitErrorCode.Usage,
    `Cannot use requirements "${name}": the value must be one of ${known.join(", ")}`,
  );
}
