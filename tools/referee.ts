/**
 * Lets the official referee of the Model Context Protocol judge the everything-server, by the frozen requirements of each
 * revision. It needs no network beside loopback once its package is in the cache.
 *
 *     deno task referee
 *     deno task referee --requirements 2026-07-28
 *
 * @module
 */

import { readFlags, run, runTool, ToolError, withTempDir } from "./cli.ts";
import { ROOT } from "./members.ts";

const REFEREE = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** Scenarios that the referee runs but does not score, and that have to pass all the same. */
const ALSO_REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "2025-11-25": ["json-schema-2020-12", "server-session-lifecycle", "server-sse-polling"],
  "2026-07-28": [
    "http-custom-header-server-validation",
    "http-header-validation",
    "json-schema-2020-12",
  ],
};

/** What the referee said of one run. */
export interface Verdict {
  /** Scenarios that passed, scored or not. */
  readonly passed: readonly string[];
  /** Scenarios that failed, scored or not. */
  readonly failed: readonly string[];
  /** Scenarios that are not scored. */
  readonly notScored: readonly string[];
}

/** Reads the summary that the referee prints; undefined when it printed none. */
export function readVerdict(output: string): Verdict | undefined {
  const [, summary] = output.split("=== SUMMARY ===");
  if (summary === undefined) return undefined;
  const [scored = "", unscored = ""] = summary.split("Not scored for");
  const names = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, name = ""]) => name);
  return {
    passed: names(scored, /^✓ (\S+):/gm),
    failed: names(scored, /^✗ (\S+):/gm),
    notScored: names(unscored, /^ +[✓✗] (\S+)/gm),
  };
}

/** The scenarios that had to pass and did not. */
export function findFailures(
  { passed, failed, notScored }: Verdict,
  alsoRequired: readonly string[],
): string[] {
  const scored = failed.filter((name) => !notScored.includes(name));
  return [...scored, ...alsoRequired.filter((name) => !passed.includes(name))];
}

async function judgeServer(url: string, requirements: string): Promise<boolean> {
  const verdict = await withTempDir(async (dir) => {
    const flags = ["run", "-A", "--quiet", "--no-config", "--no-lock", REFEREE];
    const args = ["server", "--url", url, "--requirements", requirements, "-o", dir];
    return readVerdict((await run("deno", [...flags, ...args], { cwd: dir })).stdout);
  });
  if (verdict === undefined) throw new ToolError("Cannot read what the referee says");
  const { passed, notScored } = verdict;
  const failures = findFailures(verdict, ALSO_REQUIRED[requirements] ?? []);
  const scored = passed.filter((name) => !notScored.includes(name)).length;
  const extra = passed.length - scored;
  console.log(`server ${requirements}: ${scored} required and ${extra} other scenarios passed`);
  for (const name of failures) console.error(`server ${requirements}: ${name} failed`);
  return failures.length === 0;
}

/** Starts the everything-server on a free port and hands its address to `use`. */
async function withServer(use: (url: string) => Promise<boolean>): Promise<boolean> {
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

async function main(): Promise<number> {
  const { requirements } = readFlags(Deno.args, { requirements: { type: "string" } });
  const all = requirements === undefined ? Object.keys(ALSO_REQUIRED) : [requirements];
  let isGood = true;
  for (const each of all) {
    isGood = await withServer((url) => judgeServer(url, each)) && isGood;
  }
  return isGood ? 0 : 1;
}

if (import.meta.main) await runTool("referee", main);
