/**
 * Tests the kit itself: each mutant must fail at least one case, controls must fail no case, and null subjects must
 * pass no case.
 *
 * @module
 */

import { type Case, CaseLevel } from "../../conformance/kit/case.ts";
import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { pluralize } from "../../conformance/kit/pluralize.ts";
import { fitsId, type Selection } from "../../conformance/kit/select_cases.ts";
import { isFailingVerdict, Verdict } from "../../conformance/kit/verdict.ts";
import { freePort } from "../../conformance/platform/net.ts";
import { runtimeCommand } from "../../conformance/platform/process.ts";
import { neededOps } from "../../conformance/runner/driver_executor.ts";
import { run, type RunOptions } from "../../conformance/runner/run.ts";
import type { Subject } from "../../conformance/runner/subject.ts";
import {
  findListProblems,
  readExemptRows,
  readMemberMutants,
  readWireKills,
  type WireKills,
} from "./mutants.ts";
import { type Failure, findRowProblems, listFailedRows, toCaseId } from "./negative_rows.ts";
import { runPool } from "./pool.ts";
import { ALL_FAULTS } from "./find_fault.ts";
import { WIRE_CONTROLS } from "./wire_controls.ts";
import type { FaultRule } from "./fault_rule.ts";
import { type ControlCounts, countControls, type Outcome } from "./outcome.ts";
import { copyWorkspace, type MemberMutant, subjectBelow, type Workspace } from "./workspace.ts";

/** Options for {@linkcode selftest}. */
export interface SelftestOptions {
  /** Root of the repository. */
  readonly repository: URL;
  /** Cases that must detect the mutants. */
  readonly suite: Suite;
  /**
   * Patterns for the ids of mutants, controls and null subjects. If empty, all mutants, controls and null subjects are
   * tested.
   */
  readonly only: readonly string[];
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
export interface SelftestReport {
  /** Number of mutants, and number of mutants that failed at least one case. */
  readonly mutants: { readonly all: number; readonly killed: number };
  /** Control counts. */
  readonly controls: ControlCounts;
  /** Number of cases that null subjects passed. */
  readonly nullPasses: number;
  /** Errors that invalidate the result: stale mutants, and cases that fail without a mutant. */
  readonly problems: readonly string[];
}

/** Formats the last line of the report. */
export function formatSelftest({ mutants, controls, nullPasses }: SelftestReport): string {
  const killed = `mutants ${mutants.killed}/${mutants.all} killed`;
  const retried = controls.retried === 0 ? "" : ` (${controls.retried} run again)`;
  const spared = `controls ${controls.spared}/${controls.all} without failing cases${retried}`;
  return `${killed}, ${spared}, ${pluralize(nullPasses, "case")} passed by null subjects`;
}

/**
 * Runs the self-test.
 *
 * @throws {KitError} With code `usage` if a pattern in `only` matches no id.
 */
export async function selftest(options: SelftestOptions): Promise<SelftestReport> {
  const members = await readMemberMutants(
    new URL("lab/mutants/members/", options.repository),
  );
  const idle = await nullSubjects(options);
  checkPatterns([...WIRE_CONTROLS, ...ALL_FAULTS, ...members, ...idle], options.only);
  const exempt = await readExemptRows(
    new URL("lab/mutants/exempt_rows.json", options.repository),
  );
  const wireKills = await readWireKills(
    new URL("lab/mutants/wire_faults.json", options.repository),
  );
  const { suite } = options;
  const problems = [
    ...findListProblems(members, { rules: ALL_FAULTS, wireKills, suite }),
    ...findRowProblems(members, exempt, suite),
  ];
  const killers = [...members, ...[...wireKills].map(([, kills]) => ({ kills }))]
    .flatMap(({ kills }) => kills);
  const tests = new Selftest(options, { problems, wireKills, killers: new Set(killers) });
  await tests.checkHealthy();
  const isMine = ({ id }: { readonly id: string }): boolean => isWanted(id, options);
  // The slowest tests start first, so that all workers stay busy until the end.
  const outcomes = await tests.runAll([
    ...perTransport(WIRE_CONTROLS.filter(isMine)).map((each) => () => tests.spareControl(each)),
    ...perTransport(ALL_FAULTS.filter(isMine)).map((each) => () => tests.killWire(each)),
    ...members.filter(isMine).map((each) => (place: Workspace) => tests.killMember(each, place)),
    ...idle.filter(isMine).map((each) => () => tests.failNull(each)),
  ]);
  const killed = outcomes.flatMap((each) => "killed" in each ? [each.killed] : []);
  const passes = outcomes.flatMap((each) => "passes" in each ? [each.passes] : []);
  return {
    mutants: { all: killed.length, killed: killed.filter(Boolean).length },
    controls: await countControls(outcomes),
    nullPasses: passes.reduce((sum, count) => sum + count, 0),
    problems,
  };
}

/** Tests one mutant, control or null subject, in a separate copy of the libraries. */
type Work = (workspace: Workspace) => Promise<Outcome>;

/** Rejects patterns that match no id: a typo must not look like a passed self-test. */
function checkPatterns(
  subjects: readonly { readonly id: string }[],
  patterns: readonly string[],
): void {
  const lost = patterns.find((pattern) => !subjects.some(({ id }) => fitsId(pattern, id)));
  if (lost === undefined) return;
  throw new KitError(KitErrorCode.Usage, `Cannot test the kit: no id matches "${lost}"`);
}

function isWanted(id: string, { only }: SelftestOptions): boolean {
  return only.length === 0 || only.some((pattern) => fitsId(pattern, id));
}

class Selftest {
  readonly #options: SelftestOptions;
  readonly #problems: string[];
  readonly #wireKills: WireKills;
  /** Ids of the cases that are listed for a mutant. */
  readonly #killers: ReadonlySet<string>;
  readonly #own: ReturnType<typeof subjectBelow>;
  /** Ids of the cases that fail without a mutant. */
  readonly #unhealthy: Set<string> = new Set();

