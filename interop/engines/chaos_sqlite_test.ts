import { assert, assertEquals } from "@std/assert";
import { withTempDir } from "../../tools/cli.ts";
import { bundleFor } from "./chaos/runtimes.ts";
import { type ChaosPlan, type ChaosReport, runChaos } from "./chaos/chaos.ts";
import { IS_FULL } from "./full_size.ts";

const WORKER = new URL("chaos/worker.ts", import.meta.url);

const SHORT: ChaosPlan = {
  seed: 7,
  workers: 2,
  runs: 10,
  kills: 4,
  stops: 1,
  databaseKills: 0,
  idempotent: true,
  maxStep: 12,
};
const FULL: ChaosPlan = {
  ...SHORT,
  seed: crypto.getRandomValues(new Uint32Array(1))[0] ?? 1,
  workers: 3,
  runs: 40,
  kills: 30,
  stops: 2,
};

/** Runtimes of the workers, which share the file. */
const RUNTIMES = ["node", "deno", ...IS_FULL ? ["bun"] as const : []] as const;

/** Executes a plan on a new file, with workers on all runtimes at the same time. */
async function chaos(plan: ChaosPlan): Promise<ChaosReport> {
  return await withTempDir(async (folder) => {
    const runtimes = await Promise.all(RUNTIMES.map((name) => bundleFor(name, WORKER, folder)));
    const database = { url: `${folder}/runs.db`, restart: () => Promise.resolve() };
    const report = await runChaos(plan, database, runtimes, `${folder}/log`);
    const counts = Object.entries(report).map(([name, value]) =>
      `${name} ${Array.isArray(value) ? value.length : value}`
    );
    console.log(`chaos with seed ${plan.seed} on SQLite: ${counts.join(", ")}`);
    return report;
  });
}

Deno.test("Runs in an SQLite file survive killed workers on several runtimes", async () => {
  const plan = IS_FULL ? FULL : SHORT;
  const report = await chaos(plan);
  assertEquals(report.wrong, []);
  assertEquals(report.done, report.runs);
  assertEquals(report.repeatedAfterRecord, []);
  assertEquals(report.stale, []);
  assertEquals(report.unknown, 0);
  assertEquals(report.approvals, Math.floor((report.runs + 6) / 10));
  assert(
    report.fencedAfterStop >= plan.stops,
    "a stopped worker continues without a rejected step",
  );
  const faults = plan.kills + plan.stops;
  // A worker executes at most two runs at a time, each with at most two concurrent tool calls.
  assert(report.repeatedInFlight.length <= faults * 2 * 2, `${report.repeatedInFlight}`);
});
