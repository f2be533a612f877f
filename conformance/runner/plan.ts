/**
 * Selects the cases of a run, names the requirement sets that contain them, and applies errata.
 *
 * @module
 */

import type { Case } from "../kit/case.ts";
import { KitError, KitErrorCode } from "../kit/error.ts";
import type { Suite } from "../kit/load_cases.ts";
import { applyErratum, type Erratum, ErratumEffect, strongestErrata } from "../kit/errata.ts";
import type { ReportedErratum, ReportedSet } from "../kit/report.ts";
import {
  findNewestSets,
  findSets,
  type ReleasedRequirements,
  requirementTest,
  type SelectedSet,
} from "../kit/requirements.ts";
import { selectCases, type Selection } from "../kit/select_cases.ts";
import type { AppliedErratum } from "../kit/verdict.ts";
import { caseDigest, FORMAT, setDigest, toSetCase } from "./case_digest.ts";

/** A case to which an erratum applies. */
interface AmendedCase {
  /** The case without the erratum. */
  readonly original: Case;
  readonly erratum: Erratum;
}

/** The cases of a run. */
export interface RunPlan {
  /** The selected cases with the effects of errata, in order, without withdrawn cases. */
  readonly chosen: readonly Case[];
  /** All cases with the effects of errata. Withdrawn cases can be controls of others. */
  readonly suite: Suite;
  /** The requirement sets that contain the cases. */
  readonly sets: readonly ReportedSet[];
  /** The errata that apply to selected cases. */
  readonly errata: readonly ReportedErratum[];
  /** Cases to which errata apply, keyed by id. */
  readonly amended: ReadonlyMap<string, AmendedCase>;
}

/** Returns the members of an erratum that a result contains. */
export function toApplied({ id, effect, reason }: Erratum): AppliedErratum {
  return { id, effect, reason };
}

/**
 * Returns true if a case is disputed or withdrawn. An implementation that fails such a control can
 * be correct, so its negative cases do not count as failures.
 */
export function isDoubtful(id: string | undefined, { amended }: RunPlan): boolean {
  const effect = id === undefined ? undefined : amended.get(id)?.erratum.effect;
  return effect === ErratumEffect.Disputed || effect === ErratumEffect.Withdrawn;
}

/** Options for {@linkcode planRun}. */
export interface PlanOptions {
  /** MCP protocol version. */
  readonly version: string;
  /** Released sets and their errata. */
  readonly released: ReleasedRequirements;
}

/**
 * Selects the cases of a run, and applies the errata of the requirement sets. Without requirement
 * sets, the errata of the newest sets apply.
 *
 * @param suite All cases.
 * @param selection Criteria for selecting cases.
 * @param options Protocol version and released sets.
 * @throws {KitError} With code `usage` if the selection is invalid, if the kit cannot run the cases
 *   of a set as the set demands, or if a case differs from the set.
 */
export function planRun(
  suite: Suite,
  { requirements = [], ...selection }: Selection,
  { version, released }: PlanOptions,
): RunPlan {
  const sets = findSets(requirements, released.sets);
  const isRequirement = requirementTest(sets);
  const cases = selectCases(suite.values(), selection);
  const selected = sets.length === 0 ? cases : cases.filter(isRequirement);
  for (const set of sets) assertUnchanged(set, selected);
  const families = sets.length === 0 ? findNewestSets(version, released.sets) : sets;
  const amended = findAmended(suite, families, released);
  const changed = amendSuite(suite, amended);
  return {
    chosen: selected.flatMap((each) => {
      const isWithdrawn = amended.get(each.id)?.erratum.effect === ErratumEffect.Withdrawn;
      return isWithdrawn ? [] : [changed.get(each.id) ?? each];
    }),
    suite: changed,
    sets: sets.map((set) => describeSet(set, suite)),
    errata: selected.flatMap(({ id }) => {
      const erratum = amended.get(id)?.erratum;
      return erratum === undefined ? [] : [toReported(erratum)];
    }),
    amended,
  };
}

/** Finds the cases to which the errata of sets apply. */
function findAmended(
  suite: Suite,
  sets: readonly SelectedSet[],
  { sets: all, errata }: ReleasedRequirements,
): ReadonlyMap<string, AmendedCase> {
  // A draft contains cases of released sets, so the errata of the newest set apply.
  const names = new Set(
    sets.map((set) => (set.released === undefined ? findSets([set.family], all)[0] : set)?.name),
  );
  const digests = new Map(
    all.filter(({ name }) => names.has(name)).flatMap(({ cases }) =>
      cases.map(({ id, digest }) => [id, digest])
    ),
  );
  const found = strongestErrata(errata.filter(({ set }) => names.has(set)));
  return new Map([...found].flatMap(([id, erratum]) => {
    const original = suite.get(id);
    if (original === undefined || caseDigest(original) !== digests.get(id)) return [];
    return [[id, { original, erratum }]];
  }));
}

function amendSuite(suite: Suite, amended: ReadonlyMap<string, AmendedCase>): Suite {
  if (amended.size === 0) return suite;
  return new Map([...suite].map(([id, each]) => {
    const { erratum } = amended.get(id) ?? {};
    return [id, erratum === undefined ? each : applyErratum(each, erratum) ?? each];
  }));
}

function toReported(erratum: Erratum): ReportedErratum {
  const { source, issue } = erratum;
  return { ...toApplied(erratum), case: erratum.case, source, issue };
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
