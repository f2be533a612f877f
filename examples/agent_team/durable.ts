/**
 * Demonstrates an approval across processes: one process starts the runs, a person decides with
 * `parley-runs`, and another process continues the runs, even days later.
 *
 *     deno run -A examples/agent_team/durable.ts runs.db site.txt
 *     deno run -A runtime/runs_cli.ts --database runs.db list
 *     deno run -A runtime/runs_cli.ts --database runs.db show notes-1-publish
 *     deno run -A runtime/runs_cli.ts --database runs.db signal notes-1-publish KEY true
 *     deno run -A examples/agent_team/durable.ts runs.db site.txt --days 1
 *
 * The file `site.txt` represents the website. `--days N` advances the program's clock by N days.
 *
 * @module
 */

import {
  openRuns,
  readRunResult,
  type RunClock,
  type RunRecord,
  type Runs,
  systemClock,
} from "@parley/runtime/runs";
import { sqliteRuns } from "@parley/runtime/sqlite";
import { createPublisher, createWriter, type Site } from "./team.ts";

const TASK = "Publish the release notes";

/** Opens the store that holds the team's runs. */
function openTeam(database: string, site: Site, clock: RunClock): Runs {
  const engine = sqliteRuns(database, { clock });
  return openRuns(engine, {
    writer: { version: "1", make: createWriter },
    publisher: { version: "1", make: () => createPublisher(site) },
  }, { clock });
}

/**
 * Starts the writer and, when the writer is done, the publisher. Runs that already exist are not
 * started again.
 */
async function publishNotes(runs: Runs): Promise<RunRecord> {
  await runs.start({ runId: "notes-1", agent: "writer", input: TASK });
  const notes = readRunResult(await runs.result("notes-1"))?.finalText ?? "";
  await runs.start({ runId: "notes-1-publish", agent: "publisher", input: notes });
  return await endOrPause(runs, "notes-1-publish");
}

/** Waits until a run has ended or needs a decision. */
async function endOrPause(runs: Runs, runId: string): Promise<RunRecord> {
  for (;;) {
    const run = await runs.get(runId);
    if (run !== undefined && run.status !== "queued" && run.status !== "running") return run;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Creates a website that appends published text to a file. */
function createSite(path: string): Site {
  return {
    publish(text) {
      Deno.writeTextFileSync(path, `${JSON.stringify(text)}\n`, { append: true });
      return Deno.readTextFileSync(path).trimEnd().split("\n").length;
    },
  };
}

const [database, site, flag, days = "0", ...more] = Deno.args;
const isFlag = flag === undefined || flag === "--days";
if (!database || !site || !isFlag || !/^\d+$/.test(days) || more.length > 0) {
  console.error("Usage: durable.ts DATABASE SITE [--days N]");
  Deno.exit(2);
}
const clock = { ...systemClock, now: () => Date.now() + Number(days) * 86_400_000 };
const runs = openTeam(database, createSite(site), clock);
const working = runs.work();
const run = await publishNotes(runs);
for (const wait of run.waitingFor) console.log(`Waiting for ${wait.kind} ${wait.key}`);
if (run.status !== "waiting") console.log(`${run.status}: ${readRunResult(run)?.finalText}`);
await runs.close();
await working;
