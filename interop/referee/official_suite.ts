/**
 * Tests our everything-server and everything-client with the official MCP conformance suite and its
 * frozen requirements for each protocol version. Once the suite's package is cached, this program
 * uses no network except loopback.
 *
 *     deno task official-suite
 *     deno task official-suite --requirements 2026-07-28 --side client
 *
 * Every scenario that the suite lists for a protocol version must pass, whether scored or not. The
 * exceptions are listed in {@linkcode EXPECTED_FAILURES}. The scenarios in
 * {@linkcode EXTENSION_SCENARIOS} must also pass.
 *
 * @module
 */

import { readFlags, run, runTool, ToolError, tryRun, withTempDir } from "../../tools/cli.ts";
import { ROOT } from "../../tools/members.ts";
import {
  findFailures,
  hasPassed,
  type Outcome,
  readFailedChecks,
  readListing,
  readOutcomes,
  type Scenarios,
  type Side,
  SIDES,
} from "./official_suite_report.ts";

const SUITE_PACKAGE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

/**
 * Command that the suite uses to start our client, in the root folder. The suite appends the URL of
 * its own server to the command.
 */
const CLIENT_COMMAND =
  "deno run --quiet --allow-net --allow-env examples/everything_client/main.ts";
const SERVER_PERMISSIONS = ["--allow-net", "--allow-env", "--allow-read"];

/**
 * Scenarios that may fail, each given as a name prefix. An entry that matches no failing scenario
 * is an error.
 */
export const EXPECTED_FAILURES: readonly ExpectedFailure[] = [
  {
    side: "server",
    revisions: ["2026-07-28"],
    prefix: "tasks-status-notifications",
    reason: "the suite skips the scenario",
  },
];

/** Extension scenarios, which belong to no protocol version. */
export const EXTENSION_SCENARIOS: Readonly<Record<Side, readonly string[]>> = {
  server: [
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
    "sep-2640-skills-directory",
  ],
  client: [
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-size",
    "sep-2640-client-verify-frontmatter",
  ],
};

/** A set of scenarios that may fail, and the reason. */
export interface ExpectedFailure {
  readonly side: Side;
  readonly revisions: readonly string[];
  readonly prefix: string;
  readonly reason: string;
}

/** Results of testing the server or the client against the requirements of one protocol version. */
interface SuiteResult {
  readonly side: Side;
  readonly revision: string;
  readonly scenarios: Scenarios;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Messages of the failed checks, keyed by scenario. */
  readonly reasons: ReadonlyMap<string, readonly string[]>;
}

async function runServerSuite(revision: string): Promise<SuiteResult> {
  return await withServer((url) => runSuite("server", revision, ["--url", url]));
}

async function runClientSuite(revision: string): Promise<SuiteResult> {
  return await runSuite("client", revision, ["--command", CLIENT_COMMAND]);
}

const SUITES = { server: runServerSuite, client: runClientSuite } as const;

async function runSuite(
  side: Side,
  revision: string,
  target: readonly string[],
): Promise<SuiteResult> {
  const requirements = ["--requirements", revision];
  return await withTempDir(async (dir) => {
    const args = [side, ...target, ...requirements, "-o", dir];
    // The exit code is ignored, because the suite exits with code 1 if any scenario fails, even an
    // expected failure.
    const { stdout, stderr } = await tryRun("deno", toSuiteArguments(args), { cwd: ROOT });
    const outcomes = readOutcomes(stdout);
    if (outcomes === undefined) {
      throw new ToolError(`Cannot read the output of the official suite: ${stderr}`);
    }
    const { stdout: list } = await run("deno", toSuiteArguments(["list", ...requirements]));
    const scenarios = readListing(list)[side];
    if (scenarios.required.length === 0) {
      throw new ToolError("Cannot read the list of scenarios: required scenarios are missing");
    }
    return { side, revision, scenarios, outcomes, reasons: await readFailedChecks(dir) };
  });
}

function toSuiteArguments(args: readonly string[]): string[] {
  return ["run", "-A", "--quiet", "--no-config", "--no-lock", SUITE_PACKAGE, ...args];
}

