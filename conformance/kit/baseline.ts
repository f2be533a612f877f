/**
 * Known failures: a list that keeps a red suite useful, and turns red itself when it is out of date.
 *
 * @module
 */

import schema from "../schemas/baseline.schema.json" with { type: "json" };
import { KitError, KitErrorCode } from "./error.ts";
import { readJson } from "./json.ts";
import { compileSchema } from "./schema.ts";
import { fitsId } from "./select_cases.ts";
import { type CaseResult, describeFailure, isFailure, Verdict } from "./verdict.ts";

/** One known failure. */
export interface BaselineEntry {
  /** An id, or a pattern that fits at most twenty cases. */
  readonly id: string;
  /** Only on this transport. */
  readonly transport?: string;
  /** The start of the failure's description; another failure is unexpected. */
  readonly message?: string;
  /** Where it is being dealt with. */
  readonly issue?: string;
  /** The last day on which it is accepted, `YYYY-MM-DD`. */
  readonly until?: string;
  /** Passes and failures are both accepted. */
  readonly flaky?: boolean;
  /** A word to the reader. */
  readonly comment?: string;
}

/** A list of known failures; see `schemas/baseline.schema.json`. */
export interface Baseline {
  /** The known failures. */
  readonly entries: readonly BaselineEntry[];
}

/** An entry that no longer holds, and why. */
export interface StaleEntry {
  /** The entry's id or pattern. */
  readonly id: string;
  /** Why it is stale. */
  readonly reason: string;
}

const MAX_COVERED = 20;

/**
 * Reads a baseline from its text.
 *
 * @param text JSON text
 * @param name what to call the file in the error
 * @throws {KitError} `bad_file` when the text is no baseline
 */
export function parseBaseline(text: string, name: string): Baseline {
  const parsed = readJson(text);
  if (parsed === undefined) throw badBaseline(name, "invalid JSON");
  const problem = compileSchema(schema)(parsed.value);
  if (problem !== undefined) throw badBaseline(name, `${problem.path || "/"}: ${problem.message}`);
  // The schema has just proved this shape.
  return parsed.value as Baseline;
}

/**
 * Marks known failures and finds entries that are out of date.
 *
 * @param results what came of the cases
 * @param baseline the known failures
 * @param today the day, `YYYY-MM-DD`
 * @throws {KitError} `bad_file` when a pattern covers more than twenty cases
 */
export function applyBaseline(
  results: readonly CaseResult[],
  { entries }: Baseline,
  today: string,
): { readonly results: readonly CaseResult[]; readonly stale: readonly StaleEntry[] } {
  const stale: StaleEntry[] = [];
  const marked = new Map<CaseResult, CaseResult>();
  for (const entry of entries) {
    const covered = results.filter((result) => isCovered(entry, result));
    if (covered.length > MAX_COVERED) {
      throw badBaseline(entry.id, `the pattern matches ${covered.length} cases; the maximum is 20`);
    }
    const reason = findStaleness(entry, covered, today);
    if (reason !== undefined) stale.push({ id: entry.id, reason });
    if (isExpired(entry, today)) continue;
    for (const result of covered) markKnown(entry, result, marked);
  }
  return { results: results.map((result) => marked.get(result) ?? result), stale };
}

/**
 * The baseline that would make these results green, keeping what people wrote into the old one.
 *
 * @param results what came of the cases, without any baseline applied
 * @param old the baseline so far
 */
export function updateBaseline(results: readonly CaseResult[], old: Baseline): Baseline {
  const fresh = results.filter(isFailure).map((result) => {
    const { id, transport } = result;
    const kept = old.entries.find((entry) => entry.id === id && entry.transport === transport);
    return {
      ...kept,
      id,
      ...(transport === undefined ? {} : { transport }),
      message: describeFailure(result).slice(0, 120),
    };
  });
  return { entries: [...old.entries.filter(({ flaky }) => flaky), ...fresh] };
}

function isCovered(entry: BaselineEntry, result: CaseResult): boolean {
  const { id, transport, verdict } = result;
  const ran = isFailure(result) || verdict === Verdict.Pass;
  return ran && fitsId(entry.id, id) &&
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

function markKnown(
  entry: BaselineEntry,
  result: CaseResult,
  marked: Map<CaseResult, CaseResult>,
): void {
  const { countsAsFailure: _, ...rest } = result;
  if (entry.flaky) marked.set(result, { ...rest, verdict: Verdict.KnownFlaky });
  else if (isExpected(entry, result)) marked.set(result, { ...rest, verdict: Verdict.Known });
}

function badBaseline(name: string, reason: string): KitError {
  return new KitError(KitErrorCode.BadFile, `Cannot use baseline "${name}": ${reason}`);
}
