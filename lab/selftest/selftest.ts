/**
 * Tests the kit itself: each mutant must fail at least one case, controls must fail no case, and
 * null subjects must pass no case.
 *
 * @module
 */

import { type Case, CaseLevel } from "../../conformance/kit/case.ts";
import { KitError } from "../../conformance/kit/error.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { pluralize } from "../../conformance/kit/pluralize.ts";
import type { Selection } from "../../conformance/kit/select_cases.ts";
import { type CaseResult, isFailingVerdict, Verdict } from "../../conformance/kit/verdict.ts";
import { runtimeCommand } from "../../conformance/platform/process.ts";
import { run, type RunOptions } from "../../conformance/runner/run.ts";
import type { Subject } from "../../conformance/runner/subject.ts";
import {
  type BaselineRun,
  planBaseline,
  revisionOf,
  revisionOfControl,
  REVISIONS,
  selectForControl,
  subjectFor,
} from "./baseline.ts";
import { confirmTimeouts } from "./confirm_timeouts.ts";
import { killersOf, type Laboratory, type RuleOnWire } from "./laboratory.ts";
import { type Failure, listFailedRows } from "./negative_rows.ts";
import type { NullSubject } from "./null_subjects.ts";
import { countOutcomes, type Counts, type Doubt, type Outcome } from "./outcome.ts";
import { runPool } from "./pool.ts";
import {
  copyWorkspace,
  type MemberMutant,
  type OwnSubject,
  subjectBelow,
  type Workspace,
} from "./workspace.ts";

/** Options for {@linkcode selftest}. */
export interface SelftestOptions {
  /** Root of the repository. */
  readonly repository: URL;
  /** Cases that must detect the mutants. */
  readonly suite: Suite;
  /** Mutants, controls and null subjects to run. */
  readonly laboratory: Laboratory;
  /** Number of subjects that run in parallel. */
  readonly jobs: number;
  /**
   * Whether to run all cases that are listed for a mutant instead of stopping at the first failure.
   *
   * @default {false}
   */
  readonly all?: boolean;
  /** Interrupts the self-test when aborted. */
  readonly signal: AbortSignal;
  /** Called with each line of the report. */
  readonly onLine: (line: string) => void;
}

/** Result of {@linkcode selftest}. */
export interface SelftestReport extends Counts {
  /** Errors that invalidate the result: stale mutants, and cases that fail without a mutant. */
  readonly problems: readonly string[];
}

/** Formats the last line of the report. */
export function formatSelftest(
  { mutants, controls, nullPasses, retried }: Counts,
): string {
  const killed = `mutants ${mutants.killed}/${mutants.all} killed`;
  const spared = `controls ${controls.spared}/${controls.all} without failing cases`;
  const passed = `${pluralize(nullPasses, "case")} passed by null subjects`;
  return `${killed}, ${spared}, ${passed}${retried === 0 ? "" : `; ${retried} run again`}`;
}

/** Runs the self-test. First runs the cases that the mutants and controls need without a fault. */
export async function selftest(options: SelftestOptions): Promise<SelftestReport> {
  const { members, faults, controls, idle } = options.laboratory;
  const tests = new Selftest(options);
  await tests.runBaseline();
  // The slowest tests start first, so that all workers stay busy until the end.
  const counts = await tests.runAll([
    ...controls.map((each) => () => tests.spareControl(each)),
    ...faults.map((each) => () => tests.killWire(each)),
    ...members.map((each) => (place: Workspace) => tests.killMember(each, place)),
    ...idle.map((each) => () => tests.failNull(each)),
  ]);
  return { ...counts, problems: tests.problems };
}

/** Tests one mutant, control or null subject, in a separate copy of the libraries. */
type Work = (workspace: Workspace) => Promise<Outcome | Doubt<Workspace>>;

/**
 * Whether a subject is tested for the first time, or again because its first result is in doubt.
 */
type Turn = "first" | "again";

/** The subject that a mutant is tested with, and the cases that must fail. */
interface Trial {
  readonly subject: Subject;
  readonly kills: readonly Case[];
  readonly turn: Turn;
}

/** Number of case ids that a line of the report lists. */
const MAX_LISTED = 12;

class Selftest {
  readonly problems: string[] = [];
  readonly #options: SelftestOptions;
  readonly #own: OwnSubject;
  /** Ids of the cases that fail without a mutant. */
  readonly #unhealthy: Set<string> = new Set();

  constructor(options: SelftestOptions) {
    this.#options = options;
    this.#own = subjectBelow(options.repository.pathname);
  }

