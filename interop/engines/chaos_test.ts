import { assert, assertEquals, assertRejects } from "@std/assert";
import { openRuns } from "@parley/runtime/runs";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { PgBoss } from "pg-boss";
import { withTempDir } from "../../tools/cli.ts";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { chaosAgents, runOf } from "./chaos/agents.ts";
import { WorkerProcesses } from "./chaos/processes.ts";
import { bundleFor, type WorkerRuntime } from "./chaos/runtimes.ts";
import { type ChaosPlan, type ChaosReport, runChaos, untilText } from "./chaos/chaos.ts";
import { IS_FULL } from "./full_size.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const ignore = !HAS_POSTGRES;

const WORKER = new URL("chaos/worker.ts", import.meta.url);

const SHORT: ChaosPlan = {
  seed: 7,
  workers: 2,
  runs: 12,
  kills: 5,
  stops: 1,
  databaseKills: 1,
  idempotent: true,
  maxStep: 12,
};
const FULL: ChaosPlan = {
  ...SHORT,
  seed: crypto.getRandomValues(new Uint32Array(1))[0] ?? 1,
  workers: 3,
  runs: 40,
  kills: 40,
  stops: 3,
  databaseKills: 4,
};
const UNMARKED: ChaosPlan = { ...SHORT, runs: 10, stops: 0, databaseKills: 0, idempotent: false };

/** Executes a chaos test plan on a new database. */
async function chaos(plan: ChaosPlan, runtime: WorkerRuntime["name"]): Promise<ChaosReport> {
  return await withTempDir(async (folder) => {
    const settings = { fsync: "off" };
    await using server = await startPostgres({ program: POSTGRES_RELEASES[18], settings });
    const log = `${folder}/log`;
    const worker = await bundleFor(runtime, WORKER, folder);
    const report = await runChaos(plan, server, [worker], log);
    const counts = Object.entries(report).map(([name, value]) =>
      `${name} ${Array.isArray(value) ? value.length : value}`
    );
    console.log(`chaos with seed ${plan.seed} on ${runtime}: ${counts.join(", ")}`);
    return report;
  });
}

for (const runtime of ["deno", "node"] as const) {
  const plan = IS_FULL ? FULL : SHORT;
  Deno.test(`Runs on PostgreSQL survive killed workers and a killed database, on ${runtime}`, {
    ignore: ignore || runtime === "deno" && !IS_FULL,
  }, async () => {
    const report = await chaos(plan, runtime);
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
    const faults = plan.kills + plan.stops + plan.databaseKills;
    assert(report.repeatedInFlight.length <= faults * 2 * 2, `${report.repeatedInFlight}`);
  });
}

Deno.test(
  "Tools that are not marked as idempotent are executed once, and unknown outcomes are reported",
  {
    ignore,
  },
  async () => {
    const report = await chaos(UNMARKED, "node");
    assertEquals(report.wrong, []);
    assertEquals(report.repeatedAfterRecord, []);
    const tools = report.repeatedInFlight.filter((line) => line.includes("/tool/"));
    assertEquals(tools, []);
    assert(report.unknown >= 1, "no outcome is unknown");
  },
);

Deno.test(
  "A failed chaos test leaves no PostgreSQL server and no stopped process",
  { ignore },
  async () => {
    await withTempDir(async (folder) => {
      const runtime = await bundleFor("deno", WORKER, folder);
      const log = `${folder}/log`;
      let database = "";
      await assertRejects(
        async () => {
          await using server = await startPostgres({ program: POSTGRES_RELEASES[18] });
          database = server.folder;
          const { url } = server;
          await using processes = new WorkerProcesses([runtime], () => {});
          await using runs = openRuns(
            pgBossRuns({ PgBoss, connectionString: url }),
            chaosAgents(true, () => {}),
          );
          await runs.start(runOf(0));
          await Deno.writeTextFile(log, "");
          processes.start({
            name: "w0",
            url,
            log,
            idempotent: true,
            faults: [{ kind: "stop", at: 1 }],
          });
          await untilText(log, (text) => text.includes("stop run-0"));
          assert((await listProcesses()).some((line) => line.includes(log)));
          throw new Error("the test fails");
        },
        Error,
        "the test fails",
      );
      const left = (await listProcesses()).filter((line) =>
        [folder, database].some((one) => line.includes(one))
      );
      assertEquals(left, []);
    });
  },
);

/** Lists the command lines of all processes. */
async function listProcesses(): Promise<readonly string[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-A", "-ww", "-o", "args="] }).output();
  return new TextDecoder().decode(stdout).split("\n");
}
