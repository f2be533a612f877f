/**
 * Tests the installed npm packages with the conformance kit on every runtime. Each case must have
 * the same verdict on all runtimes, in both protocol eras of MCP. A separate program tests features
 * that the kit's drivers do not use. The commands of the packages are checked on Bun, and by
 * check_npm.ts on Node.js.
 *
 *     deno task check:packages runtimes      runs Deno, Bun, workerd and two versions of Node.js
 *     deno task check:packages every-node    runs all supported versions of Node.js as well
 *
 * @module
 */

import { runPool } from "../../lab/selftest/pool.ts";
import { readFlags, run, runTool, step, ToolError, withTempDir } from "../cli.ts";
import { checkCommands } from "../release/check_commands.ts";
import { NODE_VERSIONS } from "../release/npm_packages.ts";
import { bundleFile, endBundling } from "./bundle.ts";
import { hostDriver } from "./driver_host.ts";
import {
  type AccessPath,
  describe,
  findGaps,
  findTrouble,
  type KitResult,
  NO_NODE_LIMITS,
  runKitOn,
} from "./run_kit.ts";
import { installProject } from "./kit_project.ts";
import { BUN, type Runtime, runtimeCommand } from "./runtimes.ts";
import { startWorker } from "./workerd.ts";

/**
 * Returns Deno, Bun, and the oldest and the newest supported version of Node.js, or every supported
 * version.
 */
function listRuntimes(everyNode: boolean): readonly Runtime[] {
  const versions = everyNode
    ? NODE_VERSIONS
    : NODE_VERSIONS.filter((_, i, { length }) => i === 0 || i === length - 1);
  return [
    { name: "deno", flags: ["run", "-A", "--quiet"] },
    ...versions.map((version) => ({ name: `node ${version}`, npm: `node@${version}` })),
    BUN,
  ];
}

const PROGRAMS: readonly string[] = [
  "conformance/drivers/typescript/parley.ts",
  "conformance/drivers/typescript/everything_stdio.ts",
  "conformance/drivers/typescript/everything_http.ts",
  "tools/runtimes/programs/kit_worker.ts",
  "tools/runtimes/programs/smoke.ts",
  "tools/runtimes/programs/queues.ts",
];

/**
 * Maximum number of cases with differing verdicts that are run again, because a busy machine may
 * cause differences.
 */
const MAX_AGAIN = 5;

/** Access paths that require processes, which a worker cannot start. */
const NO_PROCESSES: ReadonlyMap<AccessPath, string> = new Map([
  ["server over stdio", "a worker has no standard input"],
  ["client over stdio", "a worker cannot start a process"],
]);

/** Cases that workerd cannot pass. */
const WORKER_LIMITS: ReadonlyMap<string, string> = new Map([
  ...NO_NODE_LIMITS,
  [
    "mcp/progress/work-stops-when-the-client-is-gone",
    "Miniflare does not report that a client has disconnected",
  ],
]);

/**
 * Runs every case on a runtime that can start programs, and runs the program that tests the
 * remaining features.
 */
async function runKitOnRuntime(
  runtime: Runtime,
  project: string,
  only?: readonly string[],
): Promise<KitResult> {
  const { name } = runtime;
  const [program = "", ...flags] = await runtimeCommand(runtime);
  const command = (
    script: string,
  ): readonly string[] => [program, ...flags, `${project}/${script}`];
  const result = await runKitOn({
    name,
    subject: {
      driver: { command: command("parley.js") },
      server: command("everything_stdio.js"),
      url: "http://127.0.0.1:{port}/mcp",
      start: [...command("everything_http.js"), "{port}"],
    },
    unsupported: new Map(),
  }, only);
  const smoke = [`${project}/${name}.jsonl`, ...flags, `${project}/everything_stdio.js`];
  await run(program, [...flags, `${project}/smoke.js`, ...smoke]);
  await checkQueues([program, ...flags], `${project}/queues.js`, `${project}/${name}.db`);
  return result;
}

/**
 * Runs the program that uses message queues. A runtime that nothing keeps running can exit with
 * code 0, so the program must also print its last line.
 */
async function checkQueues(
  [program = "", ...flags]: readonly string[],
  script: string,
  file: string,
): Promise<void> {
  const { stdout } = await run(program, [...flags, script, file]);
  if (stdout !== "queues work\n") {
    throw new ToolError("Cannot keep a process with an idle consumer running: it has exited");
  }
}

/** Runs every case that a worker supports. */
async function runKitOnWorkerd(project: string, only?: readonly string[]): Promise<KitResult> {
  const worker = await startWorker(await bundleFile(`${project}/kit_worker.js`), {
    EVERYTHING: "Everything",
  });
  const host = hostDriver(async (address) => {
    const response = await fetch(new URL(`/driver?address=${address}`, worker.url));
    await response.body?.cancel();
  });
  try {
    return await runKitOn({
      name: "workerd",
      subject: { driver: { command: host.command }, url: new URL("/mcp", worker.url).href },
      unsupported: NO_PROCESSES,
      limits: WORKER_LIMITS,
    }, only);
  } finally {
    await host.close();
    await worker.close();
    await endBundling();
  }
}

async function check(dir: string, runtimes: readonly Runtime[]): Promise<void> {
  const project = await installProject(dir, PROGRAMS);
  await step("commands on bun", async () => checkCommands(project, await runtimeCommand(BUN)));
  const work = [
    ...runtimes.map((each) => (only?: readonly string[]) => runKitOnRuntime(each, project, only)),
    (only?: readonly string[]) => runKitOnWorkerd(project, only),
  ];
  // At least two runs are in progress at a time, because a run spends half of its time waiting.
  const workers = Array.from({ length: Math.max(2, navigator.hardwareConcurrency) }, (_, i) => i);
  const results = await runPool(work, workers, async (next) => {
    const started = performance.now();
    const result = await next();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${describe(result)}; ${seconds} s`);
    return result;
  });
  const trouble = [
    ...results.flatMap(findGaps),
    ...await confirm(findTrouble(results), work),
  ];
  if (trouble.length > 0) {
    throw new ToolError(`Verdicts differ, or cases fail:\n${trouble.join("\n")}`);
  }
  console.log(`${results.length} runtimes with equal verdicts; files, processes and queues work`);
}

/**
 * Runs the differing cases again, one runtime at a time, so that differences caused by a busy
 * machine disappear.
 */
async function confirm(
  trouble: readonly string[],
  work: readonly ((only: readonly string[]) => Promise<KitResult>)[],
): Promise<readonly string[]> {
  if (trouble.length === 0 || trouble.length > MAX_AGAIN) return trouble;
  console.log(`running again, one runtime at a time:\n${trouble.join("\n")}`);
  const ids = new Set(trouble.map((each) => each.replace(/ .*/s, "")));
  const results: KitResult[] = [];
  for (const runAgain of work) results.push(await runAgain([...ids]));
  return findTrouble(results);
}

async function main(): Promise<number> {
  const { "every-node": everyNode } = readFlags(Deno.args, { "every-node": { type: "boolean" } });
  await withTempDir((dir) => check(dir, listRuntimes(everyNode === true)));
  return 0;
}

if (import.meta.main) await runTool("check_runtimes", main);
