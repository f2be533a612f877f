/**
 * Runs cases against a subject and applies controls and the baseline.
 *
 * @module
 */

import { assertKnownNames, type OptionNames } from "../kit/known_names.ts";
import { applyBaseline, type Baseline, markKnown } from "../kit/baseline.ts";
import type { Case } from "../kit/case.ts";
import { KitError, KitErrorCode } from "../kit/error.ts";
import type { Suite } from "../kit/load_cases.ts";
import { pluralize } from "../kit/pluralize.ts";
import type { Implementation, Report } from "../kit/report.ts";
import { describeRequirement } from "../kit/profile.ts";
import { KIT_REQUIREMENTS, type ReleasedRequirements } from "../kit/requirements.ts";
import type { Selection } from "../kit/select_cases.ts";
import { type CaseResult, type CaseRun, isFailingVerdict, Verdict } from "../kit/verdict.ts";
import { type ProcessGroups, withProcessGroups } from "../subject/process_groups.ts";
import { loadSuite } from "../suite.ts";
import type { Executor } from "./executor.ts";
import { caseRevision } from "./case_digest.ts";
import { isDoubtful, planRun, type RunPlan, toApplied } from "./plan.ts";
import { openSubject, type Subject } from "./subject.ts";
import { KIT_VERSION } from "./version.ts";

/** Options for {@linkcode run}. */
export interface RunOptions {
  /** The implementation under test. */
  readonly subject: Subject;
  /** Cases to run. If omitted, the kit's cases are run. */
  readonly suite?: Suite;
  /** Criteria for selecting cases. If omitted, all cases are selected. */
  readonly select?: Selection;
  /**
   * MCP protocol version.
   *
   * @default {"2025-11-25"}
   */
  readonly revision?: string;
  /**
   * Whether to require SHOULD cases, and not to succeed if required cases are `untestable`.
   * If omitted, only MUST cases are required.
   */
  readonly isStrict?: boolean;
  /**
   * Factor by which timeouts are multiplied.
   *
   * @default {1}
   */
  readonly timeoutFactor?: number;
  /**
   * Seed for the subject's random choices.
   *
   * @default {1}
   */
  readonly seed?: number;
  /** Number of failed required cases after which the run stops. If omitted, all cases are run. */
  readonly bail?: number;
  /** Known failures. */
  readonly baseline?: Baseline;
  /**
   * Interrupts the run when aborted. The report then contains the results collected so far. Before
   * the first case, the promise rejects with the signal's reason.
   */
  readonly signal?: AbortSignal;
  /** Called when a case starts. If the function throws or its promise rejects, the run rejects. */
  readonly onStart?: (id: string) => unknown;
  /**
   * Called with each result, after known failures are marked. The next case starts after the
   * promise of the function has resolved. If the function throws or its promise rejects, the run
   * rejects.
   */
  readonly onResult?: (result: CaseResult) => unknown;
}

const LATEST_LEGACY_VERSION = "2025-11-25";

const RUN_OPTIONS: OptionNames<RunOptions> = {
  subject: true,
  suite: true,
  select: true,
  revision: true,
  isStrict: true,
  timeoutFactor: true,
  seed: true,
  bail: true,
  baseline: true,
  signal: true,
  onStart: true,
  onResult: true,
};

/**
 * Runs cases against an implementation.
 *
 * The promise does not reject when the subject fails: each case has a result. A watchdog process
 * stops all of the subject's processes, even if the runner is killed.
 *
 * @param options The subject and the cases to select.
 * @throws {KitError} With code `subject_start` if the subject fails to start.
 * @throws {KitError} With code `nothing_to_run` if no cases are selected.
 * @throws {KitError} With code `usage` or `bad_file` if a pattern or the baseline is invalid, or if
 *   an option has an unknown name.
 *
 * @example Run the comm cases with a driver
 * ```ts
 * import { run } from "@parley/conformance";
 *
 * async function check(command: readonly string[]): Promise<boolean> {
 *   const report = await run({ subject: { driver: { command } }, select: { libraries: ["comm"] } });
 *   return report.results.every(({ verdict }) => verdict === "pass");
 * }
 * ```
 */
export async function run(options: RunOptions): Promise<Report> {
  assertKnownNames("options", options, RUN_OPTIONS);
  return await runWithSets(options, KIT_REQUIREMENTS);
}

