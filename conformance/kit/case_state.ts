/**
 * States of cases, which follow from requirement sets and errata.
 *
 * @module
 */

import type { Case } from "./case.ts";
import type { Erratum } from "./errata.ts";
import { belongsToFamily, DRAFT, SET_FAMILIES } from "./requirement_set.ts";
import type { ReleasedRequirements } from "./requirements.ts";

/** State of a case in one set. */
export interface CaseState {
  /** Exact name of the set. Absent for a proposed case, which is in no set. */
  readonly set?: string;
  readonly state: "proposed" | "draft" | "released" | "disputed" | "withdrawn";
  /** Open erratum that applies to the case in the set. */
  readonly erratum?: Erratum;
}

/**
 * Returns the state of a case in each released set that contains it. A case that is in no released
 * set is in the drafts of its families, or proposed.
 */
export function statesOf(
  each: Case,
  { sets, errata }: ReleasedRequirements,
): readonly CaseState[] {
  if (each.state === "proposed") return [{ state: "proposed" }];
  const released = sets.filter(({ cases }) => cases.some(({ id }) => id === each.id));
  if (released.length === 0) {
    const families = SET_FAMILIES.filter((family) => belongsToFamily(each, family));
    return families.map((family) => ({ set: `${family}.${DRAFT}`, state: "draft" }));
  }
  return released.map(({ name }) => {
    const erratum = errata.find(({ set }) => set === name)?.errata.find((one) =>
      one.case === each.id && one.ended === undefined
    );
    if (erratum === undefined) return { set: name, state: "released" };
    const { effect } = erratum;
    const state = effect === "disputed" || effect === "withdrawn" ? effect : "released";
    return { set: name, state, erratum };
  });
}

/** Formats the states of a case for people, one line for each state, erratum and issue. */
export function formatStates(states: readonly CaseState[]): readonly string[] {
  const names = [...new Set(states.map(({ state }) => state))];
  return names.flatMap((name) => {
    const own = states.filter(({ state }) => state === name);
    const sets = own.flatMap(({ set }) => set ?? []).join(", ");
    return [
      `state     ${name}${sets === "" ? "" : ` (${sets})`}`,
      ...own.flatMap(({ erratum }) =>
        erratum === undefined ? [] : [
          `erratum   ${erratum.id}, ${describeEffect(erratum)}: ${erratum.reason}`,
          `issue     ${erratum.issue}`,
        ]
      ),
    ];
  });
}

function describeEffect({ effect, level }: Erratum): string {
  if (effect === "level") return `level ${level}`;
  return effect === "accepts" ? "also accepts other values" : effect;
}
