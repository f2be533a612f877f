/**
 * Tests the kit with random mutants. A mutant that was written for a case shows that the case
 * works; a random mutant that survives shows a fault that no case detects.
 *
 * @module
 */

import { type Case, CaseLevel } from "../../conformance/kit/case.ts";
import { KitError, KitErrorCode } from "../../conformance/kit/error.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import type { Selection } from "../../conformance/kit/select_cases.ts";
import { isFailure, Verdict } from "../../conformance/kit/verdict.ts";
import { runtimeCommand } from "../../conformance/platform/process.ts";
import { run } from "../../conformance/runner/run.ts";
import type { Subject } from "../../conformance/runner/subject.ts";
import { readOutput } from "./command_output.ts";
import type { Draw, DrawnMutant, DrawRequest } from "./drawn_mutant.ts";
import { findClassReason, findSurvivorReason, readExclusions } from "./exclusions.ts";
import { readMemberMutants } from "./mutants.ts";
import { runPool } from "./pool.ts";
import { copyWorkspace, type MemberMutant, subjectBelow, type Workspace } from "./workspace.ts";

/** Options for {@linkcode testRandomMutants}. */
export interface RandomOptions {
  /** Root of the repository. */
  readonly repository: URL;
  /** Cases that should detect the mutants. */
  readonly suite: Suite;
  /** Seed for drawing the mutants. */
  readonly seed: number;
  /** Number of mutants per member. */
  readonly count: number;
  /** Members whose code is mutated: names in {@linkcode RANDOM_MEMBERS}. */
  readonly members: readonly string[];
  /** Patterns for the ids of mutants to run. If empty, all drawn mutants are run. */
  readonly only: readonly string[];
  /** Whether to draw only mutants in the classes that are excluded from the score. */
  readonly drawsExcluded: boolean;
  /** Number of subjects that run in parallel. */
  readonly jobs: number;
  /** Interrupts the test when aborted. */
  readonly signal: AbortSignal;
  /** Called with each result. */
  readonly onResult: (result: RandomResult) => void;
  /** Called with each case that fails without a mutant. The case is not run with the mutants. */
  readonly onUnhealthy: (id: string) => void;
}

/** Result of one random mutant. */
export interface RandomResult extends DrawnMutant {
  /** Whether a case failed. */
  readonly verdict: "killed" | "survived";
  /** Id of the first case that failed. */
  readonly by?: string;
  /** Why no case can detect the mutant, according to its excluded class. */
  readonly excluded?: string;
  /** Why the mutant survives, according to the list of known survivors. */
  readonly known?: string;
}

/** Results of random mutants, and the number of places in each member. */
export interface RandomReport {
  /** The results. */
  readonly results: readonly RandomResult[];
  /** Numbers of places, keyed by member. */
  readonly places: Draw["places"];
}

/** A protocol version, and a function that selects the cases to run with it. */
interface Round {
  readonly revision: string;
  readonly isWanted: (each: Case) => boolean;
}

/**
 * Protocol versions used to run the `mcp` cases. Cases without an exchange are run once, because
 * they do not depend on the version.
 */
const ROUNDS: readonly [Round, ...Round[]] = [
  { revision: "2025-11-25", isWanted: () => true },
  { revision: "2026-07-28", isWanted: ({ kind }) => kind === "exchange" },
];

/** Libraries whose cases are run. */
const LIBRARIES = ["comm", "runtime", "mcp"];

/** The member that contains the code that several libraries use. */
const SHARED = "internal";

/** Members whose code can be mutated. */
export const RANDOM_MEMBERS: readonly string[] = [...LIBRARIES, SHARED];

const DRAW_PROGRAM = "lab/selftest/random/draw_mutants.ts";

/**
 * Draws mutants and runs the cases against each of them, until a required or recommended case
 * fails.
 *
 * @throws {KitError} With code `kit_fault` if the mutants cannot be drawn.
 */