  /** Finds cases that fail without a mutant. */
  async runBaseline(): Promise<void> {
    const { laboratory, suite } = this.#options;
    const runs = planBaseline(laboratory, suite, this.#own);
    for (const { revision, ids } of runs) {
      const names = ids.size <= MAX_LISTED ? `: ${[...ids].join(", ")}` : "";
      this.#options.onLine(
        `without a fault, ${revision}: ${pluralize(ids.size, "case")}${names}`,
      );
    }
    const killers = new Set([
      ...laboratory.members.flatMap((mutant) => killersOf(mutant, suite)),
      ...laboratory.faults.flatMap(({ kills }) => kills),
    ].map(({ id }) => id));
    const failures = await Promise.all(runs.map((each) => this.#failHealthy(each, each.ids)));
    const again: CaseResult[] = [];
    for (const [index, each] of runs.entries()) {
      const failed = failures[index] ?? [];
      if (failed.length === 0) continue;
      // A case can fail because the machine is busy, so it is run again, once and alone.
      again.push(...await this.#failHealthy(each, new Set(failed.map(({ id }) => id))));
    }
    for (const { id, transport } of again) {
      this.#unhealthy.add(id);
      // A case that is not required and is listed for no mutant may fail without affecting the
      // self-test.
      if (suite.get(id)?.level !== CaseLevel.Must && !killers.has(id)) continue;
      this.problems.push(`${id} (${transport ?? "driver"}) fails without a mutant`);
    }
  }

  /** Runs cases without a mutant, and returns the results of those that fail. */
  async #failHealthy(
    { subject, revision }: BaselineRun,
    set: ReadonlySet<string>,
  ): Promise<readonly CaseResult[]> {
    const { suite, signal } = this.#options;
    const { results } = await run({ subject, suite, select: { set }, signal, revision });
    return results.filter(({ verdict }) => isFailingVerdict(verdict));
  }

  /** Runs the tests with limited concurrency, and counts the results. */
  async runAll(work: readonly Work[]): Promise<Counts> {
    const { repository, jobs } = this.#options;
    const count = Math.min(jobs, work.length);
    const workspaces = await Promise.all(
      Array.from({ length: count }, () => copyWorkspace(repository)),
    );
    const spare = await copyWorkspace(repository);
    try {
      const results = await runPool(work, workspaces, (each, workspace) => each(workspace));
      return await countOutcomes(results, spare);
    } finally {
      await Promise.all([spare, ...workspaces].map((workspace) => workspace.close()));
    }
  }

  /**
   * Tests a mutant of a library. A mutant can survive because a machine is busy, so a mutant that
   * survives is tested again, once and alone.
   */
  async killMember(mutant: MemberMutant, workspace: Workspace): ReturnType<Work> {
    const kill = async (place: Workspace, turn: Turn): Promise<boolean> =>
      await place.withMutant(mutant, async (root) => {
        const kills = killersOf(mutant, this.#options.suite);
        return await this.#kill(mutant, {
          subject: subjectFor(kills, subjectBelow(root)),
          kills,
          turn,
        });
      });
    try {
      if (await kill(workspace, "first")) return { killed: true };
      return { retry: async (place) => ({ killed: await kill(place, "again") }) };
    } catch (error) {
      if (!(error instanceof KitError)) throw error;
      this.problems.push(error.message);
      return { killed: false };
    }
  }

  /** Tests a fault on the wire, like {@linkcode killMember}. */
  async killWire(fault: RuleOnWire): ReturnType<Work> {
    const { id, rule, transport, kills } = fault;
    const title = `${rule.title}, ${transport}`;
    const kill = async (turn: Turn): Promise<boolean> =>
      await this.#kill({ id, title }, { subject: this.#behind(fault), kills, turn });
    if (await kill("first")) return { killed: true };
    return { retry: async () => ({ killed: await kill("again") }) };
  }

  /**
   * Tests a control. A case can fail because a machine is busy, so a failed control is run again,
   * once and alone.
   */
  async spareControl(control: RuleOnWire): ReturnType<Work> {
    const select = selectForControl(control);
    const red = await this.#failControl(control, { select, failed: "FAILED, to be run again," });
    if (red.length === 0) return { spared: true };
    const again = { select: { ...select, only: red }, failed: "FAILED again" };
    const retry = async () => ({
      spared: (await this.#failControl(control, again)).length === 0,
    });
    return { retry };
  }

  /** Runs cases against a control, and returns the ids of the cases that fail. */
  async #failControl(
    control: RuleOnWire,
    { select, failed }: { readonly select: Selection; readonly failed: string },
  ): Promise<readonly string[]> {
    const { id, rule, transport } = control;
    const revision = revisionOfControl(control);
    const failures = await this.#failures(this.#behind(control), { select, revision });
    const red = failures.map((each) => each.id).filter((each) => !this.#unhealthy.has(each));
    const line = red.length === 0 ? "no case failed" : `${failed} by ${red.join(", ")}`;
    this.#options.onLine(`control ${id} (${rule.title}, ${transport}): ${line}`);
    return red;
  }

  async failNull({ id, subject }: NullSubject): Promise<Outcome> {
    const passed = await this.#passing(subject);
    const line = passed.length === 0 ? "passes nothing" : `PASSES ${passed.join(", ")}`;
    this.#options.onLine(`null ${id}: ${line}`);
    return { passes: passed.length };
  }

  async #kill(
    { id, title, rows = [] }: Pick<MemberMutant, "id" | "title"> & Partial<MemberMutant>,
    { subject, kills, turn }: Trial,
  ): Promise<boolean> {
    const { all = false } = this.#options;
    const stopsEarly = !all && rows.length === 0;
    const failures: Failure[] = [];
    for (const revision of REVISIONS) {
      if (failures.length > 0 && stopsEarly) break;
      const only = kills.filter((each) => revisionOf(each) === revision).map(({ id }) => id);
      if (only.length === 0) continue;
      // A row that times out proves nothing, so the timeouts for rows are not shortened.
      const patience = rows.length > 0 ? {} : { timeoutFactor: MUTANT_FACTOR };
      const options = { select: { only }, revision, ...(stopsEarly ? FIRST_FAILURE : {}) };
      const found = await this.#failures(subject, { ...options, ...patience });
      failures.push(
        ...await confirmTimeouts(
          found,
          (ids) => this.#failures(subject, { ...options, select: { only: ids } }),
        ),
      );
    }
    const failedRows = listFailedRows(failures);
    const passed = rows.filter((row) => !failedRows.includes(row));
    const isKilled = failures.length > 0 && passed.length === 0;
    const killers = failures.map((each) => each.id).join(", ");
    const survives = turn === "first" ? "SURVIVES, to be run again" : "SURVIVES again";
    const line = isKilled
      ? `killed by ${killers}`
      : `${survives}${
        passed.length === 0 ? "" : `, because these rows pass: ${passed.join(", ")}`
      }`;
    this.#options.onLine(`mutant ${id} (${title}): ${line}`);
    return isKilled;
  }

  /**
   * Returns the results of the cases that a subject fails. A subject that does not start fails all
   * cases.
   */
  async #failures(
    subject: Subject,
    options: Omit<RunOptions, "subject" | "suite" | "signal">,
  ): Promise<readonly Failure[]> {
    const { suite, signal } = this.#options;
    try {
      const { results } = await run({ ...options, subject, suite, signal });
      return results.filter(({ verdict }) => isFailingVerdict(verdict));
    } catch (error) {
      if (!(error instanceof KitError) || error.code !== "subject_start") throw error;
      const ids = options.select?.only ?? ["all cases: the subject does not start"];
      return ids.map((id) => ({ id, verdict: Verdict.Crash }));
    }
  }

