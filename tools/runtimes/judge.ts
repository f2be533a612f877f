/**
 * What the conformance kit finds on a runtime, and where runtimes differ.
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

/** A way to reach our libraries. */
export type Way =
  | "driver"
  | "server over stdio"
  | "server over http"
  | "client over stdio"
  | "client over http";

/** How many cases at least have to pass in each way, both eras together: a check that runs little proves little. */
const LEAST: Readonly<Record<Way, number>> = {
  "driver": 600,
  "server over stdio": 390,
  "server over http": 430,
  "client over stdio": 90,
  "client over http": 170,
};

/** Somewhere that our libraries run. */
export interface Place {
  /** What to call it. */
  readonly name: string;
  /** How the kit reaches them there. */
  readonly subject: Subject;
  /** The ways that there are none of, each with the reason. */
  readonly lacks: ReadonlyMap<Way, string>;
}

/** What the kit found there. */
export interface Judgement extends Pick<Place, "name" | "lacks"> {
  /** By case, transport and revision. */
  readonly results: ReadonlyMap<string, Judged>;
}

/** What matters of a result. */
export type Judged =
  & Pick<CaseResult, "verdict" | "isRequired" | "expected" | "got" | "note">
  & { readonly way: Way };

/** What is run: everything with the last handshake, and MCP without one. */
const RUNS = [
  { revision: "2025-11-25", libraries: ["comm", "runtime", "mcp"] },
  { revision: "2026-07-28", libraries: ["mcp"] },
] as const;

/** Machines that check several things at once are slow; nothing here measures time. */
const TIMEOUT_FACTOR = 5;

/** Verdicts that say nothing against a subject. */
const FINE: ReadonlySet<string> = new Set([
  Verdict.Pass,
  Verdict.NotApplicable,
  Verdict.Untestable,
]);

/** Verdicts that say nothing at all. */
const OUT: ReadonlySet<string | undefined> = new Set([
  Verdict.NotApplicable,
  Verdict.Untestable,
  undefined,
]);

/** Runs every case in both eras, or those of `only`. */
export async function judge(
  { name, subject, lacks }: Place,
  only: readonly string[] = [],
): Promise<Judgement> {
  const suite = loadSuite();
  const results = new Map<string, Judged>();
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
      const way = wayOf(role, transport);
      results.set(`${id} (${way}, ${revision})`, { ...result, way });
    }
  }
  return { name, lacks, results };
}

function wayOf(role: "client" | "server" | undefined, transport: string | undefined): Way {
  if (role === undefined) return "driver";
  return `${role} over ${transport === "stdio" ? "stdio" : "http"}`;
}

/** One line on what was found: how many passed in each way, what there was none of and why, and the other verdicts. */
export function describe({ name, lacks, results }: Judgement): string {
  const all = [...results.values()];
  const count = (verdict: string): number => all.filter((each) => each.verdict === verdict).length;
  const ways = [...passesOf(all)].filter(([way]) => !lacks.has(way))
    .map(([way, passes]) => `${way} ${passes}`);
  const failed = all.filter(({ verdict }) => !FINE.has(verdict));
  const required = failed.filter(({ isRequired }) => isRequired).length;
  return [
    `${name.padEnd(8)} ${count(Verdict.Pass)} passed (${ways.join(", ")}), ${required} failed, ` +
    `${failed.length - required} optional failed, ${count(Verdict.NotApplicable)} n/a, ` +
    `${count(Verdict.Untestable)} untestable`,
    ...[...lacks].map(([way, reason]) => `no ${way}: ${reason}`),
  ].join("; ");
}

function passesOf(results: readonly Judged[]): ReadonlyMap<Way, number> {
  const passed = results.filter(({ verdict }) => verdict === Verdict.Pass);
  return new Map(
    Object.keys(LEAST).filter(isWay)
      .map((way) => [way, passed.filter((each) => each.way === way).length]),
  );
}

function isWay(name: string): name is Way {
  return Object.hasOwn(LEAST, name);
}

/** Where too few cases pass to say anything, or some in a way that there is none of. */
export function findGaps({ name, lacks, results }: Judgement): string[] {
  return [...passesOf([...results.values()])].flatMap(([way, passes]) => {
    if (lacks.has(way)) return passes === 0 ? [] : [`${name} has a ${way} after all`];
    return passes < LEAST[way] ? [`${name}: ${passes} of at least ${LEAST[way]}, ${way}`] : [];
  });
}

/** Required cases that fail everywhere and cases on which they disagree, each with what was seen. */
export function findTrouble(judgements: readonly Judgement[]): string[] {
  const ids = new Set(judgements.flatMap(({ results }) => [...results.keys()]));
  const ways = new Map(
    judgements.flatMap(({ results }) =>
      [...results].map(([id, { way }]): [string, Way] => [id, way])
    ),
  );
  return [...ids].sort().flatMap((id) => {
    const way = ways.get(id);
    const able = judgements.filter(({ lacks, results }) =>
      way === undefined || !lacks.has(way) || !OUT.has(results.get(id)?.verdict)
    );
    const found = able.map(({ results }) => results.get(id));
    const isOne = new Set(found.map((result) => result?.verdict)).size <= 1;
    const [first] = found;
    if (isOne && (first === undefined || FINE.has(first.verdict) || !first.isRequired)) return [];
    const seen = able.map(({ name }, i) => `  ${name.padEnd(8)} ${summarize(found[i])}`);
    return [[id, ...seen].join("\n")];
  });
}

function summarize(result?: Judged): string {
  if (result === undefined) return "absent";
  const { verdict, expected, got, note } = result;
  if (FINE.has(verdict)) return verdict;
  return `${verdict}: ${note ?? ""} expected ${expected ?? "-"}, got ${got ?? "-"}`;
}
