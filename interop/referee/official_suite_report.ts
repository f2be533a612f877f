/**
 * What the official referee writes: lists of scenarios, summaries of runs, files of checks.
 *
 * @module
 */

/** The two sides that the referee judges. */
export const SIDES = ["server", "client"] as const;

/** Which side is judged. */
export type Side = (typeof SIDES)[number];

/** The scenarios of one side that a revision lists. */
export interface Scenarios {
  /** Those that conformance asks for. */
  readonly required: readonly string[];
  /** Those that are run and not scored. */
  readonly others: readonly string[];
}

/** The scenarios that a revision lists. */
export type Listing = Readonly<Record<Side, Scenarios>>;

/** How a scenario ended. One that checked nothing was not passed. */
export type Outcome = "passed" | "failed" | "checked nothing";

/** What has to be told of a judgement. */
export interface Findings<Excuse> {
  /** Scenarios that had to pass and did not, or were not listed. */
  readonly failed: readonly string[];
  /** Excuses with the scenarios that needed them. */
  readonly excused: readonly (Excuse & { readonly names: readonly string[] })[];
  /** Excuses that no scenario needed. */
  readonly stale: readonly Excuse[];
}

/** Reads what `list --requirements` prints. */
export function readListing(text: string): Listing {
  const [required = "", others = ""] = text.split("Run and reported");
  const [server = "", client = ""] = required.split("Client scenarios");
  return {
    server: { required: namesIn(server, /^ {2}- (\S+)$/gm), others: othersOf(others, "server") },
    client: { required: namesIn(client, /^ {2}- (\S+)$/gm), others: othersOf(others, "client") },
  };
}

function othersOf(text: string, side: Side): readonly string[] {
  return namesIn(text, new RegExp(`^ {4}- (\\S+) \\[${side}\\]$`, "gm"));
}

/** Reads the summary that a run prints; undefined when it printed none. */
export function readOutcomes(text: string): ReadonlyMap<string, Outcome> | undefined {
  const [, summary] = text.split(/^=== (?:SUITE )?SUMMARY ===$/m);
  if (summary === undefined) return undefined;
  const lines = summary.matchAll(/^([✓✗-]) (\S+): (?:skipped|(\d+) passed)/gm);
  return new Map([...lines].map(([, mark, name = "", passed = "0"]) => {
    if (mark === "✗") return [name, "failed"];
    return [name, Number(passed) > 0 ? "passed" : "checked nothing"];
  }));
}

/** Compares what is listed with what has passed. */
export function findFailures<Excuse extends { readonly prefix: string }>(
  { required, others }: Scenarios,
  outcomes: ReadonlyMap<string, Outcome>,
  excuses: readonly Excuse[],
): Findings<Excuse> {
  const listed = [...required, ...others];
  const all = new Set([...listed, ...outcomes.keys()]);
  const notPassed = [...all].filter((name) =>
    outcomes.get(name) !== "passed" || !listed.includes(name)
  );
  const excused = excuses.map((excuse) => ({
    ...excuse,
    names: notPassed.filter((name) => name.startsWith(excuse.prefix)),
  }));
  return {
    failed: notPassed.filter((name) => !excused.some(({ names }) => names.includes(name))),
    excused: excused.filter(({ names }) => names.length > 0),
    stale: excuses.filter(({ prefix }) => !notPassed.some((name) => name.startsWith(prefix))),
  };
}

/** Reads what failed, by scenario, from the folder that a run has written. */
export async function readFailedChecks(
  folder: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const failed = new Map<string, readonly string[]>();
  for await (const path of filesBelow(folder, "checks.json")) {
    const scenario = path.slice(folder.length + 1)
      .replace(/^server-/, "").replace(/-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/, "");
    const checks: unknown = JSON.parse(await Deno.readTextFile(path));
    if (Array.isArray(checks)) failed.set(scenario, checks.flatMap(describeFailure));
  }
  return failed;
}

function describeFailure(check: Readonly<Record<string, unknown>>): string[] {
  const { id, status, errorMessage, description } = check;
  if (status !== "FAILURE" && status !== "WARNING") return [];
  return [`${id}: ${String(errorMessage ?? description).slice(0, 300)}`];
}

async function* filesBelow(folder: string, name: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) yield* filesBelow(path, name);
    else if (entry.name === name) yield path;
  }
}

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, name = ""]) => name);
}
