/**
 * Baselines: lists of known failures. Known failures do not fail a run, but outdated entries do.
 *
 * @module
 */

import schema from "../schemas/baseline.schema.json" with { type: "json" };
import { KitError, KitErrorCode } from "./error.ts";
import { readJson } from "./json.ts";
import { pluralize } from "./pluralize.ts";
import { compileSchema } from "./schema.ts";
import { fitsId } from "./select_cases.ts";
import { type CaseResult, describeFailure, isFailure, Verdict } from "./verdict.ts";
import { excerpt } from "./escape_text.ts";

/** One known failure. */
export interface BaselineEntry {
  /** A case id, or a pattern that matches at most 20 cases. */
  readonly id: string;
  /** Transport that the entry applies to. If omitted, the entry applies to all transports. */
  readonly transport?: string;
  /** Prefix of the failure description. Failures with any other description are unexpected. */
  readonly message?: string;
  /** URL of the issue that tracks the failure. */
  readonly issue?: string;
  /** Last day on which the failure is accepted, as `YYYY-MM-DD`. */
  readonly until?: string;
  /** Whether both passes and failures are accepted. */
  readonly flaky?: boolean;
  /** Comment for human readers. */
  readonly comment?: string;
}

/** A list of known failures; see `schemas/baseline.schema.json`. */
export interface Baseline {
  /** The known failures. */
  readonly entries: readonly BaselineEntry[];
  /**
   * Number of untestable cases that are accepted. A run with more untestable cases fails, because a
   * subject that loses its tools or operations would otherwise pass. If omitted, any number of
   * untestable cases is accepted.
   */
  readonly untestable?: number;
}

/** An outdated entry. */
export interface StaleEntry {
  /** Id or pattern of the entry. */
  readonly id: string;
  /** Reason why the entry is outdated. */
  readonly reason: string;
}

const MAX_COVERED = 20;

/**
 * Parses a baseline.
 *
 * @param text JSON text.
 * @param name File name for error messages.
 * @throws {KitError} With code `bad_file` if the text is not a valid baseline.
 */
export function parseBaseline(text: string, name: string): Baseline {
  const parsed = readJson(text);
  if (parsed === undefined) throw badBaseline(name, "invalid JSON");
  const problem = compileSchema(schema)(parsed.value);
  if (problem !== undefined) throw badBaseline(name, `${problem.path || "/"}: ${problem.message}`);
  // The value has been validated against baseline.schema.json, so the cast is safe.
  return parsed.value as Baseline;
}

/**
 * Marks known failures and finds outdated entries, including an exceeded limit on untestable cases.
 *
 * @param results The case results.
 * @param baseline Known failures.
 * @param today Current date, as `YYYY-MM-DD`.
 * @throws {KitError} With code `bad_file` if a pattern matches more than 20 cases.
 */
export function applyBaseline(
  results: readonly CaseResult[],
  { entries, untestable = Infinity }: Baseline,
  today: string,
): { readonly results: readonly CaseResult[]; readonly stale: readonly StaleEntry[] } {
  const stale: StaleEntry[] = [];
  for (const entry of entries) {
    const covered = results.filter((result) => isCovered(entry, result));
    if (covered.length > MAX_COVERED) {
      throw badBaseline(entry.id, `the pattern matches ${covered.length} cases; the maximum is 20`);
    }
    const reason = findStaleness(entry, covered, today);
    if (reason !== undefined) stale.push({ id: entry.id, reason });
  }
  const count = countUntestable(results);
  if (count > untestable) {
    const reason = `${pluralize(count, "untestable case")}, but the baseline accepts ${untestable}`;
    stale.push({ id: "untestable", reason });
  }
  return { results: results.map((result) => markKnown(result, { entries }, today)), stale };
}

/**
 * Returns a result with the verdict `known` or `known_flaky` if the baseline accepts it, otherwise
 * the result itself.
 *
 * @param result A case result.
 * @param baseline Known failures.
 * @param today Current date, as `YYYY-MM-DD`.
 */
export function markKnown(result: CaseResult, { entries }: Baseline, today: string): CaseResult {
  const entry = entries.findLast((each) =>
    !isExpired(each, today) && isCovered(each, result) &&
    (each.flaky === true || isExpected(each, result))
  );
  if (entry === undefined) return result;
  const { countsAsFailure: _, ...rest } = result;
  return { ...rest, verdict: entry.flaky === true ? Verdict.KnownFlaky : Verdict.Known };
}

/**
 * Returns a baseline with the failures and the number of untestable cases of a run. Comments and
 * issues from the old baseline are kept, and a failure that a flaky entry covers gets no additional
 * entry.
 *
 * @param results The case results, before a baseline is applied.
 * @param old The current baseline.
 */
export function updateBaseline(results: readonly CaseResult[], old: Baseline): Baseline {
  const flaky = old.entries.filter((entry) => entry.flaky);
  const failed = results.filter((result) =>
    isFailure(result) && result.state === undefined &&
    !flaky.some((entry) => isCovered(entry, result))
  );
  const fresh = failed.map((result) => {
    const { id, transport } = result;
    const kept = old.entries.find((entry) => entry.id === id && entry.transport === transport);
    return {
      ...kept,
      id,
      ...(transport === undefined ? {} : { transport }),
      message: excerpt(describeFailure(result), 120),
    };
  });
  return {
    entries: [...flaky, ...fresh],
    untestable: countUntestable(results),
  };
}

function countUntestable(results: readonly CaseResult[]): number {
  return results.filter(({ verdict }) => verdict === Verdict.Untestable).length;
}

function isCovered(entry: BaselineEntry, result: CaseResult): boolean {
  const { id, transport, verdict, state } = result;
  const ran = isFailure(result) || verdict === Verdict.Pass;
  return ran && state === undefined && fitsId(entry.id, id) &&
    (entry.transport === undefined || entry.transport === transport);
}

function isExpected(entry: BaselineEntry, result: CaseResult): boolean {
  return isFailure(result) &&
    describeFailure(result).startsWith(entry.message ?? "");
}

function isExpired({ until }: BaselineEntry, today: string): boolean {
  return until !== undefined && until < today;
}

function findStaleness(
  entry: BaselineEntry,
  covered: readonly CaseResult[],
  today: string,
): string | undefined {
  if (isExpired(entry, today)) return `expired on ${entry.until}`;
  if (entry.flaky || covered.length === 0) return undefined;
  const passing = covered.find(({ verdict }) => verdict === Verdict.Pass);
  if (passing !== undefined) return `${passing.id} passes`;
  return undefined;
}

function badBaseline(name: string, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot use baseline "${name}": ${reason}`);
}