/** Runs cases with other released sets than those of the kit. */
export async function runWithSets(
  options: RunOptions,
  released: ReleasedRequirements,
): Promise<Report> {
  const { suite = loadSuite(), select = {}, signal } = options;
  signal?.throwIfAborted();
  const { revision: version = LATEST_LEGACY_VERSION } = options;
  const plan = planRun(suite, select, { version, released });
  const { chosen, sets, errata } = plan;
  if (chosen.length === 0) throw nothingToRun("no case selected");
  const startedAt = new Date().toISOString();
  const began = performance.now();
  return await withProcessGroups(signal, async (groups) => {
    const executors = await open(options, groups, chosen);
    const { baseline = { entries: [] } } = options;
    const today = startedAt.slice(0, 10);
    const settings = { ...options, baseline, today, tally: { failures: 0 } };
    const results = await runAll(executors, plan, settings);
    if (results.length === 0) {
      throw nothingToRun("no selected case applies to this kind of subject");
    }
    const judged = applyBaseline(results, baseline, today);
    return {
      report: 2,
      kit: KIT_VERSION,
      subjects: distinct(executors.map(({ implementation }) => implementation)),
      ...(sets.length === 0 ? {} : { requirements: sets }),
      ...(errata.length === 0 ? {} : { errata }),
      ...(select.profile === undefined ? {} : { profile: select.profile }),
      startedAt,
      ms: Math.round(performance.now() - began),
      ...judged,
      isInterrupted: signal?.aborted === true,
    };
  });
}

/** Result of {@linkcode inspect}. */
export interface Inspection {
  /** Implementation under test. */
  readonly implementation: Implementation;
  /** Library, if its cases are run through a driver and without a transport. */
  readonly library?: string;
  /** Transport, if the subject is a server. */
  readonly transport?: string;
  /** Startup time, in milliseconds. */
  readonly startMs: number;
  /** Number of cases that can be run. */
  readonly runnable: number;
  /** Results of the cases that cannot be run, with the reasons. */
  readonly excluded: readonly CaseRun[];
}

/**
 * Starts a subject and counts the cases that can and cannot be run, without running them.
 *
 * @param options The subject and the cases to select.
 * @throws {KitError} With code `subject_start` if the subject fails to start.
 * @throws {KitError} With code `usage` if a pattern is invalid.
 */
export async function inspect(options: RunOptions): Promise<readonly Inspection[]> {
  const { suite = loadSuite(), select = {}, signal } = options;
  signal?.throwIfAborted();
  const { revision: version = LATEST_LEGACY_VERSION } = options;
  const { chosen } = planRun(suite, select, { version, released: KIT_REQUIREMENTS });
  const began = performance.now();
  return await withProcessGroups(signal, async (groups) => {
    const executors = await open(options, groups, chosen);
    const startMs = Math.round(performance.now() - began);
    const findings = executors.map((executor) => inspectOne(executor, chosen, startMs));
    await Promise.all(executors.map((executor) => executor.close()));
    const { openError } = executors.find((each) => each.openError !== undefined) ?? {};
    if (openError !== undefined) throw openError;
    return findings;
  });
}

function inspectOne(executor: Executor, cases: readonly Case[], startMs: number): Inspection {
  const { implementation, library, transport } = executor;
  const covered = cases.filter((each) => executor.covers(each));
  const excluded = covered.flatMap((each) => executor.exclude(each) ?? []);
  return {
    implementation,
    ...(library === undefined ? {} : { library }),
    ...(transport === undefined ? {} : { transport }),
    startMs,
    runnable: covered.length - excluded.length,
    excluded,
  };
}

/** Removes duplicates: a subject with several connections is listed once. */
function distinct(subjects: readonly Implementation[]): readonly Implementation[] {
  return [...new Map(subjects.map((each) => [JSON.stringify(each), each])).values()];
}

async function open(
  options: RunOptions,
  groups: ProcessGroups,
  chosen: readonly Case[],
): Promise<readonly Executor[]> {
  const { subject, signal } = options;
  const settings = {
    timeoutFactor: options.timeoutFactor ?? 1,
    seed: options.seed ?? 1,
    kitVersion: KIT_VERSION,
    revision: options.revision ?? LATEST_LEGACY_VERSION,
    ...(signal === undefined ? {} : { signal }),
  };
  return await openSubject(subject, groups, settings, chosen).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
}

/** Runs the cases of all executors at the same time. */
async function runAll(
  executors: readonly Executor[],
  plan: RunPlan,
  options: ScheduleOptions,
): Promise<readonly CaseResult[]> {
  const results = await Promise.all(executors.map(async (executor) => {
    try {
      const cases = plan.chosen.filter((each) => executor.covers(each));
      return await new Schedule(executor, plan, options).run(cases);
    } finally {
      await executor.close();
    }
  }));
  return results.flat();
}

/** Options for a run, and the number of required cases that have failed so far on all executors. */
interface ScheduleOptions extends RunOptions {
  readonly baseline: Baseline;
  /** Current date, as `YYYY-MM-DD`. */
  readonly today: string;
  readonly tally: { failures: number };
}

