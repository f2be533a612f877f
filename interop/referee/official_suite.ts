/**
 * Lets the official referee of the Model Context Protocol judge the everything-server and the everything-client, by the
 * frozen requirements of each revision. It needs no network beside loopback once its package is in the cache.
 *
 *     deno task referee
 *     deno task referee --requirements 2026-07-28 --side client
 *
 * Whatever the referee lists for a revision has to pass, scored or not, but for what {@linkcode EXCUSED} names.
 *
 * @module
 */

import { readFlags, run, runTool, ToolError, tryRun, withTempDir } from "../../tools/cli.ts";
import { ROOT } from "../../tools/members.ts";
import {
  findFailures,
  type Outcome,
  readFailedChecks,
  readListing,
  readOutcomes,
  type Scenarios,
  type Side,
  SIDES,
} from "./official_suite_report.ts";

const REFEREE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

const REVISIONS = ["2025-11-25", "2026-07-28"] as const;

/** What the referee starts as the client, in the root folder. It adds the address of its server. */
const CLIENT_COMMAND = "deno task --quiet everything:client";

/** Scenarios that need not pass, by what their names begin with. One that covers no failure any more is an error. */
export const EXCUSED: readonly Excuse[] = [
  {
    side: "server",
    revisions: ["2026-07-28"],
    prefix: "tasks-status-notifications",
    reason: "the referee itself leaves it out",
  },
];

/** Why some scenarios need not pass. */
export interface Excuse {
  readonly side: Side;
  readonly revisions: readonly string[];
  readonly prefix: string;
  readonly reason: string;
}

/** One side, judged by the requirements of one revision. */
interface Judgement {
  readonly side: Side;
  readonly revision: string;
  readonly scenarios: Scenarios;
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** What went wrong in a scenario, in the referee's words. */
  readonly reasons: ReadonlyMap<string, readonly string[]>;
}

async function judgeServer(revision: string): Promise<Judgement> {
  return await withServer((url) => judge("server", revision, ["--url", url]));
}

async function judgeClient(revision: string): Promise<Judgement> {
  return await judge("client", revision, ["--command", CLIENT_COMMAND]);
}

const JUDGES = { server: judgeServer, client: judgeClient } as const;

async function judge(side: Side, revision: string, target: readonly string[]): Promise<Judgement> {
  const requirements = ["--requirements", revision];
  return await withTempDir(async (dir) => {
    const args = [side, ...target, ...requirements, "-o", dir];
    // It ends with exit code 1 when a scenario fails; what that means is for us to say.
    const { stdout, stderr } = await tryRun("deno", asReferee(args), { cwd: ROOT });
    const outcomes = readOutcomes(stdout);
    if (outcomes === undefined) throw new ToolError(`Cannot read what the referee says: ${stderr}`);
    const { stdout: list } = await run("deno", asReferee(["list", ...requirements]));
    const scenarios = readListing(list)[side];
    if (scenarios.required.length === 0) throw new ToolError("Cannot read what the referee lists");
    return { side, revision, scenarios, outcomes, reasons: await readFailedChecks(dir) };
  });
}

function asReferee(args: readonly string[]): string[] {
  return ["run", "-A", "--quiet", "--no-config", "--no-lock", REFEREE, ...args];
}

/** Prints what is to know of a judgement; says whether all is well. */
function report({ side, revision, scenarios, outcomes, reasons }: Judgement): boolean {
  const title = `${side} ${revision}`;
  const excuses = EXCUSED.filter((excuse) =>
    excuse.side === side && excuse.revisions.includes(revision)
  );
  const { required, others } = scenarios;
  const passed = (names: readonly string[]): number =>
    names.filter((name) => outcomes.get(name) === "passed").length;
  console.log(
    `${title}: ${passed(required)} of ${required.length} required and ` +
      `${passed(others)} of ${others.length} other scenarios passed`,
  );
  const { failed, excused, stale } = findFailures(scenarios, outcomes, excuses);
  for (const { prefix, reason, names } of excused) {
    console.log(`${title}: ${names.length} excused (${prefix}*): ${reason}`);
  }
  for (const name of failed) {
    console.error(`${title}: ${name} ${outcomes.get(name) ?? "was not run"}`);
    for (const line of reasons.get(name) ?? []) console.error(`    ${line}`);
  }
  for (const { prefix } of stale) {
    console.error(`${title}: nothing excused by "${prefix}" fails: take it out of the table`);
  }
  return failed.length + stale.length === 0;
}

/** Starts the everything-server on a free port and hands its address to `use`. */
async function withServer<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  await using server = new Deno.Command("deno", {
    args: ["task", "--quiet", "everything:server", "--port", "0"],
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
  throw new ToolError("Cannot start the everything-server");
}

/** One side after the other, for the referee starts all clients of a revision at once; both revisions together. */
async function main(): Promise<number> {
  const flags = readFlags(Deno.args, {
    requirements: { type: "string" },
    side: { type: "string" },
  });
  const revisions = choose("--requirements", REVISIONS, flags.requirements);
  let isGood = true;
  for (const side of choose("--side", SIDES, flags.side)) {
    const judgements = await Promise.all(revisions.map((revision) => JUDGES[side](revision)));
    for (const judgement of judgements) isGood = report(judgement) && isGood;
  }
  return isGood ? 0 : 1;
}

function choose<const Name extends string>(
  flag: string,
  names: readonly Name[],
  wanted: string | undefined,
): readonly Name[] {
  const chosen = names.filter((name) => wanted === undefined || name === wanted);
  if (chosen.length === 0) throw new ToolError(`${flag} is one of ${names.join(", ")}`);
  return chosen;
}

if (import.meta.main) await runTool("referee", main);