  async #passing(subject: Subject): Promise<readonly string[]> {
    const { suite, signal } = this.#options;
    try {
      const { results } = await run({ subject, suite, signal, timeoutFactor: NULL_FACTOR });
      return results.filter(({ verdict }) => verdict === Verdict.Pass).map(({ id }) => id);
    } catch (error) {
      if (!(error instanceof KitError) || error.code !== "subject_start") throw error;
      return [];
    }
  }

  #behind({ id, transport }: RuleOnWire): Subject {
    const { repository } = this.#options;
    const script = (name: string): readonly string[] =>
      runtimeCommand(new URL(`lab/selftest/${name}`, repository).pathname);
    const { server, url, start } = this.#own;
    if (transport === "stdio") return { server: [...script("relay.ts"), id, ...server] };
    const upstream = start.filter((word) => word !== "{port}");
    return { url, start: [...script("http_relay.ts"), id, "{port}", ...upstream] };
  }
}

/** Shorter timeouts, because mutants often do not respond. */
const MUTANT_FACTOR = 0.5;
/** Options that stop a run as soon as a MUST or SHOULD case fails. */
const FIRST_FAILURE = { bail: 1, isStrict: true } as const;
/** Minimal timeouts for null subjects that never respond. */
const NULL_FACTOR = 0.1;