  constructor(options: SelftestOptions, { problems, wireKills, killers }: {
    readonly problems: string[];
    readonly wireKills: WireKills;
    readonly killers: ReadonlySet<string>;
  }) {
    this.#options = options;
    this.#problems = problems;
    this.#wireKills = wireKills;
    this.#killers = killers;
    this.#own = subjectBelow(options.repository.pathname);
  }

  /**
   * Finds cases that fail without a mutant. If a case fails both without and with a mutant, the failure does not prove
   * that the case detects the mutant.
   */
  async checkHealthy(): Promise<void> {
    const { suite, signal } = this.#options;
    // Only exchanges depend on the protocol version, so the other cases are run once.
    const exchanges = new Map([...suite].filter(([, { kind }]) => kind === "exchange"));
    const reports = await Promise.all(
      ([[REVISIONS[0], suite], [REVISIONS[1], exchanges]] as const).map(([revision, cases]) =>
        run({ subject: this.#own, suite: cases, select: BINDING, signal, revision })
      ),
    );
    for (const { id, transport, verdict } of reports.flatMap(({ results }) => results)) {
      if (!isFailingVerdict(verdict)) continue;
      this.#unhealthy.add(id);
      // A case that is not required and is listed for no mutant may fail without affecting the self-test.
      if (suite.get(id)?.level !== CaseLevel.Must && !this.#killers.has(id)) continue;
      this.#problems.push(`${id} (${transport ?? "driver"}) fails without a mutant`);
    }
  }

  /** Runs the tests with limited concurrency. */
  async runAll(work: readonly Work[]): Promise<readonly Outcome[]> {
    const { repository, jobs } = this.#options;
    const workspaces = await Promise.all(
      Array.from({ length: jobs }, () => copyWorkspace(repository)),
    );
    try {
      return await runPool(work, workspaces, (each, workspace) => each(workspace));
    } finally {
      await Promise.all(workspaces.map((workspace) => workspace.close()));
    }
  }

  async killMember(mutant: MemberMutant, workspace: Workspace): Promise<Outcome> {
    try {
      return await workspace.withMutant(mutant, async (root) => {
        const ids = new Set([...mutant.kills, ...mutant.rows.map(toCaseId)]);
        const kills = [...ids].flatMap((id) => this.#options.suite.get(id) ?? []);
        return await this.#kill(mutant, subjectFor(kills, subjectBelow(root)), kills);
      });
    } catch (error) {
      if (!(error instanceof KitError)) throw error;
      this.#problems.push(error.message);
      return { killed: false };
    }
  }

  async killWire({ rule, transport }: RuleOnWire): Promise<Outcome> {
    const kills = (this.#wireKills.get(rule.id) ?? [])
      .flatMap((id) => this.#options.suite.get(id) ?? [])
      .filter(({ needs }) => needs?.transports?.includes(transport) !== false);
    const title = `${rule.title}, ${transport}`;
    return await this.#kill({ id: rule.id, title }, this.#behind(rule, transport), kills);
  }

  /** Tests a control. A case can fail because a machine is busy, so a failed control is run again, once and alone. */
  async spareControl(control: RuleOnWire): Promise<Outcome> {
    const { only } = control.rule.cases ?? {};
    const red = await this.#failControl(control, only, "FAILED, to be run again,");
    if (red.length === 0) return { spared: true };
    const retry = async (): Promise<boolean> =>
      (await this.#failControl(control, red, "FAILED again")).length === 0;
    return { retry };
  }

  /** Runs cases against a control, and returns the ids of the cases that fail. */
  async #failControl(
    { rule, transport }: RuleOnWire,
    only: readonly string[] | undefined,
    failed: string,
  ): Promise<readonly string[]> {
    const { revision = REVISIONS[0] } = rule.cases ?? {};
    const select = only === undefined ? BINDING : { ...BINDING, only };
    const failures = await this.#failures(this.#behind(rule, transport), { select, revision });
    const red = failures.map(({ id }) => id).filter((id) => !this.#unhealthy.has(id));
    const line = red.length === 0 ? "no case failed" : `${failed} by ${red.join(", ")}`;
    this.#options.onLine(`control ${rule.id} (${rule.title}, ${transport}): ${line}`);
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
    subject: Subject,
    kills: readonly Case[],
  ): Promise<Outcome> {
    const { all = false } = this.#options;
    const stopsEarly = !all && rows.length === 0;
    const failures: Failure[] = [];
    for (const revision of REVISIONS) {
      if (failures.length > 0 && stopsEarly) break;
      const only = kills.filter((each) => revisionOf(each) === revision).map(({ id }) => id);
      if (only.length === 0) continue;
      // A row that times out proves nothing, so the timeouts for rows are not shortened.
      const patience = rows.length > 0 ? {} : { timeoutFactor: MUTANT_FACTOR };
      failures.push(
        ...await this.#failures(subject, {
          select: { only },
          revision,
          ...patience,
          ...(stopsEarly ? FIRST_FAILURE : {}),
        }),
      );
    }
    const failedRows = listFailedRows(failures);
    const passed = rows.filter((row) => !failedRows.includes(row));
    const isKilled = failures.length > 0 && passed.length === 0;
    const killers = failures.map((each) => each.id).join(", ");
    const line = isKilled
      ? `killed by ${killers}`
      : `SURVIVES${passed.length === 0 ? "" : `, because these rows pass: ${passed.join(", ")}`}`;
    this.#options.onLine(`mutant ${id} (${title}): ${line}`);
    return { killed: isKilled };
  }

  /** Returns the results of the cases that a subject fails. A subject that does not start fails all cases. */
  async #failures(
    subject: Subject,
    options: Omit<RunOptions, "subject" | "suite" | "signal">,
  ): Promise<readonly Failure[]> {
    const { suite, signal } = this.#options;
    try {
      const { results } = await run({ ...options, subject, suite, signal });
      return results.filter(({ verdict }) =>
        isFailingVerdict(verdict) && verdict !== Verdict.NotRun
      );
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

  #behind({ id }: FaultRule, transport: Transport): Subject {
    const { repository } = this.#options;
    const script = (name: string): readonly string[] =>
      runtimeCommand(new URL(`lab/selftest/${name}`, repository).pathname);
    const { server, url, start } = this.#own;
    if (transport === "stdio") return { server: [...script("relay.ts"), id, ...server] };
    const upstream = start.filter((word) => word !== "{port}");
    return { url, start: [...script("http_relay.ts"), id, "{port}", ...upstream] };
  }
}

type Transport = "stdio" | "http";
const DEFAULT_TRANSPORTS: readonly Transport[] = ["stdio", "http"];
/** The latest legacy and the latest modern protocol version. */
const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

/** Returns the protocol version for running a case. */
function revisionOf({ revisions }: Case): string {
  return (revisions?.from ?? "") > REVISIONS[0] ? REVISIONS[1] : REVISIONS[0];
}

/** A fault or control, and the transport on which the relay applies it. */
interface RuleOnWire {
  readonly rule: FaultRule;
  readonly transport: Transport;
}

/** Pairs each rule with each transport on which the rule has an effect. */
function perTransport(rules: readonly FaultRule[]): readonly RuleOnWire[] {
  return rules.flatMap((rule) =>
    (rule.transports ?? DEFAULT_TRANSPORTS).map((transport) => ({ rule, transport }))
  );
}

/**
 * Returns only the connections that the cases need. One transport is enough, because a fault in a
 * library affects both transports.
 */
function subjectFor(
  kills: readonly Case[],
  { driver, server, url, start }: ReturnType<typeof subjectBelow>,
): Subject {
  const isOnWire = (each: Case): boolean => each.kind === "exchange" && each.role === "server";
  const isOnStdio = (each: Case): boolean => each.needs?.transports?.includes("stdio") !== false;
  const onWire = kills.filter(isOnWire);
  return {
    ...(onWire.length === kills.length ? {} : { driver }),
    ...(onWire.some(isOnStdio) ? { server } : {}),
    ...(onWire.every(isOnStdio) ? {} : { url, start }),
  };
}

/** Excludes recorded cases, because they describe one server and are not requirements. */
const BINDING: Selection = { level: CaseLevel.May };
/** Shorter timeouts, because mutants often do not respond. */
const MUTANT_FACTOR = 0.5;
/** Options that stop a run as soon as a MUST or SHOULD case fails. */
const FIRST_FAILURE = { bail: 1, isStrict: true } as const;
/** Minimal timeouts for null subjects that never respond. */
const NULL_FACTOR = 0.1;

interface NullSubject {
  readonly id: string;
  readonly subject: Subject;
}

/** Creates the null subjects. */
async function nullSubjects(
  { suite, repository }: SelftestOptions,
): Promise<readonly NullSubject[]> {
  const ops = [...new Set([...suite.values()].flatMap(neededOps))];
  const script = (name: string, ...args: readonly string[]): readonly string[] => [
    ...runtimeCommand(new URL(`conformance/testdata/${name}`, repository).pathname),
    ...args,
  ];
  const programs = [["cat"], ["true"], ["yes"], ["yes", "{}"], ["sleep", "600"]];
  const asDriver = (command: readonly string[]): Subject => ({ driver: { command } });
  return [
    ...programs.flatMap((command) => [
      { id: `driver-${command.join("-")}`, subject: asDriver(command) },
      { id: `server-${command.join("-")}`, subject: { server: command } },
    ]),
    ...["ok", "null", "error", "fault", "echo"].map((mode) => ({
      id: `driver-always-${mode}`,
      subject: asDriver(script("null_driver.ts", mode, ...ops)),
    })),
    ...["empty", "error", "invalid", "tool-error", "echo"].map((mode) => ({
      id: `server-always-${mode}`,
      subject: { server: script("null_server.ts", mode) },
    })),
    { id: "url-dead-port", subject: { url: `http://127.0.0.1:${await freePort()}/mcp` } },
  ];
}
