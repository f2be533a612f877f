/**
 * Selects the cases of a run, and names the requirement sets that contain them.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import { KitError, KitErrorCode } from "../kit/error.ts";
import type { Suite } from "../kit/load_cases.ts";
import type { ReportedSet } from "../kit/report.ts";
import type { RequirementSet } from "../kit/requirement_set.ts";
import { findSets, requirementTest, type SelectedSet } from "../kit/requirements.ts";
import { selectCases, type Selection } from "../kit/select_cases.ts";
import { caseDigest, FORMAT, setDigest, toSetCase } from "./case_digest.ts";

/** The cases of a run. */
export interface RunPlan {
  /** The selected cases, in order. */
  readonly chosen: readonly Case[];
  /** The requirement sets that contain the cases. */
  readonly sets: readonly ReportedSet[];
}

/**
 * Selects the cases of a run.
 *
 * @param suite All cases.
 * @param selection Criteria for selecting cases.
 * @param released Released sets.
 * @throws {KitError} With code `usage` if the selection is invalid, if the kit cannot run the cases
 *   of a set as the set demands, or if a case differs from the set.
 */
export function planRun(
  suite: Suite,
  { requirements = [], ...selection }: Selection,
  released: readonly RequirementSet[],
): RunPlan {
  const sets = findSets(requirements, released);
  const isRequirement = requirementTest(sets);
  const cases = selectCases(suite.values(), selection);
  const chosen = sets.length === 0 ? cases : cases.filter(isRequirement);
  for (const set of sets) assertUnchanged(set, chosen);
  return { chosen, sets: sets.map((set) => describeSet(set, suite)) };
}

/** Returns the exact name, the digest and the size of a set. */
export function describeSet(set: SelectedSet, suite: Suite): ReportedSet {
  const { name, released } = set;
  if (released !== undefined) {
    return { name, digest: released.digest, cases: released.cases.length };
  }
  const cases = [...suite.values()].filter(requirementTest([set])).map(toSetCase);
  return { name, digest: setDigest(name, cases), cases: cases.length };
}

/** Checks that the cases of a released set are the cases that were released. */
function assertUnchanged({ name, released }: SelectedSet, chosen: readonly Case[]): void {
  if (released === undefined) return;
  if (released.format !== FORMAT) {
    throw badSet(name, `the kit runs cases with format ${FORMAT}, not ${released.format}`);
  }
  const digests = new Map(released.cases.map(({ id, digest }) => [id, digest]));
  const changed = chosen.find((each) =>
    digests.has(each.id) && digests.get(each.id) !== caseDigest(each)
  );
  if (changed !== undefined) throw badSet(name, `the case "${changed.id}" differs from the set`);
}

function badSet(name: string, reason: string): KitError {
  return new KitError(KitErrorCode.Usage, `Cannot use requirements "${name}": ${reason}`);
}