/** Runs one executor's cases sequentially. */
class Schedule {
  readonly #executor: Executor;
  readonly #plan: RunPlan;
  readonly #options: ScheduleOptions;
  /** Results of the cases run so far, including controls. */
  readonly #done = new Map<string, CaseRun>();
  /** Results of the controls that failed and were run again. */
  readonly #retried = new Map<string, CaseRun>();

  constructor(executor: Executor, plan: RunPlan, options: ScheduleOptions) {
    this.#executor = executor;
    this.#plan = plan;
    this.#options = options;
  }

  async run(cases: readonly Case[]): Promise<readonly CaseResult[]> {
    const { baseline, today } = this.#options;
    const results: CaseResult[] = [];
    for (const each of cases) {
      const running = this.#runOne(each);
      const start = async (): Promise<unknown> => await this.#options.onStart?.(each.id);
      const [result] = await Promise.all([running, start()]);
      if (isFailingVerdict(result.verdict) && result.isRequired) {
        this.#options.tally.failures++;
      }
      results.push(result);
      await this.#options.onResult?.(markKnown(result, baseline, today));
    }
    return results;
  }

  async #runOne(each: Case): Promise<CaseResult> {
    const { isStrict = false, select } = this.#options;
    const began = performance.now();
    const run = this.#stopped(each) ?? await this.#judge(each);
    // An interrupt kills the subject, so failures after the interrupt are reported as `not_run`.
    const outcome = isFailingVerdict(run.verdict) ? this.#interruption() ?? run : run;
    const { transport } = this.#executor;
    const requirement = describeRequirement(each, { isStrict, profile: select?.profile });
    const { original = each, erratum } = this.#plan.amended.get(each.id) ?? {};
    return {
      id: each.id,
      title: each.title,
      rev: caseRevision(original),
      ...(transport === undefined ? {} : { transport }),
      ...requirement,
      ...(erratum === undefined ? {} : { erratum: toApplied(erratum) }),
      ms: Math.round(performance.now() - began),
      ...outcome,
      ...(isStrict && requirement.isRequired && outcome.verdict === Verdict.Untestable &&
          !isDoubtful(outcome.failedControl, this.#plan)
        ? { countsAsFailure: true }
        : {}),
    };
  }

  /** Returns the result of a case after the end of the run. A case that does not apply is `n/a`. */
  #stopped(each: Case): CaseRun | undefined {
    // An invariant needs no further message.
    const reason = each.kind === "invariant" ? this.#interruption() : this.#stopReason();
    if (reason === undefined) return undefined;
    return this.#done.get(each.id) ?? this.#executor.exclude(each) ?? reason;
  }

  #stopReason(): CaseRun | undefined {
    const { bail = Infinity, tally } = this.#options;
    const interruption = this.#interruption();
    if (interruption !== undefined || tally.failures < bail) return interruption;
    return { verdict: Verdict.NotRun, note: `the run stopped after ${pluralize(bail, "failure")}` };
  }

  #interruption(): CaseRun | undefined {
    if (this.#options.signal?.aborted !== true) return undefined;
    return { verdict: Verdict.NotRun, note: "the run was interrupted" };
  }

  /** A negative case is evidence only if its control passes. */
  async #judge(each: Case): Promise<CaseRun> {
    const run = await this.#carryOut(each);
    const control = each.control === undefined ? undefined : this.#plan.suite.get(each.control);
    if (run.verdict !== Verdict.Pass || control === undefined) return run;
    const first = await this.#carryOut(control);
    if (first.verdict === Verdict.Pass) return run;
    const isRetried = isFailingVerdict(first.verdict);
    const retry = isRetried ? { retriedControl: control.id } : {};
    if (isRetried && (await this.#retry(control)).verdict === Verdict.Pass) {
      return { ...run, ...retry };
    }
    return {
      verdict: Verdict.Untestable,
      failedControl: control.id,
      ...retry,
      note: `the control case "${control.id}" did not pass`,
    };
  }

  /**
   * Runs a failed control again, once per run, because a case can fail without a fault on a busy
   * machine. The control's own result does not change.
   */
  async #retry(control: Case): Promise<CaseRun> {
    const known = this.#retried.get(control.id) ?? this.#stopReason();
    if (known !== undefined) return known;
    const run = await this.#executor.execute(control);
    this.#retried.set(control.id, run);
    return run;
  }

  async #carryOut(each: Case): Promise<CaseRun> {
    const known = this.#done.get(each.id);
    if (known !== undefined) return known;
    const run = this.#executor.exclude(each) ?? await this.#executor.execute(each);
    this.#done.set(each.id, run);
    return run;
  }
}

function nothingToRun(reason: string): KitError {
  return new KitError(KitErrorCode.NothingToRun, `Cannot run cases: ${reason}`);
}
