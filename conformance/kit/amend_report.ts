/**
 * Applies errata to a report without a new run.
 *
 * @module
 */

import { type Erratum, ErratumEffect } from "./errata.ts";
import type { ComparedReport, ComparedResult } from "./read_report.ts";
import type { ReleasedRequirements } from "./requirements.ts";
import { Verdict } from "./verdict.ts";

/** A report to which errata were applied. */
export interface AmendedReport {
  /** Results with the effects of the errata, without withdrawn cases. */
  readonly results: readonly ComparedResult[];
  /** Ids of the errata that were applied, and that the run had not applied. */
  readonly applied: readonly string[];
  /**
   * Failures that only a new run can judge, because their cases accept further values: keys from
   * {@linkcode keyOf}.
   */
  readonly unclear: ReadonlySet<string>;
}

/** Returns the key of a result in its report. */
export function keyOf({ id, transport }: Pick<ComparedResult, "id" | "transport">): string {
  return transport === undefined ? id : `${id} (${transport})`;
}

/**
 * Applies the errata of the sets of a report. Errata that have ended since the run lose their
 * effect, as far as this is possible without a new run.
 */
export function amendReport(
  { results, requirements = [] }: ComparedReport,
  { sets, errata }: ReleasedRequirements,
): AmendedReport {
  const names = new Set(requirements.map(({ name }) => name));
  const entries = sets.filter(({ name }) => names.has(name)).flatMap(({ cases }) => cases);
  const known = new Map(entries.map((each) => [each.id, each]));
  const own = errata.filter(({ set }) => names.has(set)).flatMap((file) => file.errata);
  const applied = new Set<string>();
  const unclear = new Set<string>();
  const amended = results.flatMap((result) => {
    const entry = known.get(result.id);
    if (entry === undefined || !entry.digest.startsWith(result.rev)) return [result];
    const restored = restore(result, own, entry.level);
    const erratum = own.find((each) => each.case === result.id && each.ended === undefined);
    if (erratum === undefined || erratum.id === restored.erratum?.id) return [restored];
    applied.add(erratum.id);
    const isUnclear = erratum.effect === ErratumEffect.Accepts && result.verdict !== Verdict.Pass;
    if (isUnclear) unclear.add(keyOf(result));
    return amendResult(restored, erratum);
  });
  return { results: amended, applied: [...applied], unclear };
}

/** Removes the effect of an erratum that has ended. */
function restore(
  result: ComparedResult,
  errata: readonly Erratum[],
  level: ComparedResult["level"],
): ComparedResult {
  const isEnded = errata.some(({ id, ended }) => id === result.erratum?.id && ended !== undefined);
  if (!isEnded) return result;
  const { erratum: _, state, ...rest } = result;
  return { ...rest, level, ...(state === "proposed" ? { state } : {}) };
}

function amendResult(result: ComparedResult, erratum: Erratum): readonly ComparedResult[] {
  const { id, effect, reason, level = result.level } = erratum;
  const amended = { ...result, erratum: { id, effect, reason } };
  switch (effect) {
    case ErratumEffect.Withdrawn:
      return [];
    case ErratumEffect.Disputed:
      return [{ ...amended, state: "disputed" }];
    case ErratumEffect.Level:
      return [{ ...amended, level }];
    case ErratumEffect.Accepts:
      return [amended];
    default:
      return effect satisfies never;
  }
}
