/**
 * Reads the output of the official conformance suite: lists of scenarios, summaries and check
 * files.
 *
 * @module
 */

/** The two sides that the suite tests: server and client. */
export const SIDES = ["server", "client"] as const;

/** The side that the suite tests: `server` or `client`. */
export type Side = (typeof SIDES)[number];

/** Scenarios for the server or the client in one protocol version. */
export interface Scenarios {
  /** Required scenarios. */
  readonly required: readonly string[];
  /** Scenarios that run without being scored. */
  readonly others: readonly string[];
}

/** Scenarios for a protocol version, keyed by side. */
export type Listing = Readonly<Record<Side, Scenarios>>;

/** Outcome of a scenario. A scenario without checks has not passed. */
export type Outcome = "passed" | "failed" | "checked nothing";

/** Result of comparing the listed scenarios with their outcomes. */
export interface Findings<ExpectedFailure> {
  /** Scenarios that did not pass, or ran without being listed. */
  readonly failed: readonly string[];
  /** Expected failures that occurred, with the names of the failed scenarios. */
  readonly expected: readonly (ExpectedFailure & { readonly names: readonly string[] })[];
  /** Expected failures that match no failing scenario. */
  readonly stale: readonly ExpectedFailure[];
}

/** Reads the output of the suite's `list --requirements` command. */
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

/**
 * Reads the summary that the suite prints after a run. Returns `undefined` if the output has no
 * summary.
 */
export function readOutcomes(text: string): ReadonlyMap<string, Outcome> | undefined {
  const [, summary] = text.split(/^=== (?:SUITE )?SUMMARY ===$/m);
  if (summary === undefined) return undefined;
  const lines = summary.matchAll(/^([✓✗-]) (\S+): (?:skipped|(\d+) passed)/gm);
  return new Map([...lines].map(([, mark, name = "", passed = "0"]) => {
    if (mark === "✗") return [name, "failed"];
    return [name, Number(passed) > 0 ? "passed" : "checked nothing"];
  }));
}

/**
 * Reads the result that the suite prints after a run of a single scenario. Returns `true` if at
 * least one check passed, and no check failed or caused a warning.
 */
export function hasPassed(text: string): boolean {
  return /^Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings$/m.test(text);
}

/** Compares the listed scenarios with the outcomes. */
export function findFailures<ExpectedFailure extends { readonly prefix: string }>(
  { required, others }: Scenarios,
  outcomes: ReadonlyMap<string, Outcome>,
  expectedFailures: readonly ExpectedFailure[],
): Findings<ExpectedFailure> {
  const listed = [...required, ...others];
  const all = new Set([...listed, ...outcomes.keys()]);
  const notPassed = [...all].filter((name) =>
    outcomes.get(name) !== "passed" || !listed.includes(name)
  );
  const expected = expectedFailures.map((failure) => ({
    ...failure,
    names: notPassed.filter((name) => name.startsWith(failure.prefix)),
  }));
  return {
    failed: notPassed.filter((name) => !expected.some(({ names }) => names.includes(name))),
    expected: expected.filter(({ names }) => names.length > 0),
    stale: expectedFailures.filter(({ prefix }) =>
      !notPassed.some((name) => name.startsWith(prefix))
    ),
  };
}

/** Reads the messages of failed checks, keyed by scenario, from the output folder of a run. */
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
