/**
 * Decides what the runs of a subject prove. A failure is published only if the subject ran, and if
 * two runs agree about it.
 *
 * @module
 */

import { excerpt } from "../../conformance/kit/escape_text.ts";
import { pluralize } from "../../conformance/kit/pluralize.ts";
import { type CaseResult, isFailingVerdict, Verdict } from "../../conformance/kit/verdict.ts";
import { NO_SESSION } from "../../conformance/runner/server_executor.ts";
import { toStableLine } from "./stable_line.ts";

/** Largest share of the tested cases that may crash or hang. */
const MAX_SILENT_SHARE = 0.2;

/** Number of consecutive crashes and timeouts after which a run is stopped. */
const MAX_SILENT = 30;

const LEFT_OUT: readonly Verdict[] = [Verdict.NotApplicable, Verdict.Untestable];

/**
 * Returns the reasons why the results of a run prove nothing about the subject.
 *
 * @param results All results, or the results before the run was stopped.
 */
export function findDoubts(results: readonly CaseResult[]): readonly string[] {
  const notRun = results.filter(isNotRun);
  const faults = results.filter(({ verdict }) => verdict === Verdict.KitFault);
  const tested = results.filter(({ verdict }) => !LEFT_OUT.includes(verdict)).length;
  const silent = results.filter(isSilent).length;
  return [
    ...(notRun.length === 0
      ? []
      : [`${pluralize(notRun.length, "case")} could not be run: ${reasonOf(notRun[0])}`]),
    ...(faults.length === 0
      ? []
      : [`${pluralize(faults.length, "case")} revealed a fault in the kit: ${faults[0]?.id}`]),
    ...(results.some(({ verdict }) => verdict === Verdict.Pass) ? [] : ["no case passed"]),
    ...(silent > MAX_SILENT_SHARE * tested
      ? [`${silent} of ${pluralize(tested, "tested case")} crashed or got no response in time`]
      : []),
  ];
}

/** Notices during a run that its results cannot be published. */
export class RunWatch {
  readonly #results: CaseResult[] = [];
  #silent = 0;

  /** Results so far. */
  get results(): readonly CaseResult[] {
    return this.#results;
  }

  /** Adds a result. Returns whether the rest of the run is worthless. */
  add(result: CaseResult): boolean {
    this.#results.push(result);
    if (isSilent(result)) this.#silent++;
    else if (!LEFT_OUT.includes(result.verdict)) this.#silent = 0;
    return isNotRun(result) || result.verdict === Verdict.KitFault || this.#silent >= MAX_SILENT;
  }
}

/** A case whose two results differ. */
export interface UnstableCase {
  /** Id of the case. */
  readonly id: string;
  /** Transport, for cases that run over several transports. */
  readonly transport?: string;
  /** The two results, such as `fail: true at $.valid` and `pass`. */
  readonly runs: readonly [first: string, second: string];
}

/** Results of two runs. */
export interface Agreement {
  /** Results of the first run that the second run confirms. */
  readonly agreed: readonly CaseResult[];
  /** Cases whose two results differ. */
  readonly unstable: readonly UnstableCase[];
}

/**
 * Compares the results of two runs. Two failures agree if they have the same verdict and the same
 * place: the same expected value at the same path, in the same rows.
 */
export function compareRuns(
  first: readonly CaseResult[],
  second: readonly CaseResult[],
): Agreement {
  const left = new Map(first.map((each) => [keyOf(each), each]));
  const right = new Map(second.map((each) => [keyOf(each), each]));
  const agreed: CaseResult[] = [];
  const unstable: UnstableCase[] = [];
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const [a, b] = [left.get(key), right.get(key)];
    const some = a ?? b;
    if (some === undefined) continue;
    if (a !== undefined && b !== undefined && placeOf(a) === placeOf(b)) {
      agreed.push(a);
      continue;
    }
    const { id, transport } = some;
    unstable.push({
      id,
      ...(transport === undefined ? {} : { transport }),
      runs: [describe(a), describe(b)],
    });
  }
  return { agreed, unstable };
}

/**
 * Returns true if the subject crashed or did not respond, for which servers have no own verdict.
 */
function isSilent({ verdict, got = "" }: CaseResult): boolean {
  return verdict === Verdict.Crash || verdict === Verdict.Hang ||
    (verdict === Verdict.Fail && got.startsWith("no response"));
}

/** Returns true if a case was not run, or if no session could be opened for it. */
function isNotRun({ verdict, note = "" }: CaseResult): boolean {
  return verdict === Verdict.NotRun || note.startsWith(NO_SESSION);
}

function reasonOf(result: CaseResult | undefined): string {
  return toStableLine(result?.note ?? "unknown reason");
}

function keyOf({ id, transport = "" }: CaseResult): string {
  return `${id} ${transport}`;
}

/** Verdict and place of a failure. All other results agree if they have the same verdict. */
function placeOf({ verdict, expected = "", difference, failedRows = [] }: CaseResult): string {
  if (!isFailingVerdict(verdict)) return verdict;
  return JSON.stringify([verdict, difference?.at, failedRows, toStableLine(expected)]);
}

function describe(result: CaseResult | undefined): string {
  if (result === undefined) return "no result";
  const { verdict, expected, failedRows = [] } = result;
  if (!isFailingVerdict(verdict)) return verdict;
  const place = [toStableLine(expected ?? ""), ...failedRows].filter((part) => part !== "");
  return excerpt([verdict, place.join(", ")].filter((part) => part !== "").join(": "), 80);
}
