/**
 * Runs the conformance kit on a runtime and compares the results of several runtimes.
 *
 * @module
 */

import {
  type CaseResult,
  loadSuite,
  run as runCases,
  selectCases,
  type Subject,
  Verdict,
} from "@parley/conformance";

/**
 * A way in which the kit accesses our libraries: directly in a driver, or over a transport as a
 * client or server.
 */
export type AccessPath =
  | "driver"
  | "server over stdio"
  | "server over http"
  | "client over stdio"
  | "client over http";

/**
 * Minimum number of cases that must pass for each access path, counting both protocol eras. A check
 * that runs too few cases fails.
 */
const LEAST: Readonly<Record<AccessPath, number>> = {
  "driver": 600,
  "server over stdio": 390,
  "server over http": 430,
  "client over stdio": 90,
  "client over http": 170,
};

/** A runtime with our libraries. */
export interface RuntimeTarget {
  /** Name in reports. */
  readonly name: string;
  /** Subject through which the kit accesses the libraries. */
  readonly subject: Subject;
  /** Unsupported access paths, each with the reason. */
  readonly unsupported: ReadonlyMap<AccessPath, string>;
  /** Ids of cases that the runtime cannot pass, each with the reason. */
  readonly limits?: ReadonlyMap<string, string>;
}

/** Result of {@linkcode runKitOn}. */
export interface KitResult extends Pick<RuntimeTarget, "name" | "unsupported" | "limits"> {
  /** Case outcomes, keyed by case, access path and protocol version. */
  readonly results: ReadonlyMap<string, CaseOutcome>;
}

/** The part of a case's result that is compared between runtimes. */
export type CaseOutcome =
  & Pick<CaseResult, "verdict" | "isRequired" | "expected" | "got" | "note">
  & { readonly path: AccessPath };

/**
 * Selections of cases: all libraries with the last legacy protocol version, and MCP with the modern
 * version.
 */
const RUNS = [
  { revision: "2025-11-25", libraries: ["comm", "runtime", "mcp"] },
  { revision: "2026-07-28", libraries: ["mcp"] },
] as const;

/** Factor by which timeouts are multiplied, because several runtimes share the machine. */
const TIMEOUT_FACTOR = 5;

/** Cases that a runtime without `node:http` and processes cannot pass. */
export const NO_NODE_LIMITS: ReadonlyMap<string, string> = new Map([
  ...["bodies", "requests", "streams"].map((name) =>
    [`mcp/transports/${name}-through-a-framework`, "the runtime has no node:http"] as const
  ),
  ...["end-of", "environment-of", "network-environment-of", "writes-to"].map((name) =>
    [`mcp/values/${name}-a-server-process`, "the runtime cannot start a process"] as const
  ),
]);

/** Verdicts that do not count as failures. */
const FINE: ReadonlySet<string> = new Set([
  Verdict.Pass,
  Verdict.NotApplicable,
  Verdict.Untestable,
]);

/** Verdicts that mean that a case was not run. */
const OUT: ReadonlySet<string | undefined> = new Set([
  Verdict.NotApplicable,
  Verdict.Untestable,
  undefined,
]);

/** Runs all cases, or only those in `only`, in both protocol eras. */
export async function runKitOn(
  { name, subject, unsupported, limits = new Map() }: RuntimeTarget,
  only: readonly string[] = [],
): Promise<KitResult> {
  const suite = loadSuite();
  const results = new Map<string, CaseOutcome>();
  for (const { revision, libraries } of RUNS) {
    const select = { libraries, only };
    if (selectCases(suite.values(), select).length === 0) continue;
    const report = await runCases({
      subject,
      suite,
      select,
      revision,
      timeoutFactor: TIMEOUT_FACTOR,
    });
    for (const result of report.results) {
      const { id, transport } = result;
      const each = suite.get(id);
      const role = each?.kind === "exchange" ? each.role : undefined;
      const path = accessPathOf(role, transport);
      results.set(`${id} (${path}, ${revision})`, { ...result, path });
    }
  }
  return { name, unsupported, limits, results };
}