export async function testRandomMutants(options: RandomOptions): Promise<RandomReport> {
  const { repository, seed, count, members, drawsExcluded, only, jobs, onResult } = options;
  const { classes, survivors } = await readExclusions(repository);
  const { mutants, places } = await drawMutants({
    repository: repository.pathname.replace(/\/$/, ""),
    seed,
    count,
    members,
    drawsExcluded,
  });
  const wanted = mutants.filter(({ id }) => only.length === 0 || only.includes(id));
  const written = await readMemberMutants(new URL("lab/mutants/members/", repository));
  const healthy = await findHealthy(options);
  const killers = new Set<string>();
  const workspaces = await Promise.all(
    Array.from({ length: jobs }, () => copyWorkspace(repository)),
  );
  try {
    const results = await runPool(wanted, workspaces, async (mutant, workspace) => {
      const excluded = findClassReason(classes, mutant);
      const known = findSurvivorReason(survivors, mutant);
      const first = [...listKillers(written, mutant.file), ...killers];
      const suite = putFirst(healthy, first);
      const result: RandomResult = {
        ...mutant,
        ...await judge(mutant, workspace, { ...options, suite }),
        ...(excluded === undefined ? {} : { excluded }),
        ...(known === undefined ? {} : { known }),
      };
      if (result.by !== undefined) killers.add(result.by);
      onResult(result);
      return result;
    });
    return { results, places };
  } finally {
    await Promise.all(workspaces.map((workspace) => workspace.close()));
  }
}

/**
 * Returns the suite without the cases that fail without a mutant, because their failures prove
 * nothing.
 */
async function findHealthy(options: RandomOptions): Promise<Suite> {
  const { repository, suite, members, signal, onUnhealthy } = options;
  const subject = subjectBelow(repository.pathname);
  const libraries = [...new Set(members.flatMap(librariesOf))];
  const unhealthy = new Set<string>();
  for (const { revision, isWanted } of roundsOf(libraries)) {
    const set = new Set([...suite.values()].filter(isWanted).map(({ id }) => id));
    const select = { libraries, level: CaseLevel.May, set };
    const { results } = await run({ subject, suite, select, revision, isStrict: true, signal });
    const failed = results.filter((each) => each.isRequired && isFailure(each));
    for (const id of new Set(failed.map((each) => each.id))) {
      const again = { select: { only: [id] }, revision, timeoutFactor: PATIENCE };
      if ((await runUntilFailure(subject, again, options)).id === id) unhealthy.add(id);
    }
  }
  for (const id of unhealthy) onUnhealthy(id);
  return new Map([...suite].filter(([id]) => !unhealthy.has(id)));
}

/** Returns the libraries whose cases are run with the mutants of a member. */
export function librariesOf(member: string): readonly string[] {
  return member === SHARED ? LIBRARIES : [member];
}

/** Returns the protocol versions used to run the cases of libraries. */
function roundsOf(libraries: readonly string[]): readonly Round[] {
  return libraries.includes("mcp") ? ROUNDS : ROUNDS.slice(0, 1);
}

/**
 * Runs the program that draws mutants. A separate program draws the mutants, because it requires
 * the TypeScript compiler, on which the published kit must not depend.
 */
async function drawMutants(request: DrawRequest): Promise<Draw> {
  const { code, out, err } = await readOutput([
    ...runtimeCommand(`${request.repository}/${DRAW_PROGRAM}`),
    JSON.stringify(request),
  ]);
  if (code === 0) return JSON.parse(out) as Draw;
  throw new KitError(KitErrorCode.KitFault, `Cannot draw mutants: ${err}`);
}

/** Returns the ids of the cases that detect the written mutants of a file. */
function listKillers(written: readonly MemberMutant[], file: string): readonly string[] {
  return written.flatMap((each) => each.file === file ? each.kills : []);
}

/** Moves the cases that are likely to detect a mutant to the start of a suite. */
function putFirst(suite: Suite, ids: readonly string[]): Suite {
  const first = ids.flatMap((id) => suite.get(id) ?? []).map((each) => [each.id, each] as const);
  return new Map([...first, ...suite]);
}

/** Files that only clients run, so that a mutant in them cannot affect a server. */
const CLIENT_FILES = /^mcp\/(?:client\/|process\.ts|tasks\/client|skills\/client|apps\/host)/;
/** Files that only servers run, so that a mutant in them cannot affect a client. */
const SERVER_FILES =
  /^mcp\/(?:serve\/|server\/|node\.ts|tasks\/(?:server|task_run)|skills\/server)/;

/** Returns true if a mutant in a file can affect a case. */
function canAffect(file: string, each: Case): boolean {
  if (each.kind !== "exchange") return true;
  return !(each.role === "client" ? SERVER_FILES : CLIENT_FILES).test(file);
}