/** Runs the extension scenarios and prints the results. Returns `true` if all scenarios passed. */
async function checkExtensions(side: Side): Promise<boolean> {
  return side === "server"
    ? await withServer((url) => runExtensions(side, ["--url", url]))
    : await runExtensions(side, ["--command", CLIENT_COMMAND]);
}

async function runExtensions(side: Side, target: readonly string[]): Promise<boolean> {
  const scenarios = EXTENSION_SCENARIOS[side];
  let passed = 0;
  for (const scenario of scenarios) {
    const args = toSuiteArguments([side, ...target, "--scenario", scenario]);
    const { stdout, stderr } = await tryRun("deno", args, { cwd: ROOT });
    // The suite prints server results to standard output and client results to standard error.
    if (hasPassed(stdout) || hasPassed(stderr)) passed++;
    else console.error(`${side} extensions: ${scenario} failed\n${stdout}${stderr}`);
  }
  console.log(`${side} extensions: ${passed} of ${scenarios.length} scenarios passed`);
  return passed === scenarios.length;
}

/** Prints the results. Returns `true` if no scenario failed unexpectedly. */
function report({ side, revision, scenarios, outcomes, reasons }: SuiteResult): boolean {
  const title = `${side} ${revision}`;
  const expectedFailures = EXPECTED_FAILURES.filter((failure) =>
    failure.side === side && failure.revisions.includes(revision)
  );
  const { required, others } = scenarios;
  const passed = (names: readonly string[]): number =>
    names.filter((name) => outcomes.get(name) === "passed").length;
  console.log(
    `${title}: ${passed(required)} of ${required.length} required and ` +
      `${passed(others)} of ${others.length} other scenarios passed`,
  );
  const { failed, expected, stale } = findFailures(scenarios, outcomes, expectedFailures);
  for (const { prefix, reason, names } of expected) {
    console.log(`${title}: ${names.length} expected failures (${prefix}*): ${reason}`);
  }
  for (const name of failed) {
    console.error(`${title}: ${name} ${outcomes.get(name) ?? "was not run"}`);
    for (const line of reasons.get(name) ?? []) console.error(`    ${line}`);
  }
  for (const { prefix } of stale) {
    console.error(
      `${title}: no scenario "${prefix}*" fails; remove the entry from EXPECTED_FAILURES`,
    );
  }
  return failed.length + stale.length === 0;
}

/** Starts the everything-server on a free port and calls `use` with its URL. */
async function withServer<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  await using server = new Deno.Command("deno", {
    args: [
      "run",
      "--quiet",
      ...SERVER_PERMISSIONS,
      "examples/everything_server/main.ts",
      "--port",
      "0",
    ],
    cwd: ROOT,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let output = "";
  for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    const url = /listening on (\S+)/.exec(output)?.[1];
    if (url !== undefined) return await use(url);
  }
  throw new ToolError("Cannot start the everything-server: the process exited before it was ready");
}

/**
 * Tests the server first and then the client. The server and the client are not tested in parallel,
 * because the suite starts all clients for a protocol version concurrently, and the additional load
 * would cause timeouts. The protocol versions are tested in parallel.
 */
async function main(): Promise<number> {
  const flags = readFlags(Deno.args, {
    requirements: { type: "string" },
    side: { type: "string" },
  });
  const revisions = choose("--requirements", REVISIONS, flags.requirements);
  let isPassed = true;
  for (const side of choose("--side", SIDES, flags.side)) {
    const results = await Promise.all(revisions.map((revision) => SUITES[side](revision)));
    for (const result of results) isPassed = report(result) && isPassed;
    isPassed = await checkExtensions(side) && isPassed;
  }
  return isPassed ? 0 : 1;
}

function choose<const Name extends string>(
  flag: string,
  names: readonly Name[],
  wanted: string | undefined,
): readonly Name[] {
  const chosen = names.filter((name) => wanted === undefined || name === wanted);
  if (chosen.length === 0) throw new ToolError(`"${flag}" must be one of ${names.join(", ")}`);
  return chosen;
}

if (import.meta.main) await runTool("official-suite", main);
