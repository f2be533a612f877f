/**
 * Errata: corrections of released requirement sets. An erratum only takes away requirements, so an
 * implementation that passes a set still passes with all errata.
 *
 * @module
 */

import schema from "../schemas/errata.schema.json" with { type: "json" };
import { type Case, CaseLevel } from "./case.ts";
import type { ReadResult, Suite } from "./load_cases.ts";
import type { RequirementSet } from "./requirement_set.ts";
import { compileSchema } from "./schema.ts";
import { widenCase, type Widening } from "./widen_case.ts";

/** Effects of errata. */
export const ErratumEffect = {
  /** The case is not run. */
  Withdrawn: "withdrawn",
  /** The case is run, and its result does not count. */
  Disputed: "disputed",
  /** The case has a lower level. */
  Level: "level",
  /** The case accepts further values. */
  Accepts: "accepts",
} as const;

/** A value of {@linkcode ErratumEffect}. */
export type ErratumEffect = (typeof ErratumEffect)[keyof typeof ErratumEffect];

/** A correction of a case. `schemas/errata.schema.json` describes its JSON form. */
export interface Erratum {
  /** Name of the set and number of the erratum, such as `mcp-2026-07-28.1-e3`. */
  readonly id: string;
  /** Id of the case. */
  readonly case: string;
  /** Effect. */
  readonly effect: ErratumEffect;
  /** New level, for the effect `level`. */
  readonly level?: CaseLevel;
  /** Values that the case accepts as well, for the effect `accepts`. */
  readonly accepts?: readonly Widening[];
  /** Reason, in one sentence. */
  readonly reason: string;
  /** URL of the document that contradicts the case. */
  readonly source: string;
  /** URL of the issue in which the case is disputed. */
  readonly issue: string;
  /** Date, as `YYYY-MM-DD`. */
  readonly date: string;
  /** First version of the kit that contains the erratum. */
  readonly kit: string;
  /** Present if the erratum has ended, and therefore has no effect. */
  readonly ended?: { readonly date: string; readonly reason: string };
}

/** The errata of a set. */
export interface ErrataFile {
  /** Name of the set. */
  readonly set: string;
  /** Errata, numbered from 1. An erratum is never removed. */
  readonly errata: readonly Erratum[];
}

/** Effects from the strongest to the weakest, if the errata of several sets concern one case. */
const STRENGTH: readonly ErratumEffect[] = Object.values(ErratumEffect);

/** Levels from the strictest to the least strict. */
const LEVELS: readonly CaseLevel[] = [CaseLevel.Must, CaseLevel.Should, CaseLevel.May];

/**
 * Validates the errata of a set.
 *
 * @param value Parsed JSON, unvalidated.
 * @param set The set that the errata concern.
 * @param suite The cases of the set.
 */
export function readErrata(
  value: unknown,
  { set, suite }: { readonly set: RequirementSet; readonly suite: Suite },
): ReadResult<ErrataFile> {
  const problem = compileSchema(schema)(value);
  if (problem !== undefined) return invalid(`${problem.path || "/"}: ${problem.message}`);
  // The schema has validated the members.
  const file = value as ErrataFile;
  if (file.set !== set.name) return invalid(`the errata are those of "${file.set}"`);
  const open = new Set<string>();
  for (const [index, erratum] of file.errata.entries()) {
    const id = `${set.name}-e${index + 1}`;
    if (erratum.id !== id) return invalid(`"${erratum.id}" must have the id "${id}"`);
    const reason = findEffectProblem(erratum, { set, suite });
    if (reason !== undefined) return invalid(`${id}: ${reason}`);
    if (erratum.ended !== undefined) continue;
    if (open.has(erratum.case)) return invalid(`${id}: "${erratum.case}" has another open erratum`);
    open.add(erratum.case);
  }
  return { ok: true, value: file };
}

/** Returns the case with the effect of an erratum, or `undefined` if the case is withdrawn. */
export function applyErratum(
  each: Case,
  { effect, level, accepts = [] }: Erratum,
): Case | undefined {
  switch (effect) {
    case ErratumEffect.Withdrawn:
      return undefined;
    case ErratumEffect.Disputed:
      return { ...each, state: "disputed" };
    case ErratumEffect.Level:
      return { ...each, level: level ?? each.level };
    case ErratumEffect.Accepts:
      return accepts.reduce((wider, widening) => {
        const result = widenCase(wider, widening);
        return result.ok ? result.value : wider;
      }, each);
    default:
      return effect satisfies never;
  }
}

/** Returns the open erratum with the strongest effect for each case, keyed by case id. */
export function strongestErrata(files: readonly ErrataFile[]): ReadonlyMap<string, Erratum> {
  const strongest = new Map<string, Erratum>();
  for (const erratum of files.flatMap(({ errata }) => errata)) {
    if (erratum.ended !== undefined) continue;
    const other = strongest.get(erratum.case);
    if (other === undefined || STRENGTH.indexOf(erratum.effect) < STRENGTH.indexOf(other.effect)) {
      strongest.set(erratum.case, erratum);
    }
  }
  return strongest;
}

function findEffectProblem(
  erratum: Erratum,
  { set, suite }: { readonly set: RequirementSet; readonly suite: Suite },
): string | undefined {
  const { effect, level, accepts } = erratum;
  const entry = set.cases.find(({ id }) => id === erratum.case);
  const each = suite.get(erratum.case);
  if (entry === undefined || each === undefined) return `"${erratum.case}" is not in the set`;
  if (effect === ErratumEffect.Level) {
    return level !== undefined && LEVELS.indexOf(level) > LEVELS.indexOf(entry.level)
      ? undefined
      : `the level must be lower than ${entry.level}`;
  }
  if (effect !== ErratumEffect.Accepts) return undefined;
  if (accepts === undefined) return `"accepts" is missing`;
  let wider = each;
  for (const widening of accepts) {
    const result = widenCase(wider, widening);
    if (!result.ok) return `${widening.at}: ${result.reason}`;
    wider = result.value;
  }
  return undefined;
}

function invalid(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
