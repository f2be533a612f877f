/**
 * Selects the mutants, controls and null subjects that a change can affect.
 *
 * @module
 */

import type { Suite } from "../../conformance/kit/load_cases.ts";
import { caseRevision } from "../../conformance/runner/case_digest.ts";
import type { Change } from "./change.ts";
import { killersOf, type Laboratory } from "./laboratory.ts";

/** Mutants and controls that a change selects, and the reason. */
export interface Affected {
  readonly reason: string;
  readonly ids: readonly string[];
}

/** Folders and files that carry out every case: the runner, our driver and the self-test. */
const HARNESS = new RegExp(
  "^(?:conformance/(?:drivers/typescript|kinds|kit|platform|runner|subject)/" +
    "|conformance/testdata/null_|examples/everything_server/|lab/selftest/(?!random/)" +
    "|deno\\.(?:json|lock)$)",
);

/** The list of the cases that detect faults on the wire. */
const WIRE = "lab/mutants/wire_faults.json";

/**
 * Returns the selections for a change. An id can be in several selections. Empty selections are
 * omitted.
 */
export function findAffected(
  laboratory: Laboratory,
  suite: Suite,
  change: Change,
): readonly Affected[] {
  const { members, faults } = laboratory;
  const { files } = change;
  const changedCases = findChangedCases(suite, change);
  const selections: readonly Affected[] = [
    {
      reason: "the mutated file changed",
      ids: idsOf(members.filter(({ file }) => files.has(file))),
    },
    {
      reason: "the mutant is new or changed",
      ids: [
        ...idsOf(
          members.filter((each) => change.oldMutants.get(each.id) !== JSON.stringify(each)),
        ),
        ...(files.has(WIRE) ? idsOf(faults) : []),
      ],
    },
    {
      reason: "a case that is listed for the mutant changed",
      ids: [
        ...idsOf(
          members.filter((mutant) =>
            killersOf(mutant, suite).some(({ id }) => changedCases.has(id))
          ),
        ),
        ...idsOf(faults.filter(({ kills }) => kills.some(({ id }) => changedCases.has(id)))),
      ],
    },
    ...findForHarness(laboratory, suite, change),
  ];
  return selections.map(({ reason, ids }) => ({ reason, ids: [...new Set(ids)] }))
    .filter(({ ids }) => ids.length > 0);
}

/** If the harness changed, selects one mutant for each case file, and everything on the wire. */
function findForHarness(
  { members, faults, controls, idle }: Laboratory,
  suite: Suite,
  { files, caseFiles }: Change,
): readonly Affected[] {
  const changed = [...files].find((file) => HARNESS.test(file) && !file.endsWith("_test.ts"));
  if (changed === undefined) return [];
  const samples = [...caseFiles.values()].flatMap((ids) => {
    const cases = new Set(ids);
    return members.find((mutant) => killersOf(mutant, suite).some(({ id }) => cases.has(id))) ?? [];
  });
  return [{
    reason:
      `${changed} can affect every case: one mutant for each case file, and everything on the wire`,
    ids: idsOf([...samples, ...faults, ...controls, ...idle]),
  }];
}

/** Returns the ids of the new and changed cases. Prose and the place of a case do not count. */
function findChangedCases(
  suite: Suite,
  { files, caseFiles, oldCases }: Change,
): ReadonlySet<string> {
  const ids = [...caseFiles].filter(([path]) => files.has(path)).flatMap(([, inside]) => inside);
  return new Set(ids.filter((id) => {
    const each = suite.get(id);
    return each !== undefined && caseRevision(each) !== oldCases.get(id);
  }));
}

function idsOf(items: readonly { readonly id: string }[]): readonly string[] {
  return items.map(({ id }) => id);
}