async function judge(
  mutant: DrawnMutant,
  workspace: Workspace,
  options: RandomOptions,
): Promise<Pick<RandomResult, "verdict" | "by">> {
  const fault = { ...mutant, title: mutant.operator, kills: [], rows: [] };
  return await workspace.withMutant(fault, async (root) => {
    const libraries = librariesOf(mutant.member);
    const rounds = roundsOf(libraries);
    const own = subjectBelow(root);
    const subject = { ...own, driver: own.driverOf(new Set(libraries)) };
    const cases = [...options.suite.values()].filter((each) => canAffect(mutant.file, each));
    const by = await findFirst(rounds, options.signal, ({ revision, isWanted }, signal) => {
      const set = new Set(cases.filter(isWanted).map(({ id }) => id));
      return findFailure(subject, { libraries, revision, set }, { ...options, signal });
    });
    return by === undefined ? { verdict: "survived" } : { verdict: "killed", by };
  });
}

/**
 * Calls a function with all items concurrently. Returns the first result that is not `undefined`,
 * and aborts the signal of the other calls.
 */
async function findFirst<Item, Result>(
  items: readonly Item[],
  signal: AbortSignal,
  find: (item: Item, signal: AbortSignal) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const found = new AbortController();
  const either = AbortSignal.any([signal, found.signal]);
  const results = await Promise.all(items.map(async (item) => {
    try {
      const result = await find(item, either);
      if (result !== undefined) found.abort();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (found.signal.aborted) return undefined;
      throw error;
    }
  }));
  return results.find((result) => result !== undefined);
}

/** The cases that are run with one protocol version. */
interface RoundCases {
  readonly libraries: readonly string[];
  readonly revision: string;
  readonly set: ReadonlySet<string>;
}

/** A mutant counts as surviving after this number of failures that could not be reproduced. */
const MAX_DOUBTS = 3;

/**
 * Returns the id of the first case that fails twice, or `undefined`. On the second attempt, the
 * case runs only after the case before it, because on a busy machine a case can fail even without a
 * fault. The case before it is included, because a fault can take effect when its objects are
 * closed.
 */
async function findFailure(
  subject: Subject,
  { libraries, revision, set }: RoundCases,
  options: RandomOptions,
): Promise<string | undefined> {
  if (set.size === 0) return undefined;
  const doubts: string[] = [];
  while (doubts.length < MAX_DOUBTS) {
    const known = doubts.filter((id) => id !== NO_START);
    const select = { libraries, level: CaseLevel.May, skip: known, set };
    const { id, previous } = await runUntilFailure(subject, { select, revision }, options);
    if (id === undefined) return undefined;
    const again = {
      select: id === NO_START ? select : { only: [...previous, id] },
      revision,
      timeoutFactor: PATIENCE,
    };
    if ((await runUntilFailure(subject, again, options)).id === id) return id;
    doubts.push(id);
  }
  return undefined;
}

/** Placeholder for the case id if the subject does not start. */
const NO_START = "the subject does not start";
/** Factor by which timeouts are multiplied when a failed case is run again. */
const PATIENCE = 3;

interface Selected {
  readonly select: Selection;
  readonly revision: string;
  readonly timeoutFactor?: number;
}

/** The case that failed, if any, and the case with a result right before it. */
interface FirstFailure {
  readonly id?: string;
  readonly previous: readonly string[];
}

/** Runs cases over all transports until a required case fails. */
async function runUntilFailure(
  subject: Subject,
  selected: Selected,
  { suite, signal }: RandomOptions,
): Promise<FirstFailure> {
  signal.throwIfAborted();
  const found = new AbortController();
  const either = AbortSignal.any([signal, found.signal]);
  let failure: FirstFailure = { previous: [] };
  try {
    await run({
      subject,
      suite,
      ...selected,
      isStrict: true,
      signal: either,
      onResult: (result) => {
        if (failure.id !== undefined) return;
        if (!result.isRequired || !isFailure(result)) {
          if (result.verdict === Verdict.Pass) failure = { previous: [result.id] };
          return;
        }
        failure = { ...failure, id: result.id };
        found.abort();
      },
    });
  } catch (error) {
    if (failure.id !== undefined) return failure;
    if (!(error instanceof KitError) || error.code !== KitErrorCode.SubjectStart) throw error;
    return { id: NO_START, previous: [] };
  }
  signal.throwIfAborted();
  return failure;
}