function accessPathOf(
  role: "client" | "server" | undefined,
  transport: string | undefined,
): AccessPath {
  if (role === undefined) return "driver";
  return `${role} over ${transport === "stdio" ? "stdio" : "http"}`;
}

/**
 * Returns one line with the unsupported access paths and the number of cases for each access path
 * and verdict.
 */
export function describe({ name, unsupported, limits = new Map(), results }: KitResult): string {
  const all = [...results.values()];
  const count = (verdict: string): number => all.filter((each) => each.verdict === verdict).length;
  const paths = [...passesOf(all)].filter(([path]) => !unsupported.has(path))
    .map(([path, passes]) => `${path} ${passes}`);
  const failed = all.filter(({ verdict }) => !FINE.has(verdict));
  const required = failed.filter(({ isRequired }) => isRequired).length;
  return [
    `${name.padEnd(12)} ${count(Verdict.Pass)} passed (${paths.join(", ")}), ${required} failed, ` +
    `${failed.length - required} optional failed, ${count(Verdict.NotApplicable)} n/a, ` +
    `${count(Verdict.Untestable)} untestable`,
    ...[...unsupported, ...limits].map(([path, reason]) => `no ${path}: ${reason}`),
  ].join("; ");
}

function passesOf(results: readonly CaseOutcome[]): ReadonlyMap<AccessPath, number> {
  const passed = results.filter(({ verdict }) => verdict === Verdict.Pass);
  return new Map(
    Object.keys(LEAST).filter(isAccessPath)
      .map((path) => [path, passed.filter((each) => each.path === path).length]),
  );
}

function isAccessPath(name: string): name is AccessPath {
  return Object.hasOwn(LEAST, name);
}

/**
 * Returns a message for each access path with too few passed cases, for each unsupported access
 * path with passed cases, and for each passed case that is listed as a limit of the runtime.
 */
export function findGaps({ name, unsupported, limits = new Map(), results }: KitResult): string[] {
  const gaps = [...passesOf([...results.values()])].flatMap(([path, passes]) => {
    if (unsupported.has(path)) {
      return passes === 0 ? [] : [`${name} supports ${path}, but lists it as unsupported`];
    }
    return passes < LEAST[path]
      ? [`${name}: ${passes} cases passed on ${path}, expected at least ${LEAST[path]}`]
      : [];
  });
  const stale = [...results].filter(([key, { verdict }]) =>
    verdict === Verdict.Pass && limits.has(caseOf(key))
  );
  return [...gaps, ...stale.map(([key]) => `${name} passes ${key}, but lists it as a limit`)];
}

/** Returns the case id in a key of {@linkcode KitResult.results}. */
function caseOf(key: string): string {
  return key.replace(/ .*/s, "");
}

/**
 * Returns the required cases that fail on all runtimes, and the cases whose verdicts differ between
 * runtimes, each with its outcomes.
 */
export function findTrouble(kitResults: readonly KitResult[]): string[] {
  const ids = new Set(kitResults.flatMap(({ results }) => [...results.keys()]));
  const paths = new Map(
    kitResults.flatMap(({ results }) =>
      [...results].map(([id, { path }]): [string, AccessPath] => [id, path])
    ),
  );
  return [...ids].sort().flatMap((id) => {
    const path = paths.get(id);
    const able = kitResults.filter(({ unsupported, limits, results }) => {
      if (limits?.has(caseOf(id)) === true) return false;
      return path === undefined || !unsupported.has(path) || !OUT.has(results.get(id)?.verdict);
    });
    const found = able.map(({ results }) => results.get(id));
    const isOne = new Set(found.map((result) => result?.verdict)).size <= 1;
    const [first] = found;
    if (isOne && (first === undefined || FINE.has(first.verdict) || !first.isRequired)) return [];
    const seen = able.map(({ name }, i) => `  ${name.padEnd(12)} ${summarize(found[i])}`);
    return [[id, ...seen].join("\n")];
  });
}

function summarize(result?: CaseOutcome): string {
  if (result === undefined) return "absent";
  const { verdict, expected, got, note } = result;
  if (FINE.has(verdict)) return verdict;
  return `${verdict}: ${note ?? ""} expected ${expected ?? "-"}, got ${got ?? "-"}`;
}
